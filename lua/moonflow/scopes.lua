--- Context managers without a body of their own: tf.device, tf.name_scope, tf.control_dependencies, tf.init_scope. Each is a
-- to-be-closed value; it opens when it is made, and closing ends exactly its own entry.

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"

local scopes = {}

--- A kind of scope whose innermost open entry counts. `changed(value or nil)` is told what counts now.
local function stack_of(changed)
  local entries = {}
  local meta = {__mf_kind = "object"}
  local function tell()
    local top = entries[#entries]
    changed(top and top.value)
  end
  local function close(entry)
    for i = #entries, 1, -1 do
      if rawequal(entries[i], entry) then
        table.remove(entries, i)
        return tell()
      end
    end
  end
  meta.__close = close
  meta.__index = {close = close}
  return function(value, name)
    meta.__name = meta.__name or name
    local entry = setmetatable({value = value}, meta)
    entries[#entries + 1] = entry
    tell()
    return entry
  end, entries
end

--- "/GPU:1", "CPU:0", "/job:localhost/replica:0/task:0/device:GPU:0": type and index.
function scopes.parse_device(name)
  local kind, index = name:match("([%a]+):(%d+)$")
  if not kind then kind = name:match("([%a]+)$") end
  kind = kind and kind:upper()
  if kind ~= "CPU" and kind ~= "GPU" then
    errors.invalid("device", "argument 'device_name': expected a name such as '/CPU:0' or '/GPU:0', received %s", errors.describe(name))
  end
  return kind, math.tointeger(tonumber(index or 0))
end

local open_device = stack_of(function(device)
  if device then core.machine.set_device(device[1], device[2]) else core.machine.set_device() end
end)

function scopes.device(name)
  if name == nil then return open_device(false, "tf.device") end
  if type(name) ~= "string" then
    errors.invalid("device", "argument 'device_name': expected a string, received %s", errors.describe(name))
  end
  local kind, index = scopes.parse_device(name)
  core.machine.set_device(kind, index) -- raises when there is no such device
  return open_device({kind, index}, "tf.device")
end

local names = ""
local open_name, name_entries = stack_of(function(value) names = value or "" end)

function scopes.name_scope(name)
  if type(name) ~= "string" then
    errors.invalid("name_scope", "argument 'name': expected a string, received %s", errors.describe(name))
  end
  local full = name:sub(-1) == "/" and name:sub(1, -2) or (names == "" and name or names .. "/" .. name)
  local entry = open_name(full, "tf.name_scope")
  entry.name = full
  return entry
end

function scopes.current_name()
  return #name_entries > 0 and names or ""
end

local open_plain = stack_of(function() end)

--- A scope that marks a block and changes nothing: eager ops run in program order anyway.
function scopes.plain()
  return open_plain(true, "scope")
end

return scopes
