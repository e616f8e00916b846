--- Initializer: the base of what makes the first values of weights.
--
--     local Ones = Initializer:extend("Ones", {args = {}})
--     function Ones:call(shape, dtype) ... return tensor end
--
-- An initializer is called `init(shape, {dtype = "float32"})`; without a dtype it is floatx. Classes write
-- call(shape, dtype): `shape` is a shape object, known in full; `dtype` the name of a dtype; the result a tensor.

local args = require "moonflow.base.args"
local class = require "moonflow.base.class"
local config = require "moonflow.keras.backend.config"
local core = require "moonflow.core"
local errors = require "moonflow.base.errors"

local Initializer = class.Object:extend("Initializer", {args = {}})
Initializer.keras_module = "keras.initializers"

local read_call = args.signature{name = "Initializer", {"shape", "shape"}, {"dtype", "dtype", default = core.args.None}}

function Initializer:__call(...)
  local shape, dtype = read_call(...)
  return self:call(core.shape.new(shape), config.standardize_dtype(dtype))
end

function Initializer:call()
  errors.unimplemented(self.class_name, "an initializer needs a `call(shape, dtype)` method")
end

--- An equal initializer: a random one without a seed draws a new one.
function Initializer:clone()
  return self.class.from_config(self:get_config())
end

return Initializer
