--- Dense: output = activation(input @ kernel + bias).

local InputSpec = require "moonflow.keras.layers.input_spec"
local Layer = require "moonflow.keras.layers.layer"
local activated = require "moonflow.keras.layers.activated"
local arguments = require "moonflow.keras.layers.arguments"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"

local None = dicts.None

local Dense = Layer:extend("Dense", {
  args = {
    {"units", "integer", min = 1, doc = "Size of the output's last axis."},
    {"activation", "activation", default = None, doc = "Activation function; none when left out."},
    {"use_bias", "boolean", default = true, doc = "Whether a bias is added."},
    arguments.initializer("kernel", "glorot_uniform"), arguments.initializer("bias", "zeros"),
    arguments.regularizer("kernel"), arguments.regularizer("bias"),
    {"activity_regularizer", "regularizer", default = None, config = false, doc = "Penalty on the output."},
    arguments.constraint("kernel"), arguments.constraint("bias"),
    {"lora_rank", "integer", default = None, config = false}, {"lora_alpha", "number", default = None, config = false},
    {"quantization_config", "any", default = None},
  },
  getters = activated.getters, setters = activated.setters,
})

local get = core.op.get
local matmul, bias_add, cast, reshape, shape_of = get("MatMul"), get("BiasAdd"), get("Cast"), get("Reshape"),
  get("Shape")
local to_tensor = core.tensor.to

local taken = {"units", "activation", "use_bias", "kernel_initializer", "bias_initializer", "kernel_regularizer",
  "bias_regularizer", "kernel_constraint", "bias_constraint"}

function Dense:init(a)
  arguments.refuse(self, a, {"lora_rank", "lora_alpha", "quantization_config"})
  self:super_init(a)
  arguments.take(self, a, taken)
  if a.activation == nil then self.activation = None end
  self.input_spec = InputSpec{min_ndim = 2}
  self.supports_masking = true
end

function Dense:build(input_shape)
  local size = core.shape.new(input_shape)[-1]
  self.kernel = self:add_weight{shape = {size, self.units}, initializer = self.kernel_initializer, name = "kernel",
    regularizer = self.kernel_regularizer, constraint = self.kernel_constraint}
  if self.use_bias then
    self.bias = self:add_weight{shape = {self.units}, initializer = self.bias_initializer, name = "bias",
      regularizer = self.bias_regularizer, constraint = self.bias_constraint}
  end
  self.input_spec = InputSpec{min_ndim = 2, axes = dicts.dict{{-1, size}}}
end

--- The output's shape for reshape: as numbers where at most one axis is not known, else a tensor computed from the
-- input's.
local function output_shape_of(x, units)
  local shape, unknown = x.shape:as_list(), 0
  for i = 1, #shape - 1 do
    if shape[i] == None then shape[i], unknown = -1, unknown + 1 end
  end
  shape[#shape] = units
  if unknown <= 1 then return to_tensor(shape, "int32") end
  local leading = get("Slice")(shape_of(x), to_tensor({0}, "int32"), to_tensor({#shape - 1}, "int32"))
  return get("ConcatV2")({leading, to_tensor({units}, "int32")}, to_tensor(0, "int32"))
end

function Dense:call(x)
  if not x.dtype.is_floating then x = cast(x, self.compute_dtype) end
  local flat = x
  local is_matrix = x.rank == 2
  if not is_matrix then flat = reshape(x, to_tensor({-1, self.kernel.shape[1]}, "int32")) end
  local y = matmul(flat, self.kernel)
  if self.use_bias then y = bias_add(y, self.bias) end
  if not is_matrix then y = reshape(y, output_shape_of(x, self.units)) end
  local activate = self._activate
  return activate and activate(y) or y
end

function Dense:compute_output_shape(input_shape)
  local shape = core.shape.new(input_shape):as_list()
  shape[#shape] = self.units
  return shape
end

return Dense
