--- LearningRateSchedule: the base of learning rates that follow from the number of updates.
--
--     local Halving = LearningRateSchedule:extend("Halving", {args = {{"first", "number", default = 0.1}}})
--     function Halving:call(step) return tf.cast(self.first, "float32") * 0.5 ^ step end
--
-- An optimizer calls its schedule with the number of updates made so far. Classes write call(step): `step` is a scalar
-- tensor; the result a scalar tensor or a number.

local class = require "moonflow.base.class"
local core = require "moonflow.core"
local errors = require "moonflow.base.errors"

local LearningRateSchedule = class.Object:extend("LearningRateSchedule", {args = {}})
LearningRateSchedule.keras_module = "keras.optimizers.schedules"

function LearningRateSchedule:__call(step)
  if core.args.kind(step) == "variable" then step = core.variable.read(step) end
  return self:call(core.tensor.to(step))
end

function LearningRateSchedule:call()
  errors.unimplemented(self.class_name, "a learning rate schedule needs a `call(step)` method")
end

return LearningRateSchedule
