--- Metric: the base of all metrics: state in variables, updated by batches, read as a result.
--
--     local Total = Metric:extend("Total", {args = {}})
--     function Total:init(a)
--       self:super_init(a)
--       self.total = self:add_variable{shape = {}, initializer = "zeros", name = "total"}
--     end
--     function Total:update_state(y_true, y_pred, sample_weight) ... end
--     function Total:result() return self.total:read_value() end
--
-- `metric(y_true, y_pred, {sample_weight = w})` updates and gives the result. update_state and result of the metrics of
-- Keras read calls as Keras does; classes of users get the values as they were written.

local args = require "moonflow.base.args"
local class = require "moonflow.base.class"
local config = require "moonflow.keras.backend.config"
local context = require "moonflow.keras.backend.context"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local naming = require "moonflow.keras.backend.naming"
local tracking = require "moonflow.keras.backend.tracking"
local types = require "moonflow.base.types"
local variables = require "moonflow.keras.backend.variable"
require "moonflow.keras.saving.argument_types"

local None = dicts.None

local getters = {}

-- Unlike layers, metrics write the name of their dtype policy to the config.
types.define("dtype_name", {
  kind = "scalar", luacats = "string|tf.DType|tf.keras.DTypePolicy",
  convert = function(value) return require "moonflow.keras.dtype_policies".get(value) end,
  to_config = function(policy) return policy.name end,
})

local Metric = class.Object:extend("Metric", {
  args = {
    {"dtype", "dtype_name", default = None, keyword = true,
      get = function(self) return self.dtype_policy end, doc = "Dtype of the state and the result."},
    {"name", "string", default = None, keyword = true, doc = "Name in logs; snake_case of the class when left out."},
  },
  getters = getters, track = true,
})
Metric.is_metric = true
Metric.keras_module = "keras.metrics"

function Metric:_prepare()
  class.set_untracked(self, "_variables", {})
end

function Metric:init(a)
  self.name = a.name or naming.auto_name(self.class_name)
  class.set_untracked(self, "dtype_policy", a.dtype or require "moonflow.keras.dtype_policies".get(config.floatx()))
  self.dtype = self.dtype_policy.compute_dtype
  class.set_untracked(self, "dtype_object", core.dtype.get(self.dtype))
end

local read_add = args.signature{name = "add_variable", {"shape", "shape", default = {}},
  {"initializer", "any", default = None}, {"dtype", "dtype", default = None}, {"aggregation", "string", default = "sum"},
  {"name", "string", default = None}}

--- Makes a variable of the metric's state.
function Metric:add_variable(...)
  local shape, initializer, dtype, _, name = read_add(...)
  local _ <close> = context.scope(self.name, self)
  local variable = variables.new{
    shape = shape, dtype = dtype and core.dtype.get(dtype).name or nil, trainable = false, name = name,
    initializer = require "moonflow.keras.initializers".get(initializer or "zeros"),
  }
  self._variables[#self._variables + 1] = variable
  return variable
end

Metric.add_weight = Metric.add_variable

--- The variables of the metric, and of metrics in it.
function getters.variables(self)
  local list = table.move(self._variables, 1, #self._variables, 1, {})
  local seen = {}
  for _, variable in ipairs(list) do seen[variable] = true end
  local owned = tracking.owned(self)
  for _, variable in ipairs(owned.variables) do
    if not seen[variable] then list[#list + 1] = variable end
  end
  for _, metric in ipairs(owned.metrics) do
    for _, variable in ipairs(metric.variables) do list[#list + 1] = variable end
  end
  return list
end

local zeros_like = core.op.get("ZerosLike")

--- Sets the state back to zero: fit does so at the start of each epoch.
function Metric:reset_state()
  for _, variable in ipairs(self.variables) do variables.assign(variable, zeros_like(variables.read(variable))) end
end

function Metric:update_state()
  errors.unimplemented(self.class_name, "a metric needs an `update_state` method")
end

function Metric:result()
  errors.unimplemented(self.class_name, "a metric needs a `result` method")
end

function Metric:__call(...)
  self:update_state(...)
  return self:result()
end

function Metric:__tostring()
  return ("<%s name=%s>"):format(self.class_name, self.name)
end

return Metric
