--- LossFunctionWrapper: a loss made of a function(y_true, y_pred, kwargs) that gives values per sample. The losses of
-- Keras are subclasses that set `fn` and `fn_kwargs` in their init; functions that users give to compile are wrapped
-- in it.

local Loss = require "moonflow.keras.losses.loss"
local class = require "moonflow.base.class"
local dicts = require "moonflow.base.dict"
local functions = require "moonflow.keras.losses.functions"
local nest = require "moonflow.base.nest"
local reduction = require "moonflow.keras.losses.reduction"

local LossFunctionWrapper = Loss:extend("LossFunctionWrapper", {
  args = {
    {"fn", "any", config = false, doc = "function(y_true, y_pred, kwargs): a value for each sample."},
    {"reduction", "string", default = "sum_over_batch_size", none = true},
    {"name", "string", default = dicts.None}, {"dtype", "dtype_policy", default = dicts.None, config = false},
    {"kwargs", "struct", open = true},
  },
})

function LossFunctionWrapper:init(a)
  self:super_init(a)
  rawset(self, "fn", functions.body(a.fn))
  rawset(self, "fn_kwargs", a.kwargs)
end

function LossFunctionWrapper:call(y_true, y_pred)
  if type(y_pred) == "table" and nest.is_nested(y_pred) then return self.fn(y_true, y_pred, self.fn_kwargs) end
  y_true, y_pred = reduction.squeeze_or_expand(y_true, y_pred)
  return self.fn(y_true, y_pred, self.fn_kwargs)
end

--- The config of a subclass: its own arguments, then name and reduction.
function LossFunctionWrapper:get_config()
  return class.Object.get_config(self)
end

return LossFunctionWrapper
