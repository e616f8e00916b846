--- Loss functions: values for each sample, the last axis is gone.

local core = require "moonflow.core"
local marks = require "moonflow.keras.backend.marks"
local reduction = require "moonflow.keras.losses.reduction"

local functions = {}

local get = core.op.get
local cross_entropy, log = get("SparseSoftmaxCrossEntropyWithLogits"), get("Log")
local square, subtract, mean, cast = get("SquaredDifference"), get("Sub"), get("Mean"), get("Cast")
local to_tensor = core.tensor.to
local last_axis = to_tensor(-1, "int32")

function functions.mean_squared_error(y_true, y_pred)
  if y_true.dtype ~= y_pred.dtype then y_true = cast(y_true, y_pred.dtype) end
  y_true, y_pred = reduction.squeeze_or_expand(y_true, y_pred)
  return mean(square(subtract(y_pred, y_true), to_tensor(0, y_pred.dtype)), last_axis)
end

--- kwargs: from_logits.
function functions.sparse_categorical_crossentropy(y_true, y_pred, kwargs)
  local logits = marks.logits(y_pred)
  local from_logits = logits ~= nil or kwargs and kwargs.from_logits
  if not from_logits then logits = log(y_pred) end
  logits = logits or y_pred
  if y_true.shape.rank == logits.shape.rank and y_true.shape[-1] == 1 then
    y_true = get("Squeeze")(y_true, {axis = {-1}})
  end
  local loss = cross_entropy(logits, cast(y_true, "int64"))
  return loss
end

return functions
