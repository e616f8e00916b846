--- moonflow: tensors, automatic differentiation and Keras for Lua.
--
--     local tf = require "moonflow"
--
-- Names, arguments and defaults are TensorFlow's; docs/call-grammar.md says how Python's calls are written in Lua. Everything is
-- loaded when it is first asked for.

local core = require "moonflow.core"
require "moonflow.base.errors"

local api = require "moonflow.api"

-- Parts that are modules of their own: field -> module; a field that ends in a point holds those of the namespace.
local modules = {
  keras = "moonflow.keras", data = "moonflow.data", raw_ops = "moonflow.raw_ops", files = "moonflow.files",
  errors = "moonflow.base.errors", Variable = "moonflow.variable", GradientTape = "moonflow.gradient_tape",
  custom_gradient = "moonflow.custom_gradient", IndexedSlices = "moonflow.indexed_slices",
  ["io."] = {gfile = "moonflow.gfile"},
  ["autodiff."] = {GradientTape = "moonflow.gradient_tape"},
  nest = "moonflow.base.nest",
}

local tf = api.namespace("tf", modules)
package.loaded["moonflow"] = tf

tf.None, tf.newaxis = core.args.None, core.args.None
tf.scope = core.scope.open
tf.TensorShape = core.shape.new
tf.AUTOTUNE = -1

function tf.kw(keywords)
  return require "moonflow.base.dict".kw(keywords)
end

function tf.dict(entries)
  return require "moonflow.base.dict".dict(entries)
end

function tf.zip(...)
  return require "moonflow.base.nest".zip(...)
end

for name, object in next, core.dtype do
  if core.args.kind(object) == "dtype" then tf[name] = object end
end
tf.half, tf.double = tf.float16, tf.float64

-- x:reduce_sum(...): a public function whose first parameter is a tensor is a method of tensors, too.
local function method_of(name)
  local found = name:sub(1, 1) ~= "_" and (api.row("tf." .. name) or api.row("tf.math." .. name) or api.row("tf.nn." .. name))
  if not found or found.value ~= nil then return nil end
  local first = require "moonflow.api.row".read_signature(name, found[2])[1]
  if first and first[2] == "tensor" then return api.find(found[1]:match("%S+")) end
end
core.tensor.set_fallback(method_of)
setmetatable(core.variable.methods, {__index = function(methods, name)
  local method = core.tensor.methods[name] or method_of(name)
  if method then rawset(methods, name, method) end
  return method
end})

return tf
