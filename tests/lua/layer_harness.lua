--- The layer harness: runs a layer through golden cases of real Keras (outputs, gradients, moving statistics, configs,
-- shapes) and through checks that need no golden values: config and weights there and back, eager = traced, numeric
-- gradients, one step of fit. tests/golden/README.md has the format of the cases.

local core = require "moonflow.core"
local tf = require "moonflow"
local golden = require "golden_data"
local json = require "moonflow.base.json"

local harness = {}
local graph = core.graph
local None = tf.None

local output_tolerance = {float32 = {1e-5, 2e-6}, float64 = {1e-12, 1e-12}, int32 = {0, 0}}
local gradient_tolerance = {float32 = {2e-5, 1e-5}, float64 = {1e-11, 1e-11}}

-- ---- JSON to arguments

local function argument(value)
  if type(value) ~= "table" or value == None then return value end
  if golden.is_tensor(value) then return golden.tensor(value) end
  local copy = {}
  for key, item in next, value do copy[key] = argument(item) end
  return copy
end

--- The keywords of a constructor from a JSON dict.
function harness.keywords(config)
  local keywords = {}
  for key, value in next, config do keywords[key] = argument(value) end
  return tf.kw(keywords)
end

--- nil when two configs are the same, else where they differ. Numbers 1 and 1.0 are the same.
function harness.config_difference(got, want, path)
  path = path or "config"
  if type(want) ~= "table" or want == None then
    local numbers = type(got) == "number" and type(want) == "number"
    if got == want or numbers and math.abs(got - want) <= 1e-7 * math.abs(want) then return nil end
    return ("%s is %s, expected %s"):format(path, tostring(got), tostring(want))
  end
  if type(got) ~= "table" or got == None then return ("%s is %s, expected a table"):format(path, tostring(got)) end
  for key, value in next, want do
    local wrong = harness.config_difference(got[key], value, path .. "." .. tostring(key))
    if wrong then return wrong end
  end
  for key, value in next, got do
    if want[key] == nil then return ("%s.%s is %s, expected nothing"):format(path, tostring(key), tostring(value)) end
  end
  return nil
end

-- ---- layers

local function class_of(name)
  return assert(tf.keras.layers[name], "no layer " .. name)
end

local function input_list(case)
  local list = {}
  for i = 1, #case.inputs do list[i] = golden.tensor(case.inputs[i]) end
  return list
end

local function shapes_of(inputs)
  local list = {}
  for i, x in ipairs(inputs) do list[i] = x.shape end
  return list
end

--- What the layer is called with: a list where it takes several inputs.
local function one_or_list(case, list)
  local several = type(case.shapes.input[1]) == "table" and case.shapes.input[1] ~= None
  return several and list or list[1]
end

