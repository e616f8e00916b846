--- Mean: the weighted mean of all values seen.

local Metric = require "moonflow.keras.metrics.metric"
local args = require "moonflow.base.args"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local reduction = require "moonflow.keras.losses.reduction"

local Mean = Metric:extend("Mean", {
  args = {
    {"name", "string", default = "mean", doc = "Name in logs."},
    {"dtype", "dtype_policy", default = dicts.None, get = function(self) return self.dtype_policy end},
  },
})

local get = core.op.get
local cast, multiply, sum, divide = get("Cast"), get("Mul"), get("Sum"), get("DivNoNan")
local broadcast, shape_of = get("BroadcastTo"), get("Shape")
local to_tensor, kind_of = core.tensor.to, core.args.kind
local assign_add, read = core.variable.assign_add, core.variable.read

function Mean:init(a)
  self:super_init(a)
  self.total = self:add_variable{shape = {}, initializer = "zeros", dtype = self.dtype, name = "total"}
  self.count = self:add_variable{shape = {}, initializer = "zeros", dtype = self.dtype, name = "count"}
end

--- Adds a batch: `values` is a tensor of the metric's dtype, `weight` nil or such a tensor.
function Mean:add_values(values, weight)
  if weight == nil then
    local shape = values.shape
    local count = shape.rank and shape:num_elements()
    if shape.rank ~= 0 then values = sum(values, reduction.axes_tensor(values)) end
    assign_add(self.total, values)
    assign_add(self.count, count and count + 0.0 or cast(get("Size")(values), self.dtype_object))
    return
  end
  values, weight = reduction.squeeze_or_expand(values, weight)
  if values.shape ~= weight.shape then weight = broadcast(weight, shape_of(values)) end
  values = multiply(values, weight)
  if values.shape.rank ~= 0 then
    local axes = reduction.axes_tensor(values)
    values, weight = sum(values, axes), sum(weight, axes)
  end
  assign_add(self.total, values)
  assign_add(self.count, weight)
end

--- A value as a tensor of the metric's dtype.
function Mean:convert(value)
  if value == nil then return nil end
  if kind_of(value) == "variable" then value = read(value) end
  if kind_of(value) ~= "tensor" then return to_tensor(value, nil, self.class_name, "values", self.dtype) end
  return value
end

local function as_dtype(self, value)
  value = self:convert(value)
  if value == nil or value.dtype == self.dtype_object then return value end
  return cast(value, self.dtype_object)
end

local read_update = args.signature{name = "update_state", {"values", "tensor"},
  {"sample_weight", "tensor", default = dicts.None}}

function Mean:update_state(...)
  local values, sample_weight = read_update(...)
  self:add_values(as_dtype(self, values), as_dtype(self, sample_weight))
end

local zero = {}

function Mean:reset_state()
  local value = zero[self.dtype]
  if not value then
    value = to_tensor(0.0, self.dtype)
    zero[self.dtype] = value
  end
  core.variable.assign(self.total, value)
  core.variable.assign(self.count, value)
end

function Mean:result()
  return divide(read(self.total), read(self.count))
end

return Mean
