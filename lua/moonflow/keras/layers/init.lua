--- tf.keras.layers.

local registry = require "moonflow.keras.saving.registry"

return registry.new{
  what = "layer", module = "keras.layers", folder = "moonflow.keras.layers",
  classes = {
    Layer = "layer", InputSpec = "input_spec", Dense = "dense", Flatten = "flatten", InputLayer = "input_layer",
  },
  functions = {Input = {"input_layer", "Input"}},
}
