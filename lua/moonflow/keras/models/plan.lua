--- Plan: the calls of a functional model as a flat list of steps over numbered places for values.

local KerasTensor = require "moonflow.keras.backend.keras_tensor"
local calling = require "moonflow.keras.layers.calling"
local errors = require "moonflow.base.errors"
local nest = require "moonflow.base.nest"
local Node = require "moonflow.keras.ops.node"

local Plan = {}
Plan.__index = Plan

local is_symbolic = KerasTensor.is

--- The place of a KerasTensor; a new one on the first call.
local function place_of(self, x)
  local place = self.places[x]
  if not place then
    self.count = self.count + 1
    place = self.count
    self.places[x] = place
  end
  return place
end

--- How to get an argument from the places: a number (one place), or a function of the values.
local function getter(self, argument)
  if is_symbolic(argument) then return place_of(self, argument) end
  if type(argument) == "table" and Node.is_symbolic(argument) then
    local places = {}
    for _, leaf in ipairs(nest.flatten(argument)) do
      if is_symbolic(leaf) then places[leaf] = place_of(self, leaf) end
    end
    return function(values)
      return nest.map_structure(function(leaf)
        local place = places[leaf]
        if place then return values[place] end
        return leaf
      end, argument)
    end
  end
  return function() return argument end
end

local function make_step(self, node)
  local step = {operation = node.operation, is_layer = node.operation.is_layer, n = node.args.n, kw = {}, inputs = {}}
  for i = 1, node.args.n do step.inputs[i] = getter(self, node.args[i]) end
  for name, value in next, node.kw do
    if type(value) == "table" and Node.is_symbolic(value) then
      step.kw_inputs = step.kw_inputs or {}
      step.kw_inputs[name] = getter(self, value)
    else
      step.kw[name] = value
    end
  end
  if node.args.n == 1 and type(step.inputs[1]) == "number" then step.single = step.inputs[1] end
  step.outputs = {}
  for i, x in ipairs(node.outputs) do step.outputs[i] = place_of(self, x) end
  if #step.outputs == 1 and is_symbolic(node.output_structure) then step.lone = step.outputs[1] end
  return step
end

--- A plan for the nodes of a graph (graph.lua), from flat lists of inputs and outputs.
function Plan.new(graph, inputs, outputs)
  local self = setmetatable({places = {}, count = 0, steps = {}, n_inputs = #inputs, outputs = {}}, Plan)
  for _, x in ipairs(inputs) do place_of(self, x) end
  for _, node in ipairs(graph.nodes) do
    if not node:is_input() then self.steps[#self.steps + 1] = make_step(self, node) end
  end
  for i, x in ipairs(outputs) do
    if not self.places[x] then errors.invalid("Model", "output '%s' is not connected to the inputs", x.name) end
    self.outputs[i] = self.places[x]
  end
  return self
end

local function gather(step, values)
  local inputs = {}
  for i = 1, step.n do
    local input = step.inputs[i]
    if type(input) == "number" then inputs[i] = values[input] else inputs[i] = input(values) end
  end
  return inputs
end

local function keywords(step, values, training)
  local kw = {}
  for name, value in next, step.kw do kw[name] = value end
  for name, get in next, step.kw_inputs or {} do
    kw[name] = type(get) == "number" and values[get] or get(values)
  end
  if training ~= nil then kw.training = training end
  return kw
end

--- Default way to call a step.
local function call_step(step, values, training)
  if step.is_layer then
    local kw = keywords(step, values, training)
    if step.single then return calling.invoke(step.operation, kw, 1, values[step.single]) end
    return calling.invoke(step.operation, kw, step.n, table.unpack(gather(step, values), 1, step.n))
  end
  local f = step.operation.f
  if step.single then return f(values[step.single]) end
  return f(table.unpack(gather(step, values), 1, step.n))
end

--- Runs the plan on a flat list of inputs; returns a flat list of outputs. `training` reaches every layer when it is not
-- nil. `call` (optional): function(operation, inputs, n, kw) in the place of calling it.
function Plan:run(inputs, training, call)
  local values = table.move(inputs, 1, self.n_inputs, 1, {})
  local steps = self.steps
  for i = 1, #steps do
    local step = steps[i]
    local output
    if call then
      output = call(step.operation, gather(step, values), step.n, keywords(step, values, training))
    else
      output = call_step(step, values, training)
    end
    if step.lone then
      values[step.lone] = output
    else
      for j, x in ipairs(nest.flatten(output)) do values[step.outputs[j]] = x end
    end
  end
  local outputs = {}
  for i, place in ipairs(self.outputs) do outputs[i] = values[place] end
  return outputs
end

return Plan
