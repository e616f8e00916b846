--- Zeros: all values are 0.

local Initializer = require "moonflow.keras.initializers.initializer"
local core = require "moonflow.core"

local Zeros = Initializer:extend("Zeros", {args = {}})

local fill = core.op.get("Fill")

function Zeros:call(shape, dtype)
  return fill(core.tensor.to(shape:as_list(), "int32"), core.tensor.to(dtype == "bool" and false or 0, dtype))
end

return Zeros
