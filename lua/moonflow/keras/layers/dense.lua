--- Dense: output = activation(input @ kernel + bias).

local InputSpec = require "moonflow.keras.layers.input_spec"
local Layer = require "moonflow.keras.layers.layer"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"

local None = dicts.None

local Dense = Layer:extend("Dense", {
  args = {
    {"units", "integer", min = 1, doc = "Size of the output's last axis."},
    {"activation", "activation", default = None, doc = "Activation function; none when left out."},
    {"use_bias", "boolean", default = true, doc = "Whether a bias is added."},
    {"kernel_initializer", "initializer", default = "glorot_uniform"},
    {"bias_initializer", "initializer", default = "zeros"},
    {"kernel_regularizer", "regularizer", default = None}, {"bias_regularizer", "regularizer", default = None},
    {"activity_regularizer", "regularizer", default = None, config = false},
    {"kernel_constraint", "constraint", default = None}, {"bias_constraint", "constraint", default = None},
  },
})

local get = core.op.get
local matmul, bias_add, cast = get("MatMul"), get("BiasAdd"), get("Cast")
local linear = require "moonflow.keras.activations".linear

function Dense:init(a)
  self:super_init(a)
  for _, name in ipairs{"units", "activation", "use_bias", "kernel_initializer", "bias_initializer",
    "kernel_regularizer", "bias_regularizer", "kernel_constraint", "bias_constraint"} do
    self[name] = a[name]
  end
  self.activation = a.activation or linear
  self.input_spec = InputSpec{min_ndim = 2}
  self.supports_masking = true
end

function Dense:build(input_shape)
  local size = input_shape[-1]
  self.kernel = self:add_weight{shape = {size, self.units}, initializer = self.kernel_initializer, name = "kernel",
    regularizer = self.kernel_regularizer, constraint = self.kernel_constraint}
  if self.use_bias then
    self.bias = self:add_weight{shape = {self.units}, initializer = self.bias_initializer, name = "bias",
      regularizer = self.bias_regularizer, constraint = self.bias_constraint}
  end
  self.input_spec = InputSpec{min_ndim = 2, axes = dicts.dict{{-1, size}}}
end

local function multiply_rows(self, x)
  local rank = x.shape.rank
  if rank == 2 then return matmul(x, self.kernel) end
  return get("BatchMatMulV2")(x, self.kernel)
end

function Dense:call(x)
  if not x.dtype.is_floating then x = cast(x, self.compute_dtype) end
  local y = multiply_rows(self, x)
  if self.use_bias then y = bias_add(y, self.bias) end
  return self.activation(y)
end

function Dense:compute_output_shape(input_shape)
  local shape = input_shape:as_list()
  shape[#shape] = self.units
  return shape
end

return Dense
