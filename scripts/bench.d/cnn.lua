--- conv 32 3x3, conv 64 3x3, max-pool 2, dense 128, dense 10 on 28x28x1, batch 64, SGD with momentum, through model:fit.

package.path = arg[0]:match("^(.*)/") .. "/?.lua;" .. package.path
local tf = require "moonflow"
local train = require "train"
local layers = train.layers

train.measure(tf.keras.Sequential{
  tf.keras.Input{shape = {28, 28, 1}},
  layers.Conv2D(32, 3, {activation = "relu"}),
  layers.Conv2D(64, 3, {activation = "relu"}),
  layers.MaxPooling2D(),
  layers.Flatten(),
  layers.Dense(128, {activation = "relu"}),
  layers.Dense(10),
}, train.images(28, 28, 1), train.labels())
