--- tf.keras.metrics.

local registry = require "moonflow.keras.saving.registry"

return registry.new{
  what = "metric", module = "keras.metrics", folder = "moonflow.keras.metrics",
  classes = {
    Metric = "metric", Mean = "mean", MeanMetricWrapper = "mean_metric_wrapper",
    SparseCategoricalAccuracy = "sparse_categorical_accuracy",
  },
  functions = {sparse_categorical_accuracy = {"accuracy", "sparse_categorical_accuracy"}},
}
