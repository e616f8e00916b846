--- class_weight: weights of classes become weights of samples.

local core = require "moonflow.core"
local config = require "moonflow.keras.backend.config"
local nest = require "moonflow.base.nest"

local class_weights = {}

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
  for _, entry in ipairs(entries) do last = math.max(last, entry[1]) end
  local list = {}
  for i = 1, last + 2 do list[i] = 1.0 end
  for _, entry in ipairs(entries) do list[entry[1] + 1] = entry[2] + 0.0 end
  -- classes beyond the last one named fall on the entry behind it, which is 1
  local bound = to_tensor(last + 1, "int64")
  local index = get("Minimum")(classes, bound)
  return get("GatherV2")(to_tensor(list, config.floatx()), index, to_tensor(0, "int32"))
end

return class_weights
