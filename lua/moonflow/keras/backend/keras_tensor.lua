--- KerasTensor: a value of the functional API. It knows shape, dtype and the call it came from; operators, indexing and
-- tf.keras.ops on it record calls.
--
-- Fields: shape (a shape object), dtype (a dtype object), name, rank, history {operation, node, index}: which call of the
-- operation gave it (node counts from 1, index is the place among the outputs).

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local naming = require "moonflow.keras.backend.naming"

local KerasTensor = {}

local methods, meta = {}, {__mf_kind = "keras_tensor", __name = "KerasTensor"}

--- A new symbolic value. `shape` is a list or shape with tf.None for what is not known.
function KerasTensor.new(shape, dtype, name)
  return setmetatable({
    shape = core.shape.new(shape), dtype = core.dtype.get(dtype), name = name or naming.auto_name("keras_tensor"),
  }, meta)
end

function KerasTensor.is(value)
  return rawequal(getmetatable(value), meta)
end

local function ops()
  return require "moonflow.keras.ops"
end

local operators = {
  __add = "add", __sub = "subtract", __mul = "multiply", __div = "divide", __idiv = "floor_divide", __mod = "mod",
  __pow = "power", __band = "logical_and", __bor = "logical_or",
}
for event, name in next, operators do
  meta[event] = function(a, b) return ops()[name](a, b) end
end
function meta.__unm(x) return ops().negative(x) end
function meta.__bnot(x) return ops().logical_not(x) end

function meta.__lt()
  errors.invalid("KerasTensor", "a symbolic value cannot be compared with < or <=; use tf.keras.ops.less")
end
meta.__le = meta.__lt

function meta.__len(x)
  return x.shape[1]
end

function meta.__tostring(x)
  return ("<KerasTensor shape=%s, dtype=%s, sparse=False, ragged=False, name=%s>"):format(x.shape, x.dtype.name, x.name)
end

function meta.__index(x, key)
  local method = methods[key]
  if method then return method end
  if key == "rank" or key == "ndim" then return rawget(x, "shape").rank end
  if type(key) == "string" and not key:find("[%d:,]") then return nil end
  return ops().get_item(x, key)
end

function meta.__newindex(x, key, value)
  if math.type(key) then errors.invalid("KerasTensor", "elements of a symbolic value cannot be assigned") end
  rawset(x, key, value)
end

--- Size of an axis, counted from 0; tf.None when it is not known.
function methods.dim(x, axis)
  return x.shape[axis < 0 and axis or axis + 1]
end

function methods.reshape(x, newshape)
  return ops().reshape(x, newshape)
end

function methods.squeeze(x, axis)
  return ops().squeeze(x, axis)
end

return KerasTensor
