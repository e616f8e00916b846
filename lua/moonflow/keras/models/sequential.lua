--- Sequential: a stack of layers, each with one input and one output.

local Functional = require "moonflow.keras.models.functional"
local InputLayer = require "moonflow.keras.layers.input_layer"
local KerasTensor = require "moonflow.keras.backend.keras_tensor"
local Model = require "moonflow.keras.models.model"
local class = require "moonflow.base.class"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"

local None = dicts.None

local getters = {}

local Sequential = Model:extend("Sequential", {
  args = {
    {"layers", "layers", default = None, config = false, doc = "Layers to add."},
    {"name", "string", default = None, doc = "Name of the model."},
  },
  getters = getters,
})
Sequential._make = class.construct
Sequential.keras_module = "keras"

local function is_input(layer)
  return class.isinstance(layer, InputLayer)
end

local function rebuild(self)
  self.built = false
  rawset(self, "_functional", nil)
  local layers = self._own.layers
  if #layers > 1 and is_input(layers[1]) then self:build(layers[1].batch_shape) end
end

function Sequential:init(a)
  self:super_init(a)
  self._own.layers = {}
  class.set_untracked(self, "_functional", nil)
  if not a.layers then return end
  for _, layer in ipairs(a.layers) do self:add(layer, {rebuild = false}) end
  if #self._own.layers > 0 then rebuild(self) end
end

function getters.layers(self)
  local layers = self._own.layers
  local first = is_input(layers[1]) and 2 or 1
  return table.move(layers, first, #layers, 1, {})
end

local function input_of(layer)
  local own = layer._own
  if not own.input_shape then return nil end
  local shape = {own.batch_size or None}
  for i = 1, #own.input_shape do shape[i + 1] = own.input_shape[i] end
  return InputLayer{batch_shape = shape, dtype = layer.compute_dtype}
end

local function check_layer(self, layer)
  if class.is_class(layer) then
    errors.invalid("Sequential.add", "expected a layer, received the class %s; write %s{...}", layer.class_name, layer.class_name)
  end
  if type(layer) ~= "table" or not layer.is_layer then
    errors.invalid("Sequential.add", "only layers can be added to a Sequential model, received %s", errors.describe(layer))
  end
  if rawequal(layer, self) then errors.invalid("Sequential.add", "a model cannot be added to itself") end
  local layers = self._own.layers
  for _, other in ipairs(layers) do
    if other.name == layer.name and not rawequal(other, layer) then
      errors.invalid("Sequential.add", "all layers of a Sequential model should have unique names; '%s' is already the " ..
        "name of a layer in this model", layer.name)
    end
  end
  if is_input(layer) and is_input(layers[1]) then
    errors.invalid("Sequential.add", "model '%s' has already been configured to use input shape %s; another Input cannot " ..
      "be added", self.name, tostring(layers[1].batch_shape))
  end
end

--- Adds a layer on top. A first layer with input_shape, or an Input, builds the model at once.
function Sequential:add(layer, options)
  if not class.isinstance(self, Sequential) then
    errors.invalid("Sequential.add", "expected a model in front, received %s; it is called with a colon: model:add(layer)",
      errors.describe(self))
  end
  local layers = self._own.layers
  if #layers == 0 and type(layer) == "table" and layer.is_layer and rawget(layer, "_own") then
    local input = input_of(layer)
    if input then self:add(input, {rebuild = false}) end
  end
  if KerasTensor.is(layer) and layer.history and is_input(layer.history.operation) then layer = layer.history.operation end
  check_layer(self, layer)
  layers[#layers + 1] = layer
  if options and options.rebuild == false then
    self.built = false
    rawset(self, "_functional", nil)
  else
    rebuild(self)
  end
end

--- Removes the last layer and returns it.
function Sequential:pop()
  local layers = self._own.layers
  local layer = table.remove(layers)
  self.built = false
  rawset(self, "_functional", nil)
  if #layers > 0 then rebuild(self) end
  return layer
end

--- Builds the model for inputs of a shape (with the batch).
function Sequential:build(input_shape)
  local layers = self._own.layers
  if #layers == 0 then
    errors.invalid("Sequential", "model '%s' cannot be built because it has no layers; call model:add(layer)", self.name)
  end
  if input_shape == nil then return end
  local shape = core.shape.new(input_shape)
  if is_input(layers[1]) then
    if layers[1].batch_shape ~= shape then
      errors.invalid("Sequential", "model '%s' has already been configured to use input shape %s; it cannot be built " ..
        "with input_shape %s", self.name, tostring(layers[1].batch_shape), tostring(shape))
    end
  else
    table.insert(layers, 1, InputLayer{batch_shape = shape, dtype = layers[1].compute_dtype})
  end
  local inputs = layers[1].output
  local x = inputs
  for i = 2, #layers do x = layers[i](x) end
  rawset(self, "_functional", Functional{inputs = inputs, outputs = x})
  self._own.input_object = core.dtype.get(layers[1].tensor_dtype)
end

function Sequential:call(x, kw)
  local functional = rawget(self, "_functional")
  if functional then return functional:call(x, kw) end
  local mask = kw.mask
  for _, layer in ipairs(self.layers) do x, mask = layer(x, {training = kw.training, mask = mask}), nil end
  return x
end

function Sequential:compute_output_spec(x, kw)
  local functional = rawget(self, "_functional")
  if functional then return functional:compute_output_spec(x, kw) end
  for _, layer in ipairs(self.layers) do x = layer:compute_output_spec(x, kw) end
  return x
end

function Sequential:compute_output_shape(shape)
  local functional = rawget(self, "_functional")
  if functional then return functional:compute_output_shape(shape) end
  for _, layer in ipairs(self.layers) do shape = layer:compute_output_shape(shape) end
  return shape
end

local function define(name)
  getters[name] = function(self)
    local functional = rawget(self, "_functional")
    if functional then return functional[name] end
    errors.invalid("Sequential", "model '%s' has no defined %s yet; build it first", self.name, (name:gsub("_", " ")))
  end
end
for _, name in ipairs{"input_shape", "output_shape", "inputs", "outputs", "input", "output"} do define(name) end

function getters.output_names(self)
  local functional = rawget(self, "_functional")
  return functional and functional.output_names
end

function Sequential:get_config()
  local config = Model.get_config(self)
  local layers = {}
  for i, layer in ipairs(self._own.layers) do layers[i] = require "moonflow.keras.layers".serialize(layer) end
  config.layers = layers
  if rawget(self, "_functional") then config.build_input_shape = self._own.layers[1].batch_shape:as_list() end
  return config
end

function Sequential.from_config(first, second)
  local config = second or first
  local model = Sequential{name = config.name ~= None and config.name or nil}
  for _, layer in ipairs(config.layers) do model:add(require "moonflow.keras.layers".deserialize(layer)) end
  local shape = config.build_input_shape
  if shape and shape ~= None and not rawget(model, "_functional") then model:build(shape) end
  return model
end

return Sequential
