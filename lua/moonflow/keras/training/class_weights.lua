--- class_weight: weights of classes become weights of samples.

local core = require "moonflow.core"
local config = require "moonflow.keras.backend.config"
local errors = require "moonflow.base.errors"
local nest = require "moonflow.base.nest"

local class_weights = {}

local MOST_CLASSES = 1 << 22 -- the weights of all classes stand in one vector

local get = core.op.get
local to_tensor = core.tensor.to

--- Class numbers of targets: class numbers themselves (a last axis of size 1 goes), or one-hot rows.
local function classes_of(y)
  if y.shape.rank > 1 then
    if y.shape[-1] == 1 then y = get("Squeeze")(y, {squeeze_dims = {-1}}) else y = get("ArgMax")(y, to_tensor(-1, "int32")) end
  end
  if y.dtype.is_floating then y = get("Round")(y) end
  return get("Cast")(y, "int64")
end

--- A weight for each target. `class_weight` maps class numbers to weights; classes that are not in it weigh 1.
function class_weights.of_targets(y, class_weight, op)
  local entries = nest.map_entries(class_weight, op .. ": argument 'class_weight'")
  local classes = classes_of(core.args.kind(y) == "tensor" and y or to_tensor(y))
  local last = 0
  for _, entry in ipairs(entries) do
    if not (math.type(entry[1]) == "integer" and entry[1] >= 0 and entry[1] < MOST_CLASSES and type(entry[2]) == "number") then
      errors.invalid(op, "argument 'class_weight': expected class numbers from 0 to %d with their weights, received [%s] = %s",
        MOST_CLASSES - 1, tostring(entry[1]), errors.describe(entry[2]))
    end
    last = math.max(last, entry[1])
  end
  local list = {}
  for i = 1, last + 2 do list[i] = 1.0 end
  for _, entry in ipairs(entries) do list[entry[1] + 1] = entry[2] + 0.0 end
  -- classes beyond the last one named fall on the entry behind it, which is 1
  local bound = to_tensor(last + 1, "int64")
  local index = get("Minimum")(classes, bound)
  return get("GatherV2")(to_tensor(list, config.floatx()), index, to_tensor(0, "int32"))
end

return class_weights
