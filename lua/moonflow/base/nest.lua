--- Structures: the only code that walks user tables.
--
-- A list has keys 1..n, a dict has string keys and is walked in bytewise order of its keys, as tf.nest does;
-- everything else is a leaf: numbers, strings, tensors, functions, tf.None, and every table with a metatable except
-- tf.dict{...}. `{}` is an empty list, `dict{}` an empty dict. Both kinds of keys at once, holes, other keys and
-- structures deeper than 200 levels (or that contain themselves, or have more than a million parts) are errors that
-- say where.
--
-- Options of the walking functions (a table, or nil):
--     what                the operation and argument for error texts: "Model.fit: argument 'x'"
--     data                a list of numbers, booleans or strings, nested or not, is one leaf: it becomes one tensor
--     expand_composites   objects of kind "composite" (ragged, sparse, slices) count as lists of their components();
--                         packing calls value.spec:from_components(list)

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"

local None, dict_meta = core.args.None, core.args.dict_meta
local kind_of, is_scalar_list, less = core.args.kind, core.args.is_scalar_list, core.args.less

local DEEPEST, MOST_NODES = 200, 1000000
local NO_OPTIONS = {}

local nest = {None = None, dict = dicts.dict, kw = dicts.kw}

-- ---- what a value is

local function place(path, depth)
  local parts = {}
  for i = 1, depth do
    local key = path[i]
    parts[i] = type(key) == "string" and "[" .. errors.describe(key) .. "]" or ("[%d]"):format(key)
  end
  return table.concat(parts)
end

local function fail(options, path, depth, message, ...)
  local where = place(path, depth)
  errors.invalid(options.what or "nest", (where == "" and "" or "at %s: ") .. message, table.unpack(
    where == "" and {...} or {where, ...}))
end

