--- BatchNormalization: in training every channel gets mean 0 and variance 1 over the batch; moving averages of these
-- statistics serve at inference. A layer that is not trainable works as at inference.

local InputSpec = require "moonflow.keras.layers.input_spec"
local Layer = require "moonflow.keras.layers.layer"
local arguments = require "moonflow.keras.layers.arguments"
local class = require "moonflow.base.class"
local config = require "moonflow.keras.backend.config"
local constants = require "moonflow.keras.losses.constants"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local moments = require "moonflow.keras.layers.moments"
local renorm = require "moonflow.keras.layers.batch_renorm"

local None = dicts.None

local BatchNormalization = Layer:extend("BatchNormalization", {
  args = {
    {"axis", "integer", default = -1, doc = "Axis of the channels."},
    {"momentum", "number", default = 0.99, doc = "How much of the moving averages stays."},
    {"epsilon", "number", default = 1e-3, doc = "Added to the variance."},
    {"center", "boolean", default = true, doc = "Whether beta is added."},
    {"scale", "boolean", default = true, doc = "Whether gamma multiplies."},
    arguments.initializer("beta", "zeros"), arguments.initializer("gamma", "ones"),
    arguments.initializer("moving_mean", "zeros"), arguments.initializer("moving_variance", "ones"),
    arguments.regularizer("beta"), arguments.regularizer("gamma"), arguments.constraint("beta"),
    arguments.constraint("gamma"),
    {"renorm", "boolean", default = false, doc = "Batch renormalization: training near the statistics of inference."},
    {"renorm_clipping", "struct", default = None, doc = "Bounds of its corrections: a dict with rmax, rmin, dmax."},
    {"renorm_momentum", "number", default = 0.99, doc = "How much of its averages stays."},
    {"synchronized", "boolean", default = false},
  },
})

local get = core.op.get
local multiply, add, subtract, rsqrt, reshape, cast = get("Mul"), get("AddV2"), get("Sub"), get("Rsqrt"),
  get("Reshape"), get("Cast")
local fused = get("FusedBatchNormV3")
local read, assign = core.variable.read, core.variable.assign
local to_tensor, scalar = core.tensor.to, constants.scalar
local float32 = core.dtype.float32

local taken = {"center", "scale", "beta_initializer", "gamma_initializer", "moving_mean_initializer",
  "moving_variance_initializer", "beta_regularizer", "gamma_regularizer", "beta_constraint", "gamma_constraint",
  "synchronized", "renorm", "renorm_momentum"}

function BatchNormalization:init(a)
  self:super_init(a)
  arguments.take(self, a, taken)
  self.renorm_clipping = a.renorm and (a.renorm_clipping or dicts.dict{}) or a.renorm_clipping
  if a.renorm then renorm.check(self.renorm_clipping) end
  self.axis, self.momentum, self.epsilon = a.axis, a.momentum + 0.0, a.epsilon + 0.0
  self.supports_masking = true
end

local function add_statistics(self, name, shape)
  return self:add_weight{shape = shape, name = name, initializer = self[name .. "_initializer"], trainable = false}
end

