--- ReduceLROnPlateau: lowers the learning rate when a monitored value has stopped getting better.

local LearningRateScheduler = require "moonflow.keras.callbacks.learning_rate_scheduler"
local MonitorCallback = require "moonflow.keras.callbacks.monitor_callback"
local errors = require "moonflow.base.errors"

local ReduceLROnPlateau = MonitorCallback:extend("ReduceLROnPlateau", {
  args = {
    {"monitor", "string", default = "val_loss"}, {"factor", "number", default = 0.1, doc = "New rate = rate * factor."},
    {"patience", "integer", default = 10}, {"verbose", "integer", default = 0},
    {"mode", "string", default = "auto", one_of = {"auto", "min", "max"}}, {"min_delta", "number", default = 1e-4},
    {"cooldown", "integer", default = 0, doc = "Epochs to wait after a reduction."},
    {"min_lr", "number", default = 0.0}, {"baseline", remove = true},
  },
})

function ReduceLROnPlateau:init(a)
  MonitorCallback.init(self, {monitor = a.monitor, mode = a.mode, min_delta = a.min_delta})
  if a.factor >= 1.0 then
    errors.invalid("ReduceLROnPlateau", "argument 'factor': expected a number below 1.0, received %s", tostring(a.factor))
  end
  for _, name in ipairs{"factor", "patience", "verbose", "cooldown", "min_lr"} do self[name] = a[name] end
  self.cooldown_counter, self.wait = 0, 0
end

function ReduceLROnPlateau:on_train_begin()
  self.best, self.cooldown_counter, self.wait = nil, 0, 0
end

function ReduceLROnPlateau:in_cooldown()
  return self.cooldown_counter > 0
end

local function reduce(self, epoch)
  local optimizer = self.model.optimizer
  local old = LearningRateScheduler.rate_of(optimizer)
  if old <= string.unpack("f", string.pack("f", self.min_lr)) then return end
  local rate = math.max(old * self.factor, self.min_lr)
  optimizer.learning_rate = rate
  if self.verbose > 0 then
    io.stdout:write(("\nEpoch %d: ReduceLROnPlateau reducing learning rate to %s.\n"):format(epoch + 1, tostring(rate)))
  end
  self.cooldown_counter, self.wait = self.cooldown, 0
end

function ReduceLROnPlateau:on_epoch_end(epoch, logs)
  self:find_direction()
  logs.learning_rate = LearningRateScheduler.rate_of(self.model.optimizer)
  local current = self:value_in(logs)
  if current == nil then return end
  if self:in_cooldown() then
    self.cooldown_counter, self.wait = self.cooldown_counter - 1, 0
  end
  if self:is_improvement(current, self.best) then
    self.best, self.wait = current, 0
  elseif not self:in_cooldown() then
    self.wait = self.wait + 1
    if self.wait >= self.patience then reduce(self, epoch) end
  end
end

return ReduceLROnPlateau
