--- Text of values as tf.print, tf.strings.format and the assertions write them: TensorFlow's own layout, not numpy's.

local core = require "moonflow.core"
local nest = require "moonflow.base.nest"

local text = {}

--- A number with as few digits as identify it: 6 or 9 for single precision, 15 or 17 for double.
local function float_text(value, dtype)
  if value ~= value then return "nan" end
  if value == math.huge then return "inf" end
  if value == -math.huge then return "-inf" end
  local short, long = "%.6g", "%.9g"
  local same
  if dtype == core.dtype.float64 then
    short, long = "%.15g", "%.17g"
    same = tonumber(short:format(value)) == value
  else
    same = string.unpack("f", string.pack("f", tonumber(short:format(value)))) == value
  end
  return (same and short or long):format(value)
end

local function scalar_text(value, dtype, quote)
  if dtype == core.dtype.bool then return value and "1" or "0" end
  if dtype == core.dtype.string then return quote and '"' .. value .. '"' or value end
  if type(value) == "table" then
    return ("(%s,%s)"):format(float_text(value[1], core.dtype.float64), float_text(value[2], core.dtype.float64))
  end
  if math.type(value) == "integer" then return tostring(value) end
  return float_text(value, dtype)
end

--- One axis: the first and last `summarize` items, dots between them; -1: all.
local function axis_text(x, summarize, depth, rank)
  local n = x:dim(0)
  local last = rank == 1
  local parts = {}
  local function add(from, to)
    if from > to then return end
    if last then
      for _, value in ipairs(x[("%d:%d"):format(from, to + 1)]:totable()) do
        parts[#parts + 1] = scalar_text(value, x.dtype, true)
      end
    else
      for i = from, to do parts[#parts + 1] = axis_text(x[i], summarize, depth + 1, rank - 1) end
    end
  end
  if summarize < 0 or n <= 2 * summarize then
    add(0, n - 1)
  else
    add(0, summarize - 1)
    parts[#parts + 1] = "..."
    add(n - summarize, n - 1)
  end
  local separator = last and " " or ("\n"):rep(rank - 1) .. (" "):rep(depth + 1)
  return "[" .. table.concat(parts, separator) .. "]"
end

--- A tensor or variable.
function text.of_tensor(x, summarize, quote)
  if core.variable.is(x) then x = core.variable.read(x) end
  x = core.tensor.to(x)
  if x.shape.rank == 0 then return scalar_text(x:item(), x.dtype, quote ~= false) end
  if x.shape:num_elements() == 0 then return "[]" end
  return axis_text(x, summarize or 3, 0, x.shape.rank)
end

local value_text

local function list_text(list, summarize)
  local parts = {}
  for i = 1, #list do parts[i] = value_text(list[i], summarize, true) end
  return "[" .. table.concat(parts, ", ") .. "]"
end

local function dict_text(dict, summarize)
  local parts = {}
  for key, value in nest.entries(dict) do
    parts[#parts + 1] = ("'%s': %s"):format(key, value_text(value, summarize, true))
  end
  return "{" .. table.concat(parts, ", ") .. "}"
end

--- Python's words for Lua's values.
function value_text(value, summarize, inside)
  if core.args.is_tensor(value) then
    if core.args.kind(value) == "tensor" or core.args.kind(value) == "variable" then
      return text.of_tensor(value, summarize)
    end
    return tostring(value)
  end
  if type(value) == "string" then return inside and "'" .. value .. "'" or value end
  if type(value) == "boolean" then return value and "True" or "False" end
  if value == nil then return "None" end
  local kind = type(value) == "table" and nest.kind(value)
  if kind == "list" then return list_text(value, summarize) end
  if kind == "dict" then return dict_text(value, summarize) end
  return tostring(value)
end

text.of_value = value_text

return text
