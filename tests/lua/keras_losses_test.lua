--- Losses against real Keras: values, gradients, reductions, weights, configs, names.

local golden = require "golden_data"
local harness = require "layer_harness"
local json = require "moonflow.base.json"
local tf = require "moonflow"

local losses = tf.keras.losses

local function read(path)
  return golden.read("tests/golden/keras/" .. path)
end

local function fail_with(wrong)
  if #wrong > 0 then error(table.concat(wrong, "\n", 1, math.min(#wrong, 8)), 0) end
end

--- Value and gradient of a loss; nil or what is wrong.
local function difference(loss, case)
  local y, p = golden.tensor(case.y_true), golden.tensor(case.y_pred)
  local weight = case.sample_weight and golden.tensor(case.sample_weight) or nil
  local value, gradient
  do local tape <close> = tf.GradientTape()
    tape:watch(p)
    value = loss(y, p, weight)
    gradient = tape:gradient(value, p, {output_gradients = case.dy and golden.tensor(case.dy) or nil})
  end
  local wrong = golden.difference(value, case.loss, {2e-6, 1e-6})
  if wrong then return "loss: " .. wrong end
  wrong = golden.difference(gradient, case.y_pred_gradient or case.gradient, {1e-5, 1e-6})
  return wrong and "gradient: " .. wrong
end

for _, name in ipairs{"BinaryCrossentropy", "CategoricalCrossentropy", "MeanSquaredError",
  "SparseCategoricalCrossentropy"} do
  describe("loss " .. name, function()
    local file = read("losses/" .. name .. ".json")

    it("equals Keras", function()
      local wrong = {}
      for i = 1, #file.cases do
        local case = file.cases[i]
        local ok, found = pcall(difference, losses[name](harness.keywords(case.config)), case)
        if not ok or found then wrong[#wrong + 1] = case.name .. ": " .. tostring(found) end
      end
      fail_with(wrong)
    end)

    it("has Keras's config, there and back", function()
      local config = losses[name]():get_config()
      assert.is_nil(harness.config_difference(config, file.get_config))
      local copy = losses.deserialize(json.decode(json.encode(losses.serialize(losses[name]()))))
      assert.is_nil(harness.config_difference(copy:get_config(), file.get_config))
    end)
  end)
end

describe("losses", function()
  it("as functions give one value a sample", function()
    local wrong = {}
    local file = read("losses/functions.json")
    for i = 1, #file.cases do
      local case = file.cases[i]
      local value = losses[case.name](golden.tensor(case.y_true), golden.tensor(case.y_pred),
        harness.keywords(case.config))
      wrong[#wrong + 1] = golden.difference(value, case.loss, {2e-6, 1e-6})
    end
    fail_with(wrong)
  end)

  it("of the smaller kind equal Keras", function()
    local wrong = {}
    local file = read("small/losses.json")
    for i = 1, #file.cases do
      local case = file.cases[i]
      local ok, found = pcall(function()
        local loss = losses[case.class](harness.keywords(case.config))
        local each = losses[case["function"]](golden.tensor(case.y_true), golden.tensor(case.y_pred),
          harness.keywords(case.config))
        return difference(loss, case) or golden.difference(each, case.values, {2e-6, 1e-6}) or
          harness.config_difference(loss:get_config(), case.get_config)
      end)
      if not ok or found then wrong[#wrong + 1] = case.class .. ": " .. tostring(found) end
    end
    fail_with(wrong)
  end)

  it("go back to the logits behind softmax and sigmoid", function()
    -- with probabilities of exactly 0 the clipped loss would be 16.118
    local logits = tf.constant{{200.0, 0.0}}
    local loss = losses.SparseCategoricalCrossentropy()
    assert.are.equal(200.0, loss(tf.constant{1}, tf.keras.activations.softmax(logits)):item())
    assert.is_true(math.abs(loss(tf.constant{1}, tf.nn.softmax(logits)):item() - 16.118095) < 1e-5)
    local binary = losses.BinaryCrossentropy()
    assert.are.equal(100.0, binary(tf.constant{{0.0}}, tf.keras.activations.sigmoid(tf.constant{{100.0}})):item())
  end)

  it("count masked samples out", function()
    -- by hand: samples 1 and 3 count, (1 + 9) / 2
    local p = tf.constant{{1.0}, {2.0}, {3.0}}
    require "moonflow.keras.backend.marks".set_mask(p, tf.constant{true, false, true})
    assert.are.equal(5.0, losses.MeanSquaredError()(tf.constant{{0.0}, {0.0}, {0.0}}, p):item())
  end)

  it("are found by name", function()
    assert.are.equal(losses.mean_squared_error, losses.get("mse"))
    assert.are.equal(losses.mean_squared_error, losses.get("mean_squared_error"))
    assert.are.equal(losses.kl_divergence, losses.get("KLD"))
    assert.are.equal("Huber", losses.get("Huber").class_name)
    assert.are.equal("sparse_categorical_crossentropy", losses.SparseCategoricalCrossentropy().name)
    local ok, err = pcall(losses.get, "mean_square_error")
    assert.is_false(ok)
    assert.are.equal("INVALID_ARGUMENT", err.code)
    assert.is_truthy(err.message:find("mean_squared_error", 1, true))
  end)

  it("take lists of numbers", function()
    assert.are.equal(2.5, losses.MeanSquaredError()({{1.0, 2.0}}, {{2.0, 4.0}}):item())
    assert.are.equal(1.5, losses.mean_absolute_error({1.0, 2.0}, {2.0, 4.0}):item())
  end)

  it("refuse what does not fit", function()
    local loss = losses.SparseCategoricalCrossentropy{from_logits = true}
    for _, call in ipairs{
      function() loss(tf.constant{1, 2, 3}, tf.constant{{1.0, 2.0}}) end,
      function() losses.CategoricalCrossentropy()(tf.constant{{1.0, 0.0}}, tf.constant{{0.5, 0.25, 0.25}}) end,
      function() losses.MeanSquaredError{reduction = "average"} end,
      function() losses.BinaryCrossentropy{from_logit = true} end,
    } do
      local ok, err = pcall(call)
      assert.is_false(ok)
      assert.are.equal("INVALID_ARGUMENT", err.code)
    end
  end)
end)
