--- Models against real Keras: summaries, layers, shapes, names and paths of weights; and what models do by themselves.

local golden = require "golden_data"
local json = require "moonflow.base.json"
local models = require "keras_models"
local tf = require "moonflow"

local keras, layers = tf.keras, tf.keras.layers

local function shape_list(shape)
  local list = {}
  for i = 1, #shape do list[i] = shape[i] == tf.None and "None" or shape[i] end
  return table.concat(list, ",")
end

local function golden_shape(list)
  local parts = {}
  for i = 1, #list do parts[i] = list[i] == tf.None and "None" or list[i] end
  return table.concat(parts, ",")
end

local function fails_with(text, f, ...)
  local ok, err = pcall(f, ...)
  assert.is_false(ok)
  assert.is_truthy(tostring(err):find(text, 1, true), tostring(err))
end

--- nil, or the first place where plain data differ from Keras's. Keras's None defaults that have no counterpart here count
-- as equal.
local function config_difference(want, got, where)
  if want == tf.None and got == nil then return nil end
  if type(want) ~= "table" or type(got) ~= "table" then
    if want == got then return nil end
    return ("%s: expected %s, got %s"):format(where, tostring(want), tostring(got))
  end
  for key, value in next, want do
    local difference = config_difference(value, got[key], where .. "." .. tostring(key))
    if difference then return difference end
  end
  for key in next, got do
    if want[key] == nil then return where .. ": has " .. tostring(key) end
  end
end

