--- Callbacks against real Keras: when training stops, what is saved, what files and the console show.

local golden = require "golden_data"
local models = require "keras_models"
local tf = require "moonflow"

local keras, layers = tf.keras, tf.keras.layers
local file = golden.read("tests/golden/keras/callbacks.json")

--- The single weight is the epoch's number.
local function tiny_model()
  local model = keras.Sequential{keras.Input{shape = {1}}, layers.Dense(1, {use_bias = false})}
  model:compile{optimizer = "sgd", loss = "mse", metrics = {"accuracy"}}
  model:train_on_batch(tf.ones{1, 1}, tf.ones{1, 1})
  return model
end

local function logs_of(row)
  local logs = {}
  for name, value in next, row do logs[name] = value end
  return logs
end

local function run_epochs(model, callback, each)
  callback:set_model(model)
  callback:on_train_begin({})
  local last
  for epoch = 0, #file.logs - 1 do
    model.layers[1].kernel:assign{{epoch + 0.0}}
    callback:on_epoch_end(epoch, logs_of(file.logs[epoch + 1]))
    last = epoch
    if each then each(epoch) end
    if model.stop_training then break end
  end
  callback:on_train_end({})
  return last
end

local function keywords(config)
  local copy = {}
  for name, value in next, config do copy[name] = value end
  return tf.kw(copy)
end

local function read_text(path)
  local handle = assert(io.open(path, "rb"))
  local text = handle:read("a")
  handle:close()
  return text
end

describe("EarlyStopping", function()
  for i, row in ipairs(file.early_stopping) do
    it("case " .. i, function()
      golden.judged()
      local model = tiny_model()
      local callback = keras.callbacks.EarlyStopping(keywords(row.config))
      assert.are.equal(row.last_epoch, run_epochs(model, callback))
      assert.are.equal(row.stopped_epoch, callback.stopped_epoch)
      assert.are.equal(row.best_epoch, callback.best_epoch)
      assert.are.equal(row.weight_after, math.tointeger(model.weights[1]:read_value():totable()[1][1]))
    end)
  end
end)

