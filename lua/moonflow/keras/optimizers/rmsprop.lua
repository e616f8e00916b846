--- RMSprop: gradients divided by the root of the moving average of their squares.

local Optimizer = require "moonflow.keras.optimizers.optimizer"
local common_args = require "moonflow.keras.optimizers.common_args"
local core = require "moonflow.core"
local slots = require "moonflow.keras.optimizers.slots"
local sparse = require "moonflow.keras.optimizers.sparse"

local RMSprop = Optimizer:extend("RMSprop", {
  args = common_args(0.001, {
    {"rho", "number", default = 0.9, doc = "How much of the average stays."},
    {"momentum", "number", default = 0.0, doc = "How much of the last step goes on."},
    {"epsilon", "number", default = 1e-7, doc = "Added to the average under the root."},
    {"centered", "boolean", default = false,
      doc = "Subtract the square of the average gradient: divide by the variance."},
  }),
})

RMSprop.handles_slices = true

local get = core.op.get
local step, cast, sqrt = get("MfRMSprop"), get("Cast"), get("Sqrt")
local to_tensor, read, assign = core.tensor.to, core.variable.read, core.variable.assign

function RMSprop:init(a)
  self:super_init(a)
  self.rho, self.momentum, self.epsilon, self.centered = a.rho, a.momentum, a.epsilon, a.centered
  self._rho, self._momentum = to_tensor(a.rho + 0.0, "float64"), to_tensor(a.momentum + 0.0, "float64")
  self._epsilon = to_tensor(a.epsilon + 0.0, "float64")
end

function RMSprop:build(variables)
  if self.built then return end
  Optimizer.build(self, variables)
  local velocities = self:add_optimizer_variables(variables, "velocity")
  local momentums = self.momentum > 0 and self:add_optimizer_variables(variables, "momentum") or {}
  local averages = self.centered and self:add_optimizer_variables(variables, "average_gradient") or {}
  rawset(self, "_slots", slots.join(velocities, momentums, averages))
end

--- One variable whose gradient is sparse, in plain ops.
local function update_sparse(self, slices, variable, learning_rate)
  local at, n, rho = self:_get_variable_index(variable), #self._trainable, self.rho
  local velocity = self._slots[at]
  local grad, squares = sparse.sums(slices, variable)
  local second = read(velocity) * rho + squares * (1 - rho)
  assign(velocity, second)
  if self.centered then
    local average = self._slots[#self._slots - n + at]
    local mean = read(average) * rho + grad * (1 - rho)
    assign(average, mean)
    second = second - mean * mean
  end
  local change = cast(learning_rate, variable.dtype) * grad / sqrt(second + self.epsilon)
  if self.momentum > 0 then
    local momentum = self._slots[n + at]
    change = read(momentum) * self.momentum + change
    assign(momentum, change)
  end
  core.variable.assign_sub(variable, change)
end

function RMSprop:update_all(grads, variables, learning_rate)
  grads, variables = sparse.take_out(grads, variables, function(slices, variable)
    update_sparse(self, slices, variable, learning_rate)
  end)
  if #grads == 0 then return end
  local chosen = slots.of(self, self._slots, variables)
  step(variables, chosen, grads, learning_rate, self._rho, self._momentum, self._epsilon, self.centered)
end

return RMSprop
