--- The schedules of Keras. Formulas are computed in float32, in Keras's order.

local core = require "moonflow.core"
local define = require "moonflow.keras.optimizers.schedules.define"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"

local None = dicts.None
local get = core.op.get
local floor, pow, cos, minimum, cast = get("Floor"), get("Pow"), get("Cos"), get("Minimum"), get("Cast")
local select_op, less = get("SelectV2"), get("Less")
local schedule, as_float = define.schedule, define.step

local function float(value)
  return core.tensor.to(value + 0.0, "float32")
end

local rate_row = {"initial_learning_rate", "number", doc = "The rate at the start."}
local steps_row = {"decay_steps", "number", doc = "The number of updates of one decay."}
local stair_row = {"staircase", "boolean", default = false, doc = "Change the rate at multiples of decay_steps only."}

local function name_row(name)
  return {"name", "string", default = name}
end

local schedules = {}

local function fraction(self, step)
  local p = as_float(step) / float(self.decay_steps)
  return self.staircase and floor(p) or p
end

schedules.ExponentialDecay = schedule("ExponentialDecay",
  {rate_row, steps_row, {"decay_rate", "number"}, stair_row, name_row("ExponentialDecay")}, "decay_steps",
  function(self, step)
    return float(self.initial_learning_rate) * pow(float(self.decay_rate), fraction(self, step))
  end)

schedules.InverseTimeDecay = schedule("InverseTimeDecay",
  {rate_row, steps_row, {"decay_rate", "number"}, stair_row, name_row("InverseTimeDecay")}, "decay_steps",
  function(self, step)
    return float(self.initial_learning_rate) / (float(self.decay_rate) * fraction(self, step) + 1)
  end)

schedules.PolynomialDecay = schedule("PolynomialDecay",
  {rate_row, steps_row, {"end_learning_rate", "number", default = 0.0001}, {"power", "number", default = 1.0},
    {"cycle", "boolean", default = false}, name_row("PolynomialDecay")}, "decay_steps",
  function(self, step)
    local first, last = float(self.initial_learning_rate), float(self.end_learning_rate)
    local now, length = as_float(step), float(self.decay_steps)
    if self.cycle then
      local rounds = select_op(get("Equal")(now, float(0)), float(1), get("Ceil")(now / float(self.decay_steps)))
      length = length * rounds
    else
      now = minimum(now, length)
    end
    return (first - last) * pow(1 - now / length, float(self.power)) + last
  end)

local function check_pieces(self)
  if #self.boundaries ~= #self.values - 1 then
    errors.invalid("PiecewiseConstantDecay",
      "expected one boundary less than values, received %d boundaries and %d values", #self.boundaries, #self.values)
  end
end

schedules.PiecewiseConstantDecay = schedule("PiecewiseConstantDecay",
  {{"boundaries", "numbers"}, {"values", "numbers"}, name_row("PiecewiseConstant")}, nil,
  function(self, step)
    local rate = float(self.values[#self.values])
    for i = #self.boundaries, 1, -1 do
      local bound = cast(core.tensor.to(self.boundaries[i]), step.dtype)
      rate = select_op(get("LessEqual")(step, bound), float(self.values[i]), rate)
    end
    return rate
  end)

local init_pieces = schedules.PiecewiseConstantDecay.init
function schedules.PiecewiseConstantDecay:init(a)
  init_pieces(self, a)
  check_pieces(self)
end

-- ---- cosines

local function half_cosine(share)
  return (cos(float(math.pi) * share) + 1.0) * 0.5
end

schedules.CosineDecay = schedule("CosineDecay",
  {rate_row, steps_row, {"alpha", "number", default = 0.0}, name_row("CosineDecay"),
    {"warmup_target", "number", default = None}, {"warmup_steps", "number", default = 0}}, "decay_steps",
  function(self, step)
    local now, length, first = as_float(step), float(self.decay_steps), float(self.initial_learning_rate)
    local function decayed(at, from)
      return from * (half_cosine(at / length) * (1 - self.alpha) + self.alpha)
    end
    if self.warmup_target == nil then return decayed(minimum(now, length), first) end
    local target, warmup = float(self.warmup_target), float(self.warmup_steps)
    now = minimum(now, length + warmup)
    local warm = (target - first) * (now / warmup) + first
    return select_op(less(now, warmup), warm, decayed(now - warmup, target))
  end)

schedules.CosineDecayRestarts = schedule("CosineDecayRestarts",
  {rate_row, {"first_decay_steps", "number"}, {"t_mul", "number", default = 2.0}, {"m_mul", "number", default = 1.0},
    {"alpha", "number", default = 0.0}, name_row("SGDRDecay")}, "first_decay_steps",
  function(self, step)
    local share, t_mul = as_float(step) / float(self.first_decay_steps), float(self.t_mul)
    local restart
    if self.t_mul == 1 then
      restart = floor(share)
      share = share - restart
    else
      restart = floor(get("Log")(1.0 - share * (1.0 - t_mul)) / get("Log")(t_mul))
      local grown = pow(t_mul, restart)
      share = (share - (1.0 - grown) / (1.0 - t_mul)) / grown
    end
    local decayed = pow(float(self.m_mul), restart) * 0.5 * (cos(float(math.pi) * share) + 1.0)
    return float(self.initial_learning_rate) * (decayed * (1 - self.alpha) + self.alpha)
  end)

return schedules
