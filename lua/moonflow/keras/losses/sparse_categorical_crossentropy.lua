--- SparseCategoricalCrossentropy: crossentropy between class numbers and predictions.

local LossFunctionWrapper = require "moonflow.keras.losses.loss_function_wrapper"
local core = require "moonflow.core"
local crossentropy = require "moonflow.keras.losses.crossentropy"
local dicts = require "moonflow.base.dict"
local marks = require "moonflow.keras.backend.marks"

local SparseCategoricalCrossentropy = LossFunctionWrapper:extend("SparseCategoricalCrossentropy", {
  args = {
    {"from_logits", "boolean", default = false, doc = "Whether predictions are logits instead of probabilities."},
    {"ignore_class", "integer", default = dicts.None, doc = "A class whose samples do not count."},
    {"reduction", "string", default = "sum_over_batch_size", none = true},
    {"axis", "integer", default = -1, config = false, doc = "Axis of the classes: the last one."},
    {"name", "string", default = "sparse_categorical_crossentropy"},
    {"dtype", "dtype_policy", default = dicts.None, config = false},
    {"fn", remove = true}, {"kwargs", remove = true},
  },
})

local is_tensor = core.tensor.is

function SparseCategoricalCrossentropy:init(a)
  self:super_init{fn = crossentropy.sparse_categorical, name = a.name, reduction = a.reduction, dtype = a.dtype,
    from_logits = a.from_logits, ignore_class = a.ignore_class, axis = a.axis}
  self.from_logits, self.ignore_class, self.axis = a.from_logits, a.ignore_class, a.axis
end

--- Class numbers need no cast to the loss's dtype and back.
function SparseCategoricalCrossentropy:compute(y_true, y_pred, sample_weight)
  local dtype = self.dtype_object
  if not is_tensor(y_true) or not y_true.dtype.is_integer or not is_tensor(y_pred) or y_pred.dtype ~= dtype then
    return LossFunctionWrapper.compute(self, y_true, y_pred, sample_weight)
  end
  local mask = marks.has_masks and marks.mask(y_pred) or nil
  local values = crossentropy.sparse_categorical(y_true, y_pred, self.fn_kwargs)
  return self:reduce(values, sample_weight, mask)
end

return SparseCategoricalCrossentropy
