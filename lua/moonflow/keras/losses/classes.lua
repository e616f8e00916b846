--- The loss classes that wrap a function: one row each. The arguments of a class are the keywords of its function,
-- then reduction, name and dtype.

local LossFunctionWrapper = require "moonflow.keras.losses.loss_function_wrapper"
local dicts = require "moonflow.base.dict"
local functions = require "moonflow.keras.losses.functions"

-- class -> function, name when it is not the function's; `late`: the function's last keyword stands behind the name
local table_of = {
  MeanSquaredError = {"mean_squared_error"}, MeanAbsoluteError = {"mean_absolute_error"},
  MeanAbsolutePercentageError = {"mean_absolute_percentage_error"},
  MeanSquaredLogarithmicError = {"mean_squared_logarithmic_error"},
  CosineSimilarity = {"cosine_similarity"}, Huber = {"huber", "huber_loss"}, LogCosh = {"log_cosh"},
  Hinge = {"hinge"}, SquaredHinge = {"squared_hinge"}, CategoricalHinge = {"categorical_hinge"},
  KLDivergence = {"kl_divergence"}, Poisson = {"poisson"},
  BinaryCrossentropy = {"binary_crossentropy"}, CategoricalCrossentropy = {"categorical_crossentropy"},
  BinaryFocalCrossentropy = {"binary_focal_crossentropy"},
  CategoricalFocalCrossentropy = {"categorical_focal_crossentropy"},
  Dice = {"dice", late = true}, Tversky = {"tversky", late = true},
}

-- Keras leaves these out of the config
local unwritten = {Huber = true, CosineSimilarity = true}

local function define(class_name, definition)
  local rows, body = functions.parts(definition[1])
  local names = {}
  for i, row in ipairs(rows) do
    names[i] = row[1]
    if unwritten[class_name] then
      local copy = {config = false}
      for key, value in next, row do copy[key] = value end
      rows[i] = copy
    end
  end
  local late = definition.late and table.remove(rows)
  rows[#rows + 1] = {"reduction", "string", default = "sum_over_batch_size", none = true}
  rows[#rows + 1] = {"name", "string", default = definition[2] or definition[1]}
  rows[#rows + 1] = late or nil
  rows[#rows + 1] = {"dtype", "dtype_policy", default = dicts.None, config = false}
  rows[#rows + 1] = {"fn", remove = true}
  rows[#rows + 1] = {"kwargs", remove = true}
  local cls = LossFunctionWrapper:extend(class_name, {args = rows})
  function cls:init(a)
    local keywords = {fn = body, name = a.name, reduction = a.reduction, dtype = a.dtype}
    for _, name in ipairs(names) do
      keywords[name] = a[name]
      rawset(self, name, a[name])
    end
    self:super_init(keywords)
  end
  return cls
end

return setmetatable({}, {
  __index = function(classes, name)
    local definition = table_of[name]
    if not definition then return nil end
    local cls = define(name, definition)
    rawset(classes, name, cls)
    return cls
  end,
})
