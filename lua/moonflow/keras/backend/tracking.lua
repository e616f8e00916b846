--- What an object owns: layers, variables, metrics and seed generators among its attributes, in the order of assignment;
-- lists and dicts are walked.
--
-- Classes say what they are by a field: is_layer, is_metric, is_seed_generator.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local class = require "moonflow.base.class"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local nest = require "moonflow.base.nest"

local is_variable, tracked = core.variable.is, class.tracked

local tracking = {}

local function add(found, seen, list, value)
  if not seen[value] then
    seen[value] = true
    list[#list + 1] = value
  end
end

local function sort_in(found, seen, value)
  if type(value) == "userdata" then
    if is_variable(value) then add(found, seen, found.variables, value) end
    return
  end
  local meta = getmetatable(value)
  if type(meta) ~= "table" or rawget(meta, "__mf_class") == nil then return end
  if value.is_layer then add(found, seen, found.layers, value)
  elseif value.is_metric then add(found, seen, found.metrics, value)
  elseif value.is_seed_generator then add(found, seen, found.seed_generators, value)
  end
end

--- True for tables whose items are walked: plain lists and dicts.
local function is_container(value)
  if type(value) ~= "table" then return false end
  return getmetatable(value) == nil or dicts.is_dict(value)
end

--- Containers whose keys are no structure (sparse, mixed) hold nothing that is tracked.
local function walk(found, seen, value)
  if not is_container(value) then return sort_in(found, seen, value) end
  if seen[value] then return end
  seen[value] = true
  local first = next(value)
  if first == nil then return end
  if type(first) == "string" or dicts.is_dict(value) then
    local ok, keys = pcall(nest.ordered_keys, value)
    if not ok then return end
    for _, key in ipairs(keys) do walk(found, seen, rawget(value, key)) end
  else
    for i = 1, #value do
      local item = value[i]
      if type(item) == "number" then return end
      walk(found, seen, item)
    end
  end
end

--- A table with the lists layers, variables, metrics, seed_generators of what the attributes of `object` hold.
function tracking.owned(object)
  local found = {layers = {}, variables = {}, metrics = {}, seed_generators = {}}
  local seen = {}
  for _, key in ipairs(tracked(object)) do walk(found, seen, rawget(object, key)) end
  return found
end

return tracking
