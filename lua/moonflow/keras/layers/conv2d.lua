--- Conv2D: a window with weights moves over an image: output = activation(input * kernel + bias).

local BaseConv = require "moonflow.keras.layers.base_conv"
local core = require "moonflow.core"

local Conv2D = BaseConv:extend("Conv2D")

local get = core.op.get
local convolve, bias_add, cast = get("Conv2D"), get("BiasAdd"), get("Cast")

function Conv2D:call(x)
  if not x.dtype.is_floating then x = cast(x, self.compute_dtype) end
  local y = convolve(x, self.kernel, self._options)
  if self.use_bias then y = bias_add(y, self.bias, self._bias_options) end
  local activate = self._activate
  return activate and activate(y) or y
end

return Conv2D
