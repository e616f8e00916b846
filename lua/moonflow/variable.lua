--- tf.Variable: a callable table that makes variables, and their methods that read keyword arguments.
--
-- The object itself is made in C (core.variable). Operators and functions use its value; gradients reach it through tapes.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local args = require "moonflow.base.args"
local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local row = require "moonflow.api.row"

local variable = core.variable
local methods = variable.methods

local Variable = {is = variable.is}

local read_new = args.signature(row.read_signature("Variable",
  "initial_value:tensor=None, trainable:boolean=None, validate_shape=True, caching_device:any=None, name=None, variable_def:any=None, " ..
  "dtype=None, import_scope:any=None, constraint:function=None, synchronization:any=None, aggregation:any=None, shape=None"))

local function new(_, ...)
  -- a list of numbers is the initial value, whatever stands in it
  local first, second = ...
  if select("#", ...) <= 2 and type(first) == "table" and getmetatable(first) == nil and #first > 0 and second == nil and
    next(first, #first) == nil then
    return variable.new(core.tensor.to(first, nil, "Variable", "initial_value"), true, "Variable")
  end
  local value, trainable, _, _, name, _, dtype, _, constraint, _, _, shape = read_new(...)
  if value == nil then errors.invalid("Variable", "initial_value must be specified") end
  if type(value) == "function" then value = value() end
  value = core.tensor.to(value, dtype, "Variable", "initial_value")
  local made = variable.new(value, trainable ~= false, name or "Variable", shape)
  if constraint then made.constraint = constraint end
  return made
end

setmetatable(Variable, {__call = new, __name = "tf.Variable"})

local function method(name, signature, body)
  local read = args.signature(row.read_signature("Variable." .. name, signature))
  methods[name] = function(self, ...)
    return body(self, read(...))
  end
end

for name, assign in next, {assign = variable.assign, assign_add = variable.assign_add, assign_sub = variable.assign_sub} do
  method(name, "value, use_locking:any=None, name=None, read_value=True", function(self, value)
    return assign(self, value)
  end)
end

function methods:is_initialized()
  return self.shape ~= nil
end

function methods:numpy()
  return variable.read(self):totable()
end

function methods:set_shape(shape)
  self.shape:merge_with(shape)
end

method("sparse_read", "indices, name=None", function(self, indices)
  local raw = require "moonflow.raw_ops"
  return raw.ResourceGather{resource = self, indices = indices, dtype = self.dtype}
end)

method("gather_nd", "indices, name=None", function(self, indices)
  return require "moonflow".gather_nd(self, indices)
end)

-- Rows of IndexedSlices.
for name, op in next, {
  scatter_add = "ResourceScatterAdd", scatter_sub = "ResourceScatterSub", scatter_mul = "ResourceScatterMul",
  scatter_div = "ResourceScatterDiv", scatter_max = "ResourceScatterMax", scatter_min = "ResourceScatterMin",
  scatter_update = "ResourceScatterUpdate",
} do
  method(name, "sparse_delta:object, use_locking=False, name=None", function(self, delta)
    local slices = require "moonflow.indexed_slices"
    if not slices.is(delta) then
      errors.invalid("Variable." .. name, "sparse_delta must be tf.IndexedSlices, received %s", errors.describe(delta))
    end
    local raw = require "moonflow.raw_ops"
    local scatter = core.op.has(op) and raw[op] or errors.unimplemented("Variable." .. name, "the op %s does not exist", op)
    scatter(self, delta.indices, core.tensor.to(delta.values, self.dtype, "Variable." .. name, "sparse_delta"))
    return self
  end)
end

for name, op in next, {
  scatter_nd_add = "TensorScatterAdd", scatter_nd_sub = "TensorScatterSub", scatter_nd_update = "TensorScatterUpdate",
} do
  method(name, "indices, updates, name=None", function(self, indices, updates)
    local raw = require "moonflow.raw_ops"
    return variable.assign(self, raw[op](self, indices, updates))
  end)
end

return Variable
