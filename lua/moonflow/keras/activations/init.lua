--- tf.keras.activations.

local registry = require "moonflow.keras.saving.registry"

return registry.new{
  what = "activation", module = "keras.activations", folder = "moonflow.keras.activations",
  classes = {},
  functions = {
    linear = {"functions", "linear"}, relu = {"functions", "relu"}, softmax = {"functions", "softmax"},
    sigmoid = {"functions", "sigmoid"},
  },
  aliases = {},
}
