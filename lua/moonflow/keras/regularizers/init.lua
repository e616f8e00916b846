--- tf.keras.regularizers.

local registry = require "moonflow.keras.saving.registry"

return registry.new{
  what = "regularizer", module = "keras.regularizers", folder = "moonflow.keras.regularizers",
  classes = {
    Regularizer = "regularizer", L1 = {"norms", "L1"}, L2 = {"norms", "L2"}, L1L2 = {"norms", "L1L2"},
    OrthogonalRegularizer = {"norms", "OrthogonalRegularizer"},
  },
  functions = {},
  aliases = {l1 = "L1", l2 = "L2", l1_l2 = "L1L2", orthogonal_regularizer = "OrthogonalRegularizer"},
}
