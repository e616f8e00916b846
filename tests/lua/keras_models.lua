--- The models behind the golden files of Keras (scripts/golden.d/keras_models.py).

local tf = require "moonflow"

local keras, layers = tf.keras, tf.keras.layers

local models = {}

function models.example_mlp()
  return keras.Sequential{keras.Input{shape = {28, 28, 1}}, layers.Flatten(), layers.Dense(128, {activation = "relu"}),
    layers.Dropout(0.3), layers.Dense(64, {activation = "relu"}), layers.Dense(10)}
end

function models.example_cnn()
  return keras.Sequential{keras.Input{shape = {28, 28, 1}}, layers.Conv2D(32, 3, {activation = "relu"}),
    layers.Conv2D(64, 3, {activation = "relu"}), layers.MaxPooling2D(), layers.Dropout(0.25), layers.Flatten(),
    layers.Dense(128, {activation = "relu"}), layers.Dropout(0.5), layers.Dense(10)}
end

function models.mlp()
  return keras.Sequential{keras.Input{shape = {8}}, layers.Dense(6, {activation = "relu"}),
    layers.Dense(4, {activation = "relu"}), layers.Dense(3), name = "mlp"}
end

function models.cnn()
  return keras.Sequential{keras.Input{shape = {6, 6, 1}}, layers.Conv2D(3, 3, {activation = "relu"}),
    layers.Conv2D(4, 2, {activation = "relu"}), layers.MaxPooling2D(), layers.Flatten(),
    layers.Dense(5, {activation = "relu"}), layers.Dense(3), name = "cnn"}
end

function models.norm()
  return keras.Sequential{keras.Input{shape = {8}}, layers.Dense(6, {use_bias = false}),
    layers.BatchNormalization{momentum = 0.9}, layers.ReLU(), layers.Dropout(0.25, {seed = 7}), layers.Dense(5, {activation = "tanh"}),
    layers.LayerNormalization(), layers.Dense(3), name = "norm"}
end
models.small_norm = models.norm

function models.two_inputs()
  local a, b = keras.Input{shape = {4}, name = "a"}, keras.Input{shape = {4}, name = "b"}
  local shared = layers.Dense(3, {activation = "relu", name = "shared"})
  local x, y = shared(a), shared(b)
  local joined = layers.Concatenate{name = "joined"}{x, y}
  local total = layers.Add{name = "total"}{x, y}
  return keras.Model({a, b}, {layers.Dense(2, {name = "score"})(joined),
    layers.Dense(1, {activation = "sigmoid", name = "flag"})(total)}, {name = "two_inputs"})
end

function models.nested()
  local inner = keras.Sequential{keras.Input{shape = {12}}, layers.Dense(2, {activation = "relu"}), layers.Dense(2),
    name = "inner"}
  local tokens = keras.Input{shape = {4}, dtype = "int32", name = "tokens"}
  local x = layers.Embedding(5, 3, {name = "table"})(tokens)
  x = inner(layers.Flatten()(layers.Reshape{2, 2, 3}(x)))
  return keras.Model(tokens, layers.Dense(2)(x), {name = "nested"})
end

return models
