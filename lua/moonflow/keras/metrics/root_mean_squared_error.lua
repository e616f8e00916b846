--- RootMeanSquaredError: the square root of the mean of squared differences.

local Mean = require "moonflow.keras.metrics.mean"
local args = require "moonflow.base.args"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local reduction = require "moonflow.keras.losses.reduction"
local samplewise = require "moonflow.keras.metrics.samplewise"

local RootMeanSquaredError = Mean:extend("RootMeanSquaredError", {
  args = {
    {"name", "string", default = "root_mean_squared_error"},
    {"dtype", "dtype_name", default = dicts.None, get = function(self) return self.dtype_policy end},
  },
})

RootMeanSquaredError.direction = "down"

local get = core.op.get

--- Adds a batch: what update_state does after reading its arguments.
function RootMeanSquaredError:update(y_true, y_pred, sample_weight)
  y_true, y_pred = samplewise.convert(y_true, self.dtype_object), samplewise.convert(y_pred, self.dtype_object)
  y_true, y_pred = reduction.squeeze_or_expand(y_true, y_pred)
  self:add(get("SquaredDifference")(y_pred, y_true), sample_weight)
end

local read_update = args.signature{name = "RootMeanSquaredError.update_state", {"y_true", "data"}, {"y_pred", "data"},
  {"sample_weight", "data", default = dicts.None}}

function RootMeanSquaredError:update_state(...)
  self:update(read_update(...))
end

function RootMeanSquaredError:result()
  return get("Sqrt")(Mean.result(self))
end

return RootMeanSquaredError
