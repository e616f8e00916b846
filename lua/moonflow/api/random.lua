--- Rows: random numbers, TensorFlow's streams for TensorFlow's seeds.

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local raw = require "moonflow.raw_ops"

local to, integers = core.tensor.to, core.tensor.integers
local dtypes = core.dtype
local op_seeds = core.machine.op_seeds
local int32 = dtypes.int32

local function dims_of(shape, op)
  local dims = integers(shape, op, "shape")
  return dims.shape.rank == 0 and raw.Reshape(dims, {1}) or dims
end

local function seeded(call, seed)
  call.seed, call.seed2 = op_seeds(seed)
  return call
end

local function scaled(random, mean, stddev, dtype, op)
  return random * to(stddev, dtype, op, "stddev") + to(mean, dtype, op, "mean")
end

--- Numbers that are written as integers fill float types, too.
local function normal_of(op, raw_name)
  return function(shape, mean, stddev, dtype, seed)
    dtype = dtypes.get(dtype)
    return scaled(raw[raw_name](seeded({shape = dims_of(shape, op), dtype = dtype}, seed)), mean, stddev, dtype, op)
  end
end

local function uniform(shape, minval, maxval, dtype, seed)
  dtype = dtypes.get(dtype)
  if maxval == nil then
    if dtype.is_integer then errors.invalid("random.uniform", "maxval must be specified for integer dtype %s", dtype.name) end
    maxval = 1
  end
  local from_zero, to_one = math.type(minval) == "integer" and minval == 0, math.type(maxval) == "integer" and maxval == 1
  local dims = dims_of(shape, "random.uniform")
  if not from_zero or not to_one or dtype.is_integer then
    minval, maxval = to(minval, dtype, "random.uniform", "minval"), to(maxval, dtype, "random.uniform", "maxval")
  end
  if dtype.is_integer then
    return raw.RandomUniformInt(seeded({shape = dims, minval = minval, maxval = maxval}, seed))
  end
  local result = raw.RandomUniform(seeded({shape = dims, dtype = dtype}, seed))
  if from_zero then return to_one and result or raw.Mul(result, maxval) end
  return result * (maxval - minval) + minval
end

local function shuffle(value, seed)
  return raw.RandomShuffle(seeded({value = value}, seed))
end

local function categorical(logits, num_samples, dtype, seed)
  return raw.Multinomial(seeded({logits = logits, num_samples = num_samples, output_dtype = dtype and dtypes.get(dtype) or
    dtypes.int64}, seed))
end

local function set_seed(seed)
  local value = math.tointeger(seed)
  if not value then errors.invalid("random.set_seed", "argument 'seed': expected an integer, received %s", errors.describe(seed)) end
  core.machine.set_seed(value)
end

-- ---- stateless: the numbers follow from shape and seed alone

local algorithms = {philox = 1, threefry = 2, auto_select = 3}

--- key, counter and algorithm of a seed of two integers.
local function key_counter(seed, alg, op)
  local number = type(alg) == "string" and algorithms[alg] or math.tointeger(alg)
  if not number then
    errors.invalid(op, "argument 'alg': expected 'philox', 'threefry' or 'auto_select', received %s", errors.describe(alg))
  end
  seed = integers(seed, op, "seed")
  if number == algorithms.auto_select then
    local key, counter = raw.StatelessRandomGetKeyCounter(seed)
    return key, counter, to(algorithms.philox, int32)
  end
  local key, counter = raw.StatelessRandomGetKeyCounter(seed)
  return key, counter, to(number, int32)
end

local function stateless_normal_of(op, raw_name)
  return function(shape, seed, mean, stddev, dtype, alg)
    dtype = dtypes.get(dtype)
    local key, counter, algorithm = key_counter(seed, alg, op)
    local random = raw[raw_name]{shape = dims_of(shape, op), key = key, counter = counter, alg = algorithm, dtype = dtype}
    return scaled(random, mean, stddev, dtype, op)
  end
end

