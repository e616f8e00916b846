--- A multilayer perceptron on 5,000 handwritten digits.
--
--     moonflow examples/mnist_mlp.lua [--epochs 30] [--seed 1] [--verbose 2]
--
-- Every fifth image is held out. The last line is `test accuracy: 0.9430`.

local tf = require "moonflow"
local layers = tf.keras.layers

local options = {epochs = 30, seed = 1, verbose = 2}
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

-- The file is sorted by digit: every fifth image is a fair sample.
local train, test = {}, {}
for i = 0, images:dim(0) - 1 do
  local part = i % 5 == 4 and test or train
  part[#part + 1] = i
end
local x_train, y_train = tf.gather(images, train), tf.gather(labels, train)
local x_test, y_test = tf.gather(images, test), tf.gather(labels, test)

tf.keras.utils.set_random_seed(options.seed)
local model = tf.keras.Sequential{
  tf.keras.Input{shape = {28, 28}},
  layers.Flatten(),
  layers.Dense(128, {activation = "relu"}),
  layers.Dropout(0.3),
  layers.Dense(64, {activation = "relu"}),
  layers.Dense(10),
}
model:compile{
  optimizer = "adam",
  loss = tf.keras.losses.SparseCategoricalCrossentropy{from_logits = true},
  metrics = {"accuracy"},
}
model:fit(x_train, y_train, {epochs = options.epochs, batch_size = 64, verbose = options.verbose})

local result = model:evaluate(x_test, y_test, {verbose = 0, return_dict = true})
print(("test accuracy: %.4f"):format(result.accuracy))
