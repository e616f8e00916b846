--- Initializers to the last bit, activations, regularizers and constraints against real Keras.

local golden = require "golden_data"
local harness = require "layer_harness"
local json = require "moonflow.base.json"
local tf = require "moonflow"

local keras = tf.keras

local function read(path)
  return golden.read("tests/golden/keras/" .. path)
end

local function list_of(value)
  local list = {}
  for i = 1, #value do list[i] = value[i] end
  return list
end

local function same_bits(value, want)
  return value.dtype == want.dtype and value.shape == want.shape and tf.reduce_all(tf.equal(value, want)):item()
end

describe("initializers", function()
  local file = read("initializers.json")

  it("give Keras's bits", function()
    golden.judged()
    local wrong = {}
    for i = 1, #file.cases do
      local case = file.cases[i]
      local initializer = keras.initializers[case.name](harness.keywords(case.config))
      local shape = list_of(case.shape)
      if not same_bits(initializer(shape, {dtype = case.dtype}), golden.tensor(case.value)) then
        wrong[#wrong + 1] = ("%s %s {%s}"):format(case.name, case.dtype, table.concat(shape, ", "))
      end
    end
    if #wrong > 0 then error(table.concat(wrong, "\n"), 0) end
  end)

  it("have Keras's configs, there and back", function()
    golden.judged()
    for name, want in next, file.configs do
      local given = name == "Constant" and tf.kw{value = 0.5} or tf.kw{}
      local initializer = keras.initializers[name](given)
      assert.is_nil(harness.config_difference(initializer:get_config(), want, name))
      local copy = keras.initializers.deserialize(json.decode(json.encode(keras.initializers.serialize(initializer))))
      assert.are.equal(name, copy.class_name)
      assert.is_nil(harness.config_difference(copy:get_config(), want, name))
    end
  end)

  it("draw seeds from Python's random", function()
    golden.judged()
    local seeds = read("seeds.json").layer_seeds
    require "moonflow.keras.random.seeds".seed_python(seeds.seed)
    for i = 1, 3 do assert.are.equal(seeds.randint[i], keras.initializers.GlorotUniform().seed) end
  end)

  it("are called once or again with the same result", function()
    local initializer = keras.initializers.HeNormal{seed = 7}
    assert.is_true(same_bits(initializer{3, 4}, initializer{3, 4}))
    local moving = keras.initializers.RandomNormal{seed = require "moonflow.keras.random.seed_generator"(5)}
    assert.is_false(same_bits(moving{3}, moving{3}))
  end)

  it("are found by name, class, config and tensor", function()
    assert.are.equal("HeNormal", keras.initializers.get("he_normal").class_name)
    assert.are.equal("RandomUniform", keras.initializers.get("uniform").class_name)
    assert.are.equal("Zeros", keras.initializers.get(keras.initializers.Zeros).class_name)
    local fixed = keras.initializers.get(tf.constant{1.0, 2.0})
    assert.are.same({1.0, 2.0}, fixed({2}, {dtype = "float32"}):totable())
    assert.has_error(function() fixed({3}, {dtype = "float32"}) end)
    local ok, err = pcall(keras.initializers.get, "glorot_unifrom")
    assert.is_false(ok)
    assert.is_truthy(err.message:find("glorot_uniform", 1, true))
  end)

  it("refuse what does not fit", function()
    for _, call in ipairs{
      function() keras.initializers.VarianceScaling{scale = 0.0} end,
      function() keras.initializers.VarianceScaling{mode = "fan"} end,
      function() keras.initializers.VarianceScaling{distribution = "gamma"} end,
      function() keras.initializers.Identity(){2, 2, 2} end, function() keras.initializers.Orthogonal(){2} end,
      function() keras.initializers.Zeros{1} end,
    } do
      local ok, err = pcall(call)
      assert.is_false(ok)
      assert.are.equal("INVALID_ARGUMENT", err.code)
    end
  end)
end)

it("orthogonal initializers, regularizers and constraints equal Keras", function()
  local file, wrong = read("small/weights.json"), {}
  local w = golden.tensor(file.w)
  for i = 1, #file.cases do
    local case = file.cases[i]
    local space = keras[case.kind]
    local object = space[case.class](harness.keywords(case.config))
    local copy = space.deserialize(json.decode(json.encode(space.serialize(object))))
    for _, each in ipairs{object, copy} do
      local value = case.kind == "initializers" and each(list_of(case.shape)) or each(w)
      local found = golden.difference(value, case.value, {2e-6, 5e-7})
      if found then wrong[#wrong + 1] = case.class .. ": " .. found end
    end
  end
  if #wrong > 0 then error(table.concat(wrong, "\n"), 0) end
end)

it("regularizers by name take a default factor", function()
  assert.are.equal(0.01, keras.regularizers.get("l2").l2)
  assert.are.equal(0.5, keras.regularizers.l1(0.5).l1)
  assert.has_error(function() keras.regularizers.L2(-1.0) end)
end)

it("activations equal Keras, with their gradients", function()
  local wrong = {}
  local file = read("activations.json")
  for i = 1, #file.cases do
    local case = file.cases[i]
    local ok, found = pcall(function()
      local x = golden.tensor(case.x)
      local y, gradient
      do local tape <close> = tf.GradientTape()
        tape:watch(x)
        y = keras.activations[case.name](x, harness.keywords(case.config))
        gradient = tape:gradient(tf.reduce_sum(y * y), x)
      end
      return golden.difference(y, case.y, {1e-5, 1e-6}) or
        golden.difference(gradient, case.gradient_of_sum_of_squares, {1e-5, 1e-6})
    end)
    if not ok or found then wrong[#wrong + 1] = ("%s %s: %s"):format(case.name, case.x.dtype, found) end
  end
  if #wrong > 0 then error(table.concat(wrong, "\n"), 0) end
end)

describe("activations", function()
  it("are found by name", function()
    assert.are.equal(keras.activations.relu, keras.activations.get("relu"))
    assert.are.equal(keras.activations.silu, keras.activations.get("swish"))
    assert.are.equal("relu", keras.activations.serialize(keras.activations.relu))
    local ok, err = pcall(keras.activations.get, "rleu")
    assert.is_false(ok)
    assert.is_truthy(err.message:find("relu", 1, true))
  end)

  it("take numbers, keywords and symbolic values", function()
    assert.are.same({0.0, 2.0}, keras.activations.relu{-1.0, 2.0}:totable())
    local bent = keras.activations.relu({-1.0, 2.0}, {negative_slope = 0.5, max_value = 1.0})
    assert.are.same({-0.5, 1.0}, bent:totable())
    assert.are.same({0.0, 2.0}, keras.activations.threshold(tf.constant{1.0, 2.0}, 1.5, 0.0):totable())
    local x = keras.Input{shape = {3}}
    local y = keras.activations.gelu(x)
    assert.are.same({tf.None, 3}, y.shape:as_list())
  end)
end)
