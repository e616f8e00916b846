local tf = require "moonflow"
local layers = tf.keras.layers

tf.keras.utils.set_random_seed(1)
local images = tf.cast(tf.files.load_idx("examples/data/digits-images.idx3-ubyte.gz"), "float32") / 255.0
local labels = tf.cast(tf.files.load_idx("examples/data/digits-labels.idx1-ubyte.gz"), "int32")
local order = tf.random.shuffle(tf.range(5000))               -- the file is sorted by digit
images, labels = tf.gather(images, order), tf.gather(labels, order)

local model = tf.keras.Sequential{
  tf.keras.Input{shape = {28, 28}},
  layers.Flatten(),
  layers.Dense(128, {activation = "relu"}),
  layers.Dropout(0.3),
  layers.Dense(10, {activation = "softmax"}),
}
model:compile{optimizer = "adam", loss = "sparse_categorical_crossentropy", metrics = {"accuracy"}}
model:fit(images, labels, {epochs = 5, batch_size = 64, validation_split = 0.2, verbose = 2})
model:save_weights("/tmp/digits.weights.h5")                  -- real Keras loads this file