local function stateless_uniform(shape, seed, minval, maxval, dtype, alg)
  local op = "random.stateless_uniform"
  dtype = dtypes.get(dtype)
  local key, counter, algorithm = key_counter(seed, alg, op)
  local call = {shape = dims_of(shape, op), key = key, counter = counter, alg = algorithm}
  if dtype.is_integer and minval == nil then
    call.dtype = dtype
    return raw.StatelessRandomUniformFullIntV2(call)
  end
  if maxval == nil then
    if dtype.is_integer then
      errors.invalid(op, "for integer dtype %s, minval and maxval must be both None or not None", dtype.name)
    end
    maxval = 1
  end
  minval, maxval = to(minval, dtype, op, "minval"), to(maxval, dtype, op, "maxval")
  if dtype.is_integer then
    call.minval, call.maxval = minval, maxval
    return raw.StatelessRandomUniformIntV2(call)
  end
  call.dtype = dtype
  return raw.StatelessRandomUniformV2(call) * (maxval - minval) + minval
end

local function stateless_categorical(logits, num_samples, seed, dtype)
  return raw.StatelessMultinomial{logits = logits, num_samples = num_samples, seed = to(seed, nil, "random.stateless_categorical",
    "seed", int32), output_dtype = dtype}
end

local function split(seed, num, alg)
  seed = integers(seed, "random.split", "seed")
  return stateless_uniform({num, 2}, seed, nil, nil, seed.dtype, alg)
end

local function fold_in(seed, data, alg)
  local tf = require "moonflow"
  data = integers(data, "random.fold_in", "data")
  seed = tf.cast(integers(seed, "random.fold_in", "seed"), data.dtype)
  local first = stateless_uniform({1}, seed, nil, nil, data.dtype, alg)
  return tf.concat({first, tf.reshape(data, {1})}, 0)
end

local normal_text = "shape, mean:real=0.0, stddev:real=1.0, dtype=tf.float32, seed:integer=None, name=None"
local function stateless(body)
  return function(shape, seed, a, b, dtype, _, alg) return body(shape, seed, a, b, dtype, alg) end
end

return {
  {"tf.random.set_seed", "seed", set_seed, "Sets the global seed."},
  {"tf.random.normal", normal_text, normal_of("random.normal", "RandomStandardNormal"), "Normally distributed numbers."},
  {"tf.random.truncated_normal", normal_text, normal_of("random.truncated_normal", "TruncatedNormal"),
   "Normally distributed numbers within two standard deviations."},
  {"tf.random.uniform", "shape, minval:real=0, maxval:real=None, dtype=tf.float32, seed:integer=None, name=None", uniform,
   "Uniformly distributed numbers."},
  {"tf.random.shuffle", "value, seed:integer=None, name=None", shuffle, "Rows in random order."},
  {"tf.random.categorical", "logits, num_samples:real, dtype=None, seed:integer=None, name=None", categorical, "Draws from categories."},
  {"tf.random.stateless_normal", "shape, seed, mean:real=0.0, stddev:real=1.0, dtype=tf.float32, name=None, alg:any='auto_select'",
   stateless(stateless_normal_of("random.stateless_normal", "StatelessRandomNormalV2")), "Normally distributed numbers by a seed."},
  {"tf.random.stateless_truncated_normal",
   "shape, seed, mean:real=0.0, stddev:real=1.0, dtype=tf.float32, name=None, alg:any='auto_select'",
   stateless(stateless_normal_of("random.stateless_truncated_normal", "StatelessTruncatedNormalV2")),
   "Truncated normal numbers by a seed."},
  {"tf.random.stateless_uniform", "shape, seed, minval:real=0, maxval:real=None, dtype=tf.float32, name=None, alg:any='auto_select'",
   stateless(stateless_uniform), "Uniformly distributed numbers by a seed."},
  {"tf.random.stateless_categorical", "logits, num_samples:real, seed, dtype=tf.int64, name=None", stateless_categorical,
   "Draws from categories by a seed."},
  {"tf.random.split tf.random.experimental.stateless_split", "seed:tensor, num=2, alg:any='auto_select'", split, "Several seeds from one."},
  {"tf.random.fold_in tf.random.experimental.stateless_fold_in", "seed, data, alg:any='auto_select'", fold_in,
   "A seed from a seed and data."},
}
