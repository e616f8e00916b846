--- Functional: a model made of the calls between inputs and outputs. Made by tf.keras.Model{inputs=, outputs=}.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local KerasTensor = require "moonflow.keras.backend.keras_tensor"
local Model = require "moonflow.keras.models.model"
local Operation = require "moonflow.keras.ops.operation"
local Plan = require "moonflow.keras.models.plan"
local class = require "moonflow.base.class"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local functional_config = require "moonflow.keras.models.functional_config"
local graph = require "moonflow.keras.models.graph"
local marks = require "moonflow.keras.backend.marks"
local nest = require "moonflow.base.nest"

local None = dicts.None
local kind_of, to_tensor = core.args.kind, core.tensor.to
local get = core.op.get
local cast = get("Cast")

local getters = {}

local Functional = Model:extend("Functional", {
  args = {
    {"inputs", "struct", config = false, doc = "KerasTensors of tf.keras.Input: one, a list, or a dict."},
    {"outputs", "struct", config = false, doc = "KerasTensors: one, a list, or a dict."},
    {"name", "string", default = None, doc = "Name of the model."},
  },
  getters = getters,
})
Functional._make = class.construct
Functional.is_functional = true
Functional.keras_module, Functional.registered_name = "keras.src.models.functional", "Functional"

local function check_tensors(list, what)
  for _, x in ipairs(list) do
    if not KerasTensor.is(x) then
      errors.invalid("Model", "argument '%s': all values must be KerasTensors (what tf.keras.Input and layers called on " ..
        "them give), received %s", what, errors.describe(x))
    end
  end
end

