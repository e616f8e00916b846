--- The attribute `activation` of layers that have one: what `call` runs is found once, when it is set.

local class = require "moonflow.base.class"
local define = require "moonflow.keras.activations.define"

local activated = {getters = {}, setters = {}}

function activated.getters.activation(self)
  return self._activation
end

--- nil or None is the linear activation. Layers call `_activate`: a function, a layer, or false when there is nothing
-- to do.
function activated.setters.activation(self, activation)
  local activations = require "moonflow.keras.activations"
  activation = activations.get(activation) or activations.linear
  self._activation = activation
  class.set_untracked(self, "_activate", not rawequal(activation, activations.linear) and define.body(activation))
end

return activated
