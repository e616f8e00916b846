--- Kinds of objects that go by name and by config: initializers, regularizers, losses, metrics, optimizers ...
--
--     return registry.new{
--       what = "initializer", module = "keras.initializers", folder = "moonflow.keras.initializers",
--       classes = {GlorotUniform = "glorot_uniform", Zeros = "zeros"},      -- class -> module below the folder
--       functions = {relu = {"functions", "relu"}},                         -- public functions
--       further = namespace,                                                -- more classes for configs only
--       aliases = {normal = "RandomNormal"},                                -- further names, beyond snake_case ones
--       others = {l1_l2 = {"functions", "l1_l2"}},                          -- members that get does not find
--     }
--
-- The result is the namespace with its classes and functions, and get(identifier), serialize(object), deserialize(config).
-- get takes an object (returned as it is), a function, a name (a class is constructed without arguments, a function
-- returned), or a config {class_name, config}. nil gives nil. Classes that users make with extend are found by name when
-- they were registered: register(class).

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local class = require "moonflow.base.class"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local namespace = require "moonflow.keras.namespace"
local naming = require "moonflow.keras.backend.naming"
local nest = require "moonflow.base.nest"

local None = dicts.None

local registry = {}

local function find_class(kind, name)
  return kind.custom[name] or kind.classes[name] and kind.space[name] or kind.further and kind.further[name]
end

--- The class or function that a name means, or nil. `is_function` is the second result.
local function find(kind, name)
  if kind.functions[name] then return kind.space[name], true end
  local member = kind.aliases[name] or kind.by_snake_case[name] or name
  if kind.functions[member] then return kind.space[member], true end
  return find_class(kind, member), false
end

local function fail_unknown(kind, name)
  local names = namespace.names(kind.space)
  for key in next, kind.by_snake_case do names[#names + 1] = key end
  for key in next, kind.aliases do names[#names + 1] = key end
  local near = errors.nearest(name, names)
  errors.invalid(kind.module, "could not interpret the %s identifier '%s'%s", kind.what, name,
    near and "; did you mean " .. near .. "?" or "")
end

local function is_callable(value)
  if type(value) == "function" then return true end
  local meta = type(value) == "table" and getmetatable(value)
  return meta and meta.__call ~= nil
end

local function deserialize(kind, config)
  if type(config) == "string" then
    local found, is_function = find(kind, config)
    if not found then fail_unknown(kind, config) end
    if is_function then return found end
    return found()
  end
  local name = config.class_name
  if type(name) ~= "string" then
    errors.invalid(kind.module, "expected a config with `class_name` and `config`, received a table without")
  end
  if name == "function" then return deserialize(kind, config.config) end
  local cls, is_function = find(kind, name)
  if not cls then fail_unknown(kind, name) end
  if is_function then return cls end
  local arguments = config.config
  if arguments == nil or arguments == None then arguments = {} end
  return cls.from_config(arguments)
end

local function get(kind, identifier)
  if identifier == nil or identifier == None then return nil end
  if type(identifier) == "string" then return deserialize(kind, identifier) end
  if class.is_class(identifier) then return identifier() end
  if type(identifier) == "table" and (getmetatable(identifier) == nil or dicts.is_dict(identifier)) then
    return deserialize(kind, identifier)
  end
  if is_callable(identifier) or class.of(identifier) or core.args.is_tensor(identifier) then return identifier end
  errors.invalid(kind.module, "could not interpret the %s identifier: %s", kind.what, errors.describe(identifier))
end

--- The public name of a function of the namespace, or nil.
local function name_of_function(kind, f)
  for name in next, kind.functions do
    if rawequal(kind.space[name], f) then return name end
  end
end

--- Shapes as lists: one, or a structure of them.
local function plain_shapes(shapes)
  return nest.map_structure(function(shape)
    return core.args.kind(shape) == "shape" and shape:as_list() or shape
  end, shapes)
end

local function serialize(kind, object)
  if object == nil or object == None then return None end
  if type(object) == "string" then return object end
  local cls = class.of(object)
  if cls then
    local config = dicts.dict{
      {"module", cls.keras_module or kind.module}, {"class_name", cls.class_name}, {"config", object:get_config()},
      {"registered_name", kind.custom[cls.class_name] and cls.class_name or cls.registered_name or None},
    }
    local shapes = object.is_layer and object.built and object._own.build_shapes
    if shapes and shapes.n == 1 then config.build_config = dicts.dict{{"input_shape", plain_shapes(shapes[1])}} end
    if object.is_model then config.compile_config = object:get_compile_config() end
    return config
  end
  local name = name_of_function(kind, object)
  if name then return name end
  errors.invalid(kind.module, "cannot write %s to a config: only named functions and objects can be written",
    errors.describe(object))
end

--- Makes a kind; see the head of this file.
function registry.new(kind)
  kind.classes, kind.functions, kind.aliases = kind.classes or {}, kind.functions or {}, kind.aliases or {}
  kind.custom, kind.by_snake_case = {}, {}
  local members = {}
  for name, member in next, kind.classes do
    members[name] = member
    kind.by_snake_case[naming.to_snake_case(name)] = name
  end
  for name, member in next, kind.functions do members[name] = member end
  for name, member in next, kind.others or {} do members[name] = member end
  for name, member in next, kind.aliases do members[name] = members[name] or members[member] end
  members.get = function(identifier) return get(kind, identifier) end
  members.deserialize = function(config) return deserialize(kind, config) end
  members.serialize = function(object) return serialize(kind, object) end
  --- Makes a class of a user known by its name.
  members.register = function(cls) kind.custom[cls.class_name] = cls end
  kind.space = namespace.new("tf." .. kind.module, kind.folder, members)
  return kind.space
end

return registry