--- What the ops need to know of the shape, found once.
local function plan(self, rank, at)
  local others, spread = {}, {}
  for i = 0, rank - 1 do
    spread[i + 1] = 1
    if i ~= at then others[#others + 1] = i end
  end
  spread[at + 1] = -1
  class.set_untracked(self, "_plan", {
    axes = to_tensor(others, "int32"), squeezed = {squeeze_dims = others},
    spread = at ~= rank - 1 and to_tensor(spread, "int32"),
    -- one op does all of it for images
    fused = rank == 4 and at == 3 and not self.renorm and {epsilon = self.epsilon, is_training = true},
  })
end

function BatchNormalization:build(input_shape)
  local shape = core.shape.new(input_shape)
  local rank = #shape
  local at = self.axis < 0 and self.axis + rank or self.axis
  if at < 0 or at >= rank then
    errors.invalid("BatchNormalization", "layer '%s': axis %d is out of bounds for the input shape %s", self.name,
      self.axis, tostring(shape))
  end
  local size = {shape[at + 1]}
  if self.scale then
    self.gamma = self:add_weight{shape = size, name = "gamma", initializer = self.gamma_initializer,
      regularizer = self.gamma_regularizer, constraint = self.gamma_constraint}
  end
  if self.center then
    self.beta = self:add_weight{shape = size, name = "beta", initializer = self.beta_initializer,
      regularizer = self.beta_regularizer, constraint = self.beta_constraint}
  end
  self.moving_mean = add_statistics(self, "moving_mean", size)
  self.moving_variance = add_statistics(self, "moving_variance", size)
  if self.renorm then renorm.build(self, size) end
  self.input_spec = InputSpec{ndim = rank, axes = dicts.dict{{self.axis, size[1]}}}
  plan(self, rank, at)
end

local function move(self, variable, value)
  local dtype = variable.dtype
  if value.dtype ~= dtype then value = cast(value, dtype) end
  local kept = multiply(read(variable), scalar(self.momentum, dtype))
  assign(variable, add(kept, multiply(value, scalar(1.0 - self.momentum, dtype))))
end

--- (x - mean) / sqrt(variance + epsilon) * gamma + beta, in the order of tf.nn.batch_normalization.
local function normalize(self, x, mean, variance, gamma, beta)
  local spread = self._plan.spread
  if spread then
    mean, variance = reshape(mean, spread), reshape(variance, spread)
    gamma, beta = gamma and reshape(gamma, spread), beta and reshape(beta, spread)
  end
  local factor = rsqrt(add(variance, scalar(self.epsilon, variance.dtype)))
  if gamma then factor = multiply(factor, gamma) end
  local shift = multiply(mean, factor)
  shift = beta and subtract(beta, shift) or -shift
  return add(multiply(x, factor), shift)
end

--- A weight as a tensor of the dtype that is computed in, or nil.
local function weight(used, variable, dtype)
  if not used then return nil end
  local value = read(variable)
  return value.dtype == dtype and value or cast(value, dtype)
end

local function train_fused(self, x, gamma, beta)
  local like = self.moving_mean
  gamma = gamma or get("OnesLike")(like)
  beta = beta or get("ZerosLike")(like)
  local y, mean, _, _, variance = fused(x, gamma, beta, like, self.moving_variance, self._plan.fused)
  move(self, self.moving_mean, mean)
  move(self, self.moving_variance, variance)
  return y
end

local function train(self, x, gamma, beta, mask)
  local p = self._plan
  if p.fused and mask == nil and x.dtype == float32 then return train_fused(self, x, gamma, beta) end
  local mean, variance
  if mask ~= nil then
    if mask.rank ~= x.rank - 1 then
      errors.invalid("BatchNormalization",
        "the mask must have one axis less than the inputs, received the shapes %s and %s",
        tostring(mask.shape), tostring(x.shape))
    end
    mean, variance = moments.masked(x, mask, p.axes, p.squeezed, config.epsilon())
  else
    mean, variance = moments.of(x, p.axes, p.squeezed)
  end
  if self.renorm then
    gamma, beta = renorm.apply(self, mean, variance, gamma, beta)
  else
    move(self, self.moving_mean, mean)
    move(self, self.moving_variance, variance)
  end
  return normalize(self, x, mean, variance, gamma, beta)
end

function BatchNormalization:call(x, kw)
  local dtype = x.dtype
  if dtype ~= float32 and dtype ~= core.dtype.float64 then
    x, dtype = cast(x, float32), float32
  end
  local gamma, beta = weight(self.scale, self.gamma, dtype), weight(self.center, self.beta, dtype)
  local y
  if kw.training and self.trainable then
    y = train(self, x, gamma, beta, kw.mask)
  else
    y = normalize(self, x, weight(true, self.moving_mean, dtype), weight(true, self.moving_variance, dtype), gamma,
      beta)
  end
  local wanted = self.dtype_policy.compute_object
  return dtype == wanted and y or cast(y, wanted)
end

function BatchNormalization:compute_output_shape(input_shape)
  return input_shape
end

return BatchNormalization
