--- Metrics against real Keras: results after each update, state, reset, configs.

local golden = require "golden_data"
local harness = require "layer_harness"
local json = require "moonflow.base.json"
local tf = require "moonflow"

local metrics = tf.keras.metrics

local tolerance = {1e-6, 1e-7}

local function read(path)
  return golden.read("tests/golden/keras/" .. path)
end

--- Runs the updates of a case; nil or what is wrong.
local function difference(name, case)
  local metric = metrics[name](harness.keywords(case.config))
  for i = 1, #case.updates do
    local update = case.updates[i]
    local values = {}
    for k = 1, #update.values do values[k] = golden.tensor(update.values[k]) end
    if update.sample_weight ~= tf.None then values[#values + 1] = golden.tensor(update.sample_weight) end
    metric:update_state(table.unpack(values))
    local wrong = golden.difference(metric:result(), update.result, tolerance)
    if wrong then return ("after update %d: %s"):format(i, wrong) end
  end
  if #metric.variables ~= #case.variables then return #metric.variables .. " variables" end
  for i = 1, #case.variables do
    local variable = metric.variables[i]
    if variable.name ~= case.variables[i].name then return "variable " .. variable.name end
    local wrong = golden.difference(variable:read_value(), case.variables[i].value, tolerance)
    if wrong then return variable.name .. ": " .. wrong end
  end
  metric:reset_state()
  local wrong = golden.difference(metric:result(), case.after_reset, tolerance)
  if wrong then return "after reset: " .. wrong end
  wrong = harness.config_difference(metric:get_config(), case.get_config)
  if wrong then return wrong end
  local copy = metrics.deserialize(json.decode(json.encode(metrics.serialize(metric))))
  return harness.config_difference(copy:get_config(), case.get_config, "config of the copy")
end

for _, name in ipairs{"Accuracy", "BinaryAccuracy", "CategoricalAccuracy", "Mean", "SparseCategoricalAccuracy",
  "SparseTopKCategoricalAccuracy", "Sum", "TopKCategoricalAccuracy"} do
  it("metric " .. name .. " equals Keras", function()
    local wrong = {}
    local file = read("metrics/" .. name .. ".json")
    for i = 1, #file.cases do
      local ok, found = pcall(difference, name, file.cases[i])
      if not ok or found then wrong[#wrong + 1] = file.cases[i].name .. ": " .. tostring(found) end
    end
    if #wrong > 0 then error(table.concat(wrong, "\n"), 0) end
  end)
end

local function plain(value)
  if type(value) ~= "table" then return value end
  local list = {}
  for i = 1, #value do list[i] = plain(value[i]) end
  return list
end

describe("metrics", function()
  it("of losses equal Keras", function()
    local wrong = {}
    local file = read("small/metrics.json")
    for i = 1, #file.cases do
      local case = file.cases[i]
      local ok, found = pcall(function()
        local metric = metrics[case.class](harness.keywords(case.config))
        local integers = math.type(case.y_true[1]) ~= nil
        local y = tf.constant(plain(case.y_true), {dtype = integers and "int64" or "float32"})
        local p = tf.constant(plain(case.y_pred))
        metric:update_state(y, p)
        local first = metric:result():item()
        metric:update_state(y, p, tf.constant(plain(case.weights)))
        local second = metric:result():item()
        for k, value in ipairs{first, second} do
          if math.abs(value - case.results[k]) > 1e-6 * (1 + math.abs(case.results[k])) then
            return ("result %d is %.9g, expected %.9g"):format(k, value, case.results[k])
          end
        end
        return harness.config_difference(metric:get_config(), case.get_config)
      end)
      if not ok or found then wrong[#wrong + 1] = case.class .. ": " .. tostring(found) end
    end
    if #wrong > 0 then error(table.concat(wrong, "\n"), 0) end
  end)

  it("update and give the result when they are called", function()
    local mean = metrics.Mean()
    assert.are.equal(2.0, mean(tf.constant{1.0, 3.0}):item())
    assert.are.equal(3.0, mean(tf.constant{5.0}):item())
    assert.are.equal(4.0, mean({7.0}, {sample_weight = {1.0}}):item())
  end)

  it("wrap functions of users", function()
    local half = metrics.MeanMetricWrapper(function(y_true, y_pred, kwargs)
      return tf.reduce_sum(tf.abs(y_true - y_pred), -1) * kwargs.factor
    end, {name = "half", factor = 0.5})
    half:update_state(tf.constant{{1.0}, {3.0}}, tf.constant{{2.0}, {6.0}})
    assert.are.equal(1.0, half:result():item())
    assert.are.equal("half", half.name)
  end)

  it("compare class numbers of every dtype", function()
    local scores = tf.constant{{0.1, 0.9}, {0.8, 0.2}, {0.4, 0.6}}
    for _, dtype in ipairs{"int32", "int64", "uint8", "float32"} do
      local metric = metrics.SparseCategoricalAccuracy()
      metric:update_state(tf.cast(tf.constant{1, 1, 1}, dtype), scores)
      assert.is_true(math.abs(metric:result():item() - 2 / 3) < 1e-6)
    end
    -- 1.5 is no class
    local metric = metrics.SparseCategoricalAccuracy()
    metric:update_state(tf.constant{1.5, 0.0, 1.0}, scores)
    assert.is_true(math.abs(metric:result():item() - 2 / 3) < 1e-6)
  end)

  it("take sorted class numbers", function()
    local value = metrics.sparse_top_k_categorical_accuracy(tf.constant{3, 4}, tf.constant{{3, 1, 0}, {1, 0, 4}},
      {k = 2, from_sorted_ids = true})
    assert.are.same({1.0, 0.0}, value:totable())
  end)

  it("are found by name", function()
    assert.are.equal("MeanSquaredError", metrics.get("mse").class_name)
    assert.are.equal("MeanSquaredError", metrics.get("mean_squared_error").class_name)
    assert.are.equal("KLDivergence", metrics.get("kl_divergence").class_name)
    assert.are.equal("SparseTopKCategoricalAccuracy", metrics.get("sparse_top_k_categorical_accuracy").class_name)
    local ok, err = pcall(metrics.get, "binary_acuracy")
    assert.is_false(ok)
    assert.is_truthy(err.message:find("binary_accuracy", 1, true))
  end)
end)
