--- Orthogonal: rows (or columns, whichever are fewer) of length 1 at right angles, times `gain`.

local Initializer = require "moonflow.keras.initializers.initializer"
local core = require "moonflow.core"
local drawing = require "moonflow.keras.initializers.drawing"
local errors = require "moonflow.base.errors"

local Orthogonal = Initializer:extend("Orthogonal", {
  args = {{"gain", "number", default = 1.0, doc = "Factor of the matrix."}, drawing.seed_row},
})

local to_tensor = core.tensor.to

function Orthogonal:init(a)
  self.gain = a.gain
  drawing.take_seed(self, a.seed)
end

local function dot(a, b)
  local sum = 0.0
  for i = 1, #a do sum = sum + a[i] * b[i] end
  return sum
end

--- Makes the columns of a matrix (a list of columns) orthonormal, each with the sign that leaves a positive factor:
-- the Q of a QR factorization whose R has a positive diagonal. Two rounds of Gram-Schmidt keep the angles right.
local function orthonormalize(columns)
  for k, column in ipairs(columns) do
    for _ = 1, 2 do
      for j = 1, k - 1 do
        local other, share = columns[j], dot(columns[j], column)
        for i = 1, #column do column[i] = column[i] - share * other[i] end
      end
    end
    local length = math.sqrt(dot(column, column))
    for i = 1, #column do column[i] = column[i] / length end
  end
end

function Orthogonal:call(shape, dtype)
  local rank = #shape
  if rank < 2 then
    errors.invalid("Orthogonal", "argument 'shape': expected at least two axes, received %s", tostring(shape))
  end
  local rows, columns = 1, shape[rank]
  for i = 1, rank - 1 do rows = rows * shape[i] end
  local long, short = math.max(rows, columns), math.min(rows, columns)
  local drawn = drawing.normal(core.shape.new{long, short}, 0.0, 1.0, dtype, self.seed):totable()
  local list = {}
  for k = 1, short do
    local column = {}
    for i = 1, long do column[i] = drawn[i][k] end
    list[k] = column
  end
  orthonormalize(list)
  local values = {}
  for r = 1, rows do
    local row = {}
    for c = 1, columns do row[c] = self.gain * (rows < columns and list[r][c] or list[c][r]) end
    values[r] = row
  end
  return core.op.get("Reshape")(to_tensor(values, dtype), core.tensor.integers(shape:as_list(), "initializer", "shape"))
end

return Orthogonal
