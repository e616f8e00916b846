--- Regularizer: the base of penalties on weights and outputs.
--
--     local Largest = Regularizer:extend("Largest", {args = {{"factor", "number", default = 0.01}}})
--     function Largest:call(x) return tf.reduce_max(x) * self.factor end
--
-- A regularizer is called with a tensor or variable and gives a scalar. Classes write call(x): x is a tensor.

local class = require "moonflow.base.class"
local core = require "moonflow.core"

local Regularizer = class.Object:extend("Regularizer", {args = {}})
Regularizer.keras_module = "keras.regularizers"

function Regularizer:__call(x)
  local kind = core.args.kind(x)
  if kind == "variable" then
    x = core.variable.read(x)
  elseif kind ~= "tensor" and core.args.is_scalar_list(x) then
    x = core.tensor.to(x, nil, self.class_name, "x")
  end
  return self:call(x)
end

function Regularizer:call()
  return core.tensor.to(0.0)
end

return Regularizer
