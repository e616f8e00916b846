--- Making schedules: a row of arguments and a formula.

local LearningRateSchedule = require "moonflow.keras.optimizers.schedules.learning_rate_schedule"
local class = require "moonflow.base.class"
local core = require "moonflow.core"
local errors = require "moonflow.base.errors"

local define = {}

local cast = core.op.get("Cast")

--- The step in the dtype in which rates are computed: float32.
function define.step(step)
  return cast(step, "float32")
end

--- A class whose attributes are its arguments. `positive` names an argument that must be above 0.
function define.schedule(class_name, rows, positive, formula)
  local cls = LearningRateSchedule:extend(class_name, {args = rows})
  local names = {}
  for i, row in ipairs(rows) do names[i] = row[1] end
  function cls:init(a)
    for _, name in ipairs(names) do self[name] = a[name] end
    if positive and self[positive] <= 0 then
      errors.invalid(class_name, "argument '%s': expected a number above 0, received %s", positive,
        tostring(self[positive]))
    end
  end
  cls.call = formula
  return cls
end

--- True for instances of LearningRateSchedule.
function define.is_schedule(value)
  return class.isinstance(value, LearningRateSchedule)
end

return define
