--- tf.keras.losses.

local registry = require "moonflow.keras.saving.registry"

local classes = {
  Loss = "loss", LossFunctionWrapper = "loss_function_wrapper",
  SparseCategoricalCrossentropy = "sparse_categorical_crossentropy",
}
for _, name in ipairs{"BinaryCrossentropy", "BinaryFocalCrossentropy", "CategoricalCrossentropy",
  "CategoricalFocalCrossentropy", "CategoricalHinge", "CosineSimilarity", "Dice", "Hinge", "Huber", "KLDivergence",
  "LogCosh", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredError", "MeanSquaredLogarithmicError",
  "Poisson", "SquaredHinge", "Tversky"} do
  classes[name] = {"classes", name}
end

local functions = {}
for _, name in ipairs{"binary_crossentropy", "binary_focal_crossentropy", "categorical_crossentropy",
  "categorical_focal_crossentropy", "categorical_hinge", "cosine_similarity", "dice", "hinge", "huber",
  "kl_divergence", "log_cosh", "mean_absolute_error", "mean_absolute_percentage_error", "mean_squared_error",
  "mean_squared_logarithmic_error", "poisson", "sparse_categorical_crossentropy", "squared_hinge", "tversky"} do
  functions[name] = {"functions", name}
end

return registry.new{
  what = "loss", module = "keras.losses", folder = "moonflow.keras.losses",
  classes = classes, functions = functions,
  aliases = {
    bce = "binary_crossentropy", BCE = "binary_crossentropy", kld = "kl_divergence", KLD = "kl_divergence",
    mae = "mean_absolute_error", MAE = "mean_absolute_error", mse = "mean_squared_error", MSE = "mean_squared_error",
    mape = "mean_absolute_percentage_error", MAPE = "mean_absolute_percentage_error",
    msle = "mean_squared_logarithmic_error", MSLE = "mean_squared_logarithmic_error",
    kullback_leibler_divergence = "kl_divergence", logcosh = "log_cosh",
  },
}
