--- Loss: the base of all losses.
--
--     local MyLoss = Loss:extend("MyLoss", {args = {{"scale", "number", default = 1.0}}})
--     function MyLoss:call(y_true, y_pred) ... return values, one for each sample (the last axis is gone) end
--
-- A loss is called `loss(y_true, y_pred, sample_weight)`: tensors are converted to the loss's dtype, `call` gives values per
-- sample, weights and masks are applied, and the values are reduced to one number ("sum_over_batch_size" is the mean).

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local args = require "moonflow.base.args"
local class = require "moonflow.base.class"
local config = require "moonflow.keras.backend.config"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local marks = require "moonflow.keras.backend.marks"
local naming = require "moonflow.keras.backend.naming"
local nest = require "moonflow.base.nest"
local reduction = require "moonflow.keras.losses.reduction"
require "moonflow.keras.saving.argument_types"

local None = dicts.None

local Loss = class.Object:extend("Loss", {
  args = {
    {"name", "string", default = None, keyword = true, doc = "Name of the loss; snake_case of the class when left out."},
    {"reduction", "string", default = "sum_over_batch_size", none = true, keyword = true,
      doc = "'sum_over_batch_size', 'mean', 'sum', 'mean_with_sample_weight', 'none'."},
    {"dtype", "dtype_policy", default = None, keyword = true, config = false},
  },
})
Loss.is_loss = true
Loss.keras_module = "keras.losses"

function Loss:init(a)
  self.name = a.name or naming.auto_name(self.class_name)
  self.reduction = reduction.standardize(a.reduction)
  self.dtype = a.dtype and a.dtype.compute_dtype or config.floatx()
  self.dtype_object = core.dtype.get(self.dtype)
end

function Loss:call()
  errors.unimplemented(self.class_name, "a loss needs a `call(y_true, y_pred)` method")
end

local to_tensor, cast = core.tensor.to, core.op.get("Cast")

--- A tensor of the dtype object `dtype`: numbers are converted, tensors of another dtype cast.
local function convert(value, dtype, argument)
  local kind = core.args.kind(value)
  if kind == "keras_tensor" then return value end
  if kind == "variable" then value = core.variable.read(value) end
  if kind ~= "tensor" then value = to_tensor(value, nil, "Loss", argument) end
  if value.dtype == dtype then return value end
  return cast(value, dtype)
end

local function convert_all(value, dtype, argument)
  if type(value) == "table" and getmetatable(value) == nil and not core.args.is_scalar_list(value) then
    return nest.map_structure(function(leaf) return convert(leaf, dtype, argument) end, value, nest.options{data = true})
  end
  return convert(value, dtype, argument)
end

local read_call = args.signature{name = "Loss", {"y_true", "data"}, {"y_pred", "data"},
  {"sample_weight", "data", default = None}}

--- The loss of tensors: what __call does after reading its arguments.
function Loss:compute(y_true, y_pred, sample_weight)
  local dtype = self.dtype_object
  local mask = marks.has_masks and type(y_pred) == "userdata" and marks.mask(y_pred) or nil
  local values = self:call(convert_all(y_true, dtype, "y_true"), convert_all(y_pred, dtype, "y_pred"))
  if type(values) == "number" then values = to_tensor(values, dtype, self.name, "values") end
  if values == nil then errors.invalid(self.name or "Loss", "the loss function returned nothing; it returns a value for each sample") end
  return self:reduce(values, sample_weight, mask)
end

--- Weights and reduces what `call` gave; `mask` is that of the predictions. Values may carry a mask of their own.
function Loss:reduce(values, sample_weight, mask)
  if marks.has_masks then
    local own = marks.mask(values)
    if own and mask then
      mask = core.op.get("LogicalAnd")(mask, own)
    else
      mask = mask or own
    end
  end
  return reduction.reduce_weighted(values, sample_weight, mask, self.reduction, self.dtype_object)
end

function Loss:__call(...)
  return self:compute(read_call(...))
end

return Loss
