--- tf.dict and tf.kw: marks that say how a table is meant.
--
-- `dict{a = 1}` is a dict whatever stands around it, `dict{}` the empty dict, `dict{{"q", 1}, {"b", 2}}` has an order:
-- files (JSON) and `pairs` follow it; structures are walked in bytewise order all the same. A dict is an ordinary
-- table with the entries in itself; keys assigned later go to the end of a kept order. `kw{axis = 1}` marks the
-- keywords of a call.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"

local kw_meta, dict_meta, orders, less = core.args.kw_meta, core.args.dict_meta, core.args.dict_orders, core.args.less

local NOTHING = {}

local dicts = {None = core.args.None}

--- Keys of a dict that are set, in the order it remembers; keys it does not remember follow in bytewise order.
function dicts.ordered_keys(dict)
  local keys, seen, later = {}, {}, {}
  for _, key in ipairs(orders[dict] or NOTHING) do
    if rawget(dict, key) ~= nil and not seen[key] then
      keys[#keys + 1], seen[key] = key, true
    end
  end
  for key in next, dict do
    if not seen[key] then later[#later + 1] = key end
  end
  table.sort(later, function(a, b)
    if type(a) == "string" and type(b) == "string" then return less(a, b) end
    if type(a) ~= type(b) then return type(a) < type(b) end
    return a < b
  end)
  table.move(later, 1, #later, #keys + 1, keys)
  return keys
end

dict_meta.__name = "dict"

function dict_meta.__newindex(dict, key, value)
  if type(key) ~= "string" and math.type(key) ~= "integer" then
    errors.invalid("tf.dict", "keys are strings or integers, received %s", errors.describe(key))
  end
  rawset(dict, key, value)
  local order = orders[dict]
  if order and value ~= nil then order[#order + 1] = key end
end

function dict_meta.__pairs(dict)
  local keys, i = dicts.ordered_keys(dict), 0
  return function()
    i = i + 1
    local key = keys[i]
    if key ~= nil then return key, rawget(dict, key) end
  end
end

function dict_meta.__tostring(dict)
  local parts = {}
  for _, key in ipairs(dicts.ordered_keys(dict)) do
    parts[#parts + 1] = tostring(key) .. "=" .. errors.describe(rawget(dict, key))
  end
  return "dict{" .. table.concat(parts, ", ") .. "}"
end

--- True for a plain list of {key, value} pairs.
local function is_pairs(entries)
  for i = 1, #entries do
    local pair = entries[i]
    if type(pair) ~= "table" or getmetatable(pair) ~= nil or #pair ~= 2 then return false end
  end
  local n = 0
  for _ in next, entries do n = n + 1 end
  return n == #entries
end

--- tf.dict: marks a table as a dict. With string keys its order is the bytewise one; a list of {key, value} pairs
-- keeps theirs.
function dicts.dict(entries)
  local dict = {}
  if entries == nil then return setmetatable(dict, dict_meta) end
  if type(entries) ~= "table" or getmetatable(entries) ~= nil and getmetatable(entries) ~= dict_meta then
    errors.invalid("tf.dict", "expected a table, received %s", errors.describe(entries))
  end
  if #entries > 0 and getmetatable(entries) == nil then
    if not is_pairs(entries) then
      errors.invalid("tf.dict", "expected string keys, or a list of {key, value} pairs")
    end
    local order = {}
    orders[dict] = order
    for _, pair in ipairs(entries) do
      local key = pair[1]
      if type(key) ~= "string" and math.type(key) ~= "integer" then
        errors.invalid("tf.dict", "keys are strings or integers, received %s", errors.describe(key))
      end
      if rawget(dict, key) ~= nil then errors.invalid("tf.dict", "key %s occurs twice", errors.describe(key)) end
      rawset(dict, key, pair[2])
      order[#order + 1] = key
    end
    return setmetatable(dict, dict_meta)
  end
  for key, value in next, entries do
    if type(key) ~= "string" and math.type(key) ~= "integer" then
      errors.invalid("tf.dict", "keys are strings or integers, received %s", errors.describe(key))
    end
    rawset(dict, key, value)
  end
  if orders[entries] then orders[dict] = table.move(orders[entries], 1, #orders[entries], 1, {}) end
  return setmetatable(dict, dict_meta)
end

--- tf.kw: marks a table as the keywords of a call.
function dicts.kw(keywords)
  local copy = {}
  if keywords == nil then return setmetatable(copy, kw_meta) end
  local meta = getmetatable(keywords)
  if type(keywords) ~= "table" or meta ~= nil and meta ~= kw_meta and meta ~= dict_meta then
    errors.invalid("tf.kw", "expected a table with string keys, received %s", errors.describe(keywords))
  end
  for key, value in next, keywords do
    if type(key) ~= "string" then
      errors.invalid("tf.kw", "keys are names of arguments, received %s", errors.describe(key))
    end
    copy[key] = value
  end
  return setmetatable(copy, kw_meta)
end

--- A dict with the entries of `entries` (or nil) in the order of the list `order`.
function dicts.ordered(order, entries)
  local dict = {}
  for key, value in next, entries or NOTHING do dict[key] = value end
  orders[dict] = table.move(order, 1, #order, 1, {})
  return setmetatable(dict, dict_meta)
end

--- Sorts a list of strings in bytewise order (Lua's own < follows the locale). Returns it.
function dicts.sorted(list)
  table.sort(list, less)
  return list
end

--- True for what dict{} makes.
function dicts.is_dict(value)
  return type(value) == "table" and rawequal(getmetatable(value), dict_meta)
end

--- True for a dict that keeps an order of its own.
function dicts.has_order(dict)
  return orders[dict] ~= nil
end

return dicts
