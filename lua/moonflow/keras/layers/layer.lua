--- Layer: the base of all layers and models.
--
--     local Linear = tf.keras.layers.Layer:extend("Linear", {args = {{"units", "integer"}}})
--     function Linear:init(a) self:super_init(a); self.units = a.units end
--     function Linear:build(input_shape)
--       self.w = self:add_weight{shape = {input_shape[-1], self.units}, initializer = "glorot_uniform", name = "w"}
--     end
--     function Linear:call(x, kw) return tf.matmul(x, self.w) end
--
-- What a layer writes: `init`, `build(input_shape, ...)` (one shape, or structure of shapes, for each input),
-- `call(x, ..., kw)`, and where it is not the default: `compute_output_shape(input_shape, ...)` (found by tracing `call`
-- otherwise), `compute_mask(inputs, mask)`, `get_config`. kw holds training, mask and the names of the class's call_args;
-- kw.training is true, false or nil (nobody said: inference). Shapes are shape objects: s[1] is the batch, s[-1] the last,
-- tf.None what is not known.
--
-- Attributes a layer may set: input_spec (an InputSpec or a structure of them), supports_masking, built, autocast.
-- Attributes that hold layers, variables, metrics or seed generators, lists and dicts of them included, are tracked.
-- Inside, `_own` keeps what the layer owns itself: trainable and non_trainable variables in the order of add_weight,
-- losses, dtype policy, name, build shapes.

require "moonflow.keras.saving.argument_types"
local args = require "moonflow.base.args"
local calling = require "moonflow.keras.layers.calling"
local class = require "moonflow.base.class"
local context = require "moonflow.keras.backend.context"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local inputs_of = require "moonflow.keras.layers.inputs"
local naming = require "moonflow.keras.backend.naming"
local policies = require "moonflow.keras.dtype_policies"
local properties = require "moonflow.keras.layers.properties"
local variables = require "moonflow.keras.backend.variable"

local None = dicts.None

local Layer = class.Object:extend("Layer", {
  args = {
    {"name", "string", default = None, keyword = true, doc = "Name of the layer; made from the class's when left out."},
    {"trainable", "boolean", default = true, keyword = true, doc = "Whether its variables are trained."},
    {"dtype", "dtype_policy", default = None, keyword = true, get = function(self) return self.dtype_policy end,
      doc = "Dtype, or dtype policy, of computations and weights."},
    {"autocast", "boolean", default = true, keyword = true, config = false,
      doc = "Whether float inputs are cast to the compute dtype."},
    {"activity_regularizer", "regularizer", default = None, keyword = true, config = false,
      doc = "Regularizer of the output."},
    {"input_shape", "shape", default = None, keyword = true, config = false,
      doc = "Shape of one input without the batch: builds a Sequential model whose first layer this is."},
    {"input_dim", "integer", default = None, keyword = true, config = false, doc = "The same for one axis."},
    {"batch_size", "integer", default = None, keyword = true, config = false, doc = "Batch size for input_shape."},
  },
  call_args = {
    {"training", "boolean", default = None, doc = "Whether the call is part of training."},
    {"mask", "any", default = None, doc = "Mask of the input."},
  },
  getters = properties.getters, setters = properties.setters, track = true,
})
Layer.is_layer = true
Layer.keras_module = "keras.layers"

--- `build` as a layer has it: opens the name scope, then runs the class's own and marks the layer as built.
local function build_in_scope(self, ...)
  local own = self._own
  local _ <close> = context.scope(self.name, self)
  own.path = context.path()
  local shapes = table.pack(...)
  for i = 1, shapes.n do shapes[i] = inputs_of.standardize_shapes(shapes[i]) end
  own.build_shapes = shapes
  self.class.build(self, table.unpack(shapes, 1, shapes.n))
  self.built = true
end

function Layer:_prepare()
  class.set_untracked(self, "_own", {
    trainable = {}, non_trainable = {}, losses = {}, policy = nil, name = nil, is_trainable = true, converts = true,
  })
  class.set_untracked(self, "_nodes", {})
  rawset(self, "built", false)
  rawset(self, "autocast", true)
  rawset(self, "build", build_in_scope)
end

function Layer:init(a)
  local own = self._own
  own.name = a.name or naming.auto_name(self.class_name)
  own.is_trainable = a.trainable
  own.policy = a.dtype or policies.dtype_policy()
  self.autocast = a.autocast
  self.activity_regularizer = a.activity_regularizer
  own.input_shape = a.input_dim and {a.input_dim} or a.input_shape
  own.batch_size = a.batch_size
