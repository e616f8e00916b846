--- Random tensors as Keras draws them: the numbers follow from shape and seed alone, with TensorFlow's bits.

local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local seeds = require "moonflow.keras.random.seeds"

local get = core.op.get
local key_counter, cast, mod = get("StatelessRandomGetKeyCounter"), get("Cast"), get("FloorMod")
local multiply, add, subtract = get("Mul"), get("AddV2"), get("Sub")
local to_tensor = core.tensor.to

local drawing = {}

-- TensorFlow's generators take seeds of int32: Keras brings greater ones into range.
local SEED_RANGE = 2147483646

local function fits(seed)
  if type(seed) == "table" then seed = seed.initial_seed or 0 end
  return math.type(seed) == "integer" and seed >= 0 and seed < SEED_RANGE
end

--- Key and counter for a seed: an integer, a SeedGenerator, or nil (the global generator).
function drawing.key_counter(seed)
  local pair = seeds.draw(seed)
  if not fits(seed) then pair = cast(mod(pair, to_tensor(SEED_RANGE, "int64")), "int32") end
  return key_counter(pair)
end

local function draw(op, shape, dtype, seed)
  local key, counter = drawing.key_counter(seed)
  return get(op)(core.tensor.integers(shape:as_list(), "initializer", "shape"), key, counter, to_tensor(1, "int32"), {dtype = dtype})
end

--- A bound of an interval: Keras casts Python's numbers by way of float32.
local function bound(value, dtype)
  return cast(to_tensor(value + 0.0, "float32"), dtype)
end

--- Numbers in [low, high).
function drawing.uniform(shape, low, high, dtype, seed)
  local unit = draw("StatelessRandomUniformV2", shape, dtype, seed)
  low, high = bound(low, dtype), bound(high, dtype)
  return add(multiply(unit, subtract(high, low)), low)
end

local function scaled(op)
  return function(shape, mean, stddev, dtype, seed)
    return add(multiply(draw(op, shape, dtype, seed), to_tensor(stddev, dtype)), to_tensor(mean, dtype))
  end
end

--- normal(shape, mean, stddev, dtype, seed)
drawing.normal = scaled("StatelessRandomNormalV2")

--- The same without values beyond two standard deviations.
drawing.truncated_normal = scaled("StatelessTruncatedNormalV2")

-- ---- the argument `seed`

--- The row of the argument: the config holds what was given.
drawing.seed_row = {"seed", "any", default = dicts.None, get = function(self)
  local given = self.given_seed
  if type(given) ~= "table" then return given end
  return dicts.dict{{"module", "keras.random"}, {"class_name", "SeedGenerator"}, {"config", given:get_config()},
    {"registered_name", dicts.None}}
end}

--- Takes the argument: without one a seed is drawn from Python's random.
function drawing.take_seed(object, seed)
  object.given_seed = seed
  if seed == nil then
    object.seed = seeds.make_default()
  elseif math.type(seed) == "integer" or type(seed) == "table" and seed.is_seed_generator then
    object.seed = seed
  elseif type(seed) == "table" and seed.class_name == "SeedGenerator" then
    object.seed = require "moonflow.keras.random.seed_generator".from_config(seed.config)
    object.given_seed = object.seed
  else
    errors.invalid(object.class_name, "argument 'seed': expected an integer or a SeedGenerator, received %s",
      errors.describe(seed))
  end
end

return drawing
