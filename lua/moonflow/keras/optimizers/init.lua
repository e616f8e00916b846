--- tf.keras.optimizers.

local registry = require "moonflow.keras.saving.registry"

return registry.new{
  what = "optimizer", module = "keras.optimizers", folder = "moonflow.keras.optimizers",
  classes = {Optimizer = "optimizer", SGD = "sgd", Adam = "adam", RMSprop = "rmsprop"},
  aliases = {sgd = "SGD", adam = "Adam", rmsprop = "RMSprop"},
  others = {schedules = "schedules"},
}
