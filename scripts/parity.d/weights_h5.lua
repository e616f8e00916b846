--- One side of weights_h5.py.
--
--     weights_h5.lua load MODEL FILE.weights.h5 INPUTS.npz RESULT.npz    loads the file, predicts
--     weights_h5.lua save MODEL FILE.weights.h5 INPUTS.npz RESULT.npz    sets own weights, saves them, predicts
-- RESULT.npz holds w0, w1, … (the model's weights in order, seeds left out) and y0, y1, … (the outputs).

local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path

local tf = require "moonflow"
local models = require "models"

local action, name, file, inputs_path, result_path = arg[1], arg[2], arg[3], arg[4], arg[5]

local function real_weights(model)
  local list = {}
  for _, w in ipairs(model.weights) do
    if not w.name:find("seed", 1, true) then list[#list + 1] = w end
  end
  return list
end

local function set_own_weights(model)
  for i, w in ipairs(real_weights(model)) do
    w:assign(tf.random.stateless_uniform(w.shape, {i, 7}, {minval = 0.1, maxval = 1.0}))
  end
end

tf.keras.utils.set_random_seed(3)
local model = models[name]()
if action == "save" then
  set_own_weights(model)
  model:save_weights(file)
else
  model:load_weights(file)
end

local given, inputs = tf.files.load_npz(inputs_path), {}
while given["x" .. #inputs] do inputs[#inputs + 1] = given["x" .. #inputs] end
local outputs = model(#inputs == 1 and inputs[1] or inputs, {training = false})
if #model.outputs == 1 then outputs = {outputs} end

local result = {}
for i, w in ipairs(real_weights(model)) do result["w" .. i - 1] = w:value() end
for i, y in ipairs(outputs) do result["y" .. i - 1] = y end
tf.files.save_npz(result_path, result)
