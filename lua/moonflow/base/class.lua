--- Classes: single inheritance, arguments by schema, properties, tracking of assignments.
--
--     local Dense = Layer:extend("Dense", {
--       args = {{"units", "integer", min = 1}, ...},   -- rows of base/schema.lua; the base's arguments count too
--       call_args = {{"training", "boolean", default = tf.None}},
--       getters = {kernel = function(self) return self._kernel end},       -- layer.kernel
--       setters = {trainable = function(self, value) ... end},             -- layer.trainable = false
--       track = true,          -- remember the order in which objects and tables are assigned: class.tracked(object)
--       kind = "object",       -- __mf_kind of instances
--     })
--     function Dense:init(a) self:super_init(a); self.units = a.units end
--     local layer = Dense(128, {activation = "relu"})
--
-- With `args`, the constructor follows the grammar of calls and init gets one table of all arguments; without, init
-- gets exactly the values written. A class without `args` and without an own init is constructed as its base is.
-- `self:super_init(a)` takes from `a` what the base's arguments name; other values are read as a call of the base's
-- constructor.
--
-- Every class has: class_name, class (itself), super (its base), extend, from_config; every instance: isinstance(C),
-- get_config(), super_init. Names with two underscores are metamethods (`function Layer:__call(...)`) and are
-- inherited by classes made later. Hooks: `_prepare(self)` runs before init; `_make(class, ...)` replaces
-- construction (class.construct is the plain one).
--
-- Attributes live in the instance itself, so that reading and re-assigning them costs a plain table access. Getters
-- are asked for names that neither the instance nor the class has; a getter without a setter is read-only.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local schema = require "moonflow.base.schema"

local class = {}

local weak = {__mode = "k"}
local info = setmetatable({}, weak)    -- class -> {parent, meta, args, call_args, schema, getters, setters, track}
local levels = setmetatable({}, weak)  -- instance -> {class whose init runs, its arguments, their schema}
local derived = setmetatable({}, weak) -- from_config functions that extend made

--- Nearest class from `cls` upwards that says how it is constructed: by arguments of its own, or an own init.
local function constructor_of(cls)
  while not info[cls].args and rawget(cls, "init") == nil do cls = info[cls].parent end
  return cls
end

--- The schema that constructs `cls`, or nil when its init takes plain values.
local function schema_of(cls)
  local own = info[cls]
  if own.schema then return own.schema end
  local owner = constructor_of(cls)
  if not info[owner].args then return nil end
  if owner ~= cls then
    own.schema = schema_of(owner):renamed(cls.class_name)
  else
    local parent = own.parent
    while parent and not info[parent].args do parent = info[parent].parent end
    own.schema = schema.new(cls.class_name, own.args, parent and schema_of(parent))
  end
  return own.schema
end

--- Runs the nearest init from `cls` upwards, on the arguments read by the schema `by`, or on the values that follow.
local function run_init(object, cls, arguments, by, ...)
  while rawget(cls, "init") == nil do cls = info[cls].parent end
  local own = by and schema_of(cls)
  if own and own.rows ~= by.rows then
    -- an inherited init expects the arguments of its own class, those that a subclass took away too
    arguments, by = own:take(arguments, by), own
  end
  local before = levels[object]
  levels[object] = {class = cls, arguments = arguments, schema = by}
  if by then
    cls.init(object, arguments)
  else
    cls.init(object, ...)
  end
  levels[object] = before
  return cls
end

--- Makes an instance of `cls`.
function class.construct(cls, ...)
  local object = setmetatable({}, info[cls].meta)
  if cls._prepare then cls._prepare(object) end
  local by = schema_of(cls)
  if not by then
    run_init(object, cls, nil, nil, ...)
    return object
  end
  local arguments = by:read(...)
  rawset(object, "_args", arguments)
  if run_init(object, cls, arguments, by) == class.Object then
    for _, row in ipairs(by.rows) do object[row[1]] = arguments[row[1]] end
  end
  return object
end

local function call_class(cls, ...)
  if cls._make then return cls._make(cls, ...) end
  return class.construct(cls, ...)
