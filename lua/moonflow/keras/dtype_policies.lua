--- Dtype policies: in which dtype a layer computes and in which it keeps its weights. tf.keras.dtype_policies.
--
-- A policy called "float32" (float64, float16, bfloat16, int32 ...) uses that dtype for both.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local class = require "moonflow.base.class"
local config = require "moonflow.keras.backend.config"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local types = require "moonflow.base.types"

local policies = {}

local DTypePolicy = class.Object:extend("DTypePolicy", {
  args = {{"name", "string", doc = "Name of the dtype: 'float32', 'float64' ..."}},
})
policies.DTypePolicy = DTypePolicy
DTypePolicy.keras_module = "keras"

function DTypePolicy:init(a)
  if a.name:sub(1, 6) == "mixed_" then
    errors.unimplemented("DTypePolicy", "mixed precision ('%s') is not there yet; use 'float32' or 'float64'", a.name)
  end
  self.name = config.standardize_dtype(a.name)
  self.compute_dtype, self.variable_dtype = self.name, self.name
  self.compute_object = core.dtype.get(self.name)
  self.is_float = config.is_float_dtype(self.name)
end

function DTypePolicy:__tostring()
  return ('<DTypePolicy "%s">'):format(self.name)
end

local default_policy
local by_name = {}

--- The policy that layers take when no dtype is given: the one set, else floatx.
function policies.dtype_policy()
  return default_policy or policies.get(config.floatx())
end

--- Sets the default policy: a policy or a name.
function policies.set_dtype_policy(policy)
  default_policy = policies.get(policy)
end

--- A policy from a policy, a name, a dtype object, or a config; nil gives the default.
function policies.get(identifier)
  if identifier == nil or identifier == dicts.None then return policies.dtype_policy() end
  if class.isinstance(identifier, DTypePolicy) then return identifier end
  if type(identifier) == "table" and getmetatable(identifier) ~= nil and not dicts.is_dict(identifier) then
    errors.invalid("dtype_policies.get", "expected a policy or the name of a dtype, received %s",
      errors.describe(identifier))
  end
  local name = identifier
  if type(identifier) == "table" then
    name = identifier.config and identifier.config.name or identifier.name
  elseif type(identifier) ~= "string" then
    name = config.standardize_dtype(identifier)
  end
  local found = by_name[name]
  if not found then
    found = DTypePolicy(name)
    by_name[name] = found
  end
  return found
end

function policies.serialize(policy)
  return dicts.dict{{"module", "keras"}, {"class_name", "DTypePolicy"},
    {"config", dicts.dict{{"name", policy.name}}}, {"registered_name", dicts.None}}
end

policies.deserialize = policies.get

types.define("dtype_policy", {
  kind = "scalar", luacats = "string|tf.DType|tf.keras.DTypePolicy",
  convert = policies.get, to_config = policies.serialize, from_config = policies.get,
})

return policies
