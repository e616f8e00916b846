--- tf.keras.metrics.

local registry = require "moonflow.keras.saving.registry"

local classes = {
  Metric = "metric", Mean = "mean", MeanMetricWrapper = "mean_metric_wrapper", Sum = "sum",
  RootMeanSquaredError = "root_mean_squared_error",
}
for _, name in ipairs{
  "Accuracy", "BinaryAccuracy", "BinaryCrossentropy", "CategoricalAccuracy", "CategoricalCrossentropy",
  "CategoricalHinge", "CosineSimilarity", "Hinge", "KLDivergence", "LogCoshError", "MeanAbsoluteError",
  "MeanAbsolutePercentageError", "MeanSquaredError", "MeanSquaredLogarithmicError", "Poisson",
  "SparseCategoricalAccuracy", "SparseCategoricalCrossentropy", "SparseTopKCategoricalAccuracy", "SquaredHinge",
  "TopKCategoricalAccuracy",
} do
  classes[name] = {"wrapped", name}
end

-- Names given to compile mean the classes; the functions are there to be called.
local others = {}
for _, name in ipairs{"binary_accuracy", "categorical_accuracy", "sparse_categorical_accuracy",
  "sparse_top_k_categorical_accuracy", "top_k_categorical_accuracy"} do
  others[name] = {"functions", name}
end
for _, name in ipairs{"binary_crossentropy", "binary_focal_crossentropy", "categorical_crossentropy",
  "categorical_focal_crossentropy", "categorical_hinge", "hinge", "huber", "kl_divergence", "log_cosh",
  "mean_absolute_error", "mean_absolute_percentage_error", "mean_squared_error", "mean_squared_logarithmic_error",
  "poisson", "sparse_categorical_crossentropy", "squared_hinge"} do
  others[name] = {"losses", name}
end

local functions_of = {
  mse = "mean_squared_error", mae = "mean_absolute_error", mape = "mean_absolute_percentage_error",
  msle = "mean_squared_logarithmic_error", kld = "kl_divergence",
}
for short, name in next, functions_of do
  others[short], others[short:upper()] = {"losses", name}, {"losses", name}
end
others.kullback_leibler_divergence, others.logcosh = {"losses", "kl_divergence"}, {"losses", "log_cosh"}

return registry.new{
  what = "metric", module = "keras.metrics", folder = "moonflow.keras.metrics",
  classes = classes, others = others,
  aliases = {
    bce = "BinaryCrossentropy", BCE = "BinaryCrossentropy", mse = "MeanSquaredError", MSE = "MeanSquaredError",
    mae = "MeanAbsoluteError", MAE = "MeanAbsoluteError", mape = "MeanAbsolutePercentageError",
    MAPE = "MeanAbsolutePercentageError", msle = "MeanSquaredLogarithmicError", MSLE = "MeanSquaredLogarithmicError",
  },
}
