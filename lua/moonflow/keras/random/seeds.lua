--- Seeds as Keras has them: default seeds from Python's `random`, and what a seed argument means.

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"

local seeds = {}

local to_tensor = core.tensor.to
local global_generator

--- A seed for whoever has none: random.randint(1, 10^9).
function seeds.make_default()
  return core.keras.randint(1, 1000000000)
end

--- Python's random.seed: the default seeds that follow are always the same.
function seeds.seed_python(seed)
  core.keras.seed(seed)
end

--- Two int64 numbers (a tensor) for the stateless random ops. `seed`: an integer, a SeedGenerator (which moves on), or nil:
-- the global generator.
function seeds.draw(seed)
  if math.type(seed) == "integer" then return to_tensor({seed, 0}, "int64") end
  if seed == nil then
    if not global_generator then global_generator = require "moonflow.keras.random.seed_generator"() end
    return global_generator:next{ordered = false}
  end
  if type(seed) == "table" and seed.is_seed_generator then return seed:next() end
  errors.invalid("keras.random", "argument 'seed': expected an integer or a SeedGenerator, received %s",
    errors.describe(seed))
end

--- Forgets the global generator (clear_session).
function seeds.reset()
  global_generator = nil
end

return seeds
