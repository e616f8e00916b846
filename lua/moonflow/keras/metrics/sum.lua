--- Sum: the weighted sum of all values seen.

local Metric = require "moonflow.keras.metrics.metric"
local args = require "moonflow.base.args"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local reduction = require "moonflow.keras.losses.reduction"
local samplewise = require "moonflow.keras.metrics.samplewise"

local Sum = Metric:extend("Sum", {
  args = {
    {"name", "string", default = "sum", none = true, doc = "Name in logs."},
    {"dtype", "dtype_name", default = dicts.None, get = function(self) return self.dtype_policy end},
  },
})

local sum = core.op.get("Sum")

function Sum:init(a)
  self:super_init(a)
  self.total = self:add_variable{shape = {}, initializer = "zeros", dtype = self.dtype, name = "total"}
end

local read_update = args.signature{name = "Sum.update_state", {"values", "tensor"},
  {"sample_weight", "tensor", default = dicts.None}}

function Sum:update_state(...)
  local values, sample_weight = read_update(...)
  values = samplewise.reduce(values, sample_weight, self.dtype_object, sum)
  if values.rank ~= 0 then values = sum(values, reduction.axes_tensor(values)) end
  core.variable.assign_add(self.total, values)
end

function Sum:result()
  return core.variable.read(self.total)
end

return Sum
