--- Crossentropies: values for each sample. Predictions that a softmax or sigmoid made are taken back to their logits,
-- which is more exact; other probabilities are clipped to [epsilon, 1 - epsilon].

local config = require "moonflow.keras.backend.config"
local constants = require "moonflow.keras.losses.constants"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local marks = require "moonflow.keras.backend.marks"

local get = core.op.get
local sparse_softmax, softmax = get("SparseSoftmaxCrossEntropyWithLogits"), get("SoftmaxCrossEntropyWithLogits")
local log, sum, mean, squeeze, transpose = get("Log"), get("Sum"), get("Mean"), get("Squeeze"), get("Transpose")
local maximum, minimum, select_op, reshape = get("Maximum"), get("Minimum"), get("SelectV2"), get("Reshape")
local greater_equal, not_equal, expand, cast = get("GreaterEqual"), get("NotEqual"), get("ExpandDims"), get("Cast")
local log1p, exp, shape_of, slice = get("Log1p"), get("Exp"), get("Shape"), get("Slice")
local to_tensor, scalar, last_axis = core.tensor.to, constants.scalar, constants.last_axis
local int64 = core.dtype.int64

local crossentropy = {}

local function clip(x)
  local epsilon = config.epsilon()
  return maximum(minimum(x, scalar(1.0 - epsilon, x.dtype)), scalar(epsilon, x.dtype))
end

--- Raises unless the shapes agree in the axes 1 .. n as far as they are known.
local function check_shapes(name, y_true, y_pred, n)
  local a, b = y_true.shape, y_pred.shape
  if a.rank ~= n then
    errors.invalid(name, "expected `y_true` of rank %d for `y_pred` of shape %s, received the shape %s", n,
      tostring(b), tostring(a))
  end
  for i = 1, n do
    if a[i] ~= b[i] and a[i] ~= dicts.None and b[i] ~= dicts.None then
      errors.invalid(name, "`y_true` and `y_pred` must have the same shape%s, received %s and %s",
        n == b.rank and "" or " up to the last axis", tostring(a), tostring(b))
    end
  end
end

-- ---- class numbers

--- Class numbers as int64 or int32; a last axis of size 1 is dropped.
local function class_numbers(y_true, rank)
  local dtype = y_true.dtype
  if dtype ~= int64 and dtype ~= core.dtype.int32 then y_true = cast(y_true, int64) end
  if y_true.rank == rank and y_true:dim(-1) == 1 then y_true = squeeze(y_true, constants.squeeze_last) end
  return y_true
end

local function sparse_values(y_true, y_pred, from_logits)
  local logits = marks.logits(y_pred)
  if not logits then logits = from_logits and y_pred or log(clip(y_pred)) end
  local rank = logits.rank
  y_true = class_numbers(y_true, rank)
  if rank == 2 and y_true.rank == 1 then return (sparse_softmax(logits, y_true)) end
  if rank == 0 then
    errors.invalid("sparse_categorical_crossentropy", "argument 'y_pred': expected at least rank 1, received a scalar")
  end
  check_shapes("sparse_categorical_crossentropy", y_true, logits, rank - 1)
  -- the op takes matrices
  local flat = sparse_softmax(reshape(logits, to_tensor({-1, logits:dim(-1)}, "int32")),
    reshape(y_true, to_tensor({-1}, "int32")))
  return reshape(flat, shape_of(y_true))
end

--- kwargs: from_logits, ignore_class, axis. y_true are class numbers.
function crossentropy.sparse_categorical(y_true, y_pred, kwargs)
  local axis = kwargs.axis or -1
  if axis ~= -1 and axis ~= y_pred.rank - 1 then
    errors.invalid("sparse_categorical_crossentropy", "argument 'axis': only -1 is supported, received %d", axis)
  end
  local ignored = kwargs.ignore_class
  if ignored == nil then return sparse_values(y_true, y_pred, kwargs.from_logits) end
  if y_true.rank == y_pred.rank and y_true:dim(-1) == 1 then y_true = squeeze(y_true, constants.squeeze_last) end
  local valid = not_equal(y_true, to_tensor(ignored, y_true.dtype))
  y_true = select_op(valid, y_true, to_tensor(0, y_true.dtype))
  -- predictions that are replaced have lost the logits they came from
  y_pred = select_op(expand(valid, last_axis), y_pred, scalar(0.0, y_pred.dtype))
  local values = sparse_values(y_true, y_pred, kwargs.from_logits)
  values = select_op(valid, values, scalar(0.0, values.dtype))
  marks.set_mask(values, valid)
  return values
