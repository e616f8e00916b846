--- tf.keras.layers.

local registry = require "moonflow.keras.saving.registry"

local classes = {
  Activation = "activation", BatchNormalization = "batch_normalization", Concatenate = "concatenate",
  Conv2D = "conv2d",
  Dense = "dense", Dot = "dot", Dropout = "dropout", Embedding = "embedding", Flatten = "flatten",
  InputLayer = "input_layer",
  InputSpec = "input_spec", Layer = "layer", LayerNormalization = "layer_normalization", ReLU = "relu",
  Rescaling = "rescaling", Reshape = "reshape", Softmax = "softmax",
}
for _, name in ipairs{"Add", "Average", "Maximum", "Minimum", "Multiply", "Subtract"} do
  classes[name] = {"merging", name}
end
for _, name in ipairs{"AveragePooling2D", "MaxPooling2D"} do classes[name] = {"pooling2d", name} end
for _, name in ipairs{"GlobalAveragePooling2D", "GlobalMaxPooling2D"} do classes[name] = {"global_pooling2d", name} end

local functions = {Input = {"input_layer", "Input"}}
for _, name in ipairs{"add", "average", "concatenate", "dot", "maximum", "minimum", "multiply", "subtract"} do
  functions[name] = {"merging", name}
end

return registry.new{
  what = "layer", module = "keras.layers", folder = "moonflow.keras.layers", classes = classes, functions = functions,
  further = require "moonflow.keras.models",
  aliases = {
    AvgPool2D = "AveragePooling2D", MaxPool2D = "MaxPooling2D", Convolution2D = "Conv2D",
    GlobalAvgPool2D = "GlobalAveragePooling2D", GlobalMaxPool2D = "GlobalMaxPooling2D",
  },
}
