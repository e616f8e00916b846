--- The base class of layers: building, weights, training and mask, tracking, losses, names, errors; and the other bases.

local tf = require "moonflow"

local keras, layers = tf.keras, tf.keras.layers
local Layer = layers.Layer

local function fails_with(text, f, ...)
  local ok, err = pcall(f, ...)
  assert.is_false(ok)
  assert.is_truthy(tostring(err):find(text, 1, true), tostring(err))
  return err
end

local function names_of(list)
  local names = {}
  for i, item in ipairs(list) do names[i] = item.path or item.name end
  return names
end

describe("Layer", function()
  before_each(keras.utils.clear_session)

  local function linear()
    local Linear = Layer:extend("Linear", {args = {{"units", "integer"}}})
    function Linear:init(a)
      self:super_init(a)
      self.units = a.units
    end
    function Linear:build(input_shape)
      self.w = self:add_weight{shape = {input_shape[-1], self.units}, initializer = "ones", name = "w"}
      self.count = self:add_weight{shape = {}, initializer = "zeros", name = "count", trainable = false}
    end
    function Linear:call(x)
      self.count:assign_add(1.0)
      return tf.matmul(x, self.w)
    end
    return Linear
  end

  it("is built on the first call", function()
    local layer = linear()(2)
    assert.is_false(layer.built)
    assert.are.equal(0, #layer.weights)
    assert.are.same({{3.0, 3.0}}, layer(tf.constant{{1.0, 2.0}}):totable())
    assert.is_true(layer.built)
    assert.are.same({"linear/w", "linear/count"}, names_of(layer.weights))
    assert.are.same({"linear/w"}, names_of(layer.trainable_weights))
    assert.are.same({"linear/count"}, names_of(layer.non_trainable_weights))
    assert.are.equal("w", layer.w.name)
    assert.are.equal(5, layer:count_params())
    assert.are.equal("<Linear name=linear, built=True>", tostring(layer))
  end)

  it("is built for a shape", function()
    local layer = linear()(2)
    layer:build{tf.None, 3}
    assert.is_true(layer.built)
    assert.are.equal(3, layer.w.shape[1])
    assert.are.equal("linear", layer.path)
  end)

  it("counts its names by class", function()
    local Linear = linear()
    assert.are.equal("linear", Linear(1).name)
    assert.are.equal("linear_1", Linear(1).name)
    assert.are.equal("mine", Linear(1, {name = "mine"}).name)
    assert.are.equal("linear_2", Linear(1).name)
    keras.backend.clear_session()
    assert.are.equal("linear", Linear(1).name)
  end)

  it("gives its config and comes back from it", function()
    local layer = linear()(4, {name = "l", trainable = false, dtype = "float64"})
    local config = layer:get_config()
    assert.are.equal("l", config.name)
    assert.is_false(config.trainable)
    assert.are.equal("float64", config.dtype.config.name)
    assert.are.equal(4, config.units)
    local copy = layer.class.from_config(config)
    assert.are.equal("float64", copy.compute_dtype)
    assert.is_false(copy.trainable)
  end)

  it("casts float inputs to its dtype, and no others", function()
    local seen = {}
    local Note = Layer:extend("Note")
    function Note:call(x) seen[#seen + 1] = x.dtype; return x end
    Note()(tf.constant({1.0}, {dtype = "float64"}))
    Note()(tf.constant{1})
    Note{dtype = "float64"}(tf.constant{1.0})
    Note{autocast = false}(tf.constant({1.0}, {dtype = "float64"}))
    Note(){1.0, 2.0}
    assert.are.same({tf.float32, tf.int32, tf.float64, tf.float64, tf.float32}, seen)
  end)

  it("resolves training: the call, then the outer call, then the default", function()
    local seen = {}
    local Inner = Layer:extend("Inner", {call_args = {{"training", "boolean", default = false}}})
    function Inner:call(x, kw) seen[#seen + 1] = tostring(kw.training); return x end
    local Outer = Layer:extend("Outer")
    function Outer:init() self:super_init(); self.inner = Inner() end
    function Outer:call(x, kw)
      seen[#seen + 1] = tostring(kw.training)
      return self.inner(x)
    end
    local x = tf.ones{1}
    Outer()(x)
    Outer()(x, {training = true})
    Inner()(x)
    Inner()(x, {training = true})
    assert.are.same({"nil", "false", "true", "true", "false", "true"}, seen)
    -- what an inner call is told stays in force for the calls after it, as in Keras
    seen = {}
    local Two = Layer:extend("Two")
    function Two:init() self:super_init(); self.a = Inner(); self.b = Inner() end
    function Two:call(y) return self.b(self.a(y, {training = false})) end
    Two()(x, {training = true})
    assert.are.same({"false", "false"}, seen)
  end)

  it("takes several inputs, structures and further arguments", function()
    local Mix = Layer:extend("Mix", {call_args = {{"scale", "number", default = 1.0}}})
    function Mix:build(a, b)
      self.shapes = {tostring(a), tostring(b)}
    end
    function Mix:call(a, b, kw) return (a + b) * kw.scale end
    local mix = Mix()
    assert.are.same({6.0}, mix(tf.constant{1.0}, tf.constant{2.0}, {scale = 2.0}):totable())
    assert.are.same({"(1,)", "(1,)"}, mix.shapes)
    local Dict = Layer:extend("Dict")
    function Dict:call(x) return x.a - x.b end
    assert.are.same({-1.0}, Dict(){a = tf.constant{1.0}, b = tf.constant{2.0}}:totable())
    fails_with("did you mean 'scale'", mix, tf.ones{1}, tf.ones{1}, {scal = 1.0})
  end)

  it("passes masks on where it supports them", function()
    local marks = require "moonflow.keras.backend.marks"
    local seen
    local Give = Layer:extend("Give")
    function Give:compute_mask(x) return tf.not_equal(x, 0.0) end
    function Give:call(x) return x * 1.0 end
    local Pass = Layer:extend("Pass")
    function Pass:init() self:super_init(); self.supports_masking = true end
    function Pass:call(x, kw) seen = kw.mask; return x * 1.0 end
    local Stop = Layer:extend("Stop")
    function Stop:call(x) return x * 1.0 end
    local y = Pass()(Give()(tf.constant{1.0, 0.0}))
    assert.are.same({true, false}, seen:totable())
    assert.are.same({true, false}, marks.mask(y):totable())
    assert.is_nil(marks.mask(Stop()(y)))
  end)

  it("tracks layers, variables and seeds in attributes, in their order", function()
    local Block = Layer:extend("Block")
    function Block:init()
      self:super_init()
      self.second = layers.Dense(1, {name = "b"})
      self.first = layers.Dense(1, {name = "a"})
      self.more = {layers.Dense(1, {name = "c"}), {layers.Dense(1, {name = "d"})}}
      self.by_name = {z = layers.Dense(1, {name = "f"}), y = layers.Dense(1, {name = "e"})}
      self.own = keras.Variable(tf.ones{2}, {name = "own"})
      self.seed = keras.random.SeedGenerator(3)
      self.numbers = {1, 2, 3}
    end
    function Block:call(x)
      for _, layer in ipairs{self.second, self.first, self.more[1], self.more[2][1], self.by_name.y, self.by_name.z} do
        x = layer(x)
      end
      return x
    end
    local block = Block()
    block(tf.ones{1, 1})
    assert.are.same({"own", "block/b/kernel", "block/b/bias", "block/a/kernel", "block/a/bias", "block/c/kernel",
      "block/c/bias", "block/d/kernel", "block/d/bias", "block/e/kernel", "block/e/bias", "block/f/kernel", "block/f/bias"},
      names_of(block.weights))
    assert.are.equal(14, #block.variables)
    block.trainable = false
    assert.are.equal(0, #block.trainable_variables)
    assert.is_false(block.more[2][1].trainable)
    block.trainable = true
    assert.are.equal(13, #block.trainable_variables)
  end)

  it("shares what is assigned twice", function()
    local Tied = Layer:extend("Tied")
    function Tied:init()
      self:super_init()
      self.a = layers.Dense(1)
      self.b = self.a
    end
    function Tied:call(x) return self.b(self.a(x)) end
    local tied = Tied()
    tied(tf.ones{1, 1})
    assert.are.equal(2, #tied.weights)
  end)

  it("sets and gets weights", function()
    local layer = layers.Dense(2)
    layer:build{tf.None, 1}
    layer:set_weights{{{1.0, 2.0}}, {3.0, 4.0}}
    assert.are.same({3.0, 4.0}, layer:get_weights()[2]:totable())
    fails_with("expects 2 weights, received a list of 1", layer.set_weights, layer, {{{1.0, 2.0}}})
    fails_with("has the shape (1, 2), received a value of shape (2, 1)", layer.set_weights, layer, {{{1.0}, {2.0}}, {3.0, 4.0}})
  end)

  it("collects losses of the last call", function()
    local Loss = Layer:extend("Loss")
    function Loss:call(x) self:add_loss(tf.reduce_sum(x)); return x end
    local model = keras.Sequential{Loss(), Loss(), layers.Activation{"linear", activity_regularizer = "L1"}}
    model(tf.constant{{1.0, 2.0}})
    model(tf.constant{{1.0, 3.0}})
    local sum = 0
    for _, loss in ipairs(model.losses) do sum = sum + loss:item() end
    assert.are.equal(3, #model.losses)
    assert.is_true(math.abs(sum - 8.04) < 1e-5, tostring(sum))
  end)

  it("finds output shapes by tracing its call", function()
    local Odd = Layer:extend("Odd")
    function Odd:call(x) return tf.concat({x, x}, 1) end
    assert.are.equal("(None, 6)", tostring(Odd():compute_output_shape{tf.None, 3}))
    local x = keras.Input{shape = {3}}
    assert.are.equal("(None, 6)", tostring(Odd()(x).shape))
  end)

  it("works when its init calls no super_init", function()
    local Bare = Layer:extend("Bare")
    function Bare:init(factor) self.factor = factor end
    function Bare:call(x) return x * self.factor end
    local bare = Bare(3.0)
    assert.are.same({3.0}, bare(tf.ones{1}):totable())
    assert.are.equal("bare", bare.name)
  end)

  it("says what was wrong, with its name and input", function()
    local Bad = Layer:extend("Bad")
    function Bad:call(x) return tf.matmul(x, x) end
    local err = fails_with("Exception encountered when calling layer 'bad' (Bad). Received: inputs=float32(2, 3), training=None",
      Bad(), tf.ones{2, 3})
    assert.are.equal("INVALID_ARGUMENT", err.code)
    local dense = layers.Dense(3)
    fails_with("expected min_ndim=2, found ndim=1", dense, tf.ones{2})
    dense(tf.ones{2, 4})
    fails_with("layer 'dense': input 0 is incompatible with the layer: expected axis -1 of input shape to have value 4, " ..
      "but received input with shape (2, 5)", dense, tf.ones{2, 5})
    fails_with("did you mean 'units'", layers.Dense, {unit = 3})
    fails_with("only input tensors may be passed", dense, "text")
    fails_with("an integer of at least 1", layers.Dense, 0)
    -- a failed call leaves nothing behind
    assert.are.equal(0, require "moonflow.keras.backend.context".depth)
    assert.are.equal(0, require "moonflow.keras.backend.context".calls)
  end)
end)

describe("seeds", function()
  it("of layers and initializers are Python's", function()
    local golden = require "golden_data".read("tests/golden/keras/seeds.json").layer_seeds
    keras.utils.set_random_seed(golden.seed)
    for i = 1, #golden.dropout_states do
      local want = golden.dropout_states[i]
      assert.are.same({want[1], want[2]}, keras.random.SeedGenerator().state:read_value():totable())
    end
  end)

  it("move on with each use", function()
    local generator = keras.random.SeedGenerator(5)
    assert.are.same({5, 0}, generator:next():totable())
    assert.are.same({5, 1}, generator:next():totable())
    local again = keras.random.SeedGenerator(5)
    again:next{ordered = false}
    assert.are.same({6 * 5387 % 933199, 5387 % 933199}, again:next():totable())
  end)

  local golden = require "golden_data"
  for i, row in ipairs(golden.read("tests/golden/keras/seeds.json").keras_random) do
    it("give Keras's numbers: " .. row.call .. " " .. i, function()
      local arguments = {}
      for name, value in next, row.arguments do arguments[name] = value end
      if arguments.generator then
        arguments.seed, arguments.generator = keras.random.SeedGenerator(arguments.generator), nil
      end
      if row.after_set_random_seed then keras.utils.set_random_seed(row.after_set_random_seed) end
      local values = row.values or {row.value}
      for j = 1, #values do
        assert.is_nil(golden.difference(keras.random[row.call](tf.kw(arguments)), values[j]))
      end
    end)
  end
end)

describe("settings", function()
  it("are those of tf.keras.config", function()
    assert.are.equal("float32", keras.config.floatx())
    keras.config.set_floatx("float64")
    local ok, err = pcall(function()
      assert.are.equal(tf.float64, layers.Dense(1)(tf.constant{{1.0}}).dtype)
      assert.are.equal("float64", keras.backend.floatx())
    end)
    keras.config.set_floatx("float32")
    if not ok then error(err, 0) end
    assert.are.equal(1e-7, keras.backend.epsilon())
    assert.are.equal("channels_last", keras.backend.image_data_format())
    fails_with("expected one of", keras.config.set_floatx, "int32")
  end)
end)

describe("subclasses of the other bases", function()
  it("are metrics, losses, callbacks, initializers and optimizers", function()
    local Sum = keras.metrics.Metric:extend("Sum", {args = {}})
    function Sum:init(a)
      self:super_init(a)
      self.total = self:add_variable{shape = {}, initializer = "zeros", name = "total"}
    end
    function Sum:update_state(_, y_pred) self.total:assign_add(tf.reduce_sum(y_pred)) end
    function Sum:result() return self.total:read_value() end
    local Half = keras.losses.Loss:extend("Half", {args = {}})
    function Half:call(y_true, y_pred) return tf.reduce_mean(tf.abs(y_true - y_pred), -1) * 0.5 end
    local Threes = keras.initializers.Initializer:extend("Threes", {args = {}})
    function Threes:call(shape, dtype) return tf.fill(shape, tf.constant(3.0, {dtype = dtype})) end
    local Plain = keras.optimizers.Optimizer:extend("Plain", {args = {}})
    function Plain:update_step(gradient, variable, rate) variable:assign_sub(gradient * rate) end
    local model = keras.Sequential{keras.Input{shape = {1}}, layers.Dense(1, {kernel_initializer = Threes(), use_bias = false})}
    model:compile{optimizer = Plain{learning_rate = 0.5}, loss = Half(), metrics = {Sum()}}
    local logs = model:train_on_batch(tf.constant{{1.0}}, tf.constant{{1.0}}, {return_dict = true})
    assert.are.same({loss = 1.0, sum = 3.0}, logs)
    assert.are.same({{2.75}}, model.weights[1]:read_value():totable())
  end)
end)