--- A layer with the weights of the case. `changes` replaces entries of the config.
local function make(name, case, changes)
  local config = {}
  for key, value in next, case.config do config[key] = value end
  for key, value in next, changes or {} do config[key] = value end
  local layer = class_of(name)(harness.keywords(config))
  layer:build(one_or_list(case, shapes_of(input_list(case))))
  local values = {}
  for i = 1, case.weights and #case.weights or 0 do
    if not case.weights[i].name:find("seed", 1, true) then
      values[#values + 1] = golden.tensor(case.weights[i].value)
    end
  end
  if #values > 0 then
    for i, value in ipairs(values) do
      if value.dtype ~= layer.weights[i].dtype then values[i] = tf.cast(value, layer.weights[i].dtype) end
    end
    layer:set_weights(values)
  end
  return layer
end
harness.make = make

--- One call with gradients: output, gradients of the inputs (None for integers), of the trainable weights.
local function differentiate(layer, arrange, list, training, dy)
  local tape = tf.GradientTape{persistent = true}
  local floats = {}
  for _, x in ipairs(list) do
    if x.dtype.is_floating then
      tape:watch(x)
      floats[#floats + 1] = x
    end
  end
  local keywords = {}
  if training ~= nil then keywords.training = training end
  local y = layer(arrange(list), tf.kw(keywords))
  tape:close()
  if not y.dtype.is_floating then return y, {}, {} end
  local by_input, by_weight = {}, {}
  if #floats > 0 then
    local found = tape:gradient(y, floats, {output_gradients = dy})
    local n = 0
    for i, x in ipairs(list) do
      if x.dtype.is_floating then
        n = n + 1
        by_input[i] = found[n]
      end
    end
  end
  local weights = layer.trainable_weights
  if #weights > 0 then by_weight = tape:gradient(y, weights, {output_gradients = dy}) end
  return y, by_input, by_weight
end

local function tolerance_of(table_of, want)
  return table_of[want.dtype] or {0, 0}
end

local function compare_list(what, got, wants)
  for i = 1, #wants do
    local want, found = wants[i], got[i]
    if want == None then
      if found ~= nil and found ~= None then return ("%s %d: expected none"):format(what, i) end
    else
      if found == nil or found == None then return ("%s %d: expected a tensor, received none"):format(what, i) end
      if core.args.kind(found) ~= "tensor" then found = tf.convert_to_tensor(found) end
      local wrong = golden.difference(found, want, tolerance_of(gradient_tolerance, want))
      if wrong then return ("%s %d: %s"):format(what, i, wrong) end
    end
  end
end

local function check_pass(what, row, y, by_input, by_weight)
  local wrong = golden.difference(y, row.output, tolerance_of(output_tolerance, row.output))
  if wrong then return what .. " output: " .. wrong end
  wrong = compare_list(what .. " gradient of input", by_input, row.input_gradients) or
    compare_list(what .. " gradient of weight", by_weight, row.weight_gradients)
  if wrong then return wrong end
  for i = 1, row.sparse_weight_gradients and #row.sparse_weight_gradients or 0 do
    local is_sparse = core.args.kind(by_weight[i]) == "composite"
    if is_sparse ~= row.sparse_weight_gradients[i] then
      return ("%s gradient of weight %d: sparse is %s, expected %s"):format(what, i, is_sparse,
        row.sparse_weight_gradients[i])
    end
  end
end

-- ---- the checks: each gives nil or a sentence

local checks = {}

function checks.weights(name, case)
  local layer = make(name, case)
  if layer:count_params() ~= case.count_params then
    return ("%d parameters, expected %d"):format(layer:count_params(), case.count_params)
  end
  local variables, n = layer.variables, 0
  local want = case.weights or {}
  for i = 1, #want do
    local variable = variables[i]
    if not variable then return ("weight %d is missing: %s"):format(i, want[i].name) end
    if variable.name ~= want[i].name then
      return ("weight %d is called '%s', expected '%s'"):format(i, variable.name, want[i].name)
    end
    if variable.trainable ~= want[i].trainable then
      return ("trainable of '%s' is %s"):format(variable.name, variable.trainable)
    end
    n = n + 1
  end
  if #layer.weights > n then return ("%d weights, expected %d"):format(#layer.weights, n) end
end

function checks.config(name, case)
  local layer = make(name, case)
  local config = layer:get_config()
  config.name = nil
  local wrong = harness.config_difference(config, case.get_config)
  if wrong then return wrong end
  local again = class_of(name).from_config(json.decode(json.encode(config)))
  local second = again:get_config()
  second.name = nil
  again:build(one_or_list(case, shapes_of(input_list(case))))
  second = again:get_config()
  second.name = nil
  return harness.config_difference(second, case.get_config, "config of the copy")
end

function checks.inference(name, case)
  local layer, row = make(name, case), case.inference
  local dy = golden.tensor(row.dy)
  return check_pass("inference", row, differentiate(layer, function(list) return one_or_list(case, list) end,
    input_list(case), case.training and false or nil, dy))
end

local function by_name(layer)
  local found = {}
  for _, variable in ipairs(layer.variables) do found[variable.name] = variable end
  return found
end

function checks.training(name, case)
  if not case.training then return nil end
  local layer = make(name, case)
  for i = 1, #case.training do
    local row = case.training[i]
    local function arrange(list) return one_or_list(case, list) end
    local wrong = check_pass("training call " .. i, row,
      differentiate(layer, arrange, input_list(case), true, golden.tensor(row.dy)))
    if wrong then return wrong end
    local variables = by_name(layer)
    for weight, want in next, row.changed_weights do
      if not weight:find("seed", 1, true) then
        wrong = golden.difference(variables[weight]:read_value(), want, tolerance_of(output_tolerance, want))
        if wrong then return ("training call %d: %s: %s"):format(i, weight, wrong) end
      end
    end
  end
end

function checks.mask(name, case)
  if case.mask == nil then return nil end
  local layer = make(name, case)
  local mask = layer:compute_mask(one_or_list(case, input_list(case)))
  if case.mask == None then return mask ~= nil and "expected no mask" or nil end
  local want = golden.is_tensor(case.mask) and case.mask or case.mask[1]
  return golden.difference(mask, want)
end

local function same_shape(what, got, want)
  if #got ~= #want then return ("%s: shape %s, expected rank %d"):format(what, tostring(got), #want) end
  for i = 1, #want do
    if got[i] ~= want[i] then
      return ("%s: size %d of %s, expected %s"):format(what, i, tostring(got), tostring(want[i]))
    end
  end
end

local function plain_list(value)
  local list = {}
  for i = 1, #value do
    local item = value[i]
    list[i] = type(item) == "table" and item ~= None and plain_list(item) or item
  end
  return list
end

--- compute_output_shape, and the shape of a symbolic call, with the batch unknown.
function checks.shapes(name, case)
  local layer = make(name, case)
  local shape = core.shape.new(layer:compute_output_shape(plain_list(case.shapes.input)))
  local wrong = same_shape("compute_output_shape", shape, case.shapes.output)
  if wrong then return wrong end
  local list = {}
  local inputs = case.shapes.input
  local several = type(inputs[1]) == "table" and inputs[1] ~= None
  for i = 1, #case.inputs do
    local one = plain_list(several and inputs[i] or inputs)
    if #one < 1 then return nil end
    table.remove(one, 1)
    list[i] = tf.keras.Input{shape = one, dtype = case.inputs[i].dtype}
  end
  local y = layer(several and list or list[1])
  wrong = same_shape("symbolic call", y.shape, case.shapes.output)
  if wrong then return wrong end
  if y.dtype.name ~= case.inference.output.dtype then
    return ("symbolic call: dtype %s, expected %s"):format(y.dtype.name, case.inference.output.dtype)
  end
end

-- ---- without golden values

local function unknown(shape, mode)
  if mode == "static" then return shape end
  local dims = {}
  for i = 1, #shape do dims[i] = i == 1 and None or shape[i] end
  return dims
end

--- Output and gradients of a traced call equal those of the eager one.
function checks.traced(name, case)
  local inputs = input_list(case)
  local row = case.inference
  local dy = golden.tensor(row.dy)
  for _, mode in ipairs{"static", "unknown batch"} do
    local layer = make(name, case)
    local g = graph.begin()
    local ok, wrong = pcall(function()
      local symbolic = {}
      for i, x in ipairs(inputs) do symbolic[i] = graph.input(g, x.dtype, unknown(x.shape, mode)) end
      local y, by_input, by_weight = differentiate(layer, function(list) return one_or_list(case, list) end, symbolic,
        case.training and false or nil, dy)
      local outputs, places = {y}, {}
      for kind, list in ipairs{by_input, by_weight} do
        for i = 1, #(kind == 1 and inputs or list) do
          local found = list[i]
          if found ~= nil and found ~= None then
            if core.args.kind(found) ~= "tensor" then found = tf.convert_to_tensor(found) end
            outputs[#outputs + 1] = found
            places[#places + 1] = {kind, i}
          end
        end
      end
      graph.finish(g, outputs)
      local values = graph.run(g, inputs)
      local found = {{}, {}}
      for k, place in ipairs(places) do found[place[1]][place[2]] = values[k + 1] end
      if not y.shape:is_compatible_with(values[1].shape) then
        return ("traced (%s): shape %s, written %s"):format(mode, tostring(y.shape), tostring(values[1].shape))
      end
      local plain = {}
      for key, value in next, row do plain[key] = value end
      plain.sparse_weight_gradients = nil
      return check_pass("traced (" .. mode .. ")", plain, values[1], found[1], found[2])
    end)
    graph.abandon(g)
    if not ok then return "traced (" .. mode .. "): " .. tostring(wrong) end
    if wrong then return wrong end
  end
end

--- The sum of output * dy as a number.
local function weighted_sum(layer, arrange, list, dy, training)
  return tf.reduce_sum(layer(arrange(list), {training = training}) * dy):item()
end

local STEP = 1e-5

--- Central differences of a few elements of a tensor; `put` sets the tensor in use.
local function probe(value, sum, put, gradient, what)
  local n = value.shape:num_elements()
  local flat = tf.reshape(value, {-1})
  local flat_gradient = tf.reshape(gradient, {-1})
  for k = 0, n - 1, math.max(1, n // 4) do
    local bump = tf.one_hot(k, n, {dtype = value.dtype}) * STEP
    put(tf.reshape(flat + bump, value.shape))
    local above = sum()
    put(tf.reshape(flat - bump, value.shape))
    local below = sum()
    put(value)
    local expected, found = (above - below) / (2 * STEP), flat_gradient[k]:item()
    if math.abs(expected - found) > 1e-5 + 1e-5 * math.abs(expected) then
      return ("numeric gradient of %s, element %d: %.9g, expected %.9g"):format(what, k, found, expected)
    end
  end
end

--- In float64, at inference and (without random numbers) in training.
function checks.numeric_gradient(name, case)
  if not case.inference.output.dtype:find("float", 1, true) then return nil end
  local list = input_list(case)
  for i, x in ipairs(list) do
    if x.dtype.is_floating then list[i] = tf.cast(x, tf.float64) end
  end
  local function arrange(values) return one_or_list(case, values) end
  local dy = tf.cast(golden.tensor(case.inference.dy), tf.float64)
  -- random numbers, or state that the output depends on, differ from call to call
  local repeatable = case.training and name ~= "Dropout" and not case.config.renorm
  for _, training in ipairs(repeatable and {false, true} or {false}) do
    local layer = make(name, case, {dtype = "float64"})
    local _, by_input, by_weight = differentiate(layer, arrange, list, training, dy)
    local function sum() return weighted_sum(layer, arrange, list, dy, training) end
    for i, x in ipairs(list) do
      if x.dtype == tf.float64 and by_input[i] ~= nil and by_input[i] ~= None then
        local wrong = probe(x, sum, function(value) list[i] = value end, by_input[i], "input " .. i)
        if wrong then return wrong end
      end
    end
    for i, variable in ipairs(layer.trainable_weights) do
      local wrong = probe(variable:read_value(), sum, function(value) variable:assign(value) end,
        tf.convert_to_tensor(by_weight[i]), variable.name)
      if wrong then return wrong end
    end
  end
end

--- Weights of one layer, given to another, give the same output bits.
function checks.weights_again(name, case)
  local layer = make(name, case)
  local copy = class_of(name).from_config(layer:get_config())
  local inputs = one_or_list(case, input_list(case))
  copy:build(one_or_list(case, shapes_of(input_list(case))))
  copy:set_weights(layer:get_weights())
  local a, b = layer(inputs), copy(inputs)
  if not tf.reduce_all(tf.equal(a, b)):item() then return "a copy with the same weights gives another output" end
end

--- A model of the layer alone.
local function model_of(layer, case)
  local list = {}
  for i = 1, #case.inputs do
    local shape = plain_list(case.inputs[i].shape)
    table.remove(shape, 1)
    list[i] = tf.keras.Input{shape = shape, dtype = case.inputs[i].dtype}
  end
  local y = layer(one_or_list(case, list))
  return tf.keras.Model{inputs = #list == 1 and list[1] or list, outputs = y}
end

--- Weights written to a file and read by a model of another layer give the same output bits.
function checks.weights_file(name, case)
  if not case.weights or #case.inputs[1].shape == 0 then return nil end
  local layer = make(name, case)
  local copy = class_of(name).from_config(layer:get_config())
  local model, other = model_of(layer, case), model_of(copy, case)
  local name_of_file = os.tmpname()
  os.remove(name_of_file)
  local path = name_of_file .. ".weights.h5"
  local ok, err = pcall(function()
    model:save_weights(path)
    other:load_weights(path)
  end)
  os.remove(path)
  if not ok then error(err, 0) end
  for i, variable in ipairs(layer.variables) do
    local again = copy.variables[i]
    if again.name ~= variable.name or not tf.reduce_all(tf.equal(variable:read_value(), again:read_value())):item() then
      return "the file did not bring back " .. variable.name
    end
  end
end

--- One step of fit with plain gradient descent: trainable weights move by -learning_rate * gradient of the loss.
function checks.fit(name, case)
  local row = case.inference
  if not row.output.dtype:find("float", 1, true) or #case.inputs[1].shape == 0 then return nil end
  if name == "Embedding" and case.inputs[1].dtype == "float32" then return nil end
  local layer, twin = make(name, case), make(name, case)
  local inputs = input_list(case)
  local y = golden.tensor(row.dy)
  if y.shape[1] ~= inputs[1].shape[1] then return nil end
  local model = model_of(layer, case)
  local rate = 0.125
  model:compile{optimizer = tf.keras.optimizers.SGD(rate), loss = "mse"}
  local before = twin.trainable_weights
  local gradients
  local loss
  do local tape <close> = tf.GradientTape()
    loss = tf.keras.losses.MeanSquaredError()(y, twin(one_or_list(case, inputs), {training = true}))
    gradients = #before > 0 and tape:gradient(loss, before) or {}
  end
  local history = model:fit(one_or_list(case, inputs), y, {batch_size = inputs[1].shape[1], epochs = 1, verbose = 0,
    shuffle = false})
  local found, expected = history.history.loss[1], loss:item()
  if math.abs(found - expected) > 1e-5 * (1 + math.abs(expected)) then
    return ("fit: loss %.9g, expected %.9g"):format(found, expected)
  end
  for i, variable in ipairs(layer.trainable_weights) do
    local want = before[i]:read_value() - tf.convert_to_tensor(gradients[i]) * rate
    if not tf.reduce_all(tf.less(tf.abs(variable:read_value() - want), 1e-5)):item() then
      return "fit: " .. variable.name .. " did not move along its gradient"
    end
  end
end

--- Calls that Keras refuses are refused, with an error object.
function harness.check_refused(name, refused)
  local ok, err = pcall(function()
    local layer = class_of(name)(harness.keywords(refused.config))
    local inputs = {}
    for i = 1, #refused.inputs do inputs[i] = golden.tensor(refused.inputs[i]) end
    layer(#inputs > 1 and inputs or inputs[1])
  end)
  if ok then return "the call succeeded; Keras says: " .. refused.message end
  if type(err) ~= "table" or err.code ~= "INVALID_ARGUMENT" then
    return "expected INVALID_ARGUMENT, received " .. tostring(err)
  end
end

harness.checks = checks

--- Names of the checks in a fixed order.
harness.order = {"weights", "config", "inference", "training", "mask", "shapes", "traced", "numeric_gradient",
  "weights_again", "weights_file", "fit"}

return harness
