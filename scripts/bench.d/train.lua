--- Training throughput through model:fit on random data in memory: what scripts/bench mlp and cnn measure.

local tf = require "moonflow"
local layers = tf.keras.layers
local train = {}

local BATCH, BATCHES, REPETITIONS = 64, 64, 5

local function clock()
  return tf.timestamp():item()
end

--- Compiles and fits; prints one `value` line with the median samples a second of REPETITIONS fits of at least two seconds.
function train.measure(model, x, y)
  tf.config.threading.set_intra_op_parallelism_threads(2)
  model:compile{optimizer = tf.keras.optimizers.SGD(1e-6, {momentum = 0.9}),
    loss = tf.keras.losses.SparseCategoricalCrossentropy{from_logits = true}}
  local function seconds(epochs)
    local start = clock()
    model:fit(x, y, {batch_size = BATCH, epochs = epochs, verbose = 0})
    return clock() - start
  end
  seconds(1)
  local epochs = math.max(1, math.floor(2 / seconds(1)))
  local rates = {}
  for i = 1, REPETITIONS do rates[i] = epochs * BATCH * BATCHES / seconds(epochs) end
  table.sort(rates)
  print(("value %.1f samples/s (median of %d; %.0f to %.0f)"):format(rates[3], REPETITIONS, rates[1], rates[#rates]))
end

function train.labels()
  return tf.random.uniform({BATCH * BATCHES}, {maxval = 10, dtype = tf.int64})
end

function train.images(...)
  return tf.random.normal{BATCH * BATCHES, ...}
end

train.layers = layers
return train
