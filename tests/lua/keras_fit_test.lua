--- fit, evaluate, predict against real Keras: histories of whole fits, the order of samples; arguments and errors.

local golden = require "golden_data"
local models = require "keras_models"
local tf = require "moonflow"

local keras, layers = tf.keras, tf.keras.layers

local optimizers = {
  sgd = function() return keras.optimizers.SGD{learning_rate = 0.1, momentum = 0.9} end,
  adam = function() return keras.optimizers.Adam{learning_rate = 0.01} end,
  rmsprop = function() return keras.optimizers.RMSprop{learning_rate = 0.01} end,
}

local function close(want, got, tolerance, what)
  assert.is_true(math.abs(want - got) <= tolerance, ("%s: expected %.8g, got %.8g"):format(what, want, got))
end

local function fails_with(text, f, ...)
  local ok, err = pcall(f, ...)
  assert.is_false(ok)
  assert.is_truthy(tostring(err):find(text, 1, true), tostring(err))
end

describe("fit as in Keras", function()
  local file = golden.read("tests/golden/keras/curves/fit.json")
  local x, y = golden.tensor(file.x), golden.tensor(file.y)
  for _, case in ipairs(file.cases) do
    it(case.optimizer .. " " .. case.case, function()
      golden.judged()
      keras.utils.clear_session()
      keras.utils.set_random_seed(file.seed)
      local model = models[file.model]()
      model:compile{optimizer = optimizers[case.optimizer](), metrics = {"accuracy"},
        loss = keras.losses.SparseCategoricalCrossentropy{from_logits = true}}
      local options = {batch_size = file.batch_size, epochs = file.epochs, verbose = 0}
      options.validation_split = case.arguments.validation_split
      if case.arguments.class_weight then options.class_weight = {[0] = 1.0, [1] = 2.0, [2] = 0.5} end
      if case.arguments.sample_weight then options.sample_weight = tf.linspace(0.0, 2.0, 60) end
      local history = model:fit(x, y, options)
      local count = 0
      for name, want in next, case.history do
        count = count + 1
        for epoch = 1, #want do close(want[epoch], history.history[name][epoch], 2e-4, name .. " " .. epoch) end
      end
      for name in next, history.history do assert.is_truthy(case.history[name], name) end
      local loss, accuracy = table.unpack(model:evaluate(x, y, {verbose = 0}))
      close(case.evaluate[1], loss, 2e-4, "loss")
      close(case.evaluate[2], accuracy, 1e-6, "accuracy")
      local got, want = model:predict(x["0:2"], {verbose = 0}):totable(), golden.tensor(case.predict):totable()
      for i = 1, 2 do for j = 1, 3 do close(want[i][j], got[i][j], 2e-3, "prediction") end end
    end)
  end
end)

