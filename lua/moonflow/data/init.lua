--- tf.data: input pipelines.

local Dataset = require "moonflow.data.dataset"
local errors = require "moonflow.base.errors"

return errors.strict("tf.data", {
  Dataset = Dataset,
  AUTOTUNE = -1,
  INFINITE_CARDINALITY = -1,
  UNKNOWN_CARDINALITY = -2,
})