function Functional:init(a)
  self:super_init(a)
  local inputs, outputs = nest.flatten(a.inputs), nest.flatten(a.outputs)
  check_tensors(inputs, "inputs")
  check_tensors(outputs, "outputs")
  local found = graph.find(inputs, outputs, ("model '%s'"):format(self.name))
  local layers, names = {}, {}
  for _, operation in ipairs(found.operations) do
    if operation.is_layer then layers[#layers + 1] = operation end
  end
  for i, x in ipairs(outputs) do names[i] = x.history.operation.name end
  self._own.layers, self._own.converts = layers, false
  class.set_untracked(self, "graph", {
    inputs = inputs, outputs = outputs, inputs_struct = a.inputs, outputs_struct = a.outputs, nodes = found.nodes,
    depths = found.depths, operations = found.operations, plan = Plan.new(found, inputs, outputs),
  })
  class.set_untracked(self, "output_names", names)
  self.built = true
end

function getters.layers(self)
  return table.move(self._own.layers, 1, #self._own.layers, 1, {})
end

function getters.inputs(self) return self.graph.inputs end
function getters.outputs(self) return self.graph.outputs end
function getters.operations(self) return self.graph.operations end
function getters.input(self) return self.graph.inputs_struct end
function getters.output(self) return self.graph.outputs_struct end

local function shapes_of(list)
  if #list == 1 then return list[1].shape end
  local shapes = {}
  for i, x in ipairs(list) do shapes[i] = x.shape end
  return shapes
end

function getters.input_shape(self) return shapes_of(self.graph.inputs) end
function getters.output_shape(self) return shapes_of(self.graph.outputs) end

--- A functional model is built from the start.
function Functional:build()
  self.built = true
end

-- ---- inputs

local function describe_structure(structure)
  if kind_of(structure) == "keras_tensor" then return structure.name end
  if core.args.is_tensor(structure) then return ("Tensor(shape=%s)"):format(tostring(structure.shape)) end
  if nest.is_dict(structure) then
    local parts = {}
    for key, value in nest.entries(structure) do parts[#parts + 1] = key .. "=" .. describe_structure(value) end
    return "{" .. table.concat(parts, ", ") .. "}"
  end
  if nest.is_list(structure) then
    local parts = {}
    for i, value in ipairs(structure) do parts[i] = describe_structure(value) end
    return "{" .. table.concat(parts, ", ") .. "}"
  end
  return errors.describe(structure)
end

local function fail_structure(self, inputs)
  errors.invalid(("layer '%s'"):format(self.name),
    "the structure of `inputs` doesn't match the expected structure. Expected: %s. Received: inputs=%s%s",
    describe_structure(self.graph.inputs_struct), describe_structure(inputs), type(inputs) == "table" and #inputs == 2 and
      "; if these are data and labels: a dataset of pairs is made by from_tensor_slices(x, y), without braces" or "")
end

--- Flat list of what was given for the inputs: by structure, by name, or one value for one input.
local function flatten_inputs(self, inputs)
  local expected = self.graph.inputs
  local is_leaf = type(inputs) ~= "table" or core.args.is_scalar_list(inputs) or not nest.is_nested(inputs)
  if is_leaf and #expected == 1 then return {inputs} end
  if is_leaf then
    -- nested numbers for several inputs: one item each
    if type(inputs) ~= "table" or getmetatable(inputs) ~= nil or #inputs ~= #expected then fail_structure(self, inputs) end
    return table.move(inputs, 1, #inputs, 1, {})
  end
  local flat = {}
  if nest.is_dict(inputs) and not nest.is_dict(self.graph.inputs_struct) then
    for i, x in ipairs(expected) do
      flat[i] = inputs[x.name]
      if flat[i] == nil then fail_structure(self, inputs) end
    end
    return flat
  end
  if nest.is_dict(inputs) then
    for i, pair in ipairs(nest.flatten_with_paths(self.graph.inputs_struct)) do
      local value = inputs
      for _, key in ipairs(pair[1]) do value = type(value) == "table" and value[key] or nil end
      if value == nil then fail_structure(self, inputs) end
      flat[i] = value
    end
    return flat
  end
  flat = nest.flatten(inputs, {data = true})
  if #flat ~= #expected then fail_structure(self, inputs) end
  return flat
end

local function fail_shape(self, i, x, reference)
  errors.invalid(("layer '%s'"):format(self.name), "input %d with name '%s' is incompatible with the layer: expected " ..
    "shape=%s, found shape=%s%s", i - 1, reference.name, tostring(reference.shape), tostring(x.shape),
    x.shape.rank == reference.shape.rank - 1 and " (a batch has one axis more; dataset:batch(32) makes batches)" or "")
end

--- A value fitted to an input: dtype, and a last axis of size 1 added or removed.
local function fit_input(self, i, x, reference)
  local kind = kind_of(x)
  if kind == "variable" then x, kind = core.variable.read(x), "tensor" end
  if kind ~= "tensor" and kind ~= "keras_tensor" then
    if type(x) ~= "number" and type(x) ~= "table" and type(x) ~= "string" and type(x) ~= "boolean" then
      errors.invalid(("layer '%s'"):format(self.name), "input '%s': expected a tensor, received %s", reference.name,
        errors.describe(x))
    end
    x, kind = to_tensor(x, nil, self.name, reference.name, reference.dtype), "tensor"
  end
  if x.dtype ~= reference.dtype then
    local mask = marks.mask(x)
    if kind == "tensor" then x = cast(x, reference.dtype) else x = KerasTensor.new(x.shape, reference.dtype) end
    if mask then marks.set_mask(x, mask) end
  end
  local shape, expected = x.shape, reference.shape
  if shape == expected then return x end
  local rank = shape.rank
  if rank == nil then return x end
  if rank == expected.rank + 1 and shape[-1] == 1 and kind == "tensor" then
    x = get("Squeeze")(x, {squeeze_dims = {-1}})
  elseif rank == expected.rank - 1 and expected[-1] == 1 and kind == "tensor" then
    x = get("ExpandDims")(x, to_tensor(-1, "int32"))
  elseif rank ~= expected.rank then
    fail_shape(self, i, x, reference)
  end
  shape = x.shape
  for axis = 2, #expected do
    if expected[axis] ~= None and shape[axis] ~= None and shape[axis] ~= expected[axis] then
      fail_shape(self, i, x, reference)
    end
  end
  return x
end

local function standardize(self, inputs)
  local flat = flatten_inputs(self, inputs)
  for i, reference in ipairs(self.graph.inputs) do flat[i] = fit_input(self, i, flat[i], reference) end
  return flat
end

local function pack(self, outputs)
  local structure = self.graph.outputs_struct
  if kind_of(structure) == "keras_tensor" then return outputs[1] end
  -- one output in a list is given as it is
  if #outputs == 1 and nest.is_list(structure) then return outputs[1] end
  return nest.pack_sequence_as(structure, outputs)
end

function Functional:call(inputs, kw)
  local flat = standardize(self, inputs)
  kw = kw or {}
  if kw.mask ~= nil then
    for i, mask in ipairs(nest.flatten(kw.mask)) do
      if mask ~= None then marks.set_mask(flat[i], mask) end
    end
  end
  return pack(self, self.graph.plan:run(flat, kw.training))
end

local function spec_of(operation, inputs, n, kw)
  if operation.is_layer then
    inputs[n + 1] = kw
    return operation:compute_output_spec(table.unpack(inputs, 1, n + 1))
  end
  inputs.n = n
  return Operation.spec_of(operation.f, inputs)
end

function Functional:compute_output_spec(inputs)
  local flat = standardize(self, inputs)
  local same = true
  for i, reference in ipairs(self.graph.inputs) do same = same and flat[i].shape == reference.shape end
  local outputs
  if same then
    outputs = {}
    for i, x in ipairs(self.graph.outputs) do outputs[i] = KerasTensor.new(x.shape, x.dtype) end
  else
    outputs = self.graph.plan:run(flat, nil, spec_of)
  end
  return pack(self, outputs)
end

function Functional:compute_output_shape(input_shape)
  local flat = #self.graph.inputs == 1 and {input_shape} or input_shape
  local inputs = {}
  for i, reference in ipairs(self.graph.inputs) do inputs[i] = KerasTensor.new(flat[i], reference.dtype) end
  local structure = nest.pack_sequence_as(self.graph.inputs_struct, inputs)
  return nest.map_structure(function(x) return x.shape end, self:compute_output_spec(structure))
end

function Functional:get_config()
  return functional_config.write(self)
end

function Functional.from_config(first, second)
  return functional_config.read(second or first)
end

return Functional
