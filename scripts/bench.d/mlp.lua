--- 784-128-64-10, ReLU, batch 64, SGD with momentum, through model:fit.

package.path = arg[0]:match("^(.*)/") .. "/?.lua;" .. package.path
local tf = require "moonflow"
local train = require "train"
local layers = train.layers

train.measure(tf.keras.Sequential{
  tf.keras.Input{shape = {784}},
  layers.Dense(128, {activation = "relu"}),
  layers.Dense(64, {activation = "relu"}),
  layers.Dense(10),
}, train.images(784), train.labels())
