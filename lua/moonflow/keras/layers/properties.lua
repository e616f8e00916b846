--- The properties of layers: names, dtypes, weights, losses, metrics. Getters and setters of the class Layer.

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local naming = require "moonflow.keras.backend.naming"
local policies = require "moonflow.keras.dtype_policies"
local tracking = require "moonflow.keras.backend.tracking"

local set_trainable = core.variable.set_trainable

local getters, setters = {}, {}
local properties = {getters = getters, setters = setters}

-- ---- names and dtypes

--- A layer whose init did not call super_init gets its name when it is first asked for.
function getters.name(self)
  local own = self._own
  if not own.name then own.name = naming.auto_name(self.class_name) end
  return own.name
end

function setters.name(self, name)
  self._own.name = name
end

--- The names of the scopes in which the layer was built; nil before.
function getters.path(self)
  return self._own.path
end

function getters.dtype_policy(self)
  local own = self._own
  if not own.policy then own.policy = policies.dtype_policy() end
  return own.policy
end

function setters.dtype_policy(self, policy)
  self._own.policy = policies.get(policy)
end

function getters.compute_dtype(self) return self.dtype_policy.compute_dtype end
function getters.variable_dtype(self) return self.dtype_policy.variable_dtype end
getters.dtype, getters.input_dtype = getters.variable_dtype, getters.compute_dtype

-- ---- weights

--- What the layer holds directly: {layers, variables, metrics, seed_generators}. Models that keep a list of layers of their
-- own put it in `_own.layers`.
local function owned(self)
  local found = tracking.owned(self)
  local listed = self._own.layers
  if listed then
    local seen, layers = {}, {}
    for _, list in ipairs{listed, found.layers} do
      for _, layer in ipairs(list) do
        if not seen[layer] then layers[#layers + 1], seen[layer] = layer, true end
      end
    end
    found.layers = layers
  end
  return found
end
properties.owned = owned

local function add_all(list, seen, values)
  for _, value in ipairs(values) do
    if not seen[value] then list[#list + 1], seen[value] = value, true end
  end
end

--- Appends the layer's own variables, trainable ones first.
local function add_own_variables(self, found, list, seen)
  local own = self._own
  add_all(list, seen, own.trainable)
  local frozen = {}
  for _, variable in ipairs(found.variables) do
    if variable.trainable then add_all(list, seen, {variable}) else frozen[#frozen + 1] = variable end
  end
  add_all(list, seen, own.non_trainable)
  add_all(list, seen, frozen)
end

--- Variables that belong to this layer alone, as files hold them.
function properties.own_variables(self)
  local list = {}
  add_own_variables(self, owned(self), list, {})
  return list
end

local function add_weights(self, list, seen, with_seeds)
  local found = owned(self)
  add_own_variables(self, found, list, seen)
  if with_seeds then
    for _, generator in ipairs(found.seed_generators) do add_all(list, seen, {generator.state}) end
  end
  for _, layer in ipairs(found.layers) do add_weights(layer, list, seen, with_seeds) end
  return list
end

local function keep(list, trainable)
  local kept = {}
  for _, variable in ipairs(list) do
    if variable.trainable == trainable then kept[#kept + 1] = variable end
  end
  return kept
end

--- All weights of the layer and of the layers in it.
function getters.weights(self) return add_weights(self, {}, {}, false) end

--- The weights, and the states of seed generators.
function getters.variables(self) return add_weights(self, {}, {}, true) end

local function define(kind)
  getters["trainable_" .. kind] = function(self)
    if not self.trainable then return {} end
    return keep(self[kind], true)
  end
  getters["non_trainable_" .. kind] = function(self)
    if not self.trainable then return self[kind] end
    return keep(self[kind], false)
  end
end
define("weights")
define("variables")

function getters.trainable(self) return self._own.is_trainable end

--- Freezes or frees the layer and all layers in it.
function setters.trainable(self, value)
  if type(value) ~= "boolean" then
    errors.invalid(self.class_name, "expected `trainable` to be a boolean, received %s", errors.describe(value))
  end
  local found = owned(self)
  self._own.is_trainable = value
  for _, variable in ipairs(self._own.trainable) do set_trainable(variable, value) end
  for _, layer in ipairs(found.layers) do layer.trainable = value end
end

-- ---- losses and metrics

--- The layers in the layer, each once, in Keras's order: depth first.
local function flatten_layers(self)
  local list, seen, queue = {}, {}, {}
  for i, layer in ipairs(owned(self).layers) do queue[i] = layer end
  while #queue > 0 do
    local layer = table.remove(queue, 1)
    if not seen[layer] then
      seen[layer] = true
      list[#list + 1] = layer
      for _, inner in ipairs(owned(layer).layers) do table.insert(queue, 1, inner) end
    end
  end
  return list
end
properties.flatten_layers = flatten_layers

--- Losses that add_loss collected in the last call, and those of regularizers.
function getters.losses(self)
  local losses = {}
  table.move(self._own.losses, 1, #self._own.losses, 1, losses)
  for _, layer in ipairs(flatten_layers(self)) do
    table.move(layer._own.losses, 1, #layer._own.losses, #losses + 1, losses)
  end
  for _, variable in ipairs(self.trainable_weights) do
    local regularizer = variable.regularizer
    if regularizer then losses[#losses + 1] = regularizer(variable) end
  end
  return losses
end

--- Forgets what add_loss collected: a call of the outermost layer begins so.
function properties.clear_losses(self)
  self._own.losses = {}
  for _, layer in ipairs(flatten_layers(self)) do layer._own.losses = {} end
end

function getters.metrics(self)
  local found = owned(self)
  local metrics = table.move(found.metrics, 1, #found.metrics, 1, {})
  for _, layer in ipairs(found.layers) do
    local inner = layer.metrics
    table.move(inner, 1, #inner, #metrics + 1, metrics)
  end
  return metrics
end

function getters.metrics_variables(self)
  local list = {}
  for _, metric in ipairs(self.metrics) do
    for _, variable in ipairs(metric.variables) do list[#list + 1] = variable end
  end
  return list
end

-- ---- the functional graph

local function first_node(self, what)
  local node = self._nodes[1]
  if not node then errors.invalid(self.class_name, "layer '%s' has never been called and has no defined %s", self.name, what) end
  return node
end

local function lone(list)
  return #list == 1 and list[1] or list
end

--- The KerasTensors of the layer's first symbolic call.
function getters.input(self) return lone(first_node(self, "input").inputs) end

function getters.output(self) return first_node(self, "output").output_structure end

return properties
