--- tf.keras.Variable: a variable with a path, made from a value or an initializer.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local args = require "moonflow.base.args"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local naming = require "moonflow.keras.backend.naming"
local variables = require "moonflow.keras.backend.variable"

local None = dicts.None

local keras_variable = {}

local read = args.signature{name = "Variable", {"initializer", "any"}, {"shape", "shape", default = None},
  {"dtype", "dtype", default = None}, {"trainable", "boolean", default = true}, {"autocast", "boolean", default = true},
  {"aggregation", "string", default = "none"}, {"name", "string", default = None}}

--- Variable(initializer, {shape =, dtype =, trainable =, name =})
function keras_variable.Variable(...)
  local initializer, shape, dtype, trainable, _, _, name = read(...)
  local meta = type(initializer) == "table" and getmetatable(initializer) or nil
  local callable = type(initializer) == "function" or meta and meta.__call ~= nil
  if type(initializer) == "string" then
    initializer, callable = require "moonflow.keras.initializers".get(initializer), true
  end
  if not callable then
    initializer = core.tensor.to(initializer, dtype, "Variable", "initializer")
    dtype = dtype or initializer.dtype
    shape = nil
  end
  local own_shape = callable and (shape or {}) or initializer.shape
  return variables.new{initializer = initializer, shape = own_shape, dtype = dtype and core.dtype.get(dtype).name,
    trainable = trainable, name = name or naming.auto_name("variable")}
end

return keras_variable
