--- The public functions of tf.keras.metrics that are no losses: f(y_true, y_pred, {k = 3}) gives 1 or 0 a sample.

local accuracy = require "moonflow.keras.metrics.accuracy"
local args = require "moonflow.base.args"
local core = require "moonflow.core"

local is_tensor, to_tensor = core.tensor.is, core.tensor.to

local functions = {}

local function tensor(value, argument)
  if is_tensor(value) then return value end
  return to_tensor(value, nil, "metrics", argument)
end

local function define(name, body, ...)
  local read = args.signature{name = "tf.keras.metrics." .. name, {"y_true", "tensor"}, {"y_pred", "tensor"}, ...}
  functions[name] = function(...)
    local a = read:read_table(...)
    return body(tensor(a.y_true, "y_true"), tensor(a.y_pred, "y_pred"), a)
  end
end

define("binary_accuracy", accuracy.binary, {"threshold", "number", default = 0.5})
define("categorical_accuracy", accuracy.categorical)
define("sparse_categorical_accuracy", accuracy.sparse_categorical)
define("top_k_categorical_accuracy", accuracy.top_k, {"k", "integer", default = 5})
define("sparse_top_k_categorical_accuracy", accuracy.sparse_top_k, {"k", "integer", default = 5},
  {"from_sorted_ids", "boolean", default = false})

return functions
