--- Mean: the weighted mean of all values seen.

local Metric = require "moonflow.keras.metrics.metric"
local args = require "moonflow.base.args"
local constants = require "moonflow.keras.losses.constants"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local reduction = require "moonflow.keras.losses.reduction"
local samplewise = require "moonflow.keras.metrics.samplewise"

local Mean = Metric:extend("Mean", {
  args = {
    {"name", "string", default = "mean", none = true, doc = "Name in logs."},
    {"dtype", "dtype_name", default = dicts.None, get = function(self) return self.dtype_policy end},
  },
})

local get = core.op.get
local sum, divide, cast = get("Sum"), get("DivNoNan"), get("Cast")
local assign_add, assign, read = core.variable.assign_add, core.variable.assign, core.variable.read
local to_tensor = core.tensor.to

function Mean:init(a)
  self:super_init(a)
  self.total = self:add_variable{shape = {}, initializer = "zeros", dtype = self.dtype, name = "total"}
  self.count = self:add_variable{shape = {}, initializer = "zeros", dtype = self.dtype, name = "count"}
end

local function sum_all(x)
  local rank = x.rank
  if rank == 0 then return x end
  return sum(x, rank and reduction.axes_of(rank) or reduction.axes_tensor(x))
end

--- Adds a batch: what update_state does after reading its arguments.
function Mean:add(values, sample_weight)
  local dtype = self.dtype_object
  values, sample_weight = samplewise.reduce(values, sample_weight, dtype)
  local count
  if sample_weight ~= nil then
    count = sum_all(sample_weight)
  else
    local n = values.rank == 0 and 1 or values:dim(0)
    count = math.type(n) and constants.scalar(n, dtype) or cast(get("Size")(values), dtype)
  end
  assign_add(self.total, sum_all(values))
  assign_add(self.count, count)
end

--- Adds a scalar tensor that stands for `n` values: the loss of a batch.
function Mean:add_scalar(value, n)
  n = math.type(n) and constants.scalar(n, self.dtype_object) or n
  assign_add(self.total, get("Mul")(value, n))
  assign_add(self.count, n)
end

local read_update = args.signature{name = "Mean.update_state", {"values", "tensor"},
  {"sample_weight", "tensor", default = dicts.None}}

function Mean:update_state(...)
  self:add(read_update(...))
end

local zeros = {}

function Mean:reset_state()
  local zero = zeros[self.dtype]
  if not zero then
    zero = to_tensor(0.0, self.dtype)
    zeros[self.dtype] = zero
  end
  assign(self.total, zero)
  assign(self.count, zero)
end

function Mean:result()
  return divide(read(self.total), read(self.count))
end

return Mean
