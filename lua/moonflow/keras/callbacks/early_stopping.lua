--- EarlyStopping: ends training when a monitored value has stopped getting better.

local MonitorCallback = require "moonflow.keras.callbacks.monitor_callback"
local dicts = require "moonflow.base.dict"

local EarlyStopping = MonitorCallback:extend("EarlyStopping", {
  args = {
    {"monitor", "string", default = "val_loss"}, {"min_delta", "number", default = 0},
    {"patience", "integer", default = 0, doc = "Epochs without improvement before training ends."},
    {"verbose", "integer", default = 0}, {"mode", "string", default = "auto", one_of = {"auto", "min", "max"}},
    {"baseline", "number", default = dicts.None, doc = "Training ends unless the value gets better than this."},
    {"restore_best_weights", "boolean", default = false, doc = "Whether the weights of the best epoch come back."},
    {"start_from_epoch", "integer", default = 0},
  },
})

function EarlyStopping:init(a)
  MonitorCallback.init(self, {monitor = a.monitor, mode = a.mode, min_delta = a.min_delta})
  self.patience, self.verbose, self.baseline = a.patience, a.verbose, a.baseline
  self.restore_best_weights, self.start_from_epoch = a.restore_best_weights, a.start_from_epoch
  self.wait, self.stopped_epoch, self.best_epoch = 0, 0, 0
end

function EarlyStopping:on_train_begin()
  self.wait, self.stopped_epoch, self.best_epoch = 0, 0, 0
  self.best, self.best_weights = nil, nil
end

function EarlyStopping:on_epoch_end(epoch, logs)
  self:find_direction()
  local current = self:value_in(logs)
  if current == nil or epoch < self.start_from_epoch then return end
  if self.restore_best_weights and self.best_weights == nil then
    self.best_weights, self.best_epoch = self.model:get_weights(), epoch
  end
  self.wait = self.wait + 1
  if self:is_improvement(current, self.best) then
    self.best, self.best_epoch = current, epoch
    if self.restore_best_weights then self.best_weights = self.model:get_weights() end
    if self.baseline == nil or self:is_improvement(current, self.baseline) then self.wait = 0 end
    return
  end
  if self.wait >= self.patience and epoch > 0 then
    self.stopped_epoch = epoch
    self.model.stop_training = true
  end
end

function EarlyStopping:on_train_end()
  if self.stopped_epoch > 0 and self.verbose > 0 then
    io.stdout:write(("Epoch %d: early stopping\n"):format(self.stopped_epoch + 1))
  end
  if not self.restore_best_weights or self.best_weights == nil then return end
  if self.verbose > 0 then
    io.stdout:write(("Restoring model weights from the end of the best epoch: %d.\n"):format(self.best_epoch + 1))
  end
  self.model:set_weights(self.best_weights)
end

return EarlyStopping
