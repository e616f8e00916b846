--- One side of digits.py: trains a model on the example digits with a seed; prints accuracy and seconds.
--
--     digits.lua cnn|mlp SEED EPOCHS

local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path

local tf = require "moonflow"
local models = require "models"

local which, seed, epochs = arg[1], math.tointeger(arg[2]), math.tointeger(arg[3])
local data = here .. "/../../examples/data/"

local images = tf.cast(tf.files.load_idx(data .. "digits-images.idx3-ubyte.gz"), tf.float32) / 255.0
images = tf.expand_dims(images, -1)
local labels = tf.cast(tf.files.load_idx(data .. "digits-labels.idx1-ubyte.gz"), tf.int64)

-- Every fifth image is held out: the files are sorted by class.
local train, test = {}, {}
for i = 0, images:dim(0) - 1 do table.insert(i % 5 == 0 and test or train, i) end
local train_x, train_y = tf.gather(images, train), tf.gather(labels, train)
local test_x, test_y = tf.gather(images, test), tf.gather(labels, test)

tf.keras.utils.set_random_seed(seed)
local model = models["example_" .. which]()
model:compile{
  optimizer = tf.keras.optimizers.Adam{learning_rate = 1e-3},
  loss = tf.keras.losses.SparseCategoricalCrossentropy{from_logits = true}, metrics = {"accuracy"},
}
local start = tf.timestamp():item()
model:fit(train_x, train_y, {batch_size = 64, epochs = epochs, verbose = 0})
local seconds = tf.timestamp():item() - start
local scores = model:evaluate(test_x, test_y, {verbose = 0})
print(("accuracy %.4f seconds %.1f"):format(scores[2], seconds))