end

-- ---- attributes

local function make_index(cls, getters)
  if not getters then return cls end
  return function(object, key)
    local value = cls[key]
    if value ~= nil then return value end
    local get = getters[key]
    if get then return get(object) end
  end
end

--- Remembers that `key` was assigned last.
local function note_assignment(object, key)
  local order = rawget(object, "_order")
  if not order then
    order = {}
    rawset(object, "_order", order)
  end
  for i = 1, #order do
    if order[i] == key then
      table.remove(order, i)
      break
    end
  end
  order[#order + 1] = key
end

local function make_newindex(cls, getters, setters, track)
  if not getters and not setters and not track then return nil end
  if track == true then track = note_assignment end
  return function(object, key, value)
    local set = setters and setters[key]
    if set then return set(object, value) end
    if getters and getters[key] and cls[key] == nil then
      errors.invalid(cls.class_name, "attribute '%s' is read-only", key)
    end
    rawset(object, key, value)
    if track and (type(value) == "table" or type(value) == "userdata") then track(object, key, value) end
  end
end

--- Attributes of an instance of a tracking class that hold objects or tables: a list of keys in the order of
-- assignment. A key that held a number or the like when it was first assigned follows at the end, in bytewise order.
function class.tracked(object)
  local keys, late = {}, {}
  local seen = {_order = true, _args = true, _untracked = true}
  for key in next, rawget(object, "_untracked") or {} do seen[key] = true end
  for _, key in ipairs(rawget(object, "_order") or {}) do
    local value = rawget(object, key)
    local holds = type(value) == "table" or type(value) == "userdata"
    if holds and not seen[key] then keys[#keys + 1] = key end
    seen[key] = true
  end
  for key, value in next, object do
    local holds = type(value) == "table" or type(value) == "userdata"
    if type(key) == "string" and holds and not seen[key] then late[#late + 1] = key end
  end
  for _, key in ipairs(dicts.sorted(late)) do keys[#keys + 1] = key end
  return keys
end

--- The names of the methods and properties of a class and its bases, as the keys of a table.
function class.names(cls)
  local names = {}
  while cls and info[cls] do
    for _, from in ipairs{cls, info[cls].getters or {}} do
      for key in next, from do
        if type(key) == "string" and key:sub(1, 1) ~= "_" then names[key] = true end
      end
    end
    cls = info[cls].parent
  end
  return names
end

--- Assigns an attribute without setters and tracking; class.tracked passes it over.
function class.set_untracked(object, key, value)
  local hidden = rawget(object, "_untracked")
  if not hidden then
    hidden = {}
    rawset(object, "_untracked", hidden)
  end
  hidden[key] = true
  rawset(object, key, value)
end

-- ---- making classes

local function inherited(own, base)
  if not own then return base end
  return setmetatable(own, {__index = base})
end

local function object_tostring(object)
  local name = rawget(object, "name") or rawget(object, "_name")
  return name and ("<%s name=%s>"):format(object.class_name, tostring(name)) or ("<%s>"):format(object.class_name)
end

local managed = {__index = true, __newindex = true, __mf_class = true, __name = true}

--- Metamethods written into a class go to its instances' metatable.
local function set_class_member(cls, key, value)
  rawset(cls, key, value)
  if type(key) == "string" and key:sub(1, 2) == "__" and not managed[key] then info[cls].meta[key] = value end
end

local function make_class(name, parent, options)
  if type(name) ~= "string" or name == "" then
    errors.invalid("extend", "expected the name of the class, received %s", errors.describe(name))
  end
  local base = parent and info[parent] or {}
  local cls = {class_name = name, super = parent}
  cls.class = cls
  local own = {
    parent = parent, args = options.args, call_args = options.call_args,
    getters = inherited(options.getters, base.getters), setters = inherited(options.setters, base.setters),
    track = options.track or base.track,
  }
  local meta = {}
  for key, value in next, base.meta or {} do meta[key] = value end
  meta.__index = make_index(cls, own.getters)
  meta.__newindex = make_newindex(cls, own.getters, own.setters, own.track)
  meta.__mf_class, meta.__name = name, name
  meta.__mf_kind = options.kind or meta.__mf_kind or "object"
  own.meta = meta
  info[cls] = own
  return setmetatable(cls, {
    __index = parent, __newindex = set_class_member, __call = call_class,
    __tostring = function() return "<class " .. name .. ">" end,
    __mf_kind = "class", __name = "class",
  })
end

--- Gives a class a from_config of its own, callable with a dot: it knows the class. A hand-written one is inherited
-- instead.
local function bind_from_config(cls)
  local existing = cls.from_config
  if existing ~= nil and not derived[existing] then return end
  local function from_config(first, second)
    local config = first
    if rawequal(first, cls) then config = second end -- called with a colon
    local by = schema_of(cls)
    if not by then return cls(config) end
    return cls(by:keywords_of(config))
  end
  derived[from_config] = true
  rawset(cls, "from_config", from_config)
end

local Object = make_class("Object", nil, {})
class.Object = Object
info[Object].meta.__tostring = object_tostring
bind_from_config(Object)

--- A subclass; see the head of this file for the options.
function Object:extend(name, options)
  if info[self] == nil then
    errors.invalid("extend", "expected a class in front of the colon, received %s", errors.describe(self))
  end
  local cls = make_class(name, self, options or {})
  bind_from_config(cls)
  return cls
end

function Object:init()
end

--- Calls the init of the base of the class whose init is running.
function Object:super_init(...)
  local level = levels[self]
  if not level then errors.invalid(self.class_name, "super_init is called inside init only") end
  local parent = info[level.class].parent
  if not parent then return end
  local by = schema_of(parent)
  if not by then
    run_init(self, parent, nil, nil, ...)
    return
  end
  local arguments
  if select("#", ...) == 1 and level.arguments and rawequal((...), level.arguments) then
    arguments = by:take(level.arguments, level.schema)
  else
    arguments = by:read(...)
  end
  if rawget(self, "_args") == nil then rawset(self, "_args", arguments) end
  run_init(self, parent, arguments, by)
end

--- True when the instance is of class `cls` or of a subclass.
function Object:isinstance(cls)
  return class.isinstance(self, cls)
end

--- The arguments that make an equal instance: a dict of plain data. A class without `args` writes its own (and may
-- start from what `My.super.get_config(self)` returns).
function Object:get_config()
  local cls = self.class
  local by = schema_of(cls)
  if not by and cls.get_config ~= Object.get_config then
    local base = cls
    while base and not by do
      base = info[base].parent
      by = base and schema_of(base)
    end
    if not by then return dicts.dict() end
  end
  if not by then
    errors.unimplemented(cls.class_name,
      "get_config: write %s:get_config(), or declare its arguments with args = {...}", cls.class_name)
  end
  return by:config(self, rawget(self, "_args") or {})
end

-- ---- questions

function class.is_class(value)
  return info[value] ~= nil
end

--- The class of an instance, or nil for other values.
function class.of(value)
  local meta = getmetatable(value)
  if type(value) ~= "table" or type(meta) ~= "table" or rawget(meta, "__mf_class") == nil then return nil end
  return value.class
end

function class.is_subclass(cls, base)
  while cls do
    if rawequal(cls, base) then return true end
    cls = info[cls] and info[cls].parent
  end
  return false
end

--- True when `value` is an instance of `cls` or of a subclass; false for all other values.
function class.isinstance(value, cls)
  return class.is_subclass(class.of(value), cls)
end

--- The schema of a class's constructor, or nil when it has none.
function class.schema(cls)
  return schema_of(cls)
end

--- Rows that `call` takes by name: the class's own, then its bases'.
function class.call_args(cls)
  local rows, seen = {}, {}
  while cls do
    for _, row in ipairs(info[cls].call_args or {}) do
      if not seen[row[1]] then rows[#rows + 1], seen[row[1]] = row, true end
    end
    cls = info[cls].parent
  end
  return rows
end

return class
