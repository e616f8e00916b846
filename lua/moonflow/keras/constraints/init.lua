--- tf.keras.constraints.

local registry = require "moonflow.keras.saving.registry"

local classes = {Constraint = "constraint"}
for _, name in ipairs{"MaxNorm", "MinMaxNorm", "NonNeg", "UnitNorm"} do classes[name] = {"norms", name} end

return registry.new{
  what = "constraint", module = "keras.constraints", folder = "moonflow.keras.constraints",
  classes = classes, functions = {},
  aliases = {max_norm = "MaxNorm", min_max_norm = "MinMaxNorm", non_neg = "NonNeg", unit_norm = "UnitNorm"},
}
