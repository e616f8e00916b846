--- Operation: a function of tf.keras.ops. On tensors it runs; on KerasTensors it is recorded as an object with a name, and
-- is a layer without weights in a functional model.

local KerasTensor = require "moonflow.keras.backend.keras_tensor"
local Node = require "moonflow.keras.ops.node"
local class = require "moonflow.base.class"
local naming = require "moonflow.keras.backend.naming"
local nest = require "moonflow.base.nest"
local trace = require "moonflow.keras.backend.trace"

local Operation = class.Object:extend("Operation")
Operation.is_operation = true

--- An operation that calls `f(...)`; `class_name` is Keras's name of its class ("Add").
function Operation:init(class_name, f)
  self.class_name = class_name
  self.name = naming.auto_name(class_name)
  self.f = f
  self._nodes = {}
end

--- The KerasTensors that f gives for KerasTensors: shapes by tracing.
function Operation.spec_of(f, args)
  local specs, places = {}, {}
  for i = 1, args.n do
    for _, leaf in ipairs(nest.flatten(args[i])) do
      if KerasTensor.is(leaf) and not places[leaf] then
        specs[#specs + 1] = {dtype = leaf.dtype, shape = leaf.shape}
        places[leaf] = #specs
      end
    end
  end
  return trace.infer(specs, function(inputs)
    local values = {}
    for i = 1, args.n do
      values[i] = nest.map_structure(function(leaf)
        local at = places[leaf]
        return at and inputs[at] or leaf
      end, args[i])
      if args[i] == nil then values[i] = nil end
    end
    return f(table.unpack(values, 1, args.n))
  end, function(result)
    return nest.map_structure(function(x) return KerasTensor.new(x.shape, x.dtype) end, result)
  end)
end

--- Records the call on `...`, some of which are KerasTensors.
function Operation:symbolic_call(...)
  local args = table.pack(...)
  local outputs = Operation.spec_of(self.f, args)
  Node.new(self, args, {}, outputs)
  return outputs
end

function Operation:count_params()
  return 0
end

--- A function that runs `f` on tensors, and records an Operation of the class `class_name` on KerasTensors.
function Operation.define(class_name, f)
  return function(...)
    for i = 1, select("#", ...) do
      local value = select(i, ...)
      if type(value) == "table" and Node.is_symbolic(value) then return Operation(class_name, f):symbolic_call(...) end
    end
    return f(...)
  end
end

return Operation
