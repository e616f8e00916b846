--- A functional model with two inputs, a shared encoder and two outputs: do two images show the same digit, and which digit is
-- the left one?
--
--     moonflow examples/functional_two_inputs.lua [--epochs 8] [--seed 1] [--verbose 2]

local tf = require "moonflow"
local layers = tf.keras.layers

local options = {epochs = 8, seed = 1, verbose = 2}
for i = 1, #arg, 2 do
  local name = arg[i]:match("^%-%-(%w+)$")
  if not options[name] or not tonumber(arg[i + 1]) then
    error(("unknown option %s (expected --epochs N, --seed N or --verbose N)"):format(arg[i]), 0)
  end
  options[name] = math.tointeger(tonumber(arg[i + 1]))
end

local folder = arg[0]:match("^(.*)/") or "."
local images = tf.cast(tf.files.load_idx(folder .. "/data/digits-images.idx3-ubyte.gz"), "float32") / 255.0
local labels = tf.cast(tf.files.load_idx(folder .. "/data/digits-labels.idx1-ubyte.gz"), "int32")
tf.keras.utils.set_random_seed(options.seed)

-- Every fifth image is held out; pairs are drawn among the others, every second of them of one digit.
local by_digit, digits = {train = {}, test = {}}, labels:totable()
for i, digit in ipairs(digits) do
  local part = (i - 1) % 5 == 4 and by_digit.test or by_digit.train
  part[digit] = part[digit] or {}
  table.insert(part[digit], i - 1)
end

local function pick(list)
  return list[math.random(#list)]
end

local function make_pairs(part, count)
  local left, right, same, digit = {}, {}, {}, {}
  for i = 1, count do
    local a = math.random(0, 9)
    local b = i % 2 == 0 and a or math.random(0, 9)
    left[i], right[i] = pick(part[a]), pick(part[b])
    same[i], digit[i] = {a == b and 1.0 or 0.0}, a
  end
  return {left = tf.gather(images, left), right = tf.gather(images, right)},
    {same = tf.constant(same), digit = tf.constant(digit)}
end

math.randomseed(options.seed)
local x_train, y_train = make_pairs(by_digit.train, 8000)
local x_test, y_test = make_pairs(by_digit.test, 2000)

local encoder = tf.keras.Sequential{
  tf.keras.Input{shape = {28, 28}},
  layers.Flatten(),
  layers.Dense(128, {activation = "relu"}),
  layers.Dense(64, {activation = "relu"}),
  name = "encoder",
}
local left = tf.keras.Input{shape = {28, 28}, name = "left"}
local right = tf.keras.Input{shape = {28, 28}, name = "right"}
local a, b = encoder(left), encoder(right)
local joined = layers.concatenate{a, b, (a - b) ^ 2}
local hidden = layers.Dense(64, {activation = "relu"})(joined)
local same = layers.Dense(1, {activation = "sigmoid", name = "same"})(hidden)
local digit = layers.Dense(10, {activation = "softmax", name = "digit"})(a)
local model = tf.keras.Model{inputs = {left, right}, outputs = {same, digit}, name = "pairs"}
model:summary()

model:compile{
  optimizer = tf.keras.optimizers.Adam(1e-3),
  loss = {same = "binary_crossentropy", digit = "sparse_categorical_crossentropy"},
  loss_weights = {same = 1.0, digit = 0.5},
  metrics = {same = {"accuracy"}, digit = {"accuracy"}},
}
model:fit(x_train, y_train, {epochs = options.epochs, batch_size = 64, verbose = options.verbose,
  validation_data = {x_test, y_test}})

local result = model:evaluate(x_test, y_test, {verbose = 0, return_dict = true})
print(("digit accuracy: %.4f"):format(result.digit_accuracy))
print(("same accuracy: %.4f"):format(result.same_accuracy))
