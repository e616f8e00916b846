--- A training loop written by hand: gradients from a tape, clipped by their global norm, collected over several batches
-- before an update, and metrics.
--
--     moonflow examples/custom_loop.lua [--epochs 5] [--seed 1]

local tf = require "moonflow"
local layers = tf.keras.layers

local options = {epochs = 5, seed = 1}
for i = 1, #arg, 2 do
  local name = arg[i]:match("^%-%-(%w+)$")
  if not options[name] or not tonumber(arg[i + 1]) then
    error(("unknown option %s (expected --epochs N or --seed N)"):format(arg[i]), 0)
  end
  options[name] = math.tointeger(tonumber(arg[i + 1]))
end

local folder = arg[0]:match("^(.*)/") or "."
local images = tf.cast(tf.files.load_idx(folder .. "/data/digits-images.idx3-ubyte.gz"), "float32") / 255.0
local labels = tf.cast(tf.files.load_idx(folder .. "/data/digits-labels.idx1-ubyte.gz"), "int32")

local train, test = {}, {}
for i = 0, images:dim(0) - 1 do
  local part = i % 5 == 4 and test or train
  part[#part + 1] = i
end

tf.keras.utils.set_random_seed(options.seed)
local BATCH, ACCUMULATE = 32, 2
local train_ds = tf.data.Dataset.from_tensor_slices(tf.gather(images, train), tf.gather(labels, train))
  :shuffle(4000):batch(BATCH)
local test_ds = tf.data.Dataset.from_tensor_slices(tf.gather(images, test), tf.gather(labels, test)):batch(200)

local model = tf.keras.Sequential{
  tf.keras.Input{shape = {28, 28}},
  layers.Flatten(),
  layers.Dense(128, {activation = "relu"}),
  layers.Dropout(0.2),
  layers.Dense(10),
}
local loss_fn = tf.keras.losses.SparseCategoricalCrossentropy{from_logits = true}
local optimizer = tf.keras.optimizers.Adam(2e-3)
local train_loss = tf.keras.metrics.Mean()
local train_accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
local test_accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
local variables = model.trainable_variables

-- Gradients of one batch, divided by the number of batches that an update collects.
local function gradients_of(x, y)
  local tape <close> = tf.GradientTape()
  local logits = model(x, {training = true})
  local loss = loss_fn(y, logits)
  local share = loss / ACCUMULATE
  local grads = tape:gradient(share, variables)
  train_loss:update_state(loss)
  train_accuracy:update_state(y, logits)
  return grads
end

local function update(grads)
  grads = tf.clip_by_global_norm(grads, 1.0)
  optimizer:apply_gradients(tf.zip(grads, variables))
end

for epoch = 1, options.epochs do
  local sum, collected = nil, 0
  for x, y in train_ds:iter() do
    local grads = gradients_of(x, y)
    if sum then
      for i, grad in ipairs(grads) do sum[i] = sum[i] + grad end
    else
      sum = grads
    end
    collected = collected + 1
    if collected == ACCUMULATE then
      update(sum)
      sum, collected = nil, 0
    end
  end
  if sum then update(sum) end

  for x, y in test_ds:iter() do test_accuracy:update_state(y, model(x)) end
  print(("epoch %d - loss: %.4f - accuracy: %.4f - test accuracy: %.4f"):format(epoch, train_loss:result():item(),
    train_accuracy:result():item(), test_accuracy:result():item()))
  train_loss:reset_state()
  train_accuracy:reset_state()
  if epoch < options.epochs then test_accuracy:reset_state() end
end
print(("test accuracy: %.4f"):format(test_accuracy:result():item()))
