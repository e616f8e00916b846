--- Layers against real Keras, by the layer harness.

local golden = require "golden_data"
local harness = require "layer_harness"
local marks = require "moonflow.keras.backend.marks"
local tf = require "moonflow"

local layers = tf.keras.layers

local names = {"Activation", "Add", "AveragePooling2D", "BatchNormalization", "Concatenate", "Conv2D", "Dense",
  "Dropout", "Embedding", "Flatten", "GlobalAveragePooling2D", "LayerNormalization", "MaxPooling2D", "ReLU",
  "Rescaling", "Reshape", "Softmax"}

--- Runs a check over all cases of a layer and fails with what went wrong.
local function run(name, file, check)
  local wrong = {}
  for i = 1, #file.cases do
    local case = file.cases[i]
    local ok, found = pcall(harness.checks[check], name, case)
    if not ok or found then wrong[#wrong + 1] = case.name .. ": " .. tostring(found) end
  end
  if #wrong > 0 then
    error(("%d of %d cases\n  %s"):format(#wrong, #file.cases, table.concat(wrong, "\n  ", 1, math.min(#wrong, 5))), 0)
  end
end

for _, name in ipairs(names) do
  describe("layer " .. name, function()
    local file = golden.read("tests/golden/keras/layers/" .. name .. ".json")
    for _, check in ipairs(harness.order) do
      it(check, function() run(name, file, check) end)
    end
    it("refuses what Keras refuses", function()
      local wrong = {}
      for i = 1, #file.errors do
        local found = harness.check_refused(name, file.errors[i])
        if found then wrong[#wrong + 1] = file.errors[i].name .. ": " .. found end
      end
      if #wrong > 0 then error(table.concat(wrong, "\n"), 0) end
    end)
  end)
end

describe("further cases of layer", function()
  local file = golden.read("tests/golden/keras/small/layers.json")
  local of, list = {}, {}
  for i = 1, #file.cases do
    local name = file.cases[i].layer
    if not of[name] then
      of[name] = {cases = {}}
      list[#list + 1] = name
    end
    table.insert(of[name].cases, file.cases[i])
  end
  for _, name in ipairs(list) do
    for _, check in ipairs(harness.order) do
      it(name .. " " .. check, function() run(name, of[name], check) end)
    end
  end
end)

local function refused(f, ...)
  local ok, err = pcall(f, ...)
  assert.is_false(ok)
  return err.code, err.message
end

describe("layers", function()
  it("have functional forms", function()
    local a, b = tf.keras.Input{shape = {3}}, tf.keras.Input{shape = {3}}
    for _, name in ipairs{"add", "subtract", "multiply", "average", "maximum", "minimum"} do
      assert.are.same({tf.None, 3}, layers[name]{a, b}.shape:as_list())
    end
    assert.are.same({tf.None, 6}, layers.concatenate{a, b, axis = 1}.shape:as_list())
    assert.are.same({tf.None, 1}, layers.dot({a, b}, {axes = 1}).shape:as_list())
    assert.are.equal("sum", layers.add({a, b}, {name = "sum"}).history.operation.name)
    assert.are.same({{1.0, 2.0, 3.0}}, layers.concatenate{tf.constant{{1.0}}, tf.constant{{2.0, 3.0}}}:totable())
  end)

  it("take an activation by name, function or layer", function()
    local x = tf.constant{{1.0, -1.0}}
    local doubled = layers.Activation(function(y) return y * 2.0 end)
    assert.are.same({{2.0, -2.0}}, doubled(x):totable())
    assert.are.equal("INVALID_ARGUMENT", (refused(doubled.get_config, doubled)))
    local dense = layers.Dense(2, {activation = layers.ReLU{max_value = 0.5}, kernel_initializer = "identity"})
    assert.are.same({{0.5, 0.0}}, dense(x):totable())
    local copy = layers.Dense.from_config(dense:get_config())
    assert.are.same({{0.5, 0.0}}, copy(x):totable())
    dense.activation = nil
    assert.are.equal("linear", dense:get_config().activation)
    assert.are.same({{1.0, -1.0}}, dense(x):totable())
  end)

  it("cast what they are given", function()
    assert.are.equal("float32", layers.Dense(3)(tf.ones({2, 3}, {dtype = "int32"})).dtype.name)
    assert.are.equal("float32", layers.Dense(3)(tf.ones({2, 3}, {dtype = "float64"})).dtype.name)
    assert.are.equal("float64", layers.Dense(3, {dtype = "float64"})(tf.ones{2, 3}).dtype.name)
  end)

  it("mask what is padding", function()
    local y = layers.Embedding(5, 3, {mask_zero = true})(tf.constant{{1, 0}})
    assert.are.same({{true, false}}, marks.mask(y):totable())
    assert.are.same({{true, false}}, marks.mask(layers.Dropout(0.5)(y)):totable())
    local softmax = layers.Softmax()(tf.constant{{1.0, 2.0}}, {mask = tf.constant{{true, false}}})
    assert.are.same({{1.0, 0.0}}, softmax:totable())
  end)

  it("count masked steps out of moving statistics", function()
    -- by hand: the kept values are 1 and 3; mean 2, variance 1, both over 2 + 1e-7
    local norm = layers.BatchNormalization{momentum = 0.5}
    local mask = tf.constant{{true, false}, {true, false}}
    norm(tf.constant{{{1.0}, {9.0}}, {{3.0}, {9.0}}}, {training = true, mask = mask})
    assert.is_true(math.abs(norm.moving_mean:read_value()[0]:item() - 1.0) < 1e-6)
    assert.is_true(math.abs(norm.moving_variance:read_value()[0]:item() - 1.0) < 1e-6)
  end)

  it("keep regularizers and constraints of their weights", function()
    local dense = layers.Dense(2, {kernel_initializer = "ones", kernel_regularizer = "l2",
      kernel_constraint = tf.keras.constraints.MaxNorm(0.5), bias_regularizer = tf.keras.regularizers.L1(0.1)})
    dense(tf.ones{1, 2})
    assert.are.equal(2, #dense.losses)
    assert.is_true(math.abs(dense.losses[1]:item() - 0.04) < 1e-7)
    local kernel = dense.kernel
    tf.keras.optimizers.SGD(0.0):apply({tf.zeros{2, 2}}, {kernel})
    -- columns of norm sqrt(2) are cut to 0.5
    assert.is_true(math.abs(kernel:read_value()[{0, 0}]:item() - 0.5 / math.sqrt(2)) < 1e-6)
  end)

  it("have the other names of Keras", function()
    assert.are.equal(layers.MaxPooling2D, layers.MaxPool2D)
    assert.are.equal(layers.AveragePooling2D, layers.AvgPool2D)
    assert.are.equal(layers.GlobalAveragePooling2D, layers.GlobalAvgPool2D)
  end)

  it("convolve in groups and with channels first", function()
    -- by hand: each group sums its own channel over a window of 2
    local x = tf.constant{{{{1.0, 10.0}, {2.0, 20.0}, {3.0, 30.0}}}}
    local groups = layers.Conv2D(2, {1, 2}, {groups = 2, kernel_initializer = "ones"})
    assert.are.same({{{{3.0, 30.0}, {5.0, 50.0}}}}, groups(x):totable())
    local first = layers.Conv2D(1, {1, 2}, {data_format = "channels_first", kernel_initializer = "ones"})
    assert.are.same({{{{33.0, 55.0}}}}, first(tf.transpose(x, {0, 3, 1, 2})):totable())
    assert.are.same({tf.None, 1, 4, 4}, first:compute_output_shape{tf.None, 2, 4, 5})
  end)

  it("say what is wrong with arguments and inputs", function()
    local cases = {
      {layers.Dense, 3, {activaton = "relu"}, "did you mean 'activation'"},
      {layers.Dense, 3, {activation = "rleu"}, "'relu'"},
      {layers.Dense, "many", {}, "units"}, {layers.Conv2D, 8, {kernel_size = {3, 3, 3}}, "kernel_size"},
      {layers.Conv2D, 8, {kernel_size = 3, padding = "full"}, "padding"}, {layers.Dropout, -0.1, {}, "rate"},
      {layers.Conv2D, 3, {kernel_size = 3, groups = 2}, "groups"}, {layers.Reshape, {-1, -1}, {}, "target_shape"},
    }
    for _, case in ipairs(cases) do
      local code, message = refused(case[1], case[2], case[3])
      assert.are.equal("INVALID_ARGUMENT", code)
      assert(message:find(case[4], 1, true), message)
    end
    local code, message = refused(layers.Dense(3, {name = "small"}), tf.ones{3})
    assert.are.equal("INVALID_ARGUMENT", code)
    assert(message:find("layer 'small'", 1, true) and message:find("min_ndim=2", 1, true), message)
    assert.are.equal("UNIMPLEMENTED", (refused(layers.Dense, 3, {lora_rank = 2})))
    assert.are.equal("INVALID_ARGUMENT",
      (refused(layers.BatchNormalization, {renorm = true, renorm_clipping = tf.dict{rmin = 2.0, rmax = 1.0}})))
  end)
end)
