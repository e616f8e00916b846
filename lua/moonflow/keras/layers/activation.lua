--- Activation: a function of each input.

local Layer = require "moonflow.keras.layers.layer"
local activated = require "moonflow.keras.layers.activated"
local dicts = require "moonflow.base.dict"

local Activation = Layer:extend("Activation", {
  args = {{"activation", "activation", none = true, doc = "A name, a function, or a layer."}},
  getters = activated.getters, setters = activated.setters,
})

function Activation:init(a)
  self:super_init(a)
  self.activation = a.activation == nil and dicts.None or a.activation
  self.supports_masking = true
  self.built = true
end

function Activation:call(x)
  local activate = self._activate
  return activate and activate(x) or x
end

function Activation:compute_output_shape(input_shape)
  return input_shape
end

return Activation
