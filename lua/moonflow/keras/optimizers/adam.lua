--- Adam: moving averages of the gradients and of their squares.

local Optimizer = require "moonflow.keras.optimizers.optimizer"
local common_args = require "moonflow.keras.optimizers.common_args"
local core = require "moonflow.core"
local slots = require "moonflow.keras.optimizers.slots"
local sparse = require "moonflow.keras.optimizers.sparse"

local Adam = Optimizer:extend("Adam", {
  args = common_args(0.001, {
    {"beta_1", "number", default = 0.9, doc = "How much of the first average stays."},
    {"beta_2", "number", default = 0.999, doc = "How much of the second average stays."},
    {"epsilon", "number", default = 1e-7, doc = "Added to the denominator."},
    {"amsgrad", "boolean", default = false, doc = "Divide by the greatest second average so far."},
  }),
})

Adam.handles_slices = true

local get = core.op.get
local step, cast, pow, sqrt = get("MfAdam"), get("Cast"), get("Pow"), get("Sqrt")
local to_tensor, read, assign_add = core.tensor.to, core.variable.read, core.variable.assign_add

function Adam:init(a)
  self:super_init(a)
  self.beta_1, self.beta_2, self.epsilon, self.amsgrad = a.beta_1, a.beta_2, a.epsilon, a.amsgrad
  self._beta_1, self._beta_2 = to_tensor(a.beta_1 + 0.0, "float64"), to_tensor(a.beta_2 + 0.0, "float64")
  self._epsilon = to_tensor(a.epsilon + 0.0, "float64")
end

function Adam:build(variables)
  if self.built then return end
  Optimizer.build(self, variables)
  local momentums, velocities = self:add_optimizer_variables(variables, {"momentum", "velocity"})
  local hats = self.amsgrad and self:add_optimizer_variables(variables, "velocity_hat") or {}
  rawset(self, "_slots", slots.join(momentums, velocities, hats))
end

--- One variable whose gradient is sparse, in plain ops.
local function update_sparse(self, slices, variable, learning_rate)
  local dtype = variable.dtype
  local at = self:_get_variable_index(variable)
  local n = #self._trainable
  local m, v = self._slots[at], self._slots[n + at]
  local now = cast(read(self.iterations) + 1, dtype)
  local power_1 = pow(sparse.by_float(self.beta_1, dtype), now)
  local power_2 = pow(sparse.by_float(self.beta_2, dtype), now)
  local alpha = cast(learning_rate, dtype) * sqrt(1 - power_2) / (1 - power_1)
  local grad, squares = sparse.sums(slices, variable)
  assign_add(m, (grad - read(m)) * (1 - self.beta_1))
  assign_add(v, (squares - read(v)) * (1 - self.beta_2))
  local second = read(v)
  if self.amsgrad then
    local hat = self._slots[2 * n + at]
    second = get("Maximum")(read(hat), second)
    core.variable.assign(hat, second)
  end
  core.variable.assign_sub(variable, read(m) * alpha / (sqrt(second) + self.epsilon))
end

function Adam:update_all(grads, variables, learning_rate)
  grads, variables = sparse.take_out(grads, variables, function(slices, variable)
    update_sparse(self, slices, variable, learning_rate)
  end)
  if #grads == 0 then return end
  local chosen = slots.of(self, self._slots, variables)
  step(variables, chosen, grads, learning_rate, self.iterations, self._beta_1, self._beta_2, self._epsilon,
    self.amsgrad)
end

return Adam
