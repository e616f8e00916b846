--- The API table: finds public functions by name and makes them when they are first asked for.
--
-- Each area is a module that returns a list of rows (api/row.lua); areas are loaded one after the other until the name is found.
-- A new area is one more name in `areas`, a new namespace one more in `namespaces`.

local errors = require "moonflow.base.errors"
local row = require "moonflow.api.row"

local api = {}

-- Those that short scripts use first.
local areas = {
  "array", "linalg", "math", "reduce", "nn", "random", "tensor_ops", "types", "image", "debugging", "config", "strings", "io",
}

local namespaces = {}
for _, name in ipairs{
  "math", "math.special", "nn", "nn.experimental", "linalg", "random", "random.experimental", "image", "io", "io.gfile", "strings",
  "debugging", "debugging.experimental", "bitwise", "dtypes", "config", "config.experimental", "config.threading",
  "config.optimizer", "autodiff", "version", "sysconfig", "sets", "compat", "test", "nest", "files",
} do
  namespaces["tf." .. name] = true
end

local rows = {}    -- full name -> row
local made = {}    -- row -> its function, or false
local next_area = 1

local function load_area()
  local name = areas[next_area]
  if not name then return false end
  next_area = next_area + 1
  for _, definition in ipairs(require("moonflow.api." .. name)) do
    for full_name in definition[1]:gmatch("%S+") do rows[full_name] = definition end
  end
  return true
end

local function find_row(full_name)
  local found = rows[full_name]
  while not found and load_area() do found = rows[full_name] end
  return found
end

--- The public function or value called `full_name` ("tf.math.abs"), or nil.
function api.find(full_name)
  local definition = find_row(full_name)
  if not definition then return nil end
  if definition.value ~= nil then return definition.value end
  local result = made[definition]
  if result == nil then
    result = row.make(definition[1]:match("%S+"), definition) or false
    made[definition] = result
  end
  return result or nil
end

--- The row of a public function, or nil.
function api.row(full_name)
  return find_row(full_name)
end

--- All names of what exists, in bytewise order.
function api.names()
  while load_area() do end
  local names = {}
  for name, definition in next, rows do
    if row.exists(definition) then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

--- True for "tf.math" and the like.
function api.is_namespace(full_name)
  return namespaces[full_name] ~= nil
end

--- The fields that a namespace has.
local function fields_of(prefix, modules)
  local fields, seen = {}, {}
  local function add(field)
    if field and not seen[field] then
      seen[field] = true
      fields[#fields + 1] = field
    end
  end
  for _, name in ipairs(api.names()) do
    add(name:sub(1, #prefix + 1) == prefix .. "." and name:sub(#prefix + 2):match("^[^.]+"))
  end
  for name in next, modules or {} do add(name:match("^[^.]+")) end
  table.sort(fields)
  return fields
end

--- A table whose fields are the public names under `prefix`, found when they are asked for. `modules`: field -> module name. Asking
-- for a name that is not there is an error, as in Python; names that begin with an underscore are nil.
function api.namespace(prefix, modules)
  return setmetatable({}, {
    __name = prefix,
    __mf_namespace = prefix,
    __index = function(space, key)
      if type(key) ~= "string" or key:sub(1, 1) == "_" then return nil end
      local full_name, value = prefix .. "." .. key
      local module = modules and modules[key]
      if module then
        value = require(module)
      elseif namespaces[full_name] then
        value = api.namespace(full_name, modules and modules[key .. "."])
      else
        value = api.find(full_name)
      end
      if value == nil and find_row(full_name) then errors.unimplemented(full_name, "does not exist yet") end
      if value == nil then errors.no_member(prefix, key, fields_of(prefix, modules)) end
      rawset(space, key, value)
      return value
    end,
  })
end

return api
