--- CompileMetrics: the metrics given to compile, resolved on the first batch, when shapes are known.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local class = require "moonflow.base.class"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local nest = require "moonflow.base.nest"

local None = dicts.None

local CompileMetrics = class.Object:extend("CompileMetrics")
CompileMetrics.is_metric = true

--- metrics, weighted_metrics: as given to compile; output_names: names of the model's outputs, or nil.
function CompileMetrics:init(metrics, weighted_metrics, output_names)
  self.name = "compile_metrics"
  self.built = false
  self.user_metrics, self.user_weighted = metrics, weighted_metrics
  self.output_names = output_names
  self.metrics, self.variables = {}, {}
end

-- ---- what an identifier means

--- Is the target binary, is it a class number? Told by the shapes.
function CompileMetrics.kind_of_target(y_true, y_pred)
  local t, p = y_true.shape, y_pred.shape
  local last_t, last_p = t.rank > 0 and t[-1] or nil, p.rank > 0 and p[-1] or nil
  local binary = last_p == 1
  local sparse = t.rank < p.rank or last_t == 1 and math.type(last_p) ~= nil and last_p > 1
  return binary, sparse
end

local function accuracy_class(y_true, y_pred)
  local metrics = require "moonflow.keras.metrics"
  local binary, sparse = CompileMetrics.kind_of_target(y_true, y_pred)
  if binary then return metrics.BinaryAccuracy end
  return sparse and metrics.SparseCategoricalAccuracy or metrics.CategoricalAccuracy
end

