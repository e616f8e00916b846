--- Training against real Keras: 20 steps of small models with every optimizer, and the weights that seeds give.
--
-- In float32 every step starts from Keras's weights and state; in float64 the whole curve runs by itself.

local golden = require "golden_data"
local tf = require "moonflow"

local keras, layers = tf.keras, tf.keras.layers

local function mlp()
  return keras.Sequential{keras.Input{shape = {8}}, layers.Dense(6, {activation = "relu"}),
    layers.Dense(4, {activation = "relu"}), layers.Dense(3)}
end

local function cnn()
  return keras.Sequential{keras.Input{shape = {6, 6, 1}}, layers.Conv2D(3, 3, {activation = "relu"}),
    layers.Conv2D(4, 2, {activation = "relu"}), layers.MaxPooling2D(), layers.Flatten(),
    layers.Dense(5, {activation = "relu"}), layers.Dense(3)}
end

--- `names`: a list of the golden file with the names of the weights, the second of which is a bias or not.
local function norm(names)
  local has_bias = (names[2].name or names[2].path):find("bias", 1, true) ~= nil
  return keras.Sequential{keras.Input{shape = {8}}, layers.Dense(6, {use_bias = has_bias}),
    layers.BatchNormalization{momentum = 0.9},
    layers.ReLU(), layers.Dropout(0.25, {seed = 7}), layers.Dense(5, {activation = "tanh"}),
    layers.LayerNormalization(), layers.Dense(3)}
end

local makers = {mlp = mlp, cnn = cnn, norm = norm}

-- ---- rows of numbers

