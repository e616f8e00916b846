--- L1, L2 and L1L2: penalties on absolute values and squares; OrthogonalRegularizer.

local Regularizer = require "moonflow.keras.regularizers.regularizer"
local core = require "moonflow.core"
local config = require "moonflow.keras.backend.config"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local reduction = require "moonflow.keras.losses.reduction"

local get = core.op.get
local sum, multiply, absolute, square = get("Sum"), get("Mul"), get("Abs"), get("Square")
local to_tensor = core.tensor.to

local function factor_row(name, default)
  return {name, "number", default = default, none = true, accept = function(value)
    return value >= 0 and value < math.huge, "a non-negative number"
  end}
end

local function penalty(factor, x, f)
  return multiply(to_tensor(factor + 0.0, x.dtype), sum(f(x), reduction.axes_tensor(x)))
end

local norms = {}

local function define(class_name, name, f)
  local cls = Regularizer:extend(class_name, {args = {factor_row(name, 0.01)}})
  function cls:init(a)
    self[name] = (a[name] or 0.01) + 0.0
  end
  function cls:call(x)
    return penalty(self[name], x, f)
  end
  norms[class_name] = cls
end

define("L1", "l1", absolute)
define("L2", "l2", square)

local L1L2 = Regularizer:extend("L1L2", {args = {factor_row("l1", 0.0), factor_row("l2", 0.0)}})
norms.L1L2 = L1L2

function L1L2:init(a)
  self.l1, self.l2 = (a.l1 or 0) + 0.0, (a.l2 or 0) + 0.0
end

function L1L2:call(x)
  local total = to_tensor(0.0, x.dtype)
  if self.l1 ~= 0 then total = total + penalty(self.l1, x, absolute) end
  if self.l2 ~= 0 then total = total + penalty(self.l2, x, square) end
  return total
end

--- The mean size of the cosines between rows (or columns) of a matrix.
local OrthogonalRegularizer = Regularizer:extend("OrthogonalRegularizer", {
  args = {
    {"factor", "number", default = 0.01, min = 0},
    {"mode", "string", default = "rows", one_of = {"rows", "columns"}},
  },
})
norms.OrthogonalRegularizer = OrthogonalRegularizer

function OrthogonalRegularizer:init(a)
  self.factor, self.mode = a.factor + 0.0, a.mode
end

function OrthogonalRegularizer:call(x)
  if x.rank ~= 2 then
    errors.invalid("OrthogonalRegularizer", "argument 'inputs': expected a matrix, received the shape %s",
      tostring(x.shape))
  end
  local rows = self.mode == "rows"
  local norm = get("Rsqrt")(sum(square(x), to_tensor(rows and 1 or 0, "int32"), {keep_dims = true}))
  x = multiply(x, get("Minimum")(norm, to_tensor(1.0 / config.epsilon(), x.dtype)))
  local product = get("MatMul")(x, x, {transpose_a = not rows, transpose_b = rows})
  local size = x:dim(rows and 0 or 1)
  if size == dicts.None then
    errors.invalid("OrthogonalRegularizer", "the shape must be known, received %s", tostring(x.shape))
  end
  local off_diagonal = product - get("MatrixBandPart")(product, to_tensor(0, "int64"), to_tensor(0, "int64"))
  local pairs_of_rows = size * (size - 1.0) / 2.0
  return penalty(self.factor, off_diagonal, absolute) * 0.5 / pairs_of_rows
end

return norms