--- Name of a metric made of a function.
local function name_of(identifier, namespace)
  local meta = getmetatable(namespace)
  for _, name in ipairs(dicts.sorted((function()
    local names = {}
    for name in next, meta.members do names[#names + 1] = name end
    return names
  end)())) do
    if rawequal(rawget(namespace, name), identifier) then return name end
  end
end

local function make_metric(identifier, y_true, y_pred)
  local metrics = require "moonflow.keras.metrics"
  if type(identifier) == "string" and (identifier:lower() == "accuracy" or identifier:lower() == "acc") then
    return accuracy_class(y_true, y_pred){name = identifier}
  end
  local metric = metrics.get(identifier)
  if type(metric) == "table" and metric.is_metric then
    if type(identifier) == "string" then metric.name = identifier end
    return metric
  end
  local name = type(identifier) == "string" and identifier
  if not name and type(metric) == "table" then name = metric.name end
  if not name then name = name_of(metric, metrics) or name_of(metric, require "moonflow.keras.losses") end
  return metrics.MeanMetricWrapper{fn = metric, name = name or "metric"}
end

local function make_list(identifiers, y_true, y_pred, output_name)
  if identifiers == nil or identifiers == None then return nil end
  local list = {output_name = output_name}
  if type(identifiers) ~= "table" or not nest.is_list(identifiers) then identifiers = {identifiers} end
  for i, identifier in ipairs(identifiers) do list[i] = make_metric(identifier, y_true, y_pred) end
  return list
end

-- ---- outputs

--- The parts of y in the order of the outputs.
function CompileMetrics:flatten(y)
  if type(y) ~= "table" or not nest.is_nested(y) then return {y} end
  local names = self.flat_names
  if names and nest.is_dict(y) then
    local list = {}
    for i, name in ipairs(names) do list[i] = y[name] end
    return list
  end
  return nest.flatten(y)
end

local function fail_structure(self, what)
  errors.invalid("compile", "argument '%s': expected metrics for the outputs: a list with one entry an output, or a dict with " ..
    "the names of the outputs%s", what, self.output_names and " {" .. table.concat(self.output_names, ", ") .. "}" or "")
end

--- The metrics of each output, as they were given.
local function by_output(self, given, n, what)
  local lists = {}
  local names = self.flat_names or self.output_names
  if nest.is_dict(given) then
    if not names then fail_structure(self, what) end
    local known = {}
    for i, name in ipairs(names) do
      lists[i], known[name] = given[name], true
    end
    for key in nest.entries(given) do
      if not known[key] then fail_structure(self, what) end
    end
    return lists
  end
  if type(given) ~= "table" or not nest.is_list(given) or #given ~= n then fail_structure(self, what) end
  return table.move(given, 1, n, 1, lists)
end

local function build_set(self, given, y_true, y_pred, what)
  local n = #y_pred
  if given == nil or given == None or type(given) == "table" and nest.is_list(given) and #given == 0 then return {} end
  if n == 1 then
    local flat = nest.flatten(given)
    return {make_list(flat, y_true[1], y_pred[1])}
  end
  local lists = by_output(self, given, n, what)
  local names = self.flat_names or self.output_names
  for i = 1, n do lists[i] = make_list(lists[i], y_true[i], y_pred[i], names and names[i]) end
  return lists
end

--- Names of the outputs in the order in which `flatten` gives them.
local function resolve_names(self, y_pred)
  if not nest.is_dict(y_pred) then
    return type(y_pred) == "table" and nest.is_list(y_pred) and self.output_names or nil
  end
  local keys = nest.keys(y_pred)
  local names = self.output_names
  if names and #names == #keys then
    local known, same = {}, true
    for _, key in ipairs(keys) do known[key] = true end
    for _, name in ipairs(names) do same = same and known[name] end
    if same then return names end
  end
  return keys
end

function CompileMetrics:build(y_true, y_pred)
  if type(y_pred) == "table" and nest.is_nested(y_pred) then self.flat_names = resolve_names(self, y_pred) end
  local flat_true, flat_pred = self:flatten(y_true), self:flatten(y_pred)
  self.plain = build_set(self, self.user_metrics, flat_true, flat_pred, "metrics")
  self.weighted = build_set(self, self.user_weighted, flat_true, flat_pred, "weighted_metrics")
  self.n_outputs = #flat_pred
  for _, set in ipairs{self.plain, self.weighted} do
    for i = 1, self.n_outputs do
      for _, metric in ipairs(set[i] or {}) do
        self.metrics[#self.metrics + 1] = metric
        local variables = metric.variables
        table.move(variables, 1, #variables, #self.variables + 1, self.variables)
      end
    end
  end
  self.built = true
end

-- ---- updates

local function as_tensor(value)
  local kind = core.args.kind(value)
  if kind == "tensor" or value == nil then return value end
  return core.tensor.to(value)
end

local function update_list(list, y_true, y_pred, sample_weight)
  for _, metric in ipairs(list) do
    local update = metric.update
    if update then update(metric, y_true, y_pred, sample_weight) else metric:update_state(y_true, y_pred, sample_weight) end
  end
end

function CompileMetrics:update_state(y_true, y_pred, sample_weight)
  if not self.built then self:build(y_true, y_pred) end
  if #self.metrics == 0 then return end
  local flat_true, flat_pred = self:flatten(y_true), self:flatten(y_pred)
  local weights = sample_weight ~= nil and self:flatten(sample_weight) or nil
  for i = 1, self.n_outputs do
    local truth = as_tensor(flat_true[i])
    if self.plain[i] then update_list(self.plain[i], truth, flat_pred[i]) end
    if self.weighted[i] then
      update_list(self.weighted[i], truth, flat_pred[i], weights and (weights[i] or weights[1]))
    end
  end
end

function CompileMetrics:reset_state()
  for _, metric in ipairs(self.metrics) do metric:reset_state() end
end

--- A table name -> result.
function CompileMetrics:result()
  local results, counts = {}, {}
  local function put(name, value)
    results[name] = value
  end
  for i = 1, self.n_outputs or 0 do
    local list = self.plain[i]
    for _, metric in ipairs(list or {}) do
      local name = list.output_name and list.output_name .. "_" .. metric.name or metric.name
      local count = counts[name]
      counts[name] = (count or 0) + 1
      put(count and name .. "_" .. count or name, metric:result())
    end
  end
  for i = 1, self.n_outputs or 0 do
    local list = self.weighted[i]
    for _, metric in ipairs(list or {}) do
      local prefix = list.output_name and list.output_name .. "_" or ""
      local name = prefix .. metric.name
      if counts[name] then
        name = prefix .. "weighted_" .. metric.name
        local count = counts[name]
        counts[name] = (count or 0) + 1
        if count then name = name .. "_" .. count end
      else
        counts[name] = 1
      end
      put(name, metric:result())
    end
  end
  return results
end

return CompileMetrics
