--- The functions behind the accuracies: 1 or 0 for each sample.

local core = require "moonflow.core"

local accuracy = {}

local get = core.op.get
local equal, arg_max, cast, squeeze = get("Equal"), get("ArgMax"), get("Cast"), get("Squeeze")
local to_tensor = core.tensor.to
local last_axis = to_tensor(-1, "int32")

--- y_true: class numbers; y_pred: scores, the classes on the last axis. Returns float32.
function accuracy.sparse_categorical_accuracy(y_true, y_pred)
  if core.args.kind(y_true) ~= "tensor" then y_true = to_tensor(y_true) end
  local rank = y_true.shape.rank
  if rank == y_pred.shape.rank and y_true.shape[-1] == 1 then y_true = squeeze(y_true, {axis = {-1}}) end
  local found = arg_max(y_pred, last_axis)
  if y_true.dtype ~= found.dtype then y_true = cast(y_true, found.dtype) end
  return cast(equal(y_true, found), "float32")
end

return accuracy
