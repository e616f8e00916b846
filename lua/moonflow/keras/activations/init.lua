--- tf.keras.activations.

local registry = require "moonflow.keras.saving.registry"

local functions = {}
for _, name in ipairs{"celu", "elu", "exponential", "gelu", "leaky_relu", "linear", "log_sigmoid", "log_softmax",
  "mish", "relu", "relu6", "selu", "sigmoid", "silu", "softmax", "softplus", "softsign", "tanh"} do
  functions[name] = {"functions", name}
end
for _, name in ipairs{"glu", "hard_shrink", "hard_sigmoid", "hard_silu", "hard_tanh", "soft_shrink", "sparse_plus",
  "sparse_sigmoid", "sparsemax", "squareplus", "tanh_shrink", "threshold"} do
  functions[name] = {"piecewise", name}
end

local activations = registry.new{
  what = "activation", module = "keras.activations", folder = "moonflow.keras.activations",
  classes = {},
  functions = functions,
  aliases = {swish = "silu", hard_swish = "hard_silu"},
}

local get, deserialize = activations.get, activations.deserialize

--- Layers serve as activations, too: their configs say so.
local function is_layer(config)
  return type(config) == "table" and config.module == "keras.layers"
end

--- The function or layer that a name, a config, a function or a layer means; nil for None.
rawset(activations, "get", function(identifier)
  if is_layer(identifier) then return require "moonflow.keras.layers".deserialize(identifier) end
  return get(identifier)
end)

rawset(activations, "deserialize", function(config)
  if is_layer(config) then return require "moonflow.keras.layers".deserialize(config) end
  return deserialize(config)
end)

return activations
