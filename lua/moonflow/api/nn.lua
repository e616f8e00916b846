--- Rows: what neural networks are made of.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local raw = require "moonflow.raw_ops"

local to, integers = core.tensor.to, core.tensor.integers
local dtypes = core.dtype

--- A window or stride for every axis: one number, one for each spatial axis, or all of them.
local function sequence(value, n, channels_first, op, argument)
  if value == nil then value = 1 end
  if math.type(value) == "integer" then value = {value} end
  local count = #value
  if count == n + 2 then return value end
  local spatial = {}
  for i = 1, n do spatial[i] = count == 1 and value[1] or value[i] end
  if count ~= 1 and count ~= n then
    errors.invalid(op, "argument '%s': expected 1, %d or %d numbers, received %d", argument, n, n + 2, count)
  end
  local full = channels_first and {1, 1} or {1}
  for i = 1, n do full[#full + 1] = spatial[i] end
  if not channels_first then full[#full + 1] = 1 end
  return full
end

--- "SAME", "VALID", or a list of pairs: name and explicit paddings.
local function padding_of(padding, op)
  if type(padding) == "string" then
    local name = padding:upper()
    if name == "SAME" or name == "VALID" then return name, {} end
  elseif type(padding) == "table" then
    local flat = {}
    for _, pair in ipairs(padding) do
      if type(pair) ~= "table" then
        errors.invalid(op, "argument 'padding': expected a list of pairs, received %s in it", errors.describe(pair))
      end
      flat[#flat + 1], flat[#flat + 2] = pair[1], pair[2]
    end
    return "EXPLICIT", flat
  end
  errors.invalid(op, "argument 'padding': expected 'SAME', 'VALID' or a list of pairs, received %s", errors.describe(padding))
end

local function is_channels_first(data_format)
  return data_format ~= nil and data_format:sub(1, 2) == "NC"
end

local function conv2d(input, filters, strides, padding, data_format, dilations)
  local first = is_channels_first(data_format)
  local name, explicit = padding_of(padding, "conv2d")
  return raw.Conv2D{input = input, filter = filters, strides = sequence(strides, 2, first, "conv2d", "strides"), padding = name,
    explicit_paddings = explicit, data_format = data_format or "NHWC",
    dilations = sequence(dilations, 2, first, "conv2d", "dilations")}
end

local function conv2d_transpose(input, filters, output_shape, strides, padding, data_format, dilations)
  local first = is_channels_first(data_format)
  local name, explicit = padding_of(padding, "conv2d_transpose")
  return raw.Conv2DBackpropInput{input_sizes = integers(output_shape, "conv2d_transpose", "output_shape"),
    filter = filters, out_backprop = input, strides = sequence(strides, 2, first, "conv2d_transpose", "strides"), padding = name,
    explicit_paddings = explicit, data_format = data_format or "NHWC",
    dilations = sequence(dilations, 2, first, "conv2d_transpose", "dilations")}
end

local function depthwise_conv2d(input, filter, strides, padding, data_format, dilations)
  local first = is_channels_first(data_format)
  local name, explicit = padding_of(padding, "depthwise_conv2d")
  return raw.DepthwiseConv2dNative{input = input, filter = filter, padding = name, explicit_paddings = explicit,
    strides = sequence(strides, 2, first, "depthwise_conv2d", "strides"), data_format = data_format or "NHWC",
    dilations = sequence(dilations, 2, first, "depthwise_conv2d", "dilations")}
end

local function separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding, data_format, dilations)
  local hidden = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
  return conv2d(hidden, pointwise_filter, 1, "VALID", data_format)
end

--- One spatial axis: the tensor gets a second one of length 1.
local function conv1d(input, filters, stride, padding, data_format, dilations)
  local first = is_channels_first(data_format)
  local axis = first and 2 or 1
  input = raw.ExpandDims(to(input, nil, "conv1d", "input"), axis)
  filters = raw.ExpandDims(to(filters, nil, "conv1d", "filters"), 0)
  local function widen(value, argument)
    if value == nil then return nil end
    local three = sequence(value, 1, first, "conv1d", argument)
    return first and {1, 1, 1, three[3]} or {1, 1, three[2], 1}
  end
  local result = conv2d(input, filters, widen(stride, "stride"), padding, first and "NCHW" or "NHWC", widen(dilations, "dilations"))
  return raw.Squeeze{input = result, squeeze_dims = {axis}}
end

local function pool2d(op, raw_name)
  return function(input, ksize, strides, padding, data_format)
    local first = is_channels_first(data_format)
    local name, explicit = padding_of(padding, op)
    local call = {ksize = sequence(ksize, 2, first, op, "ksize"), strides = sequence(strides, 2, first, op, "strides"),
      padding = name, data_format = data_format or "NHWC"}
    if raw_name == "MaxPool" then
      call.input, call.explicit_paddings = input, explicit
    else
      call.value = input
    end
    return raw[raw_name](call)
  end
end

local max_pool2d, avg_pool2d = pool2d("max_pool2d", "MaxPool"), pool2d("avg_pool2d", "AvgPool")

local function pool1d(op, pool)
  return function(input, ksize, strides, padding, data_format)
    local first = is_channels_first(data_format)
    local axis = first and 2 or 1
    local function widen(value, argument)
      local three = sequence(value, 1, first, op, argument)
      return first and {1, 1, 1, three[3]} or {1, 1, three[2], 1}
    end
    local result = pool(raw.ExpandDims(to(input, nil, op, "input"), axis), widen(ksize, "ksize"), widen(strides, "strides"), padding,
      first and "NCHW" or "NHWC")
    return raw.Squeeze{input = result, squeeze_dims = {axis}}
  end
end

--- max_pool and avg_pool take inputs of any rank.
local function pool(op, one, two)
  return function(input, ksize, strides, padding, data_format)
    input = to(input, nil, op, "input")
    if input.shape.rank == 3 then return one(input, ksize, strides, padding, data_format or "NWC") end
    if input.shape.rank == 4 then return two(input, ksize, strides, padding, data_format or "NHWC") end
    errors.unimplemented(op, "inputs of rank 3 and 4, received rank %s", tostring(input.shape.rank))
  end
end

-- ---- activations

local function leaky_relu(features, alpha)
  features = to(features, nil, "leaky_relu", "features")
  if features.dtype.is_integer then features = raw.Cast(features, dtypes.float32) end
  if core.args.is_tensor(alpha) then alpha = to(alpha, nil, "leaky_relu", "alpha"):item() end
  return raw.LeakyRelu(features, alpha)
end

local function gelu(features, approximate)
  features = to(features, nil, "gelu", "features")
  if not features.dtype.is_floating then
    errors.invalid("gelu", "argument 'features': expected a floating point tensor, received dtype %s", features.dtype.name)
  end
  if approximate then
    return 0.5 * features * (1.0 + raw.Tanh(0.7978845608028654 * (features + 0.044715 * raw.Pow(features, 3))))
  end
  return 0.5 * features * (1.0 + raw.Erf(features / to(1.4142135623730951, features.dtype)))
end

local function silu(features, beta)
  features = to(features, nil, "silu", "features")
  beta = to(beta, features.dtype, "silu", "beta")
  return features * raw.Sigmoid(beta * features)
end

local function crelu(features, axis)
  features = to(features, nil, "crelu", "features")
  return raw.Relu(raw.ConcatV2({features, -features}, axis))
end

--- softmax and its logarithm along any axis: the axis is moved to the end.
local function softmax(op, raw_name)
  return function(logits, axis)
    logits = to(logits, nil, op, "logits")
    axis = axis or -1
    local rank = logits.shape.rank
    if axis == -1 or rank == nil or axis == rank - 1 then return raw[raw_name](logits) end
    if axis < -rank or axis >= rank then
      errors.invalid(op, "argument 'axis': %d is not in [%d, %d)", axis, -rank, rank)
    end
    if axis < 0 then axis = axis + rank end
    local perm = {}
    for i = 1, rank do perm[i] = i - 1 end
    perm[axis + 1], perm[rank] = rank - 1, axis
    return raw.Transpose(raw[raw_name](raw.Transpose(logits, perm)), perm)
  end
end

-- ---- losses

local function sparse_softmax_cross_entropy(labels, logits)
  local op = "sparse_softmax_cross_entropy_with_logits"
  labels, logits = to(labels, nil, op, "labels"), to(logits, nil, op, "logits")
  local half = logits.dtype == dtypes.float16 or logits.dtype == dtypes.bfloat16
  local precise = half and raw.Cast(logits, dtypes.float32) or logits
  if logits.shape.rank == 0 then errors.invalid(op, "logits cannot be scalars, received shape %s", logits.shape) end
  local cost
  if logits.shape.rank == 2 then
    cost = raw.SparseSoftmaxCrossEntropyWithLogits(precise, labels)
  else
    local classes = logits:dim(-1)
    if classes == core.args.None then classes = raw.Shape(logits)[-1] end
    cost = raw.SparseSoftmaxCrossEntropyWithLogits(raw.Reshape(precise, {-1, classes}), raw.Reshape(labels, {-1}))
    cost = raw.Reshape(cost, raw.Shape(labels))
  end
  return half and raw.Cast(cost, logits.dtype) or cost
end

local function softmax_cross_entropy(labels, logits, axis)
  local op = "softmax_cross_entropy_with_logits"
  logits = to(logits, nil, op, "logits")
  labels = core.args.is_tensor(labels) and to(labels, nil, op, "labels") or to(labels, logits.dtype, op, "labels")
  local half = logits.dtype == dtypes.float16 or logits.dtype == dtypes.bfloat16
  local precise = half and raw.Cast(logits, dtypes.float32) or logits
  if labels.dtype ~= precise.dtype then labels = raw.Cast(labels, precise.dtype) end
  local rank = precise.shape.rank
  local moved = axis ~= -1 and axis ~= rank - 1
  if moved then
    local last = rank - 1
    local perm = {}
    for i = 0, last do perm[i + 1] = i end
    local at = axis < 0 and axis + rank or axis
    table.remove(perm, at + 1)
    perm[#perm + 1] = at
    precise, labels = raw.Transpose(precise, perm), raw.Transpose(labels, perm)
  end
  local outer = precise.shape:slice(1, -2)
  if rank == 1 then outer = core.shape.new{} end
  local classes = precise:dim(-1)
  local cost = raw.SoftmaxCrossEntropyWithLogits(raw.Reshape(precise, {-1, classes}), raw.Reshape(labels, {-1, classes}))
  cost = raw.Reshape(cost, outer:is_fully_defined() and outer or raw.Shape(precise)["0:-1"])
  return half and raw.Cast(cost, logits.dtype) or cost
end

local function sigmoid_cross_entropy(labels, logits)
  local op = "sigmoid_cross_entropy_with_logits"
  if labels == nil or logits == nil then errors.invalid(op, "both labels and logits must be provided") end
  logits, labels = to(logits, nil, op, "logits"), to(labels, nil, op, "labels")
  if not labels.shape:is_compatible_with(logits.shape) then
    errors.invalid(op, "logits and labels must have the same shape, received (%s vs %s)", logits.shape, labels.shape)
  end
  local zeros = raw.ZerosLike(logits)
  local positive = raw.GreaterEqual(logits, zeros)
  local relu_logits = raw.SelectV2(positive, logits, zeros)
  local minus_size = raw.SelectV2(positive, -logits, logits)
  return relu_logits - logits * labels + raw.Log1p(raw.Exp(minus_size))
end

local function weighted_cross_entropy(labels, logits, pos_weight)
  local op = "weighted_cross_entropy_with_logits"
  logits, labels = to(logits, nil, op, "logits"), to(labels, nil, op, "labels")
  local log_weight = 1 + (to(pos_weight, logits.dtype, op, "pos_weight") - 1) * labels
  return (1 - labels) * logits + log_weight * (raw.Log1p(raw.Exp(-raw.Abs(logits))) + raw.Relu(-logits))
end

local function log_poisson_loss(targets, log_input, compute_full_loss)
  log_input, targets = to(log_input, nil, "log_poisson_loss", "log_input"), to(targets, nil, "log_poisson_loss", "targets")
  local result = raw.Exp(log_input) - log_input * targets
  if compute_full_loss then
    local half_log = 0.5 * raw.Log(2 * math.pi * targets)
    local stirling = targets * raw.Log(targets) - targets + half_log
    local small = raw.LogicalAnd(raw.GreaterEqual(targets, 0), raw.LessEqual(targets, 1))
    result = result + raw.SelectV2(small, raw.ZerosLike(targets), stirling)
  end
  return result
end

local function compute_average_loss(per_example_loss, sample_weight, global_batch_size)
  local tf = require "moonflow"
  local loss = to(per_example_loss, nil, "compute_average_loss", "per_example_loss")
  local dtype = loss.dtype
  if sample_weight ~= nil then loss = loss * tf.cast(sample_weight, loss.dtype) end
  if global_batch_size == nil then global_batch_size = loss:dim(0) end
  return tf.cast(tf.reduce_sum(loss) / tf.cast(global_batch_size, loss.dtype), dtype)
end

-- ---- normalization, dropout, embeddings

local function moments(x, axes, _, keepdims)
  local tf = require "moonflow"
  x = to(x, nil, "moments", "x")
  local y = x.dtype == dtypes.float16 and raw.Cast(x, dtypes.float32) or x
  local mean = tf.reduce_mean(y, axes, true)
  local variance = tf.reduce_mean(raw.SquaredDifference(y, raw.StopGradient(mean)), axes, true)
  if not keepdims then
    if type(axes) == "number" then axes = {axes} end
    mean, variance = tf.squeeze(mean, axes), tf.squeeze(variance, axes)
  end
  if x.dtype == dtypes.float16 then return raw.Cast(mean, x.dtype), raw.Cast(variance, x.dtype) end
  return mean, variance
end

local function batch_normalization(x, mean, variance, offset, scale, variance_epsilon)
  x = to(x, nil, "batch_normalization", "x")
  mean, variance = to(mean, nil, "batch_normalization", "mean"), to(variance, nil, "batch_normalization", "variance")
  local inv = raw.Rsqrt(variance + variance_epsilon)
  if scale ~= nil then inv = inv * scale end
  local function like_x(t) return t.dtype == x.dtype and t or raw.Cast(t, x.dtype) end
  local shift = offset ~= nil and offset - mean * inv or -mean * inv
  return x * like_x(inv) + like_x(shift)
end

--- Where noise_shape has tf.None the input's dimension stands.
local function noise_shape_of(x, noise_shape)
  if noise_shape == nil then return raw.Shape(x) end
  if core.args.is_tensor(noise_shape) then return noise_shape end
  if type(noise_shape) == "number" then return {noise_shape} end
  local dims = {}
  for i = 1, #noise_shape do
    dims[i] = noise_shape[i]
    if rawequal(dims[i], core.args.None) then dims[i] = x.shape[i] end
  end
  return dims
end

local function dropout_by(op, sample)
  return function(x, rate, noise_shape, ...)
    local is_number = type(rate) == "number"
    if is_number and (rate < 0 or rate >= 1) then
      errors.invalid(op, "argument 'rate': expected a number in [0, 1), received %s", errors.describe(rate))
    end
    x = to(x, nil, op, "x")
    if not x.dtype.is_floating then
      errors.invalid(op, "argument 'x': expected a floating point tensor, as it will be scaled; received dtype %s", x.dtype.name)
    end
    if is_number and rate == 0 then
      sample(nil, x.dtype, ...)
      return x
    end
    local scaled
    if is_number then
      scaled = raw.Mul(x, to(1 / (1 - rate), x.dtype))
      rate = to(rate + 0.0, x.dtype)
    else
      rate = raw.Cast(to(rate, nil, op, "rate"), x.dtype)
      scaled = raw.RealDiv(x, 1 - rate)
    end
    local random = sample(noise_shape_of(x, noise_shape), x.dtype, ...)
    return raw.SelectV2(raw.GreaterEqual(random, rate), scaled, raw.ZerosLike(rate))
  end
end

local dropout = dropout_by("dropout", function(shape, dtype, seed)
  local seed1, seed2 = core.machine.op_seeds(seed) -- drawn also when nothing is dropped, as in TensorFlow
  return shape and raw.RandomUniform{shape = shape, dtype = dtype, seed = seed1, seed2 = seed2}
end)

local stateless_dropout = dropout_by("stateless_dropout", function(shape, dtype, seed)
  local tf = require "moonflow"
  return shape and tf.random.stateless_uniform(shape, seed, {dtype = dtype})
end)

local function embedding_lookup(params, ids, max_norm)
  local tf = require "moonflow"
  if type(params) == "table" and getmetatable(params) == nil then
    if #params ~= 1 then errors.unimplemented("embedding_lookup", "one tensor as params, received %d partitions", #params) end
    params = params[1]
  end
  local rows = tf.gather(params, ids)
  if max_norm == nil then return rows end
  local axes = {}
  for axis = to(ids).shape.rank, rows.shape.rank - 1 do axes[#axes + 1] = axis end
  return tf.clip_by_norm(rows, max_norm, axes)
end

local function bias_add(value, bias, data_format)
  value = to(value, nil, "bias_add", "value")
  bias = core.args.is_tensor(bias) and to(bias, nil, "bias_add", "bias") or to(bias, value.dtype, "bias_add", "bias")
  local first = data_format ~= nil and data_format:sub(1, 2) == "NC"
  return raw.BiasAdd(value, bias, first and "NCHW" or "NHWC")
end

local function sparse_labels(labels, logits)
  return sparse_softmax_cross_entropy(labels, logits)
end

local window = "input, ksize, strides, padding, data_format:string=%s, name=None"
return {
  {"tf.nn.conv2d", "input, filters, strides, padding, data_format='NHWC', dilations=None, name=None", conv2d, "Convolution of images."},
  {"tf.nn.conv2d_transpose", "input, filters, output_shape:shape, strides, padding='SAME', data_format='NHWC', dilations=None, name=None",
   conv2d_transpose, "The transpose of conv2d."},
  {"tf.nn.conv1d", "input, filters, stride:integers, padding, data_format='NWC', dilations=None, name=None", conv1d,
   "Convolution of sequences."},
  {"tf.nn.depthwise_conv2d", "input, filter, strides, padding, data_format=None, dilations=None, name=None", depthwise_conv2d,
   "Convolution of each channel by itself."},
  {"tf.nn.separable_conv2d", "input, depthwise_filter, pointwise_filter, strides, padding, data_format=None, dilations=None, name=None",
   separable_conv2d, "Depthwise, then pointwise convolution."},
  {"tf.nn.max_pool2d", window:format("'NHWC'"), max_pool2d, "Greatest values of windows of images."},
  {"tf.nn.avg_pool2d", window:format("'NHWC'"), avg_pool2d, "Means of windows of images."},
  {"tf.nn.max_pool1d", window:format("'NWC'"), pool1d("max_pool1d", max_pool2d), "Greatest values of windows of sequences."},
  {"tf.nn.avg_pool1d", window:format("'NWC'"), pool1d("avg_pool1d", avg_pool2d), "Means of windows of sequences."},
  {"tf.nn.max_pool", window:format("None"), pool("max_pool", pool1d("max_pool", max_pool2d), max_pool2d), "Greatest values of windows."},
  {"tf.nn.avg_pool", window:format("None"), pool("avg_pool", pool1d("avg_pool", avg_pool2d), avg_pool2d), "Means of windows."},
  {"tf.nn.relu", "features, name=None", "Relu", "max(x, 0)."},
  {"tf.nn.relu6", "features, name=None", "Relu6", "min(max(x, 0), 6)."},
  {"tf.nn.elu", "features, name=None", "Elu", "x, or exp(x) - 1 below 0."},
  {"tf.nn.selu", "features, name=None", "Selu", "The scaled exponential linear unit."},
  {"tf.nn.leaky_relu", "features, alpha:real=0.2, name=None", leaky_relu, "x, or alpha x below 0."},
  {"tf.nn.gelu", "features, approximate=False, name=None", gelu, "The Gaussian error linear unit."},
  {"tf.nn.silu tf.nn.swish", "features, beta:real=1.0", silu, "x sigmoid(beta x)."},
  {"tf.nn.crelu", "features, axis:axis=-1, name=None", crelu, "relu of x and of -x."},
  {"tf.nn.softplus tf.math.softplus", "features, name=None", "Softplus", "log(1 + exp(x))."},
  {"tf.nn.softsign tf.math.softsign", "features, name=None", "Softsign", "x / (1 + |x|)."},
  {"tf.nn.softmax tf.math.softmax", "logits, axis:integer=None, name=None", softmax("softmax", "Softmax"), "exp(x) over its sum."},
  {"tf.nn.log_softmax tf.math.log_softmax", "logits, axis:integer=None, name=None", softmax("log_softmax", "LogSoftmax"),
   "The logarithm of softmax."},
  {"tf.nn.sparse_softmax_cross_entropy_with_logits", "labels, logits, name=None", sparse_labels,
   "Cross entropy of class numbers and logits."},
  {"tf.nn.softmax_cross_entropy_with_logits", "labels, logits, axis:integer=-1, name=None", softmax_cross_entropy,
   "Cross entropy of probabilities and logits."},
  {"tf.nn.sigmoid_cross_entropy_with_logits", "labels:tensor=None, logits:tensor=None, name=None", sigmoid_cross_entropy,
   "Cross entropy of independent yes-or-no labels."},
  {"tf.nn.weighted_cross_entropy_with_logits", "labels, logits, pos_weight, name=None", weighted_cross_entropy,
   "The same with a weight for positive labels."},
  {"tf.nn.log_poisson_loss", "targets, log_input, compute_full_loss=False, name=None", log_poisson_loss, "The log Poisson loss."},
  {"tf.nn.compute_average_loss", "per_example_loss, sample_weight:any=None, global_batch_size:real=None", compute_average_loss,
   "The sum of losses over the global batch size."},
  {"tf.nn.l2_loss", "t, name=None", "L2Loss", "Half the sum of squares."},
  {"tf.nn.bias_add", "value, bias, data_format=None, name=None", bias_add, "Adds a vector to the channels."},
  {"tf.nn.moments", "x, axes, shift:any=None, keepdims=False, name=None", moments, "Mean and variance over axes."},
  {"tf.nn.batch_normalization", "x, mean, variance, offset:any, scale:any, variance_epsilon:number, name=None", batch_normalization,
   "Normalizes by given moments."},
  {"tf.nn.dropout", "x, rate:real, noise_shape:shape=None, seed:integer=None, name=None", dropout,
    "Sets a share of the elements to 0, scales the rest."},
  {"tf.nn.experimental.stateless_dropout", "x, rate:real, seed, rng_alg:any=None, noise_shape:shape=None, name=None",
   function(x, rate, seed, _, noise_shape) return stateless_dropout(x, rate, noise_shape, seed) end, "dropout by a given seed."},
  {"tf.nn.embedding_lookup", "params:any, ids, max_norm:real=None, name=None", embedding_lookup, "Rows of an embedding matrix."},
}
