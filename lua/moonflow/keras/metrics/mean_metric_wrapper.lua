--- MeanMetricWrapper: the mean of a function(y_true, y_pred, kwargs) over all samples. The accuracies are subclasses
-- that set `fn` and `fn_kwargs` in their init; functions that users give to compile are wrapped in it.

local Mean = require "moonflow.keras.metrics.mean"
local args = require "moonflow.base.args"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local marks = require "moonflow.keras.backend.marks"
local nest = require "moonflow.base.nest"
local reduction = require "moonflow.keras.losses.reduction"

local None = dicts.None

local MeanMetricWrapper = Mean:extend("MeanMetricWrapper", {
  args = {
    {"fn", "any", config = false, doc = "function(y_true, y_pred, kwargs): a value for each sample."},
    {"name", "string", default = None},
    {"dtype", "dtype_name", default = None, get = function(self) return self.dtype_policy end},
    {"kwargs", "struct", open = true},
  },
})

local function is_loss(fn)
  local losses = package.loaded["moonflow.keras.losses"]
  if type(fn) == "table" then return fn.is_loss == true end
  for _, value in next, losses or {} do
    if rawequal(value, fn) then return true end
  end
  return false
end

function MeanMetricWrapper:init(a)
  self:super_init(a)
  rawset(self, "fn", a.fn)
  rawset(self, "fn_kwargs", a.kwargs)
  -- a loss is better when it is less
  if self.direction == nil and is_loss(a.fn) then rawset(self, "direction", "down") end
end

--- Adds a batch: what update_state does after reading its arguments.
function MeanMetricWrapper:update(y_true, y_pred, sample_weight)
  local values = self.fn(y_true, y_pred, self.fn_kwargs)
  if marks.has_masks then
    sample_weight = reduction.apply_mask(sample_weight, marks.mask(y_pred), self.dtype_object, "sum")
  end
  self:add(values, sample_weight)
end

local read_update = args.signature{name = "MeanMetricWrapper.update_state", {"y_true", "data"}, {"y_pred", "data"},
  {"sample_weight", "data", default = None}}

--- Values as tensors, structures of them as they are.
local function to_tensors(value)
  if value == nil or core.args.kind(value) == "tensor" then return value end
  if type(value) == "table" and nest.is_nested(value) and not core.args.is_scalar_list(value) then
    return nest.map_structure(to_tensors, value, nest.options{data = true})
  end
  return core.tensor.to(value, nil, "update_state")
end

function MeanMetricWrapper:update_state(...)
  local y_true, y_pred, sample_weight = read_update(...)
  self:update(to_tensors(y_true), to_tensors(y_pred), to_tensors(sample_weight))
end

return MeanMetricWrapper
