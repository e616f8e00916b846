--- The objects of a model that have state, with the paths they have in a .weights.h5 file, in Keras's order.
--
-- A Sequential or functional model begins with its layers ("layers/dense", "layers/dense_1": the class in snake_case, counted);
-- then come attributes in bytewise order, private ones last: an object under its attribute's name, a list or dict of objects
-- under attribute/class. A subclassed model's list of layers is one such attribute. Each object has the first path that
-- reaches it.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local class = require "moonflow.base.class"
local dicts = require "moonflow.base.dict"
local naming = require "moonflow.keras.backend.naming"
local nest = require "moonflow.base.nest"

local objects = {}

local function is_object(value)
  local cls = class.of(value)
  return cls ~= nil and (value.is_layer or value.is_optimizer or value.is_metric) == true
end

local function is_container(value)
  return type(value) == "table" and (getmetatable(value) == nil or dicts.is_dict(value))
end

local function join(path, name)
  return path == "" and name or path .. "/" .. name
end

--- Names of attributes: bytewise, those with an underscore in front last; a model has `layers` and `optimizer`, too.
local function attribute_names(object)
  local names = {}
  for _, key in ipairs(class.tracked(object)) do names[#names + 1] = key end
  if object.is_model then
    if not object.is_functional and not object._own.layers then names[#names + 1] = "layers" end
    if object.optimizer ~= nil then names[#names + 1] = "optimizer" end
  end
  local public, private = {}, {}
  for _, name in ipairs(names) do
    local list = name:sub(1, 1) == "_" and private or public
    list[#list + 1] = name
  end
  dicts.sorted(public)
  dicts.sorted(private)
  return table.move(private, 1, #private, #public + 1, public)
end

local visit

local function visit_container(found, container, path)
  local used = {}
  local items = container
  if nest.is_dict(container) then
    items = {}
    for _, key in ipairs(nest.ordered_keys(container)) do items[#items + 1] = rawget(container, key) end
  end
  for _, item in ipairs(items) do
    local name
    if is_object(item) then name = naming.to_snake_case(item.class_name)
    elseif is_container(item) then name = "container" end
    if name then
      local count = used[name]
      used[name] = (count or 0) + 1
      if count then name = name .. "_" .. count end
      if is_object(item) then visit(found, item, join(path, name)) else visit_container(found, item, join(path, name)) end
    end
  end
end

visit = function(found, object, path)
  if found.seen[object] then return end
  found.seen[object] = true
  found[#found + 1] = {path = path, object = object}
  if object.is_model and object._own.layers then visit_container(found, object.layers, join(path, "layers")) end
  for _, name in ipairs(attribute_names(object)) do
    local value = object[name]
    if is_object(value) then
      visit(found, value, join(path, name))
    elseif is_container(value) and not found.seen[value] then
      -- a container that holds none of ours (numbers, options) may have any keys
      if next(value) ~= nil and pcall(nest.kind, value) then visit_container(found, value, join(path, name)) end
    end
  end
end

--- A list of {path, object}.
function objects.of(model)
  local found = {seen = {}}
  visit(found, model, "")
  return found
end

return objects
