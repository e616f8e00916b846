--- The config of a functional model: its layers, their calls, and which tensors are its inputs and outputs.
--
-- A tensor in a call is {class_name = "__keras_tensor__", config = {shape, dtype, keras_history = {layer, call, output}}}, with
-- numbers from 0; calls count within the model.

local KerasTensor = require "moonflow.keras.backend.keras_tensor"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local nest = require "moonflow.base.nest"

local None = dicts.None

local functional_config = {}

local function layers()
  return require "moonflow.keras.layers"
end

-- ---- writing

--- node -> its number among the calls that belong to the model.
local function number_nodes(graph)
  local inside, numbers = {}, {}
  for _, node in ipairs(graph.nodes) do inside[node] = true end
  for _, operation in ipairs(graph.operations) do
    local count = 0
    for _, node in ipairs(operation._nodes) do
      if inside[node] then
        numbers[node] = count
        count = count + 1
      end
    end
  end
  return numbers
end

local function history_of(x, numbers)
  local history = x.history
  local node = history.operation._nodes[history.node]
  return {history.operation.name, numbers[node] or history.node - 1, history.index - 1}
end

--- Plain data for a value in a call.
local function encode(value, numbers)
  if value == nil or value == None then return None end
  if KerasTensor.is(value) then
    return dicts.dict{{"class_name", "__keras_tensor__"}, {"config", dicts.dict{
      {"shape", value.shape:as_list()}, {"dtype", value.dtype.name}, {"keras_history", history_of(value, numbers)}}}}
  end
  if core.args.kind(value) == "tensor" then
    return dicts.dict{{"class_name", "__tensor__"}, {"config", dicts.dict{{"value", value:totable()},
      {"dtype", value.dtype.name}}}}
  end
  if type(value) == "table" and nest.is_nested(value) then
    if nest.is_list(value) then
      local list = {}
      for i = 1, #value do list[i] = encode(value[i], numbers) end
      return list
    end
    local dict = dicts.dict()
    for key, item in nest.entries(value) do dict[key] = encode(item, numbers) end
    return dict
  end
  return value
end

local function encode_node(node, numbers)
  local list, keywords = {}, dicts.dict()
  for i = 1, node.args.n do list[i] = encode(node.args[i], numbers) end
  for name, value in next, node.kw do
    if value ~= nil then keywords[name] = encode(value, numbers) end
  end
  return dicts.dict{{"args", list}, {"kwargs", keywords}}
end

local function encode_layer(operation, numbers)
  if not operation.is_layer then
    errors.unimplemented("Model.get_config", "the model uses tf.keras.ops (or operators) on symbolic values ('%s'); models of " ..
      "layers only have a config", operation.name)
  end
  local config = layers().serialize(operation)
  local calls = {}
  for _, node in ipairs(operation._nodes) do
    if numbers[node] and not node:is_input() then calls[#calls + 1] = encode_node(node, numbers) end
  end
  config.name, config.inbound_nodes = operation.name, calls
  return config
end

--- Tensors of the model's inputs or outputs as [layer, call, output].
local function encode_ends(structure, numbers)
  if KerasTensor.is(structure) then return history_of(structure, numbers) end
  local result = nest.is_dict(structure) and dicts.dict() or {}
  if nest.is_dict(structure) then
    for key, value in nest.entries(structure) do result[key] = encode_ends(value, numbers) end
  else
    for i, value in ipairs(structure) do result[i] = encode_ends(value, numbers) end
  end
  return result
end

--- The config of a functional model.
function functional_config.write(model)
  local graph = model.graph
  local numbers = number_nodes(graph)
  local list = {}
  for i, operation in ipairs(graph.operations) do list[i] = encode_layer(operation, numbers) end
  return dicts.dict{
    {"name", model.name}, {"trainable", model.trainable}, {"layers", list},
    {"input_layers", encode_ends(graph.inputs_struct, numbers)},
    {"output_layers", encode_ends(graph.outputs_struct, numbers)},
  }
end

-- ---- reading

--- Output number `index` of call number `node` of a layer that was made; nil while that call is still to come.
local function find_tensor(made, history)
  local layer = made[history[1]]
  if not layer then errors.invalid("Model.from_config", "there is no layer '%s'", tostring(history[1])) end
  local node = layer.calls[history[2] + 1]
  return node and node.outputs[history[3] + 1]
end

--- The value that plain data stand for; the second result is false when a call it needs is still to come.
local function decode(value, made)
  if type(value) ~= "table" or value == None then
    if value == None then return nil, true end
    return value, true
  end
  if value.class_name == "__keras_tensor__" then
    local x = find_tensor(made, value.config.keras_history)
    return x, x ~= nil
  end
  if value.class_name == "__tensor__" then return core.tensor.to(value.config.value, value.config.dtype), true end
  local result, complete = {}, true
  for key, item in next, value do
    local decoded, ok = decode(item, made)
    result[key], complete = decoded, complete and ok
  end
  return result, complete
end

--- Makes one call of a layer; false when it has to wait for others.
local function make_call(entry, call, made)
  local list, keywords = {}, {}
  for i = 1, #call.args do
    local value, ok = decode(call.args[i], made)
    if not ok then return false end
    list[i] = value
  end
  for name, item in next, call.kwargs do
    local value, ok = decode(item, made)
    if not ok then return false end
    keywords[name] = value
  end
  list[#call.args + 1] = dicts.kw(keywords)
  entry.layer(table.unpack(list, 1, #call.args + 1))
  entry.calls[#entry.calls + 1] = entry.layer._nodes[#entry.layer._nodes]
  return true
end

local function is_end(value)
  return type(value[1]) == "string" and math.type(value[2]) ~= nil
end

local function decode_ends(value, made)
  if is_end(value) then return find_tensor(made, value) end
  local result = {}
  for key, item in next, value do result[key] = decode_ends(item, made) end
  return result
end

--- Makes the model that a config describes.
function functional_config.read(config)
  local made, order = {}, {}
  for i, entry in ipairs(config.layers) do
    local layer = layers().deserialize(entry)
    made[entry.name] = {layer = layer, calls = {}, waiting = entry.inbound_nodes, at = 1}
    order[i] = made[entry.name]
    if #entry.inbound_nodes == 0 then made[entry.name].calls[1] = layer._nodes[1] end
  end
  local progress = true
  while progress do
    progress = false
    for _, entry in ipairs(order) do
      while entry.waiting[entry.at] and make_call(entry, entry.waiting[entry.at], made) do
        entry.at, progress = entry.at + 1, true
      end
    end
  end
  local model = require "moonflow.keras.models.functional"{
    inputs = decode_ends(config.input_layers, made), outputs = decode_ends(config.output_layers, made),
    name = config.name ~= None and config.name or nil,
  }
  if config.trainable == false then model.trainable = false end
  return model
end

return functional_config
