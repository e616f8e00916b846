--- Finds what stands behind a public name here, and its parameters.

local tf = require "moonflow"
local api = require "moonflow.api"
local class = require "moonflow.base.class"
local core = require "moonflow.core"
local lists = require "lists"

local public = {}

local keywords = {}
local reserved = "and break do else elseif end false for function goto if in local nil not or repeat return then " ..
  "true until while"
for word in reserved:gmatch("%a+") do keywords[word] = true end

--- Python's name in Lua: a keyword of Lua takes an underscore.
local function in_lua(name)
  return keywords[name] and name .. "_" or name
end

local function index(value, name)
  local kind = type(value)
  if kind ~= "table" and kind ~= "userdata" then return nil end
  local ok, found = pcall(function() return value[name] end)
  return ok and found or nil
end

--- The value of "tf.keras.layers.Dense", or nil.
function public.find(full_name)
  local value = tf
  for part in full_name:gsub("^tf%.?", ""):gmatch("[^.]+") do
    value = index(value, in_lua(part))
    if value == nil then return nil end
  end
  return value
end

-- Classes whose objects are made in C: their methods stand in tables of the core.
local in_core = {["tf.Tensor"] = core.tensor.methods, ["tf.Variable"] = core.variable.methods}

--- A method or property of the class `owner` called `name`, or nil.
function public.member(owner_name, owner, name)
  name = in_lua(name)
  local found = in_core[owner_name] and index(in_core[owner_name], name)
  if found ~= nil then return found end
  if class.is_class(owner) and class.member then return class.member(owner, name) end
  return index(owner, name)
end

--- A default of ours in Python's notation.
local function python_text(value)
  local kind = core.args.kind(value)
  if value == nil or kind == "none" then return "None" end
  if value == true then return "True" end
  if value == false then return "False" end
  if type(value) == "string" then return "'" .. value .. "'" end
  if type(value) == "number" then return tostring(value) end
  if type(value) == "table" then
    local items = {}
    for i, item in ipairs(value) do items[i] = python_text(item) end
    return "(" .. table.concat(items, ", ") .. ")"
  end
  if kind == "dtype" then return "tf." .. tostring(value):gsub("^tf%.", "") end
  return tostring(value)
end

local function from_rows(rows)
  local found = {}
  for _, row in ipairs(rows) do
    local default
    if row.default ~= nil then
      default = python_text(row.default)
    elseif row.optional then
      default = "None"
    end
    local stars = row.rest and "*" or row.open and "**" or ""
    found[#found + 1] = {row[1], default = default, stars = stars, keyword = row.keyword}
  end
  return found
end

--- Our parameters of a public name in the form of lists.parameters, or nil when they are not known.
function public.parameters(full_name, value)
  local row = api.row(full_name)
  if row and row.value == nil and row[2] then
    return lists.parameters((row[2]:gsub("([%a_][%w_]*):[%w_]+", "%1")))
  end
  if class.is_class(value) then
    local schema = class.schema(value)
    return schema and from_rows(schema.rows)
  end
  return nil
end

return public
