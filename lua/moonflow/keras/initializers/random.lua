--- RandomNormal, RandomUniform, TruncatedNormal: one distribution for every weight.

local Initializer = require "moonflow.keras.initializers.initializer"
local drawing = require "moonflow.keras.initializers.drawing"

local random = {}

--- A class whose two parameters are those of the distribution `draw`.
local function define(class_name, first, second, defaults, draw)
  local cls = Initializer:extend(class_name, {
    args = {{first, "number", default = defaults[1]}, {second, "number", default = defaults[2]}, drawing.seed_row},
  })
  function cls:init(a)
    self[first], self[second] = a[first], a[second]
    drawing.take_seed(self, a.seed)
  end
  function cls:call(shape, dtype)
    return draw(shape, self[first], self[second], dtype, self.seed)
  end
  random[class_name] = cls
end

define("RandomNormal", "mean", "stddev", {0.0, 0.05}, drawing.normal)
define("TruncatedNormal", "mean", "stddev", {0.0, 0.05}, drawing.truncated_normal)
define("RandomUniform", "minval", "maxval", {-0.05, 0.05}, drawing.uniform)

return random
