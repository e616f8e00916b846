--- Zeros, Ones, Constant, Identity: values without chance.

local Initializer = require "moonflow.keras.initializers.initializer"
local core = require "moonflow.core"
local errors = require "moonflow.base.errors"

local get = core.op.get
local fill = get("Fill")
local to_tensor = core.tensor.to

local function filled(shape, value, dtype)
  return fill(core.tensor.integers(shape:as_list(), "initializer", "shape"), to_tensor(value, dtype))
end

local Zeros = Initializer:extend("Zeros", {args = {}})

function Zeros:call(shape, dtype)
  if dtype == "bool" then return filled(shape, false, dtype) end
  return filled(shape, 0, dtype)
end

local Ones = Initializer:extend("Ones", {args = {}})

function Ones:call(shape, dtype)
  if dtype == "bool" then return filled(shape, true, dtype) end
  return filled(shape, 1, dtype)
end

local Constant = Initializer:extend("Constant", {
  args = {{"value", "any", default = 0.0, doc = "A number, or a tensor that is spread over the shape."}},
})

function Constant:init(a)
  self.value = a.value
end

function Constant:call(shape, dtype)
  local value = self.value
  if type(value) == "number" then return filled(shape, value, dtype) end
  value = to_tensor(value, nil, "Constant", "value")
  if value.dtype.name ~= dtype then value = get("Cast")(value, dtype) end
  return get("Mul")(value, filled(shape, 1, dtype))
end

local Identity = Initializer:extend("Identity", {
  args = {{"gain", "number", default = 1.0, config = false, doc = "The value on the diagonal."}},
})

function Identity:init(a)
  self.gain = a.gain
end

function Identity:call(shape, dtype)
  if #shape ~= 2 then
    errors.invalid("Identity", "argument 'shape': expected a matrix, received %s", tostring(shape))
  end
  local n = math.min(shape[1], shape[2])
  return get("MatrixDiagV3")(filled(core.shape.new{n}, self.gain, dtype), to_tensor(0, "int32"),
    to_tensor(shape[1], "int32"), to_tensor(shape[2], "int32"), to_tensor(0, dtype))
end

return {Zeros = Zeros, Ones = Ones, Constant = Constant, Identity = Identity}
