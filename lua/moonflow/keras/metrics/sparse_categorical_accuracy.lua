--- SparseCategoricalAccuracy: how often the greatest prediction is that of the class number.

local MeanMetricWrapper = require "moonflow.keras.metrics.mean_metric_wrapper"
local dicts = require "moonflow.base.dict"
local functions = require "moonflow.keras.metrics.accuracy"

local SparseCategoricalAccuracy = MeanMetricWrapper:extend("SparseCategoricalAccuracy", {
  args = {
    {"name", "string", default = "sparse_categorical_accuracy"},
    {"dtype", "dtype_policy", default = dicts.None, get = function(self) return self.dtype_policy end},
    {"fn", remove = true}, {"kwargs", remove = true},
  },
})

function SparseCategoricalAccuracy:init(a)
  self:super_init{fn = functions.sparse_categorical_accuracy, name = a.name, dtype = a.dtype}
end

return SparseCategoricalAccuracy
