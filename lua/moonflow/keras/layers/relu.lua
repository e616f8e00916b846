--- ReLU: max(x, 0), with an upper bound, a slope for negative inputs and a threshold.

local Layer = require "moonflow.keras.layers.layer"
local activations = require "moonflow.keras.activations"
local class = require "moonflow.base.class"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local define = require "moonflow.keras.activations.define"

local ReLU = Layer:extend("ReLU", {
  args = {
    {"max_value", "number", default = dicts.None, min = 0, doc = "Upper bound of the output."},
    {"negative_slope", "number", default = 0.0, min = 0, doc = "Slope below the threshold."},
    {"threshold", "number", default = 0.0, min = 0, doc = "Inputs below it count as negative."},
  },
})

local relu = core.op.get("Relu")

function ReLU:init(a)
  self:super_init(a)
  self.max_value, self.negative_slope, self.threshold = a.max_value, a.negative_slope, a.threshold
  class.set_untracked(self, "_plain", a.max_value == nil and a.negative_slope == 0 and a.threshold == 0)
  self.supports_masking = true
  self.built = true
end

function ReLU:call(x)
  if self._plain then return relu(x) end
  return define.body(activations.relu)(x, self.negative_slope, self.max_value, self.threshold)
end

function ReLU:compute_output_shape(input_shape)
  return input_shape
end

return ReLU
