--- tf.data: input pipelines.

local Dataset = require "moonflow.data.dataset"

return {
  Dataset = Dataset,
  AUTOTUNE = -1,
  INFINITE_CARDINALITY = -1,
  UNKNOWN_CARDINALITY = -2,
}
