--- Logs: tables name -> value on their way from metrics to callbacks and users.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local CompileMetrics = require "moonflow.keras.training.compile_metrics"
local class = require "moonflow.base.class"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"

local logs_of = {}

local kind_of = core.args.kind

--- Names in logs in the order Keras prints them: bytewise.
function logs_of.names(logs)
  local names = {}
  for name in next, logs do names[#names + 1] = name end
  return dicts.sorted(names)
end

local nan = -(0 / 0) -- printed without a sign

--- Scalar tensors become numbers; dicts inside are taken out.
function logs_of.numbers(logs)
  local numbers = {}
  for name, value in next, logs do
    local kind = kind_of(value)
    if kind == "tensor" or kind == "variable" then
      local shape = value.shape
      numbers[name] = shape.rank == 0 and value:item() or value
      if numbers[name] ~= numbers[name] then numbers[name] = nan end
    elseif type(value) == "table" and getmetatable(value) == nil then
      for inner, number in next, logs_of.numbers(value) do numbers[inner] = number end
    else
      numbers[name] = value
    end
  end
  return numbers
end

--- The results of the model's metrics, unless the step's own logs have other names.
function logs_of.final(model, logs)
  local results = model:get_metrics_result()
  if next(logs) == nil then return results end
  for name in next, logs do
    if results[name] == nil then return logs end
  end
  for name in next, results do
    if logs[name] == nil then return logs end
  end
  return results
end

--- Values in the order of the model's metrics: one number, or a list.
function logs_of.in_order(model, logs)
  local names, known = {}, {}
  local function add(name)
    names[#names + 1], known[name] = name, true
  end
  for _, metric in ipairs(model.metrics) do
    if class.isinstance(metric, CompileMetrics) then
      for _, inner in ipairs(metric.metrics) do add(inner.name) end
    else
      add(metric.name)
    end
  end
  local values = {}
  for _, name in ipairs(names) do
    if logs[name] ~= nil then values[#values + 1] = logs[name] end
  end
  for _, name in ipairs(logs_of.names(logs)) do
    if not known[name] then values[#values + 1] = logs[name] end
  end
  if #values == 1 then return values[1] end
  return values
end

return logs_of
