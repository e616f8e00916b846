--- Constraint: the base of what keeps weights within bounds after each update.
--
--     local Round = Constraint:extend("Round", {args = {}})
--     function Round:call(w) return tf.round(w) end
--
-- A constraint is called with a tensor or variable and gives the tensor that takes its place. Classes write call(w).

local class = require "moonflow.base.class"
local core = require "moonflow.core"

local Constraint = class.Object:extend("Constraint", {args = {}})
Constraint.keras_module = "keras.constraints"

function Constraint:__call(w)
  local kind = core.args.kind(w)
  if kind == "variable" then
    w = core.variable.read(w)
  elseif kind ~= "tensor" then
    w = core.tensor.to(w, nil, self.class_name, "w")
  end
  return self:call(w)
end

function Constraint:call(w)
  return w
end

return Constraint
