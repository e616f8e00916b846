--- tf.keras.constraints.

local registry = require "moonflow.keras.saving.registry"

return registry.new{
  what = "constraint", module = "keras.constraints", folder = "moonflow.keras.constraints",
  classes = {},
  functions = {},
  aliases = {},
}
