--- Node: one call of a layer or operation on KerasTensors. A functional model is the graph of these.

local KerasTensor = require "moonflow.keras.backend.keras_tensor"
local nest = require "moonflow.base.nest"

local Node = {}
Node.__index = Node

local is_keras_tensor = KerasTensor.is

--- The KerasTensors in a structure, in order.
local function collect(structure, list)
  if is_keras_tensor(structure) then
    list[#list + 1] = structure
  elseif type(structure) == "table" and nest.is_nested(structure) then
    for _, leaf in ipairs(nest.flatten(structure)) do
      if is_keras_tensor(leaf) then list[#list + 1] = leaf end
    end
  end
  return list
end

--- True when a KerasTensor is among the leaves of `structure`.
function Node.is_symbolic(structure)
  if is_keras_tensor(structure) then return true end
  if type(structure) ~= "table" or not nest.is_nested(structure) then return false end
  for _, leaf in ipairs(nest.flatten(structure)) do
    if is_keras_tensor(leaf) then return true end
  end
  return false
end

--- Records a call. `args` is a list of positional values (args.n of them), `kw` the keywords, `outputs` what the call gave:
-- its KerasTensors get their history here. Fields of a node: operation, args, kw, inputs, outputs (flat lists),
-- output_structure, parents (nodes), index (from 1).
function Node.new(operation, args, kw, outputs)
  local self = setmetatable({operation = operation, args = args, kw = kw, output_structure = outputs}, Node)
  self.inputs = {}
  for i = 1, args.n do collect(args[i], self.inputs) end
  local names = {}
  for name in next, kw do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do collect(kw[name], self.inputs) end
  self.outputs = collect(outputs, {})
  self.parents = {}
  local nodes = operation._nodes
  nodes[#nodes + 1] = self
  self.index = #nodes
  for _, x in ipairs(self.inputs) do
    local history = x.history
    if history then self.parents[#self.parents + 1] = history.operation._nodes[history.node] end
  end
  for i, x in ipairs(self.outputs) do x.history = {operation = operation, node = self.index, index = i} end
  return self
end

--- True for the node of an input: it has no inputs itself.
function Node:is_input()
  return #self.inputs == 0
end

return Node
