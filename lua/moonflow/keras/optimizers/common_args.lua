--- The arguments that every optimizer has, in the order of Keras's constructors.

local dicts = require "moonflow.base.dict"

local None = dicts.None

--- The rows of a class: learning_rate, its own, then the common ones.
return function(learning_rate, own)
  local rows = {
    {"learning_rate", "any", default = learning_rate, get = function(self) return self:_learning_rate_config() end,
      doc = "A number, a LearningRateSchedule, or a function of the iteration."},
  }
  table.move(own, 1, #own, 2, rows)
  for _, row in ipairs{
    {"weight_decay", "number", default = None}, {"clipnorm", "number", default = None},
    {"clipvalue", "number", default = None}, {"global_clipnorm", "number", default = None},
    {"use_ema", "boolean", default = false}, {"ema_momentum", "number", default = 0.99},
    {"ema_overwrite_frequency", "integer", default = None}, {"loss_scale_factor", "number", default = None},
    {"gradient_accumulation_steps", "integer", default = None}, {"name", "string", default = None},
  } do
    rows[#rows + 1] = row
  end
  return rows
end
