--- What goes into a layer's call: values become tensors of the layer's dtype; shapes become KerasTensors and back.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local KerasTensor = require "moonflow.keras.backend.keras_tensor"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local marks = require "moonflow.keras.backend.marks"
local nest = require "moonflow.base.nest"

local kind_of, None = core.args.kind, core.args.None
local to_tensor = core.tensor.to
local cast = core.op.get("Cast")

local inputs = {}

--- A leaf of an input as the layer computes with it: a tensor of its dtype.
local function cast_leaf(self, policy, x)
  local kind = kind_of(x)
  if kind == nil then
    if x == None or x == nil then return x end
    local is_data = type(x) ~= "table" and type(x) ~= "string" or core.args.is_scalar_list(x)
    if not is_data and type(x) ~= "table" then
      errors.invalid(("layer '%s'"):format(self.name),
        "only input tensors may be passed as positional arguments, received %s", errors.describe(x))
    end
    x = to_tensor(x, nil, self.name, "inputs")
    kind = "tensor"
  end
  if kind ~= "tensor" and kind ~= "keras_tensor" and kind ~= "variable" then
    if kind == "composite" then return x end
    errors.invalid(("layer '%s'"):format(self.name),
      "only input tensors may be passed as positional arguments, received %s", errors.describe(x))
  end
  local dtype, wanted = x.dtype, self._own.input_object or policy.compute_object
  if dtype == wanted or not rawget(self, "autocast") or not dtype.is_floating then return x end
  if kind == "keras_tensor" then return KerasTensor.new(x.shape, wanted) end
  local y = cast(x, wanted)
  if marks.has_masks then marks.set_mask(y, marks.mask(x)) end
  return y
end

--- One input of a call with its leaves made tensors of the layer's dtype.
local function convert(self, policy, x)
  if type(x) == "table" and (getmetatable(x) == nil or dicts.is_dict(x)) then
    if core.args.is_scalar_list(x) then return cast_leaf(self, policy, x) end
    return nest.map_structure(function(leaf) return cast_leaf(self, policy, leaf) end, x, nest.options{data = true})
  end
  return cast_leaf(self, policy, x)
end

--- The shape of a tensor, or a structure of shapes.
local function shapes_of(x)
  if type(x) == "table" and nest.is_nested(x) then
    return nest.map_structure(function(leaf) return leaf == None and None or leaf.shape end, x)
  end
  return x.shape
end

--- What `call` gave: one value, or a list where it gave several.
local function pack_results(ok, first, ...)
  if select("#", ...) == 0 then return ok, first end
  return ok, {first, ...}
end

--- True for what stands for one shape: a shape object, or a list of numbers and None.
local function is_shape(value)
  if kind_of(value) == "shape" then return true end
  if type(value) ~= "table" or getmetatable(value) ~= nil then return false end
  return value[1] == nil or math.type(value[1]) ~= nil or value[1] == None
end

local function tensors_of(shapes, dtype)
  if is_shape(shapes) then return KerasTensor.new(shapes, dtype) end
  local result = {}
  if nest.is_dict(shapes) then
    for name, shape in nest.entries(shapes) do result[name] = tensors_of(shape, dtype) end
  else
    for i, shape in ipairs(shapes) do result[i] = tensors_of(shape, dtype) end
  end
  return result
end

--- Shapes as users write them, made shape objects: one shape, or a structure of shapes.
function inputs.standardize_shapes(shapes)
  if shapes == nil or shapes == None or kind_of(shapes) == "shape" then return shapes end
  if is_shape(shapes) then return core.shape.new(shapes) end
  local result = {}
  if nest.is_dict(shapes) then
    for name, shape in nest.entries(shapes) do result[name] = inputs.standardize_shapes(shape) end
  else
    for i, shape in ipairs(shapes) do result[i] = inputs.standardize_shapes(shape) end
  end
  return result
end

inputs.cast_leaf, inputs.convert, inputs.shapes_of = cast_leaf, convert, shapes_of
inputs.pack_results, inputs.tensors_of = pack_results, tensors_of

return inputs
