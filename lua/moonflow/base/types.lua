--- The types that rows name: `{"units", "integer", min=1}` has the type "integer".
--
-- A type says how a call is read (kind), what a value must be, how it is written to a config and read back, and what
-- LuaCATS calls it. Other modules add types of their own:
--
--     types.define("initializer", {
--       kind = "scalar", luacats = "string|Initializer",
--       convert = function(value, row) ... end,        -- what the constructor gets (a name becomes an object)
--       to_config = function(value, row) ... end,      -- plain data for get_config
--       from_config = function(config, row) ... end,   -- and back
--     })
--
-- Fields of a type:
--   kind      "scalar" | "list" | "tensor" | "data" | "struct" | "map" (docs/call-grammar.md)
--   check     checked while the call is read: "integer" | "number" | "boolean" | "string" | "function"
--   accept    function(value, row): true, or false and what was expected ("a list of integers")
--   convert, to_config, from_config   as above; without them a value is passed as it is
--   tensors   a list of tensors: a table that holds tensors is no item of it
--   luacats   the type in LuaCATS annotations

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local errors = require "moonflow.base.errors"

local types = {}
local defined = {}

local kinds = {scalar = true, list = true, tensor = true, data = true, struct = true, map = true}

--- Adds a type, or replaces one.
function types.define(name, type_)
  if not kinds[type_.kind] then
    errors.raise("INTERNAL", "types.define", "type '%s': unknown kind %s", name, errors.describe(type_.kind))
  end
  type_.name = name
  defined[name] = type_
  return type_
end

--- The type called `name`; `where` names the class or function whose row asks.
function types.get(name, where)
  local found = defined[name]
  if found then return found end
  errors.raise("INTERNAL", where, "%s: unknown type %s in a row of arguments", where, errors.describe(name))
end

--- True when there is a type called `name`.
function types.has(name)
  return defined[name] ~= nil
end

local function is_plain_list(value)
  return type(value) == "table" and getmetatable(value) == nil
end

--- A read-only list such as a shape: reads like one, but is an object.
local function is_list_like(value)
  return is_plain_list(value) or (type(value) == "userdata" or type(value) == "table") and
    (getmetatable(value) or {}).__len ~= nil
end

--- Makes an `accept` for lists: every item must satisfy `is_item`; with `lone`, one item may stand for itself.
local function list_of(expected, is_item, lone)
  return function(value)
    if lone and is_item(value) then return true end
    if not is_list_like(value) then return false, expected end
    for i = 1, #value do
      if not is_item(value[i]) then return false, expected end
    end
    return true
  end
end

local function is_integer(value)
  return math.type(value) == "integer" or math.type(value) == "float" and math.tointeger(value) ~= nil
end

local function is_number(value)
  return type(value) == "number"
end

local function is_string(value)
  return type(value) == "string"
end

local function copy_list(value)
  if not is_list_like(value) then return value end
  local copy = {}
  for i = 1, #value do copy[i] = value[i] end
  return copy
end

local function integers(value)
  if type(value) == "number" then return math.tointeger(value) end
  local copy = {}
  for i = 1, #value do copy[i] = math.tointeger(value[i]) end
  return copy
end

-- The kinds themselves, for rows that need no more.
for kind in next, kinds do types.define(kind, {kind = kind, luacats = "any"}) end

types.define("any", {kind = "scalar", luacats = "any"})
types.define("object", {kind = "scalar", luacats = "any"})
types.define("integer", {kind = "scalar", check = "integer", luacats = "integer"})
types.define("number", {kind = "scalar", check = "number", luacats = "number"})
types.define("boolean", {kind = "scalar", check = "boolean", luacats = "boolean"})
types.define("string", {kind = "scalar", check = "string", luacats = "string"})
types.define("function", {kind = "scalar", check = "function", luacats = "function"})
types.define("axis", {kind = "scalar", luacats = "integer|integer[]"})
types.define("dtype", {kind = "scalar", luacats = "string|tf.DType"})

types.define("shape", {kind = "list", luacats = "(integer|tf.None)[]", to_config = copy_list})
types.define("axes", {kind = "list", luacats = "integer|integer[]", to_config = copy_list})
types.define("integers", {
  kind = "list", luacats = "integer|integer[]",
  accept = list_of("an integer or a list of integers", is_integer, true),
  convert = integers, to_config = copy_list,
})
types.define("numbers", {
  kind = "list", luacats = "number|number[]",
  accept = list_of("a number or a list of numbers", is_number, true), to_config = copy_list,
})
types.define("strings", {
  kind = "list", luacats = "string|string[]",
  accept = list_of("a string or a list of strings", is_string, true), to_config = copy_list,
})
types.define("tensors", {kind = "list", tensors = true, luacats = "tf.Tensor[]"})
types.define("layers", {kind = "list", luacats = "tf.keras.layers.Layer[]"})

return types
