--- Rows: reductions over axes, norms, sums by segment.

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local raw = require "moonflow.raw_ops"

local to, integers = core.tensor.to, core.tensor.integers
local dtypes = core.dtype
local int32, int64 = dtypes.int32, dtypes.int64

--- The axes as an int32 tensor; nil: all of them.
local function axes_of(x, axis, op)
  if axis == nil then
    local rank = x.shape.rank
    if rank == nil then return raw.Range(0, raw.Rank(x), 1) end
    local all = {}
    for i = 1, rank do all[i] = i - 1 end
    return to(all, int32)
  end
  return integers(axis, op, "axis")
end

local function reduction(op, raw_name)
  return function(input_tensor, axis, keepdims)
    input_tensor = to(input_tensor, nil, op, "input_tensor")
    return raw[raw_name](input_tensor, axes_of(input_tensor, axis, op), keepdims)
  end
end

local reduce_sum, reduce_mean = reduction("reduce_sum", "Sum"), reduction("reduce_mean", "Mean")
local reduce_max = reduction("reduce_max", "Max")

local function reduce_variance(input_tensor, axis, keepdims)
  input_tensor = to(input_tensor, nil, "reduce_variance", "input_tensor")
  if input_tensor.dtype.is_integer then
    errors.invalid("reduce_variance", "input must be either real or complex, received dtype %s", input_tensor.dtype.name)
  end
  local difference = input_tensor - reduce_mean(input_tensor, axis, true)
  return reduce_mean(raw.Square(difference), axis, keepdims)
end

local function reduce_std(input_tensor, axis, keepdims)
  return raw.Sqrt(reduce_variance(input_tensor, axis, keepdims))
end

local function reduce_logsumexp(input_tensor, axis, keepdims)
  input_tensor = to(input_tensor, nil, "reduce_logsumexp", "input_tensor")
  local greatest = reduce_max(input_tensor, axis, true)
  local shift = raw.StopGradient(raw.SelectV2(raw.IsFinite(greatest), greatest, 0.0))
  local result = raw.Log(reduce_sum(raw.Exp(input_tensor - shift), axis, keepdims))
  if not keepdims then shift = raw.Reshape(shift, raw.Shape(result)) end
  return result + shift
end

local function count_nonzero(input, axis, keepdims, dtype)
  input = to(input, nil, "count_nonzero", "input")
  local mask = input
  if input.dtype ~= dtypes.bool then
    mask = raw.NotEqual(input, input.dtype == dtypes.string and "" or 0)
  end
  local count = reduce_sum(raw.Cast(mask, int64), axis, keepdims or false)
  if dtypes.get(dtype) == int64 then return count end
  return raw.Cast(count, dtype)
end

local function zero_fraction(value)
  value = to(value, nil, "zero_fraction", "value")
  local size = raw.Size{input = value, out_type = int64}
  local zeros = size - count_nonzero(value, nil, false, int64)
  return raw.Cast(zeros, "float32") / raw.Cast(size, "float32")
end

local function arg_reduction(op, raw_name)
  return function(input, axis, output_type)
    return raw[raw_name]{input = input, dimension = axis or 0, output_type = output_type}
  end
end

-- ---- norms

local function euclidean(ord)
  return ord == "euclidean" or ord == "fro" or ord == 2
end

local function norm(tensor, ord, axis, keepdims)
  tensor = to(tensor, nil, "norm", "tensor")
  keepdims = keepdims or false
  local matrix = type(axis) == "table" and #axis == 2
  if euclidean(ord) and not (matrix and ord == 2) then
    return raw.Sqrt(reduce_sum(tensor * tensor, axis, true)), axis, keepdims
  end
  local size = raw.Abs(tensor)
  if ord == 1 then
    if not matrix then return reduce_sum(size, axis, true), axis, keepdims end
    return reduce_max(reduce_sum(size, axis[1], true), axis[2], true), axis, keepdims
  elseif ord == math.huge then
    if not matrix then return reduce_max(size, axis, true), axis, keepdims end
    return reduce_max(reduce_sum(size, axis[2], true), axis[1], true), axis, keepdims
  elseif type(ord) == "number" and ord > 0 and not matrix then
    return raw.Pow(reduce_sum(raw.Pow(size, ord + 0.0), axis, true), 1.0 / ord), axis, keepdims
  end
  errors.invalid("norm", "argument 'ord': expected a supported %s norm, received %s", matrix and "matrix" or "vector",
    errors.describe(ord))
end

local function squeezed_norm(tensor, ord, axis, keepdims)
  local result, over, keep = norm(tensor, ord, axis, keepdims)
  if keep then return result end
  if over == nil then return raw.Reshape(result, {}) end
  return raw.Squeeze{input = result, squeeze_dims = type(over) == "table" and over or {over}}
end

local function normalize(tensor, ord, axis)
  tensor = to(tensor, nil, "normalize", "tensor")
  local size = squeezed_norm(tensor, ord, axis, true)
  return tensor / size, size
end

local function l2_normalize(x, axis, epsilon)
  x = to(x, nil, "l2_normalize", "x")
  local square_sum = reduce_sum(raw.Square(x), axis, true)
  return x * raw.Rsqrt(raw.Maximum(square_sum, epsilon))