local function numbers_of(list)
  local row = {}
  for _, value in ipairs(list) do
    local flat = tf.reshape(value, {-1}):totable()
    table.move(flat, 1, #flat, #row + 1, row)
  end
  return row
end

local function put(variables, row)
  local at = 0
  for _, variable in ipairs(variables) do
    local n, values = variable.shape:num_elements(), {}
    for i = 1, n do values[i] = row[at + i] end
    at = at + n
    variable:assign(tf.reshape(tf.constant(values, {dtype = variable.dtype}), variable.shape))
  end
  assert(at == #row, "the golden row has " .. #row .. " numbers, the model " .. at)
end

--- nil, or the first number off by more than absolute + relative * |expected|. `ignore`: places that do not count.
local function difference(what, got, want, absolute, relative, ignore)
  if #got ~= #want then return ("%s: %d numbers, expected %d"):format(what, #got, #want) end
  for i = 1, #want do
    if not (math.abs(got[i] - want[i]) <= absolute + relative * math.abs(want[i])) and not (ignore and ignore[i]) then
      return ("%s %d: %.9g, expected %.9g"):format(what, i, got[i], want[i])
    end
  end
end

local function subtract(a, b)
  local row = {}
  for i = 1, #a do row[i] = a[i] - b[i] end
  return row
end

-- ---- one model

local function open(file)
  local model = makers[file.model](file.trainable)
  local config = {}
  for key, value in next, file.optimizer.config do config[key] = value end
  local optimizer = keras.optimizers[file.optimizer.class_name](tf.kw(config))
  optimizer:build(model.trainable_variables)
  local run = {model = model, optimizer = optimizer, weights = model.trainable_variables, frozen = {}, state = {},
    loss = keras.losses.SparseCategoricalCrossentropy{from_logits = true}}
  for _, variable in ipairs(optimizer.variables) do
    if variable.name ~= "iteration" and variable.name ~= "learning_rate" then run.state[#run.state + 1] = variable end
  end
  for _, variable in ipairs(model.non_trainable_variables) do
    if not variable.name:find("seed", 1, true) then run.frozen[#run.frozen + 1] = variable end
  end
  return run
end

local function restore(run, row)
  put(run.weights, row.weights)
  put(run.frozen, row.non_trainable)
  put(run.state, row.state)
end

local function step(run, row)
  local loss, gradients
  do local tape <close> = tf.GradientTape()
    loss = run.loss(golden.tensor(row.y), run.model(golden.tensor(row.x), {training = true}))
    gradients = tape:gradient(loss, run.weights)
  end
  run.optimizer:apply_gradients(tf.zip(gradients, run.weights))
  return loss:item(), gradients
end

--- Gradients so small that float32 rounds their sums at the fourth digit: optimizers that divide by their size carry
-- that over to the update.
local function noise(gradients)
  local places = {}
  for i = 1, #gradients do places[i] = math.abs(gradients[i]) < 1e-4 end
  return places
end

local function single_steps(file)
  local run = open(file)
  for i = 1, 20 do
    local row, after = file.steps[i], file.steps[i + 1]
    restore(run, row)
    local loss, gradients = step(run, row)
    local where = "step " .. i .. ": "
    local ignore = noise(row.gradients)
    local wrong = difference(where .. "loss", {loss}, {golden.tensor(row.loss):item()}, 1e-5, 0) or
      difference(where .. "gradient", numbers_of(gradients), row.gradients, 1e-5, 0) or
      difference(where .. "update", subtract(numbers_of(run.weights), row.weights),
        subtract(after.weights, row.weights), 2e-7, 1e-4, ignore) or
      difference(where .. "moving statistic", numbers_of(run.frozen), after.non_trainable, 1e-6, 1e-5)
    if wrong then return wrong end
  end
end

local function whole_curve(file)
  local run = open(file)
  restore(run, file.steps[1])
  for i = 1, 20 do
    local row, after = file.steps[i], file.steps[i + 1]
    local loss = step(run, row)
    local wrong = difference("step " .. i .. ": loss", {loss}, {golden.tensor(row.loss):item()}, 1e-9, 0)
    if not wrong and after.weights then
      wrong = difference("weight after step " .. i, numbers_of(run.weights), after.weights, 1e-9, 1e-8) or
        difference("state after step " .. i, numbers_of(run.state), after.state, 1e-9, 1e-8)
    end
    if wrong then return wrong end
  end
end

describe("20 steps as in Keras", function()
  for _, model in ipairs{"mlp", "cnn", "norm"} do
    for _, optimizer in ipairs{"sgd", "nesterov", "adam", "rmsprop"} do
      for dtype, check in next, {float32 = single_steps, float64 = whole_curve} do
        local path = ("tests/golden/keras/curves/%s_%s_%s.json"):format(model, optimizer, dtype)
        local file = io.open(path)
        if file then
          file:close()
          it(("%s, %s, %s"):format(model, optimizer, dtype), function()
            golden.judged()
            keras.config.set_floatx(dtype)
            local ok, wrong = pcall(check, golden.read(path))
            keras.config.set_floatx("float32")
            if not ok or wrong then error(wrong, 0) end
          end)
        end
      end
    end
  end
end)

-- ---- initial weights

local dense, conv = layers.Dense, layers.Conv2D

local function example_mlp()
  return keras.Sequential{keras.Input{shape = {28, 28, 1}}, layers.Flatten(), dense(128, {activation = "relu"}),
    layers.Dropout(0.3), dense(64, {activation = "relu"}), dense(10)}
end

local function example_cnn()
  return keras.Sequential{keras.Input{shape = {28, 28, 1}}, conv(32, 3, {activation = "relu"}),
    conv(64, 3, {activation = "relu"}), layers.MaxPooling2D(), layers.Dropout(0.25), layers.Flatten(),
    dense(128, {activation = "relu"}), layers.Dropout(0.5), dense(10)}
end

local function two_inputs()
  local a, b = keras.Input{shape = {4}, name = "a"}, keras.Input{shape = {4}, name = "b"}
  local shared = dense(3, {activation = "relu", name = "shared"})
  local x, y = shared(a), shared(b)
  local score = dense(2, {name = "score"})(layers.Concatenate{name = "joined"}{x, y})
  local flag = dense(1, {activation = "sigmoid", name = "flag"})(layers.Add{name = "total"}{x, y})
  return keras.Model{inputs = {a, b}, outputs = {score, flag}}
end

local examples = {example_mlp = example_mlp, example_cnn = example_cnn, small_norm = norm, two_inputs = two_inputs}

describe("initial weights as in Keras", function()
  local file = golden.read("tests/golden/keras/seeds.json")
  for k = 1, #file.initial_weights do
    local case = file.initial_weights[k]
    if examples[case.model] then
      it(("%s, seed %d"):format(case.model, case.seed), function()
        golden.judged()
        require "moonflow.keras.random.seeds".seed_python(case.seed)
        local weights = examples[case.model](case.weights).weights
        assert.are.equal(#case.weights, #weights)
        for i = 1, #case.weights do
          local want, value = case.weights[i], weights[i]:read_value()
          local flat = tf.reshape(value, {-1})
          local first = flat["0:" .. math.min(16, #flat)]
          assert(tf.reduce_all(tf.equal(first, golden.tensor(want.first))):item(), want.path .. ": other values")
          local sum = tf.reduce_sum(tf.cast(flat, tf.float64)):item()
          assert(math.abs(sum - want.sum) < 1e-9 * (1 + #flat),
            ("%s: sum %.17g, expected %.17g"):format(want.path, sum, want.sum))
        end
      end)
    end
  end
end)
