--- Activation functions. softmax and sigmoid note what they were computed from: losses use it (backend/marks.lua).

local core = require "moonflow.core"
local marks = require "moonflow.keras.backend.marks"

local functions = {}

local get = core.op.get
local relu, softmax, sigmoid = get("Relu"), get("Softmax"), get("Sigmoid")

function functions.linear(x) return x end

function functions.relu(x) return relu(x) end

function functions.softmax(x)
  local y = softmax(x)
  marks.set_logits(y, x)
  return y
end

function functions.sigmoid(x)
  local y = sigmoid(x)
  marks.set_logits(y, x)
  return y
end

return functions
