--- tf.keras.regularizers.

local registry = require "moonflow.keras.saving.registry"

return registry.new{
  what = "regularizer", module = "keras.regularizers", folder = "moonflow.keras.regularizers",
  classes = {},
  functions = {},
  aliases = {},
}
