--- LearningRateScheduler: sets the learning rate at the start of each epoch: schedule(epoch, rate) gives the new one.

local Callback = require "moonflow.keras.callbacks.callback"
local core = require "moonflow.core"
local errors = require "moonflow.base.errors"

local LearningRateScheduler = Callback:extend("LearningRateScheduler", {
  args = {{"schedule", "any", doc = "function(epoch, rate)"}, {"verbose", "integer", default = 0}},
})

function LearningRateScheduler:init(a)
  self.schedule, self.verbose = a.schedule, a.verbose
end

--- The learning rate of an optimizer as a number.
function LearningRateScheduler.rate_of(optimizer)
  local rate = optimizer.learning_rate
  if core.args.kind(rate) == "variable" then rate = core.variable.read(rate) end
  return rate:item()
end

function LearningRateScheduler:on_epoch_begin(epoch)
  local optimizer = self.model.optimizer
  local rate = self.schedule(epoch, LearningRateScheduler.rate_of(optimizer))
  if core.args.kind(rate) == "tensor" then rate = rate:item() end
  if type(rate) ~= "number" then
    errors.invalid("LearningRateScheduler", "the output of the `schedule` function should be a number, received %s",
      errors.describe(rate))
  end
  optimizer.learning_rate = rate
  if self.verbose > 0 then
    io.stdout:write(("\nEpoch %d: LearningRateScheduler setting learning rate to %s.\n"):format(epoch + 1, tostring(rate)))
  end
end

function LearningRateScheduler:on_epoch_end(_, logs)
  logs.learning_rate = LearningRateScheduler.rate_of(self.model.optimizer)
end

return LearningRateScheduler
