--- tf.keras.losses.

local registry = require "moonflow.keras.saving.registry"

return registry.new{
  what = "loss", module = "keras.losses", folder = "moonflow.keras.losses",
  classes = {
    Loss = "loss", LossFunctionWrapper = "loss_function_wrapper",
    SparseCategoricalCrossentropy = "sparse_categorical_crossentropy",
  },
  functions = {
    mean_squared_error = {"functions", "mean_squared_error"},
    sparse_categorical_crossentropy = {"functions", "sparse_categorical_crossentropy"},
  },
  aliases = {mse = "mean_squared_error", MSE = "mean_squared_error"},
}
