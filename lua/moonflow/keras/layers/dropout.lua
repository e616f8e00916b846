--- Dropout: in training, zeros a share of the inputs at random and scales up the others.

local Layer = require "moonflow.keras.layers.layer"
local SeedGenerator = require "moonflow.keras.random.seed_generator"
local constants = require "moonflow.keras.losses.constants"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local drawing = require "moonflow.keras.initializers.drawing"
local errors = require "moonflow.base.errors"

local None = dicts.None

local Dropout = Layer:extend("Dropout", {
  args = {
    {"rate", "number", min = 0, max = 1, doc = "Share of the inputs that become 0."},
    {"noise_shape", "shape", default = None,
      doc = "Shape of the mask: axes of size 1 share it; None takes the input's size."},
    {"seed", "any", default = None, doc = "Start of the random numbers; drawn when left out."},
  },
  call_args = {{"training", "boolean", default = false, doc = "Whether inputs are dropped."}},
})

local get = core.op.get
local multiply, greater_equal, select_op, shape_of = get("Mul"), get("GreaterEqual"), get("SelectV2"), get("Shape")
local uniform, zeros_like = get("StatelessRandomUniformV2"), get("ZerosLike")
local scalar, to_tensor = constants.scalar, core.tensor.to
local philox = to_tensor(1, "int32")

function Dropout:init(a)
  self:super_init(a)
  self.rate, self.seed = a.rate, a.seed
  if a.noise_shape ~= nil then
    local shape = {}
    for i = 1, #a.noise_shape do
      shape[i] = a.noise_shape[i]
      if shape[i] ~= None and shape[i] < 1 then
        errors.invalid("Dropout", "argument 'noise_shape': expected integers above 0 or None, received %d", shape[i])
      end
    end
    self.noise_shape = shape
  end
  if a.rate > 0 then self.seed_generator = SeedGenerator{seed = a.seed} end
  self.supports_masking = true
  self.built = true
end

--- The shape of the mask as a tensor.
local function mask_shape(self, x)
  local noise = self.noise_shape
  if noise == nil then return shape_of(x) end
  local list, known = {}, true
  for i, size in ipairs(noise) do
    list[i] = size == None and x:dim(i - 1) or size
    known = known and list[i] ~= None
  end
  if known then return to_tensor(list, "int32") end
  local sizes = get("Unpack")(shape_of(x), #noise)
  for i, size in ipairs(noise) do list[i] = size == None and sizes[i] or to_tensor(size, "int32") end
  return get("Pack")(list)
end

function Dropout:call(x, kw)
  local rate = self.rate
  if not kw.training or rate == 0 then return x end
  if rate == 1 then return zeros_like(x) end
  local dtype = x.dtype
  local key, counter = drawing.key_counter(self.seed_generator)
  local noise = uniform(mask_shape(self, x), key, counter, philox, dtype)
  local kept = greater_equal(noise, scalar(rate, dtype))
  return select_op(kept, multiply(x, scalar(1 / (1 - rate), dtype)), scalar(0.0, dtype))
end

function Dropout:compute_output_shape(input_shape)
  return input_shape
end

return Dropout
