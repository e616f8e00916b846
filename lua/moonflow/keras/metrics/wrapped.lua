--- The metrics that are the mean of a function over all samples: one row each.

local MeanMetricWrapper = require "moonflow.keras.metrics.mean_metric_wrapper"
local accuracy = require "moonflow.keras.metrics.accuracy"
local crossentropy = require "moonflow.keras.losses.crossentropy"
local dicts = require "moonflow.base.dict"
local regression = require "moonflow.keras.losses.regression"

local None = dicts.None

local from_logits = {"from_logits", "boolean", default = false}
local smoothing = {"label_smoothing", "number", default = 0}
local axis = {"axis", "integer", default = -1}
local k = {"k", "integer", default = 5}

-- class -> function, name; then rows in front of `name`, and rows behind `dtype`. `omitted`: an argument that Keras
-- writes to the config only when it is true.
local table_of = {
  Accuracy = {accuracy.accuracy, "accuracy"},
  BinaryAccuracy = {accuracy.binary, "binary_accuracy", {}, {{"threshold", "number", default = 0.5}}},
  CategoricalAccuracy = {accuracy.categorical, "categorical_accuracy"},
  SparseCategoricalAccuracy = {accuracy.sparse_categorical, "sparse_categorical_accuracy"},
  TopKCategoricalAccuracy = {accuracy.top_k, "top_k_categorical_accuracy", {k}},
  SparseTopKCategoricalAccuracy = {accuracy.sparse_top_k, "sparse_top_k_categorical_accuracy", {k},
    {{"from_sorted_ids", "boolean", default = false}}, omitted = "from_sorted_ids"},
  MeanSquaredError = {regression.mean_squared_error, "mean_squared_error"},
  MeanAbsoluteError = {regression.mean_absolute_error, "mean_absolute_error"},
  MeanAbsolutePercentageError = {regression.mean_absolute_percentage_error, "mean_absolute_percentage_error"},
  MeanSquaredLogarithmicError = {regression.mean_squared_logarithmic_error, "mean_squared_logarithmic_error"},
  CosineSimilarity = {regression.cosine, "cosine_similarity", {}, {{"axis", "integer", default = -1, config = false}}},
  LogCoshError = {regression.log_cosh, "logcosh"},
  Hinge = {regression.hinge, "hinge"}, SquaredHinge = {regression.squared_hinge, "squared_hinge"},
  CategoricalHinge = {regression.categorical_hinge, "categorical_hinge"},
  KLDivergence = {regression.kl_divergence, "kl_divergence"}, Poisson = {regression.poisson, "poisson"},
  BinaryCrossentropy = {crossentropy.binary, "binary_crossentropy", {}, {from_logits, smoothing}},
  CategoricalCrossentropy = {crossentropy.categorical, "categorical_crossentropy", {}, {from_logits, smoothing, axis}},
  SparseCategoricalCrossentropy = {crossentropy.sparse_categorical, "sparse_categorical_crossentropy", {},
    {from_logits, {"ignore_class", "integer", default = None}, axis}},
}

local function define(class_name, definition)
  local rows, names = {}, {}
  local function add(list)
    for _, row in ipairs(list or {}) do rows[#rows + 1], names[#names + 1] = row, row[1] end
  end
  add(definition[3])
  rows[#rows + 1] = {"name", "string", default = definition[2]}
  rows[#rows + 1] = {"dtype", "dtype_name", default = None, get = function(self) return self.dtype_policy end}
  add(definition[4])
  rows[#rows + 1] = {"fn", remove = true}
  rows[#rows + 1] = {"kwargs", remove = true}
  local cls = MeanMetricWrapper:extend(class_name, {args = rows})
  function cls:init(a)
    local keywords = {fn = definition[1], name = a.name, dtype = a.dtype}
    for _, name in ipairs(names) do
      keywords[name] = a[name]
      rawset(self, name, a[name])
    end
    self:super_init(keywords)
  end
  -- what callbacks that watch the metric take for better
  cls.direction = (class_name:find("Accuracy") or class_name == "CosineSimilarity") and "up" or "down"
  local omitted = definition.omitted
  if omitted then
    function cls:get_config()
      local config = MeanMetricWrapper.get_config(self)
      if not self[omitted] then config[omitted] = nil end
      return config
    end
  end
  return cls
end

return setmetatable({}, {
  __index = function(classes, name)
    local definition = table_of[name]
    if not definition then return nil end
    local cls = define(name, definition)
    rawset(classes, name, cls)
    return cls
  end,
})
