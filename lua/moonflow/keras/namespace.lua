--- Namespaces of Keras: tables whose members are found in modules that are loaded when they are first asked for.
--
--     return namespace.new("tf.keras.layers", "moonflow.keras.layers", {Dense = "dense", Flatten = "flatten"})
--
-- A member is the name of a module below the folder (the module returns the class), or `{module, field}`, or any other
-- value as it is. The names are the public API; pairs() goes over them in bytewise order.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"

local namespace = {}

local function load_member(folder, member)
  if type(member) == "string" then return require(folder .. "." .. member) end
  if type(member) == "table" and getmetatable(member) == nil then return require(folder .. "." .. member[1])[member[2]] end
  return member
end

--- Makes a namespace called `name` of modules below `folder`; `members` says where each name is found.
function namespace.new(name, folder, members)
  local names = {}
  for key in next, members do names[#names + 1] = key end
  dicts.sorted(names)
  local space = {}
  return setmetatable(space, {
    __name = name, __mf_namespace = name, members = members,
    __index = function(_, key)
      local member = members[key]
      if member == nil then
        if type(key) ~= "string" or key:sub(1, 1) == "_" then return nil end
        errors.no_member(name, key, names)
      end
      local value = load_member(folder, member)
      rawset(space, key, value)
      return value
    end,
    __pairs = function()
      local i = 0
      return function()
        i = i + 1
        local key = names[i]
        if key ~= nil then return key, space[key] end
      end
    end,
    __tostring = function() return "<namespace " .. name .. ">" end,
  })
end

--- The names of a namespace, in bytewise order.
function namespace.names(space)
  local names = {}
  for key in next, getmetatable(space).members do names[#names + 1] = key end
  return dicts.sorted(names)
end

return namespace