end

--- Called by users as layer:build(shape); a layer without weights needs none of its own.
Layer.build = calling.build

function Layer:call()
  errors.unimplemented(self.class_name, "layer '%s' does not have a `call` method", self.name)
end

-- ---- calls

Layer.__call = calling.call
Layer.compute_output_spec = calling.compute_output_spec
Layer.compute_output_shape = calling.compute_output_shape

--- The mask of the output: by default that of the input.
Layer.compute_mask = calling.compute_mask

-- ---- weights

local read_add_weight = args.signature{name = "add_weight",
  {"shape", "shape", default = None}, {"initializer", "any", default = None}, {"dtype", "dtype", default = None},
  {"trainable", "boolean", default = true}, {"autocast", "boolean", default = true}, {"regularizer", "any", default = None},
  {"constraint", "any", default = None}, {"aggregation", "string", default = "none", none = true},
  {"overwrite_with_gradient", "boolean", default = false}, {"name", "string", default = None},
}

--- Makes a variable of the layer. Without `initializer` floats are glorot_uniform, others zero; without `shape` it is a
-- scalar. `initializer` may be a name, an Initializer, or a function(shape, {dtype=}).
function Layer:add_weight(...)
  local shape, initializer, dtype, trainable, _, regularizer, constraint, _, _, name = read_add_weight(...)
  local own = self._own
  if self.built then
    errors.invalid("add_weight", "layer '%s' is built already: weights are added in init or build, and a layer is built once",
      self.name)
  end
  dtype = dtype and core.dtype.get(dtype).name or self.variable_dtype
  if initializer == nil then initializer = dtype:find("float", 1, true) and "glorot_uniform" or "zeros" end
  local _ <close> = context.scope(self.name, self)
  local variable = variables.new{
    shape = shape or {}, dtype = dtype, trainable = trainable, name = name,
    initializer = require "moonflow.keras.initializers".get(initializer),
  }
  if regularizer ~= nil then variable.regularizer = require "moonflow.keras.regularizers".get(regularizer) end
  if constraint ~= nil then variable.constraint = require "moonflow.keras.constraints".get(constraint) end
  local list = trainable and own.trainable or own.non_trainable
  list[#list + 1] = variable
  if not own.is_trainable then variables.set_trainable(variable, false) end
  return variable
end

Layer.add_variable = Layer.add_weight

--- The values of `weights`: a list of tensors.
function Layer:get_weights()
  local values = {}
  for i, variable in ipairs(self.weights) do values[i] = variables.read(variable) end
  return values
end

--- Sets the values of `weights` from a list of tensors (or nested numbers).
function Layer:set_weights(weights)
  local list = self.weights
  if #list ~= #weights then
    errors.invalid("set_weights", "layer '%s' expects %d weights, received a list of %d", self.name, #list, #weights)
  end
  for i, variable in ipairs(list) do
    local value = core.tensor.to(weights[i], variable.dtype, "set_weights", variable.name)
    if value.shape ~= variable.shape then
      errors.invalid("set_weights", "layer '%s': weight '%s' has the shape %s, received a value of shape %s", self.name,
        variable.name, tostring(variable.shape), tostring(value.shape))
    end
    variables.assign(variable, value)
  end
end

--- Number of scalars in the weights.
function Layer:count_params()
  if not self.built then
    errors.invalid("count_params", "layer '%s' isn't built; build it with layer:build(input_shape) first", self.name)
  end
  local count = 0
  for _, variable in ipairs(self.weights) do count = count + variable.shape:num_elements() end
  return count
end

--- Adds a scalar loss; called inside `call`. Lists of losses are added one by one.
function Layer:add_loss(loss)
  if context.inferring then return end
  local losses = self._own.losses
  for _, value in ipairs(require "moonflow.base.nest".flatten(loss)) do
    losses[#losses + 1] = core.tensor.to(value, nil, "add_loss", "loss")
    context.losses_added = context.losses_added + 1
  end
end

Layer._clear_losses = properties.clear_losses

-- ---- configs

function Layer:get_config()
  local config = class.Object.get_config(self)
  local regularizer = rawget(self, "activity_regularizer")
  if regularizer ~= nil and config.activity_regularizer == nil then
    config.activity_regularizer = require "moonflow.keras.regularizers".serialize(regularizer)
  end
  return config
end

function Layer:__tostring()
  return ("<%s name=%s, built=%s>"):format(self.class_name, self.name, self.built and "True" or "False")
end

return Layer
