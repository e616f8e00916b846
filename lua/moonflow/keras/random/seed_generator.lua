--- SeedGenerator: a seed that moves on with each use. Layers with randomness keep one as an attribute.

local args = require "moonflow.base.args"
local class = require "moonflow.base.class"
local context = require "moonflow.keras.backend.context"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local naming = require "moonflow.keras.backend.naming"
local seeds = require "moonflow.keras.random.seeds"
local variables = require "moonflow.keras.backend.variable"

local SeedGenerator = class.Object:extend("SeedGenerator", {
  args = {
    {"seed", "integer", default = dicts.None, get = function(self) return self.initial_seed end,
      doc = "Where it starts; drawn from Python's random when left out."},
    {"name", "string", default = dicts.None, keyword = true},
  },
})
SeedGenerator.is_seed_generator = true
SeedGenerator.keras_module = "keras.random"

local add, mod, multiply = core.op.get("AddV2"), core.op.get("FloorMod"), core.op.get("Mul")
local assign_add, assign, read = core.variable.assign_add, core.variable.assign, core.variable.read
local step = core.tensor.to({0, 1}, "int64")

function SeedGenerator:init(a)
  self.name = a.name or naming.auto_name(self.class_name)
  self.initial_seed = a.seed
  local _ <close> = context.scope(self.name, self)
  self.state = variables.new{
    initializer = core.tensor.to({a.seed or seeds.make_default(), 0}, "int64"), shape = {2}, dtype = "int64",
    trainable = false, name = "seed_generator_state",
  }
end

local read_next = args.signature{name = "SeedGenerator.next", {"ordered", "boolean", default = true}}

--- The seed now (a tensor of two int64); the state moves on.
function SeedGenerator:next(...)
  local ordered = true
  if select("#", ...) > 0 then ordered = read_next(...) end
  local state = self.state
  local now = read(state)
  if ordered then
    assign_add(state, step)
  else
    local one, factor, modulus = {1, 1}, {5387, 5387}, {933199, 933199}
    local to = core.tensor.to
    assign(state, mod(multiply(add(now, to(one, "int64")), to(factor, "int64")), to(modulus, "int64")))
  end
  return now
end

return SeedGenerator
