--- Making activation functions: a body for tensors becomes the public function, which reads its call and takes
-- KerasTensors too.

local Operation = require "moonflow.keras.ops.operation"
local args = require "moonflow.base.args"
local core = require "moonflow.core"
local errors = require "moonflow.base.errors"

local is_tensor = core.tensor.is

local bodies = setmetatable({}, {__mode = "k"})

local define = {}

--- The public function called `name`. `class_name` is Keras's name of the operation ("Softmax"), `rows` are the
-- parameters behind x, each with a default; body(x, ...) gets a tensor and their values, nil where none was given.
function define.activation(name, class_name, rows, body)
  local spec = {name = "tf.keras.activations." .. name, {"x", "tensor"}}
  for i, row in ipairs(rows) do spec[i + 1] = row end
  local read = args.signature(spec)
  local function run(x, ...)
    if not is_tensor(x) then x = core.tensor.to(x, nil, spec.name, "x") end
    return body(x, ...)
  end
  local on_any = Operation.define(class_name, function(...)
    return run(read(...))
  end)
  local function public(x, ...)
    if select("#", ...) == 0 and is_tensor(x) then return body(x) end
    return on_any(x, ...)
  end
  bodies[public] = body
  return public
end

--- What layers call: the body of a public function, or the function itself when it is another; that one must return something.
function define.body(activation)
  if bodies[activation] or type(activation) ~= "function" then return bodies[activation] or activation end
  return function(x)
    local y = activation(x)
    if y == nil then errors.invalid("activation", "the activation function returned nothing; it returns a tensor") end
    return y
  end
end

return define
