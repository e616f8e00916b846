--- Model: layers together, with training: compile, fit, evaluate, predict, summary, save_weights, load_weights.
--
--     tf.keras.Model{inputs = x, outputs = y}         a functional model (functional.lua)
--     local My = tf.keras.Model:extend("My")           a subclass: init makes the layers, call(x, kw) uses them
--
-- Training is in training/: this class only joins the parts.

local Layer = require "moonflow.keras.layers.layer"
local args = require "moonflow.base.args"
local calling = require "moonflow.keras.layers.calling"
local class = require "moonflow.base.class"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local properties = require "moonflow.keras.layers.properties"
local trainer = require "moonflow.keras.training.trainer"

local None = dicts.None

local getters = {}
for name, get in next, trainer.getters do getters[name] = get end

local Model = Layer:extend("Model", {args = {}, getters = getters, setters = trainer.setters})
Model.is_model = true
Model.keras_module = "keras"

--- Model(...) itself makes a functional model; subclasses are constructed as they say.
function Model._make(cls, ...)
  if cls == Model and select("#", ...) > 0 then
    return require "moonflow.keras.models.functional"(...)
  end
  return class.construct(cls, ...)
end

function Model:_prepare()
  Layer._prepare(self)
  trainer.prepare(self)
end

for name, method in next, trainer.methods do Model[name] = method end

-- ---- layers

--- The layers in the model, in the order in which they were assigned.
function getters.layers(self)
  return properties.owned(self).layers
end

local read_get_layer = args.signature{name = "get_layer", {"name", "string", default = None},
  {"index", "integer", default = None}}

--- A layer by name, or by index from 0.
function Model:get_layer(...)
  local name, index = read_get_layer(...)
  local layers = self.layers
  if index ~= nil and name ~= nil then
    errors.invalid("get_layer", "provide only a layer name or a layer index, received name='%s' and index=%d", name, index)
  end
  if index ~= nil then
    local layer = layers[index < 0 and #layers + index + 1 or index + 1]
    if not layer then
      errors.invalid("get_layer", "was asked for the layer at index %d, but the model has %d layers", index, #layers)
    end
    return layer
  end
  local names = {}
  for i, layer in ipairs(layers) do
    if layer.name == name then return layer end
    names[i] = layer.name
  end
  if name == nil then errors.invalid("get_layer", "provide either a layer name or a layer index") end
  errors.invalid("get_layer", "no such layer: '%s'. Existing layers are: {%s}", name, table.concat(names, ", "))
end

--- Builds a subclassed model for inputs of a shape, or a structure of shapes, by tracing its call.
function Model:build(input_shape)
  if input_shape ~= nil then calling.trace_shapes(self, input_shape) end
  self.built = true
end

function Model:call()
  errors.unimplemented(self.class_name, "model '%s' does not have a `call` method", self.name)
end

-- ---- weights in files

local read_save = args.signature{name = "save_weights", {"filepath", "string"}, {"overwrite", "boolean", default = true},
  {"max_shard_size", "number", default = None}}

--- Writes all weights, and the optimizer's state, to a .weights.h5 file that Keras reads, too.
function Model:save_weights(...)
  local filepath, overwrite, max_shard_size = read_save(...)
  if max_shard_size ~= nil then errors.unimplemented("save_weights", "sharded weights (max_shard_size) are not there yet") end
  require "moonflow.keras.saving.weights_file".save(self, filepath, overwrite)
end

local read_load = args.signature{name = "load_weights", {"filepath", "string"},
  {"skip_mismatch", "boolean", default = false}}

--- Loads a .weights.h5 file of moonflow or Keras into a model of the same layers.
function Model:load_weights(...)
  local filepath, skip_mismatch = read_load(...)
  require "moonflow.keras.saving.weights_file".load(self, filepath, skip_mismatch)
end

function Model:save()
  errors.unimplemented("Model.save", "whole models cannot be saved yet; use model:save_weights(\"name.weights.h5\") and " ..
    "load_weights on a model made by the same code")
end

function Model:export()
  errors.unimplemented("Model.export", "SavedModels cannot be written yet; use model:save_weights(\"name.weights.h5\")")
end

-- ---- summary

local read_summary = args.signature{name = "summary",
  {"line_length", "integer", default = None}, {"positions", "numbers", default = None},
  {"print_fn", "function", default = None}, {"expand_nested", "boolean", default = false},
  {"show_trainable", "boolean", default = false}, {"layer_range", "strings", default = None}}

--- Prints a table of the layers with their output shapes and numbers of parameters.
function Model:summary(...)
  local options = {}
  options.line_length, options.positions, options.print_fn, options.expand_nested, options.show_trainable,
    options.layer_range = read_summary(...)
  local text = require "moonflow.keras.models.summary".text(self, options)
  if options.print_fn then options.print_fn(text) else io.stdout:write(text) end
end

--- Number of scalars, counted by the model's weights.
function Model:count_params()
  if not self.built then
    errors.invalid("count_params", "model '%s' isn't built; call it on some data or build it with model:build(input_shape)",
      self.name)
  end
  local count = 0
  for _, variable in ipairs(self.weights) do count = count + core.shape.new(variable.shape):num_elements() end
  return count
end

return Model
