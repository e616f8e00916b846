--- SparseCategoricalCrossentropy: crossentropy between class numbers and predictions.

local LossFunctionWrapper = require "moonflow.keras.losses.loss_function_wrapper"
local dicts = require "moonflow.base.dict"
local functions = require "moonflow.keras.losses.functions"

local SparseCategoricalCrossentropy = LossFunctionWrapper:extend("SparseCategoricalCrossentropy", {
  args = {
    {"from_logits", "boolean", default = false, doc = "Whether predictions are logits instead of probabilities."},
    {"reduction", "string", default = "sum_over_batch_size", none = true},
    {"name", "string", default = "sparse_categorical_crossentropy"},
    {"dtype", "dtype_policy", default = dicts.None, config = false},
    {"fn", remove = true}, {"kwargs", remove = true},
  },
})

function SparseCategoricalCrossentropy:init(a)
  self:super_init{fn = functions.sparse_categorical_crossentropy, name = a.name, reduction = a.reduction, dtype = a.dtype,
    from_logits = a.from_logits}
  self.from_logits = a.from_logits
end

return SparseCategoricalCrossentropy
