--- Calls of layers on KerasTensors: what comes out is found by the layer's compute_output_shape, or by tracing its call.

local KerasTensor = require "moonflow.keras.backend.keras_tensor"
local context = require "moonflow.keras.backend.context"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local inputs_of = require "moonflow.keras.layers.inputs"
local errors = require "moonflow.base.errors"
local nest = require "moonflow.base.nest"
local trace = require "moonflow.keras.backend.trace"

local None = core.args.None
local cast_leaf, shapes_of = inputs_of.cast_leaf, inputs_of.shapes_of
local pack_results, tensors_of = inputs_of.pack_results, inputs_of.tensors_of

local symbolic = {}

--- Traces `call` on symbolic tensors like the KerasTensors in `inputs` (a list of n structures) and returns KerasTensors.
local function trace_call(self, inputs, n, kw)
  local specs, places = {}, {}
  local function note(leaf)
    if KerasTensor.is(leaf) and not places[leaf] then
      specs[#specs + 1] = {dtype = leaf.dtype, shape = leaf.shape}
      places[leaf] = #specs
    end
  end
  local names = dicts.sorted((function()
    local list = {}
    for name in next, kw do list[#list + 1] = name end
    return list
  end)())
  for i = 1, n do for _, leaf in ipairs(nest.flatten(inputs[i])) do note(leaf) end end
  for _, name in ipairs(names) do for _, leaf in ipairs(nest.flatten(kw[name])) do note(leaf) end end
  local outer = context.inferring
  context.inferring = true
  local ok, result = pcall(trace.infer, specs, function(values)
    local function put(structure)
      return nest.map_structure(function(leaf)
        local at = places[leaf]
        return at and values[at] or leaf
      end, structure)
    end
    local arguments, keywords = {}, {}
    for i = 1, n do arguments[i] = put(inputs[i]) end
    for _, name in ipairs(names) do keywords[name] = put(kw[name]) end
    arguments[n + 1] = keywords
    return select(2, pack_results(true, self:call(table.unpack(arguments, 1, n + 1))))
  end, function(output)
    if output == nil or output == None then
      errors.invalid(self.class_name, "layer '%s': call returned nothing; it returns the outputs", self.name)
    end
    return nest.map_structure(function(x) return KerasTensor.new(x.shape, x.dtype) end, output)
  end)
  context.inferring = outer
  if not ok then error(result, 0) end
  return result
end

--- Layer's compute_output_spec(inputs..., kw): the KerasTensors that a call on KerasTensors gives.
function symbolic.compute_output_spec(self, ...)
  local n = select("#", ...) - 1
  local inputs = {...}
  local kw = inputs[n + 1]
  if self.class.compute_output_shape ~= symbolic.compute_output_shape then
    local shapes = {}
    for i = 1, n do shapes[i] = shapes_of(inputs[i]) end
    return tensors_of(self:compute_output_shape(table.unpack(shapes, 1, n)), self.compute_dtype)
  end
  return trace_call(self, inputs, n, kw)
end

--- Layer's compute_output_shape(input_shape, ...): by tracing, unless the class has its own.
function symbolic.compute_output_shape(self, ...)
  local n, inputs = select("#", ...), {...}
  for i = 1, n do inputs[i] = tensors_of(inputs[i], self.compute_dtype) end
  local output = trace_call(self, inputs, n, {training = false})
  return nest.map_structure(function(x) return x.shape end, output)
end

--- Makes the weights of a layer by tracing its call on inputs of a shape, or a structure of shapes.
function symbolic.trace_shapes(self, shapes)
  trace_call(self, {tensors_of(shapes, self.compute_dtype)}, 1, {training = false})
end

--- The same for inputs like those in `x`, with any size of the batch.
function symbolic.trace_like(self, x)
  local policy = self.dtype_policy
  local inputs = nest.map_structure(function(leaf)
    if leaf == None then return leaf end
    local shape = leaf.shape:as_list()
    if #shape > 0 then shape[1] = None end
    return cast_leaf(self, policy, KerasTensor.new(shape, leaf.dtype))
  end, x)
  trace_call(self, {inputs}, 1, {training = false})
end

return symbolic
