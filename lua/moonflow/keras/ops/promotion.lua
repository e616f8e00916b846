--- Dtypes of tf.keras.ops: operands of different dtypes are cast to one, as Keras does; numbers take the tensor's dtype.

local config = require "moonflow.keras.backend.config"
local core = require "moonflow.core"

local promotion = {}

local kind_of, to_tensor = core.args.kind, core.tensor.to
local cast = core.op.get("Cast")

--- A value as a tensor; variables are read.
function promotion.tensor(x, dtype)
  local kind = kind_of(x)
  if kind == "tensor" then return x end
  if kind == "variable" then return core.variable.read(x) end
  return to_tensor(x, dtype)
end

--- A tensor of a float dtype: integers and booleans become floatx.
function promotion.float(x)
  x = promotion.tensor(x)
  if x.dtype.is_floating or x.dtype.is_complex then return x end
  return cast(x, config.floatx())
end

local function rank_of(dtype)
  if dtype.is_complex then return 300 + dtype.size end
  if dtype.is_floating then return 200 + dtype.size end
  if dtype.is_bool then return 0 end
  return 100 + dtype.size * 2 - (dtype.is_unsigned and 1 or 0)
end

local function holds_float(value)
  if type(value) == "number" then return math.type(value) == "float" end
  if type(value) == "table" then
    for _, item in ipairs(value) do
      if holds_float(item) then return true end
    end
  end
  return false
end

--- Two operands as tensors of one dtype.
function promotion.pair(a, b)
  local a_is, b_is = core.args.is_tensor(a), core.args.is_tensor(b)
  if a_is then a = promotion.tensor(a) end
  if b_is then b = promotion.tensor(b) end
  if not a_is and not b_is then
    local dtype = (holds_float(a) or holds_float(b)) and config.floatx() or nil
    return to_tensor(a, dtype), to_tensor(b, dtype)
  end
  if not a_is or not b_is then
    local tensor, value = a_is and a or b, a_is and b or a
    if holds_float(value) and not (tensor.dtype.is_floating or tensor.dtype.is_complex) then
      tensor = cast(tensor, config.floatx())
    end
    value = to_tensor(value, tensor.dtype)
    if a_is then return tensor, value end
    return value, tensor
  end
  if a.dtype == b.dtype then return a, b end
  if rank_of(a.dtype) >= rank_of(b.dtype) then return a, cast(b, a.dtype) end
  return cast(a, b.dtype), b
end

return promotion
