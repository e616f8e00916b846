--- Optimizers and learning rate schedules against real Keras: variables after every step, state, names, configs.

local golden = require "golden_data"
local harness = require "layer_harness"
local json = require "moonflow.base.json"
local tf = require "moonflow"
local variables = require "moonflow.keras.backend.variable"

local optimizers = tf.keras.optimizers

local function tolerance(dtype)
  return dtype == "float64" and {1e-12, 1e-12} or {1e-5, 1e-6}
end

local function variable_of(value, name)
  local tensor = golden.tensor(value)
  return variables.new{initializer = tensor, shape = tensor.shape, dtype = tensor.dtype.name, name = name}
end

local function compare_variables(what, list, wants, tol)
  for i, variable in ipairs(list) do
    local wrong = golden.difference(variable:read_value(), wants[i], tol)
    if wrong then return ("%s, variable %d: %s"):format(what, i, wrong) end
  end
end

local function check_state(optimizer, case, tol)
  local state = optimizer.variables
  if #state ~= #case.state then return ("%d state variables, expected %d"):format(#state, #case.state) end
  for i = 1, #case.state do
    if state[i].name ~= case.state[i].name then
      return ("state '%s', expected '%s'"):format(state[i].name, case.state[i].name)
    end
    local wrong = golden.difference(state[i]:read_value(), case.state[i].value, tol)
    if wrong then return state[i].name .. ": " .. wrong end
  end
end

local function difference(name, case)
  local list = {}
  for i = 1, #case.variables do list[i] = variable_of(case.variables[i], "v" .. i - 1) end
  local optimizer = optimizers[name](harness.keywords(case.config))
  local tol = tolerance(case.dtype)
  for n = 1, #case.steps do
    local grads = {}
    for i = 1, #list do grads[i] = golden.tensor(case.steps[n].gradients[i]) end
    optimizer:apply_gradients(tf.zip(grads, list))
    local wrong = compare_variables("step " .. n, list, case.steps[n].variables, tol)
    if wrong then return wrong end
  end
  local wrong = check_state(optimizer, case, tol)
  if wrong then return wrong end
  if case.finalized then
    optimizer:finalize_variable_values(list)
    wrong = compare_variables("finalized", list, case.finalized, tol)
    if wrong then return wrong end
  end
  local config, want = optimizer:get_config(), {}
  for key, value in next, case.get_config do want[key] = value end
  config.name, want.name = nil, nil
  wrong = harness.config_difference(config, want)
  if wrong then return wrong end
  local copy = optimizers.deserialize(json.decode(json.encode(optimizers.serialize(optimizer)))):get_config()
  copy.name = nil
  return harness.config_difference(copy, want, "config of the copy")
end

local function sparse_difference(name, case)
  local variable = variable_of(case.variable, "rows")
  local optimizer = optimizers[name](harness.keywords(case.config))
  for n = 1, #case.steps do
    local step, rows = case.steps[n], {}
    for i = 1, #step.indices do rows[i] = step.indices[i] end
    local slices = tf.IndexedSlices(golden.tensor(step.values), tf.constant(rows, {dtype = "int64"}),
      tf.constant({5, 2}, {dtype = "int64"}))
    optimizer:apply_gradients{{slices, variable}}
    local wrong = golden.difference(variable:read_value(), step.variable, {1e-5, 1e-6})
    if wrong then return ("step %d: %s"):format(n, wrong) end
  end
end

