--- The functions behind the accuracies: 1 or 0 for each sample, in floatx.

local config = require "moonflow.keras.backend.config"
local constants = require "moonflow.keras.losses.constants"
local core = require "moonflow.core"
local reduction = require "moonflow.keras.losses.reduction"

local get = core.op.get
local equal, arg_max, cast, squeeze = get("Equal"), get("ArgMax"), get("Cast"), get("Squeeze")
local greater, reshape, shape_of, in_top_k = get("Greater"), get("Reshape"), get("Shape"), get("InTopKV2")
local to_tensor, last_axis, squeeze_last = core.tensor.to, constants.last_axis, constants.squeeze_last
local dtypes = core.dtype

local accuracy = {}

local function floatx()
  return dtypes[config.floatx()]
end

--- How often values are the same.
function accuracy.accuracy(y_true, y_pred)
  if y_true.dtype ~= y_pred.dtype then y_true = cast(y_true, y_pred.dtype) end
  y_true, y_pred = reduction.squeeze_or_expand(y_true, y_pred)
  return cast(equal(y_true, y_pred), floatx())
end

--- kwargs: threshold.
function accuracy.binary(y_true, y_pred, kwargs)
  y_true, y_pred = reduction.squeeze_or_expand(y_true, y_pred)
  local above = greater(y_pred, constants.scalar(kwargs and kwargs.threshold or 0.5, y_pred.dtype))
  return cast(equal(y_true, cast(above, y_true.dtype)), floatx())
end

--- Both have the classes on the last axis.
function accuracy.categorical(y_true, y_pred)
  return cast(equal(arg_max(y_true, last_axis), arg_max(y_pred, last_axis)), floatx())
end

--- The place of the greatest prediction, in the dtype of the class numbers where that is possible without loss.
local function found_classes(y_true, y_pred)
  local dtype = y_true.dtype
  local found = arg_max(y_pred, last_axis)
  if dtype == dtypes.int64 then return y_true, found end
  if dtype.is_floating then return y_true, cast(found, dtype) end
  return cast(y_true, dtypes.int64), found
end

--- y_true: class numbers; y_pred: scores, the classes on the last axis.
function accuracy.sparse_categorical(y_true, y_pred)
  local rank = y_true.rank
  local column = rank == y_pred.rank and y_true:dim(-1) == 1
  if column then y_true = squeeze(y_true, squeeze_last) end
  local truth, found = found_classes(y_true, y_pred)
  local matches = cast(equal(truth, found), floatx())
  if (column and rank > 2 or not column and rank > 1) and matches:dim(-1) == 1 then
    matches = squeeze(matches, squeeze_last)
  end
  return matches
end

--- Is the class among the k greatest predictions? Leading axes are put together and taken apart again.
local function within_top(classes, y_pred, k)
  local shape = classes.rank > 1 and shape_of(classes)
  if y_pred.rank > 2 then y_pred = reshape(y_pred, to_tensor({-1, y_pred:dim(-1)}, "int32")) end
  if shape then classes = reshape(classes, to_tensor({-1}, "int32")) end
  if classes.dtype ~= dtypes.int32 then classes = cast(classes, dtypes.int32) end
  if y_pred.dtype ~= dtypes.float32 then y_pred = cast(y_pred, dtypes.float32) end
  local matches = cast(in_top_k(y_pred, classes, to_tensor(k, "int32")), floatx())
  return shape and reshape(matches, shape) or matches
end

--- kwargs: k.
function accuracy.top_k(y_true, y_pred, kwargs)
  return within_top(arg_max(y_true, last_axis), y_pred, kwargs and kwargs.k or 5)
end

--- kwargs: k, from_sorted_ids (y_pred are class numbers, best first).
function accuracy.sparse_top_k(y_true, y_pred, kwargs)
  local k = kwargs and kwargs.k or 5
  if not (kwargs and kwargs.from_sorted_ids) then return within_top(y_true, y_pred, k) end
  local shape = y_true.rank > 1 and shape_of(y_true)
  if y_pred.rank > 2 then y_pred = reshape(y_pred, to_tensor({-1, y_pred:dim(-1)}, "int32")) end
  local truth = reshape(y_true.dtype == y_pred.dtype and y_true or cast(y_true, y_pred.dtype),
    to_tensor({-1, 1}, "int32"))
  local best = get("Slice")(y_pred, to_tensor({0, 0}, "int32"), to_tensor({-1, math.min(k, y_pred:dim(-1))}, "int32"))
  local matches = cast(get("Any")(equal(truth, best), to_tensor(1, "int32")), floatx())
  return shape and reshape(matches, shape) or matches
end

return accuracy
