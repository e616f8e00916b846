--- The functions of tf.keras.random: draws that depend on their seed alone. A seed is an integer (the same numbers at every
-- call), a SeedGenerator (which moves on), or nil: the global generator.

local args = require "moonflow.base.args"
local config = require "moonflow.keras.backend.config"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local seeds = require "moonflow.keras.random.seeds"

local None = dicts.None

local functions = {}

local get = core.op.get
local to_tensor = core.tensor.to
local add, multiply = get("AddV2"), get("Mul")
local key_counter = get("StatelessRandomGetKeyCounter")
local philox = to_tensor(1, "int32")

local function as_shape(shape)
  if core.args.kind(shape) == "tensor" then return shape end
  return core.tensor.integers(core.shape.new(shape):as_list(), "keras.random", "shape")
end

--- Numbers of a stateless op of key and counter: "StatelessRandomUniformV2", "StatelessRandomNormalV2" ...
local function draw(op, shape, dtype, seed)
  local key, counter = key_counter(seeds.draw(seed))
  return get(op)(as_shape(shape), key, counter, philox, {dtype = dtype})
end
functions.draw = draw

local read_normal = args.signature{name = "random.normal", {"shape", "shape"}, {"mean", "number", default = 0.0},
  {"stddev", "number", default = 1.0}, {"dtype", "dtype", default = None}, {"seed", "any", default = None}}

local function scaled(op, ...)
  local shape, mean, stddev, dtype, seed = read_normal(...)
  dtype = config.standardize_dtype(dtype)
  local unit = draw(op, shape, dtype, seed)
  return add(multiply(unit, to_tensor(stddev + 0.0, dtype)), to_tensor(mean + 0.0, dtype))
end

--- normal(shape, mean, stddev, dtype, seed)
function functions.normal(...) return scaled("StatelessRandomNormalV2", ...) end

--- truncated_normal(shape, mean, stddev, dtype, seed): draws beyond two standard deviations are drawn again.
function functions.truncated_normal(...) return scaled("StatelessTruncatedNormalV2", ...) end

local read_uniform = args.signature{name = "random.uniform", {"shape", "shape"}, {"minval", "number", default = 0.0},
  {"maxval", "number", default = 1.0}, {"dtype", "dtype", default = None}, {"seed", "any", default = None}}

--- uniform(shape, minval, maxval, dtype, seed): in [minval, maxval).
function functions.uniform(...)
  local shape, minval, maxval, dtype, seed = read_uniform(...)
  dtype = config.standardize_dtype(dtype)
  local unit = draw("StatelessRandomUniformV2", shape, dtype, seed)
  return add(multiply(unit, to_tensor(maxval - minval + 0.0, dtype)), to_tensor(minval + 0.0, dtype))
end

local read_randint = args.signature{name = "random.randint", {"shape", "shape"}, {"minval", "integer"},
  {"maxval", "integer"}, {"dtype", "dtype", default = "int32"}, {"seed", "any", default = None}}

--- randint(shape, minval, maxval, dtype, seed): integers in [minval, maxval).
function functions.randint(...)
  local shape, minval, maxval, dtype, seed = read_randint(...)
  dtype = config.standardize_dtype(dtype)
  local key, counter = key_counter(seeds.draw(seed))
  return get("StatelessRandomUniformIntV2")(as_shape(shape), key, counter, philox, to_tensor(minval, dtype),
    to_tensor(maxval, dtype))
end

local read_dropout = args.signature{name = "random.dropout", {"inputs", "tensor"}, {"rate", "number"},
  {"noise_shape", "shape", default = None}, {"seed", "any", default = None}}

--- Zeroes a share `rate` of the inputs and scales the others, as tf.nn.experimental.stateless_dropout does.
function functions.drop(inputs, rate, noise_shape, seed)
  if rate <= 0 then return inputs end
  local dtype = inputs.dtype
  local shape = noise_shape and as_shape(noise_shape) or get("Shape")(inputs)
  local unit = draw("StatelessRandomUniformV2", shape, dtype, seed)
  local keep = get("GreaterEqual")(unit, to_tensor(rate, dtype))
  local scale = to_tensor(1.0 / (1.0 - rate), dtype)
  local zero = to_tensor(0.0, dtype)
  return get("SelectV2")(keep, multiply(inputs, scale), zero)
end

--- dropout(inputs, rate, noise_shape, seed)
function functions.dropout(...)
  local inputs, rate, noise_shape, seed = read_dropout(...)
  return functions.drop(to_tensor(inputs), rate, noise_shape, seed)
end

local read_shuffle = args.signature{name = "random.shuffle", {"x", "tensor"}, {"axis", "integer", default = 0},
  {"seed", "any", default = None}}

--- shuffle(x, axis, seed): the parts along an axis in a random order.
function functions.shuffle(...)
  local x, axis, seed = read_shuffle(...)
  x = to_tensor(x)
  local size = get("GatherV2")(get("Shape")(x), to_tensor(axis, "int32"), to_tensor(0, "int32"))
  local noise = draw("StatelessRandomUniformV2", get("ExpandDims")(size, to_tensor(0, "int32")), "float32", seed)
  local _, index = get("TopKV2")(noise, size)
  return get("GatherV2")(x, index, to_tensor(axis, "int32"))
end

return functions
