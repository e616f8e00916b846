--- Reshaping to sizes of which some may not be known.

local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"

local None = dicts.None
local get = core.op.get
local reshape, shape_of = get("Reshape"), get("Shape")
local to_tensor = core.tensor.to

local shapes = {}

local targets = setmetatable({}, {__mode = "v"})

--- A list of integers as an int32 tensor, kept as long as somebody uses it.
local function target(list)
  local key = table.concat(list, ",")
  local tensor = targets[key]
  if not tensor then
    tensor = to_tensor(list, "int32")
    targets[key] = tensor
  end
  return tensor
end

--- x with its first axis kept and the others as `sizes` says, a list in which None is not known.
function shapes.keep_batch(x, sizes)
  local batch = x:dim(0)
  local list, unknown = {batch}, batch == None and 1 or 0
  for i, size in ipairs(sizes) do
    list[i + 1] = size
    if size == None then unknown = unknown + 1 end
  end
  if unknown > 1 and batch == None then
    local first = get("StridedSlice")(shape_of(x), {0}, {1}, {1})
    for i = 2, #list do list[i - 1] = list[i] == None and -1 or list[i] end
    list[#list] = nil
    return reshape(x, get("ConcatV2")({first, target(list)}, to_tensor(0, "int32")))
  end
  for i = 1, #list do
    if list[i] == None then list[i] = -1 end
  end
  return reshape(x, target(list))
end

--- The sizes (a list) that `wanted`, in which -1 stands for what is left, gives for an input of the sizes `given`.
function shapes.resolve(where, given, wanted)
  local total, known, free = 1, 1, nil
  local result = {}
  for _, size in ipairs(given) do total = total ~= None and size ~= None and total * size or None end
  for i, size in ipairs(wanted) do
    result[i] = size
    if size == -1 then free = i elseif size == None then total = None else known = known * size end
  end
  if total == None then
    if free then result[free] = None end
    return result
  end
  if not free and known == total then return result end
  if free and known > 0 and total % known == 0 then
    result[free] = total // known
    return result
  end
  errors.invalid(where, "the total size of the tensor must be unchanged, received the input sizes {%s} and " ..
    "target_shape={%s}", table.concat(given, ", "), table.concat(wanted, ", "))
end

return shapes
