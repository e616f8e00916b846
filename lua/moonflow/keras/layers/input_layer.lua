--- InputLayer, and Input: where a functional model begins.

local KerasTensor = require "moonflow.keras.backend.keras_tensor"
local Layer = require "moonflow.keras.layers.layer"
local Node = require "moonflow.keras.ops.node"
local args = require "moonflow.base.args"
local config = require "moonflow.keras.backend.config"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"

local None = dicts.None

local rows = {
  {"shape", "shape", default = None, config = false, doc = "Shape of one element, without the batch."},
  {"batch_size", "integer", default = None, config = false, doc = "Size of the batch where it is fixed."},
  {"batch_shape", "shape", default = None, doc = "Shape with the batch, in the place of shape and batch_size.",
    get = function(self) return self.batch_shape end},
  {"dtype", "dtype", default = None, get = function(self) return self.tensor_dtype end},
  {"sparse", "boolean", default = false, none = true}, {"ragged", "boolean", default = false, none = true},
  {"name", "string", default = None, get = function(self) return self.name end},
  {"optional", "boolean", default = false},
}

local InputLayer = Layer:extend("InputLayer", {args = rows})

--- The base's arguments are none of this layer's config.
local function full_shape(a)
  if a.sparse or a.ragged then errors.unimplemented("Input", "sparse and ragged inputs are not there yet") end
  if a.shape and a.batch_shape then errors.invalid("Input", "you cannot pass both `shape` and `batch_shape`") end
  if a.batch_size and a.batch_shape then
    errors.invalid("Input", "you cannot pass both `batch_size` and `batch_shape`")
  end
  if a.batch_shape then return core.shape.new(a.batch_shape) end
  if not a.shape then errors.invalid("Input", "you must pass a `shape` argument") end
  if type(a.shape) ~= "table" and type(a.shape) ~= "userdata" then
    errors.invalid("Input", "argument 'shape': expected a list without the batch, as {28, 28}; received %s", errors.describe(a.shape))
  end
  local list = {a.batch_size or None}
  for i = 1, #a.shape do list[i + 1] = a.shape[i] end
  return core.shape.new(list)
end

function InputLayer:init(a)
  Layer.init(self, {name = a.name, trainable = true, autocast = true})
  self.batch_shape = full_shape(a)
  self.tensor_dtype = config.standardize_dtype(a.dtype)
  self.optional = a.optional
  self.built = true
  local output = KerasTensor.new(self.batch_shape, self.tensor_dtype, self.name)
  Node.new(self, {n = 0}, {}, output)
end

function InputLayer:call() -- luacheck: ignore
end

function InputLayer:get_config()
  return dicts.dict{
    {"batch_shape", self.batch_shape:as_list()}, {"dtype", self.tensor_dtype}, {"sparse", false}, {"ragged", false},
    {"name", self.name}, {"optional", self.optional},
  }
end

local signature = {name = "Input"}
for i, row in ipairs(rows) do signature[i] = row end
local read_input = args.signature(signature)

--- tf.keras.Input{shape = {28, 28, 1}}: a KerasTensor.
function InputLayer.Input(...)
  local values = read_input:read_table(...)
  return InputLayer(dicts.kw(values)).output
end

return InputLayer