describe("ModelCheckpoint", function()
  for i, row in ipairs(file.checkpoint) do
    it("case " .. i, function()
      golden.judged()
      local folder = os.tmpname() .. ".d"
      os.execute("mkdir '" .. folder .. "'")
      local model = tiny_model()
      local config = keywords(row.config)
      config.filepath = folder .. "/" .. row.filepath
      run_epochs(model, keras.callbacks.ModelCheckpoint(config), function(epoch)
        local want, names = row.files[epoch + 1], tf.io.gfile.listdir(folder)
        table.sort(names)
        local expected = {}
        for name in next, want do expected[#expected + 1] = name end
        table.sort(expected)
        assert.are.same(expected, names)
        for _, name in ipairs(names) do
          local copy = tiny_model()
          copy:load_weights(folder .. "/" .. name)
          assert.are.equal(want[name], math.tointeger(copy.weights[1]:read_value():totable()[1][1]))
        end
      end)
      for _, name in ipairs(tf.io.gfile.listdir(folder)) do os.remove(folder .. "/" .. name) end
      os.remove(folder)
    end)
  end

  it("saves weights only, until models can be saved", function()
    local ok, err = pcall(keras.callbacks.ModelCheckpoint, "best.keras")
    assert.is_false(ok)
    assert.are.equal("UNIMPLEMENTED", err.code)
    assert.is_truthy(err.message:find("save_weights", 1, true))
  end)
end)

describe("CSVLogger", function()
  for i, row in ipairs(file.csv_logger) do
    it("case " .. i, function()
      golden.judged()
      local path = os.tmpname()
      local config = keywords(row.config)
      config.filename = path
      local callback = keras.callbacks.CSVLogger(config)
      callback:set_model(tiny_model())
      callback:on_train_begin({})
      for epoch = 0, 2 do callback:on_epoch_end(epoch, logs_of(file.logs[epoch + 1])) end
      callback:on_train_end({})
      assert.are.equal(row.text, (read_text(path):gsub("\r\n", "\n")))
      os.remove(path)
    end)
  end
end)

--- What f writes to the console.
local function shown_by(f)
  local parts, real = {}, io.stdout
  local fake = {}
  function fake.write(_, ...)
    for _, part in ipairs{...} do parts[#parts + 1] = tostring(part) end
    return fake
  end
  function fake.flush() end
  rawset(io, "stdout", fake)
  local ok, err = pcall(f)
  rawset(io, "stdout", real)
  if not ok then error(err, 0) end
  return table.concat(parts)
end

describe("files of callbacks", function()
  it("that cannot be written are errors", function()
    local callback = keras.callbacks.CSVLogger("/dev/full")
    callback:on_train_begin()
    local ok, err = pcall(callback.on_epoch_end, callback, 0, {loss = 1.5})
    assert.is_false(ok)
    assert.are.equal("RESOURCE_EXHAUSTED", err.code)
    assert.matches("cannot write '/dev/full'", err.message, 1, true)
    ok, err = pcall(keras.callbacks.CSVLogger("/nowhere/x.csv").on_train_begin, keras.callbacks.CSVLogger("/nowhere/x.csv"))
    assert.is_false(ok)
    assert.are.equal("NOT_FOUND", err.code)
  end)

  it("have names in quotes where they need them, and NaN without a sign", function()
    local path = os.tmpname()
    local model = tiny_model()
    local callback = keras.callbacks.CSVLogger(path)
    callback:set_model(model)
    callback:on_train_begin()
    callback:on_epoch_end(0, require "moonflow.keras.training.logs".numbers{["a,b"] = tf.constant(0.0 / 0.0)})
    callback:on_train_end()
    local text = io.open(path):read("a")
    os.remove(path)
    assert.are.equal('epoch,"a,b","val_a,b"\r\n0,nan,NA\r\n', text)
  end)

  it("may have braces in their names", function()
    local folder = os.tmpname()
    os.remove(folder)
    local model = tiny_model()
    local callback = keras.callbacks.ModelCheckpoint{filepath = folder .. "/{{x}}{epoch:02d}.weights.h5", save_weights_only = true}
    callback:set_model(model)
    callback:on_epoch_end(0, {loss = 1.0})
    assert.are.same({folder .. "/{x}01.weights.h5"}, tf.io.gfile.glob(folder .. "/*"))
    os.execute("rm -r '" .. folder .. "'")
    for _, name in ipairs{"w{epoch.weights.h5", "w{}.weights.h5", "w}.weights.h5", "{nothing}.weights.h5"} do
      local wrong = keras.callbacks.ModelCheckpoint{filepath = folder .. name, save_weights_only = true}
      wrong:set_model(model)
      local ok, err = pcall(wrong.on_epoch_end, wrong, 0, {loss = 1.0})
      assert.is_false(ok, name)
      assert.matches("failed to format the filepath", err.message)
    end
  end)
end)

describe("the console", function()
  local function run(verbose)
    local curves = golden.read("tests/golden/keras/curves/fit.json")
    local x, y = golden.tensor(curves.x)["0:20"], golden.tensor(curves.y)["0:20"]
    keras.utils.set_random_seed(42)
    local model = models.mlp()
    model:compile{optimizer = "sgd", loss = keras.losses.SparseCategoricalCrossentropy{from_logits = true},
      metrics = {"accuracy"}}
    return shown_by(function()
      model:fit(x, y, {batch_size = 10, epochs = 2, validation_split = 0.25, verbose = verbose})
      model:evaluate(x, y, {verbose = verbose})
    end)
  end

  -- Spaces at the end of an update clear what a longer one left: times decide how many there are.
  local function without_numbers(text)
    text = text:gsub(" +([\b\n])", "%1"):gsub("%d+%.?%d*[mu]?s([ /\27])", "<t>%1"):gsub("\b+", "<backspaces>")
    return (text:gsub("%d%.%d%d%d%d", "<n>"))
  end

  local times = {["2"] = 2, ["1"] = 1}
  for name, verbose in next, times do
    it("looks as Keras's with verbose=" .. name, function()
      golden.judged()
      local want = file.console[name]:gsub("%d%.%d%d%d%d", "<n>")
      assert.are.equal(want, without_numbers(run(verbose)))
    end)
  end

  it("shows one line an epoch where there is no terminal", function()
    local text = without_numbers(run("auto"))
    assert.is_truthy(text:find("Epoch 1/2 - 2/2 - <t> - <t>/step - accuracy: <n> - loss: <n> - val_accuracy: <n>", 1, true), text)
    assert.are.equal(3, select(2, text:gsub("\n", "")))
  end)

  it("is silent with verbose=0", function()
    assert.are.equal("", run(0))
  end)
end)

describe("other callbacks", function()
  local x, y = tf.constant{{1.0}, {2.0}}, tf.constant{{2.0}, {4.0}}

  local function line_model()
    local model = keras.Sequential{keras.Input{shape = {1}},
      layers.Dense(1, {use_bias = false, kernel_initializer = "ones"})}
    model:compile{optimizer = keras.optimizers.SGD(0.5), loss = "mse"}
    return model
  end

  it("are called in Keras's order", function()
    local order = {}
    local Note = keras.callbacks.Callback:extend("Note", {args = {}})
    for _, name in ipairs{"on_train_begin", "on_train_end", "on_epoch_begin", "on_epoch_end", "on_train_batch_begin",
      "on_batch_end", "on_test_begin", "on_test_batch_end", "on_test_end"} do
      Note[name] = function() order[#order + 1] = name end
    end
    line_model():fit(x, y, {verbose = 0, callbacks = {Note()}, validation_data = {x, y}})
    assert.are.same({"on_train_begin", "on_epoch_begin", "on_train_batch_begin", "on_batch_end", "on_test_begin",
      "on_test_batch_end", "on_test_end", "on_epoch_end", "on_train_end"}, order)
  end)

  it("set the learning rate", function()
    local model = line_model()
    local schedule = keras.callbacks.LearningRateScheduler(function(epoch, rate) return epoch == 0 and rate or rate * 0.5 end)
    local history = model:fit(x, y, {epochs = 3, verbose = 0, callbacks = {schedule}})
    assert.are.same({0.5, 0.25, 0.125}, history.history.learning_rate)
  end)

  it("lower the learning rate on a plateau", function()
    local model = line_model()
    local callback = keras.callbacks.ReduceLROnPlateau{monitor = "loss", factor = 0.5, patience = 2, cooldown = 1,
      min_lr = 0.2}
    callback:set_model(model)
    callback:on_train_begin({})
    local rates = {}
    for epoch = 0, 7 do
      callback:on_epoch_end(epoch, {loss = 1.0})
      rates[epoch + 1] = model.optimizer.learning_rate:read_value():item()
    end
    local second = string.unpack("f", string.pack("f", 0.2))
    assert.are.same({0.5, 0.5, 0.25, 0.25, second, second, second, second}, rates)
  end)

  it("end training at NaN", function()
    local model = line_model()
    model.layers[1].kernel:assign{{0.0 / 0.0}}
    local history
    local text = shown_by(function()
      history = model:fit(x, y, {epochs = 3, verbose = 0, callbacks = {keras.callbacks.TerminateOnNaN()}})
    end)
    assert.are.equal("Batch 0: Invalid loss, terminating training\n", text)
    assert.are.equal(1, #history.epoch)
  end)

  it("have functions for hooks", function()
    local seen = {}
    local callback = keras.callbacks.LambdaCallback{on_epoch_end = function(epoch, logs) seen[epoch] = logs.loss end,
      on_test_begin = function() seen.test = true end}
    line_model():fit(x, y, {epochs = 2, verbose = 0, callbacks = callback, validation_data = {x, y}})
    assert.is_number(seen[0])
    assert.is_number(seen[1])
    assert.is_true(seen.test)
  end)
end)
