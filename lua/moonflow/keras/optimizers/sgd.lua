--- SGD: gradient descent, with momentum and Nesterov's variant.

local Optimizer = require "moonflow.keras.optimizers.optimizer"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"

local SGD = Optimizer:extend("SGD", {
  args = {
    {"learning_rate", "any", default = 0.01, get = function(self) return self:_learning_rate_config() end},
    {"momentum", "number", default = 0.0, min = 0, max = 1}, {"nesterov", "boolean", default = false},
    {"weight_decay", "number", default = dicts.None}, {"clipnorm", "number", default = dicts.None},
    {"clipvalue", "number", default = dicts.None}, {"global_clipnorm", "number", default = dicts.None},
    {"use_ema", "boolean", default = false}, {"ema_momentum", "number", default = 0.99},
    {"ema_overwrite_frequency", "integer", default = dicts.None}, {"loss_scale_factor", "number", default = dicts.None},
    {"gradient_accumulation_steps", "integer", default = dicts.None}, {"name", "string", default = "SGD"},
  },
})

local step = core.op.get("MfSGD")

function SGD:init(a)
  self:super_init(a)
  self.momentum, self.nesterov = a.momentum, a.nesterov
  self.momentum_value = core.tensor.to(a.momentum, "float64")
end

function SGD:build(list)
  Optimizer.build(self, list)
  rawset(self, "momentums", self.momentum ~= 0 and self:add_optimizer_variables(list, "momentum") or {})
end

--- The slots of variables, in their order.
local function slots_of(self, slots, list)
  if #slots == 0 or #list == #slots then return slots end
  local chosen = {}
  for i, variable in ipairs(list) do chosen[i] = slots[self:_get_variable_index(variable)] end
  return chosen
end

function SGD:update_all(grads, list, learning_rate)
  local slots = slots_of(self, self.momentums, list)
  step(list, slots, grads, learning_rate, self.momentum_value, self.nesterov)
end

return SGD
