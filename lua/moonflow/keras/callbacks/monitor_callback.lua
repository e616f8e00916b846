--- MonitorCallback: the base of callbacks that watch one value of the logs and ask whether it got better.

local Callback = require "moonflow.keras.callbacks.callback"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local logs_of = require "moonflow.keras.training.logs"

local MonitorCallback = Callback:extend("MonitorCallback", {
  args = {
    {"monitor", "string", default = "val_loss", doc = "Name of the value in the logs."},
    {"mode", "string", default = "auto", one_of = {"auto", "min", "max"}, doc = "Whether less or more is better."},
    {"baseline", "number", default = dicts.None}, {"min_delta", "number", default = 0},
  },
})

function MonitorCallback:init(a)
  self.monitor, self.mode, self.best = a.monitor, a.mode, a.baseline
  self.min_delta = math.abs(a.min_delta)
end

--- Says which direction is better: from the mode, else from the metric's name and its own direction.
function MonitorCallback:find_direction()
  if self.direction then return end
  local name = self.monitor:gsub("^val_", "")
  if self.mode ~= "auto" then
    self.direction = self.mode
  elseif name == "loss" then
    self.direction = "min"
  else
    for _, metric in ipairs(self.model.metrics or {}) do
      for _, inner in ipairs(metric.name == "compile_metrics" and metric.metrics or {metric}) do
        if inner.name == name and inner.direction then self.direction = inner.direction == "up" and "max" or "min" end
      end
    end
  end
  if not self.direction then
    errors.invalid(self.class_name, "received monitor='%s', but whether that metric should be greater or less cannot be told " ..
      "from it; pass mode='max' or mode='min'", self.monitor)
  end
end

function MonitorCallback:is_improvement(value, reference)
  if reference == nil then return true end
  if self.direction == "min" then return value + self.min_delta < reference end
  return value - self.min_delta > reference
end

--- The monitored value; nil, with a warning, when the logs do not have it.
function MonitorCallback:value_in(logs)
  local value = logs[self.monitor]
  if value == nil then
    io.stderr:write(("warning: %s is conditioned on metric `%s` which is not available. Available metrics are: %s\n"):format(
      self.class_name, self.monitor, table.concat(logs_of.names(logs), ",")))
  end
  return value
end

return MonitorCallback