for _, name in ipairs{"SGD", "Adam", "RMSprop"} do
  describe("optimizer " .. name, function()
    local file = golden.read("tests/golden/keras/optimizers/" .. name .. ".json")

    it("equals Keras", function()
      local wrong = {}
      for i = 1, #file.cases do
        local case = file.cases[i]
        tf.keras.config.set_floatx(case.dtype)
        local ok, found = pcall(difference, name, case)
        tf.keras.config.set_floatx("float32")
        if not ok or found then wrong[#wrong + 1] = case.name .. ": " .. tostring(found) end
      end
      if #wrong > 0 then error(table.concat(wrong, "\n"), 0) end
    end)

    it("takes sparse gradients as Keras does", function()
      for i = 1, #file.sparse do
        local wrong = sparse_difference(name, file.sparse[i])
        if wrong then error("case " .. i .. ": " .. wrong, 0) end
      end
    end)
  end)
end

describe("optimizers", function()
  it("update some of their variables", function()
    for _, name in ipairs{"SGD", "Adam", "RMSprop"} do
      local a, b = tf.Variable{1.0, 2.0}, tf.Variable{3.0}
      local one = optimizers[name]{learning_rate = 0.5}
      one:build{a, b}
      one:apply({tf.constant{1.0}}, {b})
      local alone = tf.Variable{3.0}
      local other = optimizers[name]{learning_rate = 0.5}
      other:apply({tf.constant{1.0}}, {alone})
      assert.are.same(alone:read_value():totable(), b:read_value():totable())
      assert.are.same({1.0, 2.0}, a:read_value():totable())
    end
  end)

  it("only touch the rows of a sparse gradient without momentum", function()
    local variable = tf.Variable{{1.0}, {2.0}, {3.0}}
    local slices = tf.IndexedSlices(tf.constant{{1.0}, {1.0}}, tf.constant{2, 2}, tf.constant{3, 1})
    optimizers.SGD(0.5):apply({slices}, {variable})
    assert.are.same({{1.0}, {2.0}, {2.0}}, variable:read_value():totable())
  end)

  it("apply constraints", function()
    local variable = tf.Variable{1.0, -1.0}
    variable.constraint = tf.keras.constraints.NonNeg()
    optimizers.SGD(1.0):apply({tf.constant{2.0, -3.0}}, {variable})
    assert.are.same({0.0, 2.0}, variable:read_value():totable())
  end)

  it("have a learning rate that can be set", function()
    local optimizer = optimizers.Adam()
    optimizer.learning_rate = 0.25
    assert.are.equal(0.25, optimizer.learning_rate:read_value():item())
    assert.are.equal(0.25, optimizer:get_config().learning_rate)
    assert.are.equal("Adam", optimizers.get("adam").class_name)
    for _, call in ipairs{
      function() optimizers.SGD{momentum = 2.0} end, function() optimizers.SGD{clipnorm = 1.0, clipvalue = 1.0} end,
      function() optimizers.Adam{learning_rate = "fast"} end, function() optimizers.Adam{beta1 = 0.9} end,
      function() optimizers.get("adma") end,
    } do
      local ok, err = pcall(call)
      assert.is_false(ok)
      assert.are.equal("INVALID_ARGUMENT", err.code)
    end
  end)

  it("follow a schedule", function()
    local optimizer = optimizers.SGD(optimizers.schedules.ExponentialDecay(0.5, 1, 0.5))
    local variable = tf.Variable(1.0)
    for _ = 1, 3 do optimizer:apply({tf.constant(1.0)}, {variable}) end
    -- by hand: 1 - 0.5 - 0.25 - 0.125
    assert.are.equal(0.125, variable:read_value():item())
    assert.are.equal(0.0625, optimizer.learning_rate:item())
    assert.are.equal("ExponentialDecay", optimizer:get_config().learning_rate.class_name)
    local ok, err = pcall(function() optimizer.learning_rate = 0.1 end)
    assert.is_false(ok)
    assert.are.equal("INVALID_ARGUMENT", err.code)
  end)

  it("follow a function of the iteration", function()
    local optimizer = optimizers.SGD{learning_rate = function(step) return 1.0 / (tf.cast(step, "float32") + 1.0) end}
    local variable = tf.Variable(0.0)
    for _ = 1, 2 do optimizer:apply({tf.constant(1.0)}, {variable}) end
    assert.are.equal(-1.5, variable:read_value():item())
  end)
end)

it("learning rate schedules equal Keras", function()
  local wrong = {}
  local file = golden.read("tests/golden/keras/small/schedules.json")
  local schedules = optimizers.schedules
  for i = 1, #file.cases do
    local case = file.cases[i]
    local schedule = schedules[case.class](harness.keywords(case.config))
    local copy = schedules.deserialize(json.decode(json.encode(schedules.serialize(schedule))))
    for k = 1, #case.steps do
      for _, each in ipairs{schedule, copy} do
        local rate = each(tf.constant(case.steps[k], {dtype = "int64"})):item()
        if math.abs(rate - case.rates[k]) > 1e-7 + 2e-6 * math.abs(case.rates[k]) then
          wrong[#wrong + 1] = ("%s at step %d: %.9g, expected %.9g"):format(case.class, case.steps[k], rate,
            case.rates[k])
        end
      end
    end
    wrong[#wrong + 1] = harness.config_difference(schedule:get_config(), case.get_config, case.class)
  end
  if #wrong > 0 then error(table.concat(wrong, "\n"), 0) end
end)
