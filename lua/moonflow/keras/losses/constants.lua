--- Scalars that losses and metrics use again and again, made once for each dtype.

local core = require "moonflow.core"

local to_tensor = core.tensor.to

local constants = {last_axis = to_tensor(-1, "int32"), squeeze_last = {squeeze_dims = {-1}}}

local made = {}

--- The number `value` as a scalar tensor of the dtype object `dtype`.
function constants.scalar(value, dtype)
  local by_value = made[dtype]
  if not by_value then
    by_value = {}
    made[dtype] = by_value
  end
  local tensor = by_value[value]
  if not tensor then
    tensor = to_tensor(value, dtype)
    by_value[value] = tensor
  end
  return tensor
end

return constants