end

--- The values of a list of gradients: IndexedSlices give their rows, None stays false.
local function values_of(t_list, op)
  local slices = require "moonflow.indexed_slices"
  if core.args.is_tensor(t_list) then errors.invalid(op, "argument 't_list': expected a list of tensors, received a tensor") end
  local values = {}
  for i, t in ipairs(t_list) do
    if rawequal(t, core.args.None) then values[i] = false
    elseif slices.is(t) then values[i] = t.values
    else values[i] = to(t, nil, op, "t_list") end
  end
  return values
end

local function global_norm(t_list)
  local halves = {}
  for _, value in ipairs(values_of(t_list, "global_norm")) do
    if value then halves[#halves + 1] = raw.L2Loss(value) end
  end
  if #halves == 0 then return to(0.0, "float32") end
  return raw.Sqrt(reduce_sum(raw.Pack(halves), nil, false) * 2)
end

--- The same kind of thing with other values.
local function with_values(original, values)
  local slices = require "moonflow.indexed_slices"
  if slices.is(original) then return slices.from_parts(values, original.indices, original.dense_shape) end
  return values
end

local function clip_by_global_norm(t_list, clip_norm, use_norm)
  local values = values_of(t_list, "clip_by_global_norm")
  use_norm = use_norm or global_norm(t_list)
  clip_norm = to(clip_norm, nil, "clip_by_global_norm", "clip_norm", use_norm.dtype)
  local scale = clip_norm * raw.Minimum(1.0 / use_norm, raw.RealDiv(raw.OnesLike(clip_norm), clip_norm))
  scale = scale + (use_norm - use_norm) -- not a number when the norm is not finite
  local clipped = {}
  for i, value in ipairs(values) do
    clipped[i] = value and with_values(t_list[i], value * raw.Cast(scale, value.dtype)) or core.args.None
  end
  return clipped, use_norm
end

local function clip_by_norm(t, clip_norm, axes)
  local original = t
  local slices = require "moonflow.indexed_slices"
  t = slices.is(t) and t.values or to(t, nil, "clip_by_norm", "t")
  clip_norm = to(clip_norm, nil, "clip_by_norm", "clip_norm", t.dtype)
  local square_sum = reduce_sum(t * t, axes, true)
  local positive = raw.Greater(square_sum, 0)
  local safe = raw.SelectV2(positive, square_sum, raw.OnesLike(square_sum))
  local size = raw.SelectV2(positive, raw.Sqrt(safe), square_sum)
  return with_values(original, (t * clip_norm) / raw.Maximum(size, clip_norm))
end

-- ---- segments and bins

local function segment_counts(data, segment_ids, num_segments)
  local ones = raw.OnesLike(raw.Cast(segment_ids, data.dtype))
  local counts = raw.UnsortedSegmentSum(ones, segment_ids, num_segments)
  counts = raw.Maximum(counts, 1)
  for _ = 1, data.shape.rank - segment_ids.shape.rank do counts = raw.ExpandDims(counts, -1) end
  return counts
end

local function unsorted_mean(op, divisor)
  return function(data, segment_ids, num_segments)
    data, segment_ids = to(data, nil, op, "data"), to(segment_ids, nil, op, "segment_ids")
    local sum = raw.UnsortedSegmentSum(data, segment_ids, num_segments)
    return sum / divisor(segment_counts(data, segment_ids, num_segments))
  end
end

local function bincount(arr, weights, minlength, maxlength, dtype, _, axis, binary_output)
  arr = to(arr, nil, "bincount", "arr")
  if not arr.dtype.is_integer then arr = raw.Cast(arr, int32) end
  if weights ~= nil and binary_output then
    errors.invalid("bincount", "arguments 'binary_output' and 'weights' are mutually exclusive")
  end
  axis = axis or 0
  if axis ~= 0 and axis ~= -1 then errors.invalid("bincount", "argument 'axis': expected 0 or -1, received %s", axis) end
  local any = raw.Cast(raw.Greater(raw.Size(arr), 0), arr.dtype)
  local size = any * (reduce_max(arr, nil, false) + 1)
  if minlength ~= nil then size = raw.Maximum(to(minlength, arr.dtype), size) end
  if maxlength ~= nil then size = raw.Minimum(to(maxlength, arr.dtype), size) end
  if axis == 0 then
    arr = raw.Reshape(arr, {-1})
    if weights ~= nil then weights = raw.Reshape(weights, {-1}) end
  end
  if weights == nil then weights = raw.Fill({0}, to(0, dtype)) end
  return raw.DenseBincount{input = arr, size = size, weights = weights, binary_output = binary_output}
end

local function confusion_matrix(labels, predictions, num_classes, weights, dtype)
  local tf = require "moonflow"
  labels = raw.Cast(to(labels, nil, "confusion_matrix", "labels"), int64)
  predictions = raw.Cast(to(predictions, nil, "confusion_matrix", "predictions"), int64)
  if num_classes == nil then
    num_classes = raw.Maximum(reduce_max(labels, nil, false), reduce_max(predictions, nil, false)) + 1
  else
    num_classes = raw.Cast(to(num_classes, nil, "confusion_matrix", "num_classes"), int64)
  end
  local values = weights == nil and tf.ones_like(predictions, {dtype = dtype}) or tf.cast(weights, dtype)
  return raw.ScatterNd(raw.Pack({labels, predictions}, 1), values, raw.Pack{values = {num_classes, num_classes}})
end

local axis_text = "input_tensor, axis=None, keepdims=False, name=None"
local segment_text = "data, segment_ids, num_segments, name=None"
return {
  {"tf.reduce_sum tf.math.reduce_sum", axis_text, reduce_sum, "Sum over axes."},
  {"tf.reduce_mean tf.math.reduce_mean", axis_text, reduce_mean, "Mean over axes."},
  {"tf.reduce_max tf.math.reduce_max", axis_text, reduce_max, "Greatest value over axes."},
  {"tf.reduce_min tf.math.reduce_min", axis_text, reduction("reduce_min", "Min"), "Least value over axes."},
  {"tf.reduce_prod tf.math.reduce_prod", axis_text, reduction("reduce_prod", "Prod"), "Product over axes."},
  {"tf.reduce_all tf.math.reduce_all", axis_text, reduction("reduce_all", "All"), "And over axes."},
  {"tf.reduce_any tf.math.reduce_any", axis_text, reduction("reduce_any", "Any"), "Or over axes."},
  {"tf.math.reduce_euclidean_norm", axis_text, reduction("reduce_euclidean_norm", "EuclideanNorm"), "Euclidean norm over axes."},
  {"tf.math.reduce_variance", axis_text, reduce_variance, "Variance over axes."},
  {"tf.math.reduce_std", axis_text, reduce_std, "Standard deviation over axes."},
  {"tf.reduce_logsumexp tf.math.reduce_logsumexp", axis_text, reduce_logsumexp, "log(sum(exp(x))) over axes, without overflow."},
  {"tf.math.count_nonzero", "input, axis=None, keepdims:boolean=None, dtype=tf.int64, name=None", count_nonzero,
   "Number of elements that are not 0."},
  {"tf.math.zero_fraction tf.nn.zero_fraction", "value, name=None", zero_fraction, "The share of elements that are 0."},
  {"tf.argmax tf.math.argmax", "input, axis=None, output_type=tf.int64, name=None", arg_reduction("argmax", "ArgMax"),
   "Index of the greatest value along an axis."},
  {"tf.argmin tf.math.argmin", "input, axis=None, output_type=tf.int64, name=None", arg_reduction("argmin", "ArgMin"),
   "Index of the least value along an axis."},
  {"tf.norm tf.linalg.norm", "tensor, ord:any='euclidean', axis=None, keepdims:boolean=None, name=None", squeezed_norm,
   "The norm of vectors or matrices."},
  {"tf.linalg.normalize", "tensor, ord:any='euclidean', axis=None, name=None", normalize, "The tensor over its norm, and the norm."},
  {"tf.math.l2_normalize tf.nn.l2_normalize tf.linalg.l2_normalize", "x, axis=None, epsilon=1e-12, name=None, dim:any=None",
   l2_normalize, "x over its Euclidean norm."},
  {"tf.linalg.global_norm", "t_list:tensors, name=None", global_norm, "The norm of all values of several tensors."},
  {"tf.clip_by_global_norm", "t_list:tensors, clip_norm:real, use_norm:real=None, name=None", clip_by_global_norm,
   "Scales several tensors so that their global norm is at most clip_norm."},
  {"tf.clip_by_norm", "t:any, clip_norm:real, axes=None, name=None", clip_by_norm,
   "Scales a tensor so that its norm is at most clip_norm."},
  {"tf.math.segment_sum", "data, segment_ids, name=None", "SegmentSum", "Sums by sorted segment numbers."},
  {"tf.math.unsorted_segment_sum", segment_text, "UnsortedSegmentSum", "Sums by segment numbers."},
  {"tf.math.unsorted_segment_mean", segment_text, unsorted_mean("unsorted_segment_mean", function(n) return n end),
   "Means by segment numbers."},
  {"tf.math.unsorted_segment_sqrt_n", segment_text, unsorted_mean("unsorted_segment_sqrt_n", raw.Sqrt),
   "Sums by segment numbers over the square root of the count."},
  {"tf.math.unsorted_segment_max", segment_text, "UnsortedSegmentMax", "Greatest values by segment numbers."},
  {"tf.math.unsorted_segment_min", segment_text, "UnsortedSegmentMin", "Least values by segment numbers."},
  {"tf.math.unsorted_segment_prod", segment_text, "UnsortedSegmentProd", "Products by segment numbers."},
  {"tf.math.bincount", "arr, weights:any=None, minlength:real=None, maxlength:real=None, dtype=tf.int32, name=None, axis=None, " ..
    "binary_output=False", bincount, "Counts of each integer."},
  {"tf.math.confusion_matrix", "labels, predictions, num_classes:real=None, weights:any=None, dtype=tf.int32, name=None",
   confusion_matrix, "How often each label was predicted as what."},
}
