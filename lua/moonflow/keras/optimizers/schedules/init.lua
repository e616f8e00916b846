--- tf.keras.optimizers.schedules.

local registry = require "moonflow.keras.saving.registry"

local classes = {LearningRateSchedule = "learning_rate_schedule"}
for _, name in ipairs{"CosineDecay", "CosineDecayRestarts", "ExponentialDecay", "InverseTimeDecay",
  "PiecewiseConstantDecay", "PolynomialDecay"} do
  classes[name] = {"decay", name}
end

return registry.new{
  what = "learning rate schedule", module = "keras.optimizers.schedules",
  folder = "moonflow.keras.optimizers.schedules",
  classes = classes,
}
