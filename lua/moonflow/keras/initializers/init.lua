--- tf.keras.initializers.

local registry = require "moonflow.keras.saving.registry"

return registry.new{
  what = "initializer", module = "keras.initializers", folder = "moonflow.keras.initializers",
  classes = {
    Initializer = "initializer", Zeros = "zeros", GlorotUniform = "glorot_uniform",
  },
  functions = {},
  aliases = {zero = "Zeros"},
}