end

-- ---- one-hot classes

--- The softmax crossentropy of tensors of any rank, over the last axis.
local function softmax_last(y_true, logits)
  local rank = logits.rank
  if rank == 2 then return (softmax(logits, y_true)) end
  local rows = to_tensor({-1, logits:dim(-1) == dicts.None and -1 or logits:dim(-1)}, "int32")
  local flat = softmax(reshape(logits, rows), reshape(y_true, rows))
  return reshape(flat, slice(shape_of(logits), to_tensor({0}, "int32"), to_tensor({rank - 1}, "int32")))
end

local function to_last_axis(x, axis, rank)
  local order = {}
  for i = 0, rank - 1 do
    if i ~= axis then order[#order + 1] = i end
  end
  order[rank] = axis
  return transpose(x, to_tensor(order, "int32"))
end

local function categorical_values(y_true, y_pred, from_logits, axis)
  local logits = marks.logits(y_pred) or from_logits and y_pred
  local rank = y_pred.rank
  if axis < 0 then axis = axis + rank end
  if logits then
    if axis ~= rank - 1 then logits, y_true = to_last_axis(logits, axis, rank), to_last_axis(y_true, axis, rank) end
    return softmax_last(y_true, logits)
  end
  local axes = axis == rank - 1 and last_axis or to_tensor(axis, "int32")
  local probabilities = clip(y_pred / sum(y_pred, axes, {keep_dims = true}))
  return -sum(y_true * log(probabilities), axes)
end

local function smooth_classes(y_true, smoothing, dtype)
  local classes = y_true:dim(-1)
  if classes == dicts.None then
    local count = cast(get("StridedSlice")(shape_of(y_true), {-1}, {0}, {1}, {shrink_axis_mask = 1}), dtype)
    return y_true * (1.0 - smoothing) + scalar(smoothing, dtype) / count
  end
  return y_true * (1.0 - smoothing) + smoothing / classes
end

--- kwargs: from_logits, label_smoothing, axis.
function crossentropy.categorical(y_true, y_pred, kwargs)
  if y_true.dtype ~= y_pred.dtype then y_true = cast(y_true, y_pred.dtype) end
  check_shapes("categorical_crossentropy", y_true, y_pred, y_pred.rank)
  local smoothing = kwargs.label_smoothing
  if smoothing and smoothing ~= 0 then y_true = smooth_classes(y_true, smoothing, y_pred.dtype) end
  return categorical_values(y_true, y_pred, kwargs.from_logits, kwargs.axis or -1)
end

-- ---- yes or no

--- max(x, 0) - x * y + log(1 + exp(-|x|)), as TensorFlow writes it: gradients at 0 are those of x >= 0.
local function sigmoid_values(y_true, logits)
  local zero = scalar(0.0, logits.dtype)
  local positive = greater_equal(logits, zero)
  local above = select_op(positive, logits, zero)
  local below = select_op(positive, -logits, logits)
  return above - logits * y_true + log1p(exp(below))
end

--- The values before the mean over the last axis.
function crossentropy.binary_values(y_true, y_pred, from_logits)
  check_shapes("binary_crossentropy", y_true, y_pred, y_pred.rank)
  local logits = marks.logits(y_pred) or from_logits and y_pred
  if logits then return sigmoid_values(y_true, logits) end
  local p = clip(y_pred)
  return -(y_true * log(p) + (1 - y_true) * log(1 - p))
end

--- kwargs: from_logits, label_smoothing, axis.
function crossentropy.binary(y_true, y_pred, kwargs)
  if y_true.dtype ~= y_pred.dtype then y_true = cast(y_true, y_pred.dtype) end
  local smoothing = kwargs.label_smoothing
  if smoothing and smoothing ~= 0 then y_true = y_true * (1.0 - smoothing) + 0.5 * smoothing end
  local axis = kwargs.axis or -1
  return mean(crossentropy.binary_values(y_true, y_pred, kwargs.from_logits),
    axis == -1 and last_axis or to_tensor(axis, "int32"))
end

crossentropy.clip, crossentropy.smooth_classes = clip, smooth_classes

return crossentropy
