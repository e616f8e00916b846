--- GlorotUniform (Xavier): uniform in [-limit, limit] with limit = sqrt(6 / (fan_in + fan_out)).

local Initializer = require "moonflow.keras.initializers.initializer"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local seeds = require "moonflow.keras.random.seeds"

local GlorotUniform = Initializer:extend("GlorotUniform", {
  args = {{"seed", "any", default = dicts.None, get = function(self) return self.seed end}},
})

local get = core.op.get
local key_counter, uniform = get("StatelessRandomGetKeyCounter"), get("StatelessRandomUniformV2")

function GlorotUniform:init(a)
  self.seed = a.seed
  self.drawn = a.seed == nil and seeds.make_default() or a.seed
end

local function fans(shape)
  local rank = #shape
  if rank == 0 then return 1, 1 end
  if rank == 1 then return shape[1], shape[1] end
  local field = 1
  for i = 1, rank - 2 do field = field * shape[i] end
  return shape[rank - 1] * field, shape[rank] * field
end

function GlorotUniform:call(shape, dtype)
  local fan_in, fan_out = fans(shape)
  local limit = math.sqrt(6.0 / (fan_in + fan_out))
  local key, counter = key_counter(seeds.draw(self.drawn))
  local to = core.tensor.to
  local unit = uniform(to(shape:as_list(), "int32"), key, counter, to(1, "int32"), {dtype = dtype})
  return get("AddV2")(get("Mul")(unit, to(2 * limit, dtype)), to(-limit, dtype))
end

return GlorotUniform
