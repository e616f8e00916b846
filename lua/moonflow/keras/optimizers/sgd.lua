--- SGD: gradient descent, with momentum and Nesterov's variant.

local Optimizer = require "moonflow.keras.optimizers.optimizer"
local common_args = require "moonflow.keras.optimizers.common_args"
local core = require "moonflow.core"
local slots = require "moonflow.keras.optimizers.slots"
local sparse = require "moonflow.keras.optimizers.sparse"

local SGD = Optimizer:extend("SGD", {
  args = common_args(0.01, {
    {"momentum", "number", default = 0.0, min = 0, max = 1, doc = "How much of the last step goes on."},
    {"nesterov", "boolean", default = false},
  }),
})

SGD.handles_slices = true

local step, multiply, scatter_sub = core.op.get("MfSGD"), core.op.get("Mul"), core.op.get("ResourceScatterSub")

function SGD:init(a)
  self:super_init(a)
  self.momentum, self.nesterov = a.momentum + 0.0, a.nesterov
  self._momentum = core.tensor.to(self.momentum, "float64")
end

function SGD:build(variables)
  if self.built then return end
  Optimizer.build(self, variables)
  rawset(self, "momentums", self.momentum ~= 0 and self:add_optimizer_variables(variables, "momentum") or {})
end

--- Without momentum only the rows of a sparse gradient change; with it every row moves on.
local function take_out_slices(self, grads, variables, learning_rate)
  if self.momentum ~= 0 then
    return sparse.densify(grads), variables
  end
  return sparse.take_out(grads, variables, function(slices, variable)
    local rate = learning_rate
    if rate.dtype ~= variable.dtype then rate = core.op.get("Cast")(rate, variable.dtype) end
    scatter_sub(variable, slices.indices, multiply(slices.values, rate))
  end)
end

function SGD:update_all(grads, variables, learning_rate)
  grads, variables = take_out_slices(self, grads, variables, learning_rate)
  if #grads == 0 then return end
  local momentums = slots.of(self, self.momentums, variables)
  step(variables, momentums, grads, learning_rate, self._momentum, self.nesterov)
end

return SGD