describe("models of Keras", function()
  for _, row in ipairs(golden.read("tests/golden/keras/models.json").models) do
    it(row.model, function()
      golden.judged()
      keras.utils.clear_session()
      local model = models[row.model]()
      local shown
      model:summary{print_fn = function(text) shown = text end, line_length = 80}
      assert.are.equal(row.summary, shown)
      assert.are.equal(row.total_params, model:count_params())
      for i, layer in ipairs(model.layers) do
        local want = row.layers[i]
        assert.are.equal(want.name, layer.name)
        assert.are.equal(want.class_name, layer.class_name)
        assert.are.equal(want.params, layer:count_params())
        if want.output_shape ~= tf.None and layer._nodes[1] and layer.output.shape then
          assert.are.equal(golden_shape(want.output_shape), shape_list(layer.output.shape))
        end
      end
      for i, x in ipairs(model.inputs) do assert.are.equal(golden_shape(row.inputs[i]), shape_list(x.shape)) end
      for i, x in ipairs(model.outputs) do assert.are.equal(golden_shape(row.outputs[i]), shape_list(x.shape)) end
      assert.are.equal(#row.weights, #model.weights)
      for i, weight in ipairs(model.weights) do
        assert.are.equal(row.weights[i].path, weight.path)
        assert.are.equal(golden_shape(row.weights[i].shape), shape_list(weight.shape))
        assert.are.equal(row.weights[i].trainable, weight.trainable)
      end
    end)

    it(row.model .. " has Keras's config, and comes back from it", function()
      golden.judged()
      keras.utils.clear_session()
      local model = models[row.model]()
      local config = model:get_config()
      local where = config_difference(row.get_config, config, "config")
      assert.is_nil(where)
      local text = json.encode(config)
      local copy = model.class.from_config(json.decode(text))
      assert.are.equal(text, json.encode(copy:get_config()))
      copy:set_weights(model:get_weights())
      local inputs = {}
      for i, x in ipairs(model.inputs) do
        local shape = x.shape:as_list()
        shape[1] = 2
        inputs[i] = tf.cast(tf.ones(shape), x.dtype)
      end
      if #inputs == 1 then inputs = inputs[1] end
      local want, got = model(inputs), copy(inputs)
      if #model.outputs == 1 then want, got = {want}, {got} end
      for i = 1, #want do assert.are.same(want[i]:totable(), got[i]:totable()) end
    end)
  end
end)

describe("Sequential", function()
  it("is built by its first input", function()
    local model = keras.Sequential{layers.Dense(2), layers.Dense(3)}
    assert.is_false(model.built)
    assert.are.equal(0, #model.weights)
    assert.are.equal(3, model(tf.ones{4, 5}).shape[2])
    assert.is_true(model.built)
    assert.are.equal(4, #model.weights)
    assert.are.equal(2, model(tf.ones{2, 5}).shape[1])
  end)

  it("takes input_shape of its first layer, add and pop", function()
    local model = keras.Sequential()
    model:add(layers.Dense(4, {input_shape = {3}}))
    model:add(layers.Dense(2))
    assert.are.equal("None,2", shape_list(model.output_shape))
    local last = model:pop()
    assert.are.equal(2, last.units)
    assert.are.equal("None,4", shape_list(model.output_shape))
    fails_with("should have unique names", model.add, model, layers.Dense(1, {name = model.layers[1].name}))
    fails_with("only layers can be added", model.add, model, "dense")
  end)

  it("round-trips through its config", function()
    local model = keras.Sequential{keras.Input{shape = {3}}, layers.Dense(4, {activation = "relu"}), layers.Dense(2)}
    local copy = keras.Sequential.from_config(model:get_config())
    assert.are.equal(model:count_params(), copy:count_params())
    copy:set_weights(model:get_weights())
    local x = tf.constant{{1.0, -2.0, 3.0}}
    assert.are.same(model(x):totable(), copy(x):totable())
  end)
end)

describe("functional models", function()
  it("take structures by name and in order", function()
    local a, b = keras.Input{shape = {2}, name = "a"}, keras.Input{shape = {2}, name = "b"}
    local model = keras.Model{inputs = {a, b}, outputs = {sum = layers.Add(){a, b}, difference = a - b}}
    local x, y = tf.constant{{1.0, 2.0}}, tf.constant{{10.0, 20.0}}
    local result = model{a = x, b = y}
    assert.are.same({{11.0, 22.0}}, result.sum:totable())
    assert.are.same({{-9.0, -18.0}}, result.difference:totable())
    assert.are.same({{11.0, 22.0}}, model{x, y}.sum:totable())
    fails_with("the structure of `inputs` doesn't match", model, {x})
    fails_with("expected shape=(None, 2), found shape=(1, 3)", model, {x, tf.ones{1, 3}})
  end)

  it("share layers and nest", function()
    local inner_in = keras.Input{shape = {3}}
    local inner = keras.Model(inner_in, layers.Dense(2)(inner_in))
    local p, q = keras.Input{shape = {3}}, keras.Input{shape = {3}}
    local outer = keras.Model({p, q}, layers.Add(){inner(p), inner(q)})
    assert.are.equal(2, #outer.weights)
    local x = tf.ones{1, 3}
    local twice, once = outer{x, x}:totable()[1], inner(x):totable()[1]
    assert.are.same({once[1] * 2, once[2] * 2}, twice)
  end)

  it("record operators, indexing and tf.keras.ops", function()
    local x = keras.Input{shape = {4}}
    local y = keras.ops.concatenate({x * 2.0, -x["..., 0:2"]}, -1) + 1.0
    assert.are.equal("None,6", shape_list(y.shape))
    local model = keras.Model(x, y)
    assert.are.same({{3.0, 5.0, 7.0, 9.0, 0.0, -1.0}}, model(tf.constant{{1.0, 2.0, 3.0, 4.0}}):totable())
  end)

  it("say which tensor is not connected", function()
    local a, b = keras.Input{shape = {2}}, keras.Input{shape = {2}}
    fails_with("graph disconnected", keras.Model, a, layers.Add(){a, b})
    fails_with("must be KerasTensors", keras.Model, a, tf.ones{1})
  end)

  it("are parts of one another", function()
    local x = keras.Input{shape = {4}}
    local hidden = layers.Dense(3, {name = "hidden"})(x)
    local model = keras.Model(x, layers.Dense(1)(hidden))
    local features = keras.Model(model.inputs, model:get_layer("hidden").output)
    assert.are.equal(2, #features.weights)
    assert.are.equal(3, features(tf.ones{2, 4}).shape[2])
    assert.are.equal("hidden", model:get_layer{index = 1}.name)
    fails_with("no such layer: 'hiden'", model.get_layer, model, "hiden")
  end)
end)

describe("subclassed models", function()
  it("track attributes, lists and dicts", function()
    keras.utils.clear_session()
    local My = keras.Model:extend("My")
    function My:init(width)
      self:super_init()
      self.first = layers.Dense(width, {activation = "relu"})
      self.blocks = {layers.Dense(3), layers.Dense(2)}
      self.named = {out = layers.Dense(1)}
    end
    function My:call(x)
      x = self.first(x)
      for _, block in ipairs(self.blocks) do x = block(x) end
      return self.named.out(x)
    end
    local model = My(4)
    model(tf.ones{2, 5})
    local paths = {}
    for i, weight in ipairs(model.weights) do paths[i] = weight.path end
    assert.are.same({"my/dense/kernel", "my/dense/bias", "my/dense_1/kernel", "my/dense_1/bias", "my/dense_2/kernel",
      "my/dense_2/bias", "my/dense_3/kernel", "my/dense_3/bias"}, paths)
    assert.are.equal(4, #model.layers)
    model.trainable = false
    assert.are.equal(0, #model.trainable_weights)
    assert.are.equal(8, #model.non_trainable_weights)
    model.blocks[1].trainable = true
    assert.are.equal(0, #model.trainable_weights)
    model.trainable = true
    assert.are.equal(8, #model.trainable_weights)
  end)

  it("are called symbolically", function()
    local Twice = keras.Model:extend("Twice")
    function Twice:init() self:super_init(); self.dense = layers.Dense(3) end
    function Twice:call(x) return self.dense(x) * 2.0 end
    local x = keras.Input{shape = {4}}
    local y = Twice()(x)
    assert.are.equal("None,3", shape_list(y.shape))
    assert.are.equal(3, keras.Model(x, y)(tf.ones{2, 4}).shape[2])
  end)

  it("build for a shape", function()
    local One = keras.Model:extend("One")
    function One:init() self:super_init(); self.dense = layers.Dense(3) end
    function One:call(x) return self.dense(x) end
    local model = One()
    fails_with("isn't built", model.count_params, model)
    model:build{tf.None, 4}
    assert.are.equal(15, model:count_params())
  end)
end)
