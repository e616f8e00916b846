--- tf.IndexedSlices: rows of a tensor that is zero elsewhere, as the gradient of a gather is. Converts to a tensor where one is
-- expected.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local args = require "moonflow.base.args"
local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local row = require "moonflow.api.row"

local IndexedSlices = {}
local methods, getters = {}, {}
local meta = {__mf_kind = "composite", __name = "IndexedSlices"}

local read_new = args.signature(row.read_signature("IndexedSlices", "values, indices, dense_shape:any=None"))

local function to(value, argument)
  return core.tensor.to(value, nil, "IndexedSlices", argument)
end

--- Without reading a call: parts that are tensors already.
function IndexedSlices.from_parts(values, indices, dense_shape)
  return setmetatable({values = values, indices = indices, dense_shape = dense_shape}, meta)
end

function IndexedSlices.is(value)
  return getmetatable(value) == meta
end

function getters:dtype() return self.values.dtype end

function getters:device() return self.values.device end

function getters:shape()
  if self.dense_shape == nil then return core.shape.new() end
  return core.shape.new(self.dense_shape:totable())
end

function getters:spec()
  local has_shape = self.dense_shape ~= nil
  return {
    from_components = function(_, parts) return IndexedSlices.from_parts(parts[1], parts[2], has_shape and parts[3] or nil) end,
  }
end

function methods:components()
  return {self.values, self.indices, self.dense_shape}
end

--- The dense tensor: rows of the same index are added.
function methods:to_tensor()
  if self.dense_shape == nil then
    errors.invalid("IndexedSlices", "cannot be converted to a tensor: dense_shape is not known")
  end
  local raw = require "moonflow.raw_ops"
  return raw.UnsortedSegmentSum(self.values, self.indices, self.dense_shape[0])
end

function meta.__mf_to_tensor(self)
  return self:to_tensor()
end

function meta.__index(self, key)
  if methods[key] then return methods[key] end
  if getters[key] then return getters[key](self) end
end

function meta.__tostring(self)
  return ("IndexedSlices(indices=%s, values=%s%s)"):format(self.indices, self.values,
    self.dense_shape and ", dense_shape=" .. tostring(self.dense_shape) or "")
end

local function negated(self)
  return IndexedSlices.from_parts(-self.values, self.indices, self.dense_shape)
end
meta.__unm = negated

--- A number scales the rows; anything else works on the dense tensor.
local function operator(on_values, on_tensors)
  return function(a, b)
    if on_values and IndexedSlices.is(a) and type(b) == "number" then
      return IndexedSlices.from_parts(on_values(a.values, b), a.indices, a.dense_shape)
    end
    if IndexedSlices.is(a) then a = a:to_tensor() end
    if IndexedSlices.is(b) then b = b:to_tensor() end
    return on_tensors(a, b)
  end
end
local function multiply(a, b) return a * b end
local function divide(a, b) return a / b end
meta.__mul, meta.__div = operator(multiply, multiply), operator(divide, divide)
meta.__add = operator(nil, function(a, b) return a + b end)
meta.__sub = operator(nil, function(a, b) return a - b end)

return setmetatable(IndexedSlices, {
  __name = "tf.IndexedSlices",
  __call = function(_, ...)
    local values, indices, dense_shape = read_new(...)
    return IndexedSlices.from_parts(to(values, "values"), to(indices, "indices"), dense_shape and to(dense_shape, "dense_shape"))
  end,
})