describe("fits that count steps, as Keras's:", function()
  local file = golden.read("tests/golden/keras/curves/fit_steps.json")
  local x, y = golden.tensor(file.x), golden.tensor(file.y)
  for _, case in ipairs(file.cases) do
    it(case.case, function()
      golden.judged()
      keras.utils.clear_session()
      keras.utils.set_random_seed(file.seed)
      local history
      if case.arguments then
        local model = models.mlp()
        model:compile{optimizer = keras.optimizers.SGD(0.1), loss = keras.losses.SparseCategoricalCrossentropy{from_logits = true}}
        local options = {verbose = 0}
        for name, value in next, case.arguments do options[name] = value end
        if case.batches > 0 then
          local dataset = tf.data.Dataset.from_tensor_slices(x, y):batch(60 // case.batches)
          history = model:fit(case.repeated and dataset:repeat_() or dataset, tf.kw(options))
        else
          options.shuffle = false
          history = model:fit(x, y, options)
        end
      else
        local model = models.two_inputs()
        model:compile{optimizer = keras.optimizers.SGD(0.1), loss = {"mse", "mse"}, run_eagerly = case.eager}
        history = model:fit({x[":, :4"], x[":, 4:"]}, {x[":, :2"], x[":, :1"]}, {batch_size = 16, epochs = 2, shuffle = false,
          verbose = 0})
      end
      for name, want in next, case.history do
        assert.are.equal(#want, #history.history[name], name)
        for epoch = 1, #want do close(want[epoch], history.history[name][epoch], 2e-4, name .. " " .. epoch) end
      end
      for name in next, history.history do assert.is_truthy(case.history[name], name) end
    end)
  end
end)

describe("what fit and compile refuse:", function()
  local x, y = tf.ones{10, 3}, tf.ones{10, 1}

  local function made()
    local model = keras.Sequential{keras.Input{shape = {3}}, layers.Dense(1)}
    model:compile{optimizer = "sgd", loss = "mse"}
    return model
  end

  local function refused(text, f, ...)
    local ok, err = pcall(f, ...)
    assert.is_false(ok)
    assert.are.equal("INVALID_ARGUMENT", err.code)
    assert(err.message:find(text, 1, true), err.message)
  end

  it("arguments out of range", function()
    local model = made()
    local function fit(text, options)
      options.verbose = 0
      refused(text, model.fit, model, x, y, options)
    end
    fit("'validation_freq': expected an integer of at least 1", {validation_freq = 0, validation_split = 0.2})
    local endless = tf.data.Dataset.from_tensor_slices(x, y):batch(2):repeat_()
    refused("has no end: give `steps_per_epoch`", model.fit, model, endless, {verbose = 0})
    refused("has no end: give `steps`", model.evaluate, model, endless, {verbose = 0})
    refused("has no end: give `validation_steps`", model.fit, model, x, y, {validation_data = endless, verbose = 0})
    refused("dataset:batch(32) makes batches", model.fit, model, tf.data.Dataset.from_tensor_slices(x, y), {verbose = 0})
    fit("'validation_split': expected a number from 0 to below 1", {validation_split = 1.5})
    fit("'validation_split': expected a number from 0 to below 1", {validation_split = -0.1})
    fit("'steps_per_epoch': expected an integer of at least 1", {steps_per_epoch = -1})
    fit("'validation_data': expected {x, y}", {validation_data = {x}})
    fit("'validation_data': expected {x, y}", {validation_data = x})
    fit("expected a callback, received the class EarlyStopping", {callbacks = {keras.callbacks.EarlyStopping}})
    fit("'sample_weight' has 9", {sample_weight = tf.ones{9}})
    refused("'y': expected numbers, received strings", model.fit, model, x, tf.constant{"a", "b", "a", "b", "a", "b", "a", "b", "a", "b"},
      {verbose = 0})
  end)

  it("calls with a dot", function()
    local model = made()
    refused("called with a colon: model:fit", model.fit, x, y)
    refused("called with a colon: model:compile", model.compile, "sgd", "mse")
    refused("called with a colon: model:add", model.add, layers.Dense(1))
  end)

  it("weights that are no numbers, or too few", function()
    refused("'loss_weights': expected numbers", made().compile, made(), "sgd", "mse", {"accuracy"})
    local input = keras.Input{shape = {3}}
    local model = keras.Model(input, {a = layers.Dense(1, {name = "a"})(input), b = layers.Dense(1, {name = "b"})(input)})
    model:compile{optimizer = "sgd", loss = {a = "mse", b = "mse"}, loss_weights = {a = 0.5}}
    refused("got 2 losses and 1 weights", model.fit, model, x, {a = y, b = y}, {verbose = 0})
    model:compile{optimizer = "sgd", loss = {a = "mse", b = "mse"}}
    refused("'sample_weight': expected one for each output in y (2), received 1", model.fit, model, x, {a = y, b = y},
      {sample_weight = {a = tf.ones{10}}, verbose = 0})
  end)

  it("classes for layers, a model in itself, layers that are built twice", function()
    refused("received the class Flatten; write Flatten{...}", keras.Sequential, {layers.Flatten, layers.Dense(1)})
    local model = keras.Sequential()
    refused("cannot be added to itself", model.add, model, model)
    local dense = layers.Dense(4)
    dense:build{5, 3}
    refused("is built already", dense.build, dense, {5, 4})
    refused("expected a list without the batch", keras.Input, 28)
    local Nothing = keras.layers.Layer:extend("Nothing")
    function Nothing:call() end
    refused("call returned nothing", Nothing(), keras.Input{shape = {3}})
    assert.are.same(x:totable(), layers.Concatenate(){x}:totable())
  end)

  it("losses, layers and functions that return nothing or something else", function()
    local function fit(text, loss)
      local model = made()
      model:compile{optimizer = "sgd", loss = loss}
      refused(text, model.fit, model, x, y, {verbose = 0})
    end
    fit("the loss function returned nothing", function() end)
    refused("the activation function returned nothing", layers.Dense(2, {activation = function() end}), x)
    refused("expected a list of sizes, as {5}", layers.Reshape, 5)
    refused("'x': expected data with a first axis of samples", made().fit, made(), function() return 5 end,
      {steps_per_epoch = 1, verbose = 0})
    refused("'class_weight': expected class numbers from 0", made().fit, made(), x, y, {class_weight = {[0] = 1.0, [1 << 40] = 2.0},
      verbose = 0})
    refused("'class_weight': expected class numbers from 0", made().fit, made(), x, y, {class_weight = {[0] = "a"}, verbose = 0})
    refused("from_tensor_slices(x, y), without braces", made().fit, made(), tf.data.Dataset.from_tensor_slices{x, y}:batch(2),
      {verbose = 0})
    refused("'y_pred'", keras.losses.MeanSquaredError(), y, made())
  end)

  it("a call that yields, and training goes on elsewhere", function()
    local Yields = layers.Layer:extend("Yields")
    function Yields:call(value, kw)
      if kw.training then coroutine.yield() end
      return value
    end
    local model = keras.Sequential{keras.Input{shape = {3}}, Yields(), layers.Dense(1)}
    model:compile{optimizer = "sgd", loss = "mse"}
    local ok, message = pcall(coroutine.wrap(function() model:fit(x, y, {verbose = 0}) end))
    assert.is_false(ok)
    assert.matches("yield", tostring(message))
    assert.are.same(x:totable(), layers.Dropout(0.9)(x):totable())
  end)

  it("mixed dtypes are no mistake: gradients are cast", function()
    local model = keras.Sequential{keras.Input{shape = {3}}, layers.Dense(2, {dtype = "float64"}), layers.Dense(1)}
    model:compile{optimizer = "sgd", loss = "mse"}
    local loss = model:fit(x, y, {epochs = 3, verbose = 0}).history.loss
    assert.is_true(loss[3] < loss[1])
    local v = tf.Variable({1.0, 2.0}, {dtype = "float64"})
    keras.optimizers.SGD(0.1):apply_gradients{{tf.ones{2}, v}}
    assert.are.equal("float64", v:value().dtype.name)
    assert.is_true(math.abs(v:value()[0]:item() - 0.9) < 1e-7)
  end)

  it("pairs in the wrong order", function()
    local v = tf.Variable(1.0)
    refused("expected pairs {gradient, variable}", made().optimizer.apply_gradients, made().optimizer, {{v, tf.constant(1.0)}})
  end)
end)

describe("the order of samples", function()
  for i, row in ipairs(golden.read("tests/golden/keras/seeds.json").fit_order) do
    it("case " .. i, function()
      golden.judged()
      keras.utils.set_random_seed(row.seed)
      local seen = {}
      local Watch = keras.Model:extend("Watch")
      function Watch:init() self:super_init(); self.dense = layers.Dense(1) end
      function Watch:call(x, kw)
        if kw.training then seen[#seen + 1] = x end
        return self.dense(x)
      end
      local model = Watch()
      model:build{tf.None, 1}
      seen = {}
      model:compile{optimizer = "sgd", loss = "mse"}
      local x = tf.reshape(tf.range(row.samples * 1.0), {-1, 1})
      local options = {batch_size = row.batch_size, epochs = row.epochs, verbose = 0}
      for name, value in next, row.arguments do options[name] = value end
      model:fit(x, x * 0.0, options)
      local at = 0
      for epoch = 1, row.epochs do
        for _, batch in ipairs(row.batches[epoch]) do
          at = at + 1
          local want = {}
          for j = 1, #batch do want[j] = batch[j] end
          assert.are.same(want, tf.cast(tf.reshape(seen[at], {-1}), tf.int32):totable())
        end
      end
      assert.are.equal(at, #seen)
    end)
  end
end)

describe("a whole fit", function()
  local machine = require "moonflow.core".machine
  local function bits(threads)
    machine.set_threads(threads)
    keras.utils.set_random_seed(5)
    local model = keras.Sequential{keras.Input{shape = {12, 12, 1}}, layers.Conv2D(8, 3, {activation = "relu"}),
      layers.BatchNormalization(), layers.MaxPooling2D(), layers.Dropout(0.25), layers.Flatten(),
      layers.Dense(64, {activation = "relu"}), layers.Dense(10)}
    model:compile{optimizer = "adam", loss = keras.losses.SparseCategoricalCrossentropy{from_logits = true}}
    local x, y = tf.random.normal({200, 12, 12, 1}), tf.random.uniform({200}, {maxval = 10, dtype = "int32"})
    local history = model:fit(x, y, {batch_size = 64, epochs = 2, verbose = 0})
    local parts = {}
    for i, loss in ipairs(history.history.loss) do parts[i] = ("%a"):format(loss) end
    for _, weight in ipairs(model.weights) do
      local total = 0.0
      for i, value in ipairs(tf.reshape(weight, {-1}):totable()) do total = total + value * (i % 17 + 1) end
      parts[#parts + 1] = ("%a"):format(total)
    end
    return parts
  end

  it("gives the same bits with 1, 2, 3 and 8 threads", function()
    local before = machine.get_threads()
    local one = bits(1)
    local results = {bits(2), bits(3), bits(8)}
    machine.set_threads(before)
    for _, result in ipairs(results) do assert.are.same(one, result) end
  end)
end)

local function line_model()
  local model = keras.Sequential{keras.Input{shape = {1}}, layers.Dense(1, {use_bias = false, kernel_initializer = "ones"})}
  model:compile{optimizer = keras.optimizers.SGD(0.1), loss = "mse"}
  return model
end

describe("training", function()
  local x, y = tf.constant{{1.0}, {2.0}}, tf.constant{{2.0}, {4.0}}

  it("makes the update that arithmetic gives", function()
    local model = line_model()
    -- loss = ((1 - 2)^2 + (2 - 4)^2) / 2; its derivative by the weight is (-2 - 8) / 2
    close(2.5, model:train_on_batch(x, y), 1e-6, "loss")
    close(1.5, model.weights[1]:read_value():item(), 1e-6, "weight")
    close(0.625, model:test_on_batch(x, y), 1e-6, "loss")
    assert.are.same({{1.5}, {3.0}}, model:predict_on_batch(x):totable())
  end)

  it("weights samples and classes", function()
    local model = line_model()
    local weighted = model:test_on_batch(x, y, {sample_weight = tf.constant{1.0, 0.0}})
    close(0.5, weighted, 1e-6, "loss")
    fails_with("cannot be given at the same time", model.fit, model, x, y, {class_weight = {[0] = 1.0},
      sample_weight = tf.constant{1.0, 1.0}, verbose = 0})
  end)

  it("takes a custom train_step", function()
    local Custom = keras.Model:extend("Custom")
    function Custom:init()
      self:super_init()
      self.dense = layers.Dense(1, {use_bias = false, kernel_initializer = "ones"})
      self.tracker = keras.metrics.Mean{name = "mine"}
    end
    function Custom:call(inputs) return self.dense(inputs) end
    function Custom:train_step(data)
      local inputs, targets = keras.utils.unpack_x_y_sample_weight(data)
      local loss, grads
      do local tape <close> = tf.GradientTape()
        loss = tf.reduce_mean((self(inputs, {training = true}) - targets) ^ 2)
        grads = tape:gradient(loss, self.trainable_variables)
      end
      self.optimizer:apply_gradients(tf.zip(grads, self.trainable_variables))
      self.tracker:update_state(loss)
      return {mine = self.tracker:result()}
    end
    local model = Custom()
    model:compile{optimizer = keras.optimizers.SGD(0.1)}
    local history = model:fit(x, y, {epochs = 2, verbose = 0, shuffle = false})
    close(2.5, history.history.mine[1], 1e-6, "mine")
    close(0.625, history.history.mine[2], 1e-6, "mine")
    assert.is_nil(history.history.loss)
  end)

  it("adds losses of regularizers and add_loss", function()
    local model = keras.Sequential{keras.Input{shape = {1}},
      layers.Dense(1, {use_bias = false, kernel_initializer = "ones", kernel_regularizer = keras.regularizers.L2(0.5)})}
    model:compile{optimizer = "sgd", loss = "mse"}
    close(3.0, model:test_on_batch(x, y), 1e-6, "loss")
    assert.are.equal(1, #model.losses)
    local Adds = layers.Layer:extend("Adds")
    function Adds:call(inputs)
      self:add_loss(tf.reduce_sum(inputs))
      return inputs
    end
    local with = keras.Sequential{keras.Input{shape = {1}}, Adds()}
    with:compile{optimizer = "sgd", loss = "mse"}
    close(2.5 + 3.0, with:test_on_batch(x, y), 1e-6, "loss")
    close(2.5 + 3.0, with:test_on_batch(x, y), 1e-6, "loss")
  end)

  it("has names for several outputs", function()
    local model = models.two_inputs()
    model:compile{optimizer = "sgd", loss = {score = "mse", flag = "binary_crossentropy"},
      loss_weights = {score = 0.5, flag = 2.0}, metrics = {score = {"mae"}, flag = {"accuracy"}}}
    local a, b = tf.ones{4, 4}, tf.ones{4, 4}
    local targets = {score = tf.zeros{4, 2}, flag = tf.ones{4, 1}}
    local logs = model:evaluate({a = a, b = b}, targets, {return_dict = true, verbose = 0})
    local names = {}
    for name in next, logs do names[#names + 1] = name end
    table.sort(names)
    assert.are.same({"flag_accuracy", "flag_loss", "loss", "score_loss", "score_mae"}, names)
    close(logs.loss, 0.5 * logs.score_loss + 2.0 * logs.flag_loss, 1e-5, "loss")
    local list = model:evaluate({a, b}, {targets.score, targets.flag}, {verbose = 0})
    assert.are.same({logs.loss, logs.score_loss, logs.flag_loss}, {list[1], list[2], list[3]})
    fails_with("expected the keys {score, flag}, received the key 'flg'", function()
      model:compile{optimizer = "sgd", loss = {score = "mse", flg = "mse"}}
      model:train_on_batch({a, b}, {targets.score, targets.flag})
    end)
  end)

  it("stops where callbacks say, and goes on with initial_epoch", function()
    local model = line_model()
    local history = model:fit(x, y, {epochs = 5, initial_epoch = 3, verbose = 0})
    assert.are.same({3, 4}, history.epoch)
    local stop = keras.callbacks.LambdaCallback{on_epoch_end = function() model.stop_training = true end}
    assert.are.equal(1, #model:fit(x, y, {epochs = 5, verbose = 0, callbacks = {stop}}).history.loss)
  end)

  it("reads functions that give batches", function()
    local model, given = line_model(), 0
    local function next_batch()
      given = given + 1
      return x, y
    end
    local history = model:fit(next_batch, {epochs = 2, steps_per_epoch = 3, verbose = 0})
    assert.are.equal(6, given)
    assert.are.equal(2, #history.history.loss)
  end)

  it("reads datasets, with the last short batch", function()
    local model = line_model()
    local dataset = tf.data.Dataset.from_tensor_slices(tf.ones{5, 1}, tf.ones{5, 1}):batch(2)
    local sizes = {}
    local watch = keras.callbacks.LambdaCallback{on_train_batch_end = function(batch) sizes[#sizes + 1] = batch end}
    model:fit(dataset, {epochs = 2, verbose = 0, callbacks = {watch}, validation_data = dataset})
    assert.are.same({0, 1, 2, 0, 1, 2}, sizes)
    assert.are.equal(5, model:predict(dataset, {verbose = 0}).shape[1])
  end)

  it("computes on scalars of the last short batch as Keras does", function()
    local model = line_model()
    local loss = model:evaluate(tf.constant{{1.0}, {1.0}, {4.0}}, tf.constant{{1.0}, {1.0}, {1.0}}, {batch_size = 2,
      verbose = 0})
    close(3.0, loss, 1e-6, "mean over samples, not batches")
  end)

  it("leaves a usable model when it is interrupted", function()
    local model = line_model()
    local bad = keras.callbacks.LambdaCallback{on_train_batch_end = function() error("interrupted!", 0) end}
    local ok, err = pcall(model.fit, model, x, y, {verbose = 0, callbacks = {bad}})
    assert.is_false(ok)
    assert.are.equal("interrupted!", err)
    assert.are.same({{1.5}, {3.0}}, model:predict(x, {verbose = 0}):totable())
    model:fit(x, y, {verbose = 0})
  end)

  it("says what is wrong", function()
    local model = line_model()
    fails_with("you must call `compile`", function() keras.Sequential{layers.Dense(1)}:fit(x, y) end)
    fails_with("'x' has 2 samples, 'y' has 3", model.fit, model, x, tf.ones{3, 1}, {verbose = 0})
    fails_with("did you mean 'batch_size'", model.fit, model, x, y, {batchsize = 2})
    fails_with("the data hold no targets", model.fit, model, x, nil, {verbose = 0})
    fails_with("could not interpret the loss identifier 'mean_square_error'", model.compile, model,
      {loss = "mean_square_error"})
    fails_with("could not interpret the optimizer identifier 'adan'", model.compile, model, {optimizer = "adan"})
    fails_with("expected shape=(None, 1), found shape=(2, 3)", model.predict, model, tf.ones{2, 3}, {verbose = 0})
  end)
end)
