--- tf.keras.random.

local namespace = require "moonflow.keras.namespace"

return namespace.new("tf.keras.random", "moonflow.keras.random", {
  SeedGenerator = "seed_generator", normal = {"functions", "normal"}, uniform = {"functions", "uniform"},
  truncated_normal = {"functions", "truncated_normal"}, randint = {"functions", "randint"},
  dropout = {"functions", "dropout"}, shuffle = {"functions", "shuffle"},
})