--- Sorted keys of a table whose first key is a string.
local function dict_keys(value, options, path, depth)
  local keys = {}
  for key in next, value do
    if type(key) ~= "string" then
      fail(options, path, depth, "keys of a dict are strings, received a table with the key %s", errors.describe(key))
    end
    keys[#keys + 1] = key
  end
  table.sort(keys, less)
  return keys
end

--- Number of items of a table whose first key is no string.
local function list_size(value, options, path, depth)
  local count, greatest = 0, 0
  for key in next, value do
    if type(key) == "string" then
      fail(options, path, depth, "a table is a list or a dict, received one with list items and the key %s",
        errors.describe(key))
    end
    if math.type(key) ~= "integer" or key < 1 then
      fail(options, path, depth, "keys of a table are strings or 1..n, received %s", errors.describe(key))
    end
    count = count + 1
    if key > greatest then greatest = key end
  end
  if count ~= greatest then
    fail(options, path, depth,
      "a list has no holes, received %d items with keys up to %d (write tf.None for an empty place)", count, greatest)
  end
  return count
end

--- "leaf", or "list" and its size, or "dict" and its sorted keys, or "composite" and its components.
local function inspect(value, options, path, depth)
  if type(value) ~= "table" then
    if options.expand_composites and type(value) == "userdata" and kind_of(value) == "composite" then
      return "composite", value:components()
    end
    return "leaf"
  end
  local meta = getmetatable(value)
  if meta ~= nil and not rawequal(meta, dict_meta) then
    if options.expand_composites and kind_of(value) == "composite" then return "composite", value:components() end
    return "leaf"
  end
  if depth >= DEEPEST then
    fail(options, path, 3, "and so on: the structure is deeper than %d levels, or contains itself", DEEPEST)
  end
  local first = next(value)
  if meta ~= nil then return "dict", dict_keys(value, options, path, depth) end
  if type(first) == "string" then return "dict", dict_keys(value, options, path, depth) end
  if options.data and is_scalar_list(value) then return "leaf" end
  return "list", first == nil and 0 or list_size(value, options, path, depth)
end

--- "leaf", "list" or "dict".
function nest.kind(value)
  local kind = inspect(value, NO_OPTIONS, {}, 0)
  return kind
end

function nest.is_list(value)
  return inspect(value, NO_OPTIONS, {}, 0) == "list"
end

function nest.is_dict(value)
  return inspect(value, NO_OPTIONS, {}, 0) == "dict"
end

--- True for lists and dicts.
function nest.is_nested(value)
  return inspect(value, NO_OPTIONS, {}, 0) ~= "leaf"
end

--- Keys of a dict in bytewise order.
function nest.keys(dict)
  local kind, keys = inspect(dict, NO_OPTIONS, {}, 0)
  if kind == "dict" then return keys end
  if kind == "list" and keys == 0 then return {} end
  errors.invalid("nest.keys", "expected a dict, received %s", errors.describe(dict))
end

--- Keys of a dict in the order it remembers (tf.dict), else in bytewise order.
function nest.ordered_keys(dict)
  local keys = nest.keys(dict)
  return dicts.has_order(dict) and dicts.ordered_keys(dict) or keys
end

--- Iterates over a dict: key, value in bytewise order.
function nest.entries(dict)
  local keys, i = nest.keys(dict), 0
  return function()
    i = i + 1
    local key = keys[i]
    if key ~= nil then return key, rawget(dict, key) end
  end
end

-- ---- walking

--- Calls visit(leaf, path, depth) for every leaf; path[1..depth] are the keys on the way, and change after the call.
local function walk(structure, visit, options)
  local path, nodes = {}, 0
  local function step(value, depth)
    nodes = nodes + 1
    if nodes > MOST_NODES then fail(options, path, 0, "the structure has more than %d parts", MOST_NODES) end
    local kind, extent = inspect(value, options, path, depth)
    if kind == "leaf" then
      if value == nil then value = None end
      visit(value, path, depth)
    elseif kind == "dict" then
      for _, key in ipairs(extent) do
        path[depth + 1] = key
        step(rawget(value, key), depth + 1)
      end
    else
      local items = kind == "list" and value or extent
      for i = 1, kind == "list" and extent or #extent do
        path[depth + 1] = i
        step(items[i], depth + 1)
      end
    end
  end
  step(structure, 0)
end

--- The leaves, in order. A lone leaf is a list of one; nil counts as tf.None.
function nest.flatten(structure, options)
  local flat = {}
  walk(structure, function(leaf) flat[#flat + 1] = leaf end, options or NO_OPTIONS)
  return flat
end

--- A list of {path, leaf}; a path is the list of keys that lead to the leaf.
function nest.flatten_with_paths(structure, options)
  local flat = {}
  walk(structure, function(leaf, path, depth)
    flat[#flat + 1] = {table.move(path, 1, depth, 1, {}), leaf}
  end, options or NO_OPTIONS)
  return flat
end

--- "['image'][2]" for a path of flatten_with_paths.
function nest.path_text(path)
  return place(path, #path)
end

--- An empty table for the dict `like`, with the order and metatable it has.
local function empty_dict(like)
  if getmetatable(like) == nil then return {} end
  return dicts.has_order(like) and dicts.ordered(dicts.ordered_keys(like)) or dicts.dict()
end

--- Rebuilds `structure` with next_leaf() in the place of each leaf.
local function rebuild(structure, next_leaf, options)
  local path = {}
  local function step(value, depth)
    local kind, extent = inspect(value, options, path, depth)
    if kind == "leaf" then return next_leaf() end
    local built = {}
    if kind == "dict" then
      built = empty_dict(value)
      for _, key in ipairs(extent) do
        path[depth + 1] = key
        rawset(built, key, step(rawget(value, key), depth + 1))
      end
      return built
    end
    local items = kind == "list" and value or extent
    for i = 1, kind == "list" and extent or #extent do
      path[depth + 1] = i
      built[i] = step(items[i], depth + 1)
    end
    if kind == "composite" then return value.spec:from_components(built) end
    return built
  end
  return step(structure, 0)
end

--- The inverse of flatten: `flat` in the shape of `structure`.
function nest.pack_sequence_as(structure, flat, options)
  options = options or NO_OPTIONS
  local atoms = #nest.flatten(structure, options)
  if atoms ~= #flat then
    errors.invalid(options.what or "nest.pack_sequence_as",
      "could not pack the sequence: the structure has %d atoms, but the flat sequence has %d items", atoms, #flat)
  end
  local i = 0
  return rebuild(structure, function()
    i = i + 1
    return flat[i]
  end, options)
end

local function describe_level(kind, extent)
  if kind == "dict" then return "a dict with the keys {" .. table.concat(extent, ", ") .. "}" end
  if kind == "list" then return ("a list of %d"):format(extent) end
  if kind == "composite" then return ("a composite tensor of %d components"):format(#extent) end
  return "a leaf"
end

--- Raises unless both have the same lists and dicts, with the same sizes and keys, in the same places.
function nest.assert_same_structure(a, b, options)
  options = options or NO_OPTIONS
  local path, nodes = {}, 0
  local function step(x, y, depth)
    nodes = nodes + 1
    if nodes > MOST_NODES then fail(options, path, 0, "the structure has more than %d parts", MOST_NODES) end
    local kind, extent = inspect(x, options, path, depth)
    local other_kind, other_extent = inspect(y, options, path, depth)
    local same = kind == other_kind
    if same and kind == "dict" then
      same = #extent == #other_extent
      for i = 1, same and #extent or 0 do same = same and extent[i] == other_extent[i] end
    elseif same and kind == "list" then
      same = extent == other_extent
    elseif same and kind == "composite" then
      same = #extent == #other_extent
    end
    if not same then
      fail(options, path, depth,
        "the two structures don't have the same nested structure: the first is %s, the second is %s",
        describe_level(kind, extent), describe_level(other_kind, other_extent))
    end
    if kind == "dict" then
      for _, key in ipairs(extent) do
        path[depth + 1] = key
        step(rawget(x, key), rawget(y, key), depth + 1)
      end
    elseif kind == "list" then
      for i = 1, extent do
        path[depth + 1] = i
        step(x[i], y[i], depth + 1)
      end
    end
  end
  step(a, b, 0)
end

--- f(leaf of the first, leaf of the second, ...) in the structure of the first; nil results become tf.None.
-- Further structures must have the same nested structure. Options may follow as `map_structure(f, s,
-- nest.options{...})`.
function nest.map_structure(f, first, ...)
  local structures, options = {first, ...}, NO_OPTIONS
  local n = math.max(select("#", ...) + 1, 1)
  if n > 1 and getmetatable(structures[n]) == nest.options_meta then
    options, n = structures[n], n - 1
  end
  local flats = {}
  for i = 1, n do
    if i > 1 then nest.assert_same_structure(first, structures[i], options) end
    flats[i] = nest.flatten(structures[i], options)
  end
  local at, leaves = 0, {}
  return rebuild(first, function()
    at = at + 1
    for i = 1, n do leaves[i] = flats[i][at] end
    local result = f(table.unpack(leaves, 1, n))
    if result == nil then return None end
    return result
  end, options)
end

nest.options_meta = {}

--- Marks a table as the options of map_structure.
function nest.options(options)
  return setmetatable(options, nest.options_meta)
end

--- f(path, leaf) in the structure of `structure`; the path is a list of keys.
function nest.map_structure_with_path(f, structure, options)
  options = options or NO_OPTIONS
  local flat, at = nest.flatten_with_paths(structure, options), 0
  return rebuild(structure, function()
    at = at + 1
    local result = f(flat[at][1], flat[at][2])
    if result == nil then return None end
    return result
  end, options)
end

--- The parts of `structure` that stand where `shallow` has leaves.
function nest.flatten_up_to(shallow, structure, options)
  options = options or NO_OPTIONS
  local flat = {}
  walk(shallow, function(_, path, depth)
    local value = structure
    for i = 1, depth do
      local kind, extent = inspect(value, options, path, i - 1)
      local found = kind ~= "leaf" and rawget(value, path[i])
      if kind == "leaf" or found == nil then
        fail(options, path, i - 1, "expected a structure with %s, received %s", errors.describe(path[i]),
          kind == "leaf" and errors.describe(value) or describe_level(kind, extent))
      end
      value = found
    end
    flat[#flat + 1] = value == nil and None or value
  end, options)
  return flat
end

-- ---- what parameters of the kinds `data` and `map` need

--- The tensors of a data argument, in order: numeric lists are leaves and reach `convert` as they are.
function nest.convert_data(structure, convert, what)
  return nest.map_structure(convert, structure, nest.options{data = true, what = what})
end

--- Entries of a map argument (class_weight): a list of {integer key, value} in ascending order.
function nest.map_entries(map, what)
  what = what or "nest.map_entries"
  local marked = getmetatable(map) == dict_meta
  if type(map) ~= "table" or getmetatable(map) ~= nil and not marked then
    errors.invalid(what, "expected a table with class numbers from 0 as keys, received %s", errors.describe(map))
  end
  local list = {}
  for key, value in next, map do
    local number = math.tointeger(key)
    if type(key) ~= "number" or not number or number < 0 then
      errors.invalid(what, "keys are class numbers from 0, received %s", errors.describe(key))
    end
    list[#list + 1] = {number, value}
  end
  table.sort(list, function(a, b) return a[1] < b[1] end)
  if not marked and #list > 0 and list[1][1] == 1 and list[#list][1] == #list then
    errors.invalid(what, "a table with the keys 1..%d and no 0 looks like a list; class numbers count from 0: " ..
      "write {[0] = ...}, or tf.dict{{1, w}, ...} if class 0 is meant to be absent", #list)
  end
  return list
end

--- Python's zip: a list of lists, as long as the shortest of the lists given.
function nest.zip(...)
  local lists, n = {...}, select("#", ...)
  local shortest
  for i = 1, n do
    local list = lists[i]
    local listlike = nest.kind(list) == "list" or type(list) ~= "string" and (getmetatable(list) or {}).__len
    if not listlike then
      errors.invalid("tf.zip", "argument %d: expected a list, received %s", i, errors.describe(list))
    end
    if not shortest or #list < shortest then shortest = #list end
  end
  local rows = {}
  for i = 1, shortest or 0 do
    local row = {}
    for j = 1, n do row[j] = lists[j][i] end
    rows[i] = row
  end
  return rows
end

return nest
