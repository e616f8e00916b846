--- tf.keras.activations.

local registry = require "moonflow.keras.saving.registry"

local functions = {}
for _, name in ipairs{"celu", "elu", "exponential", "gelu", "leaky_relu", "linear", "log_sigmoid", "log_softmax", "mish",
  "relu", "relu6", "selu", "sigmoid", "silu", "softmax", "softplus", "softsign", "tanh"} do
  functions[name] = {"functions", name}
end
for _, name in ipairs{"glu", "hard_shrink", "hard_sigmoid", "hard_silu", "hard_tanh", "soft_shrink", "sparse_plus",
  "sparse_sigmoid", "sparsemax", "squareplus", "tanh_shrink", "threshold"} do
  functions[name] = {"piecewise", name}
end

return registry.new{
  what = "activation", module = "keras.activations", folder = "moonflow.keras.activations",
  classes = {},
  functions = functions,
  aliases = {swish = "silu", hard_swish = "hard_silu"},
}
