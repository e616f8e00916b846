--- Schemas: the arguments of a class, one row each.
--
--     args = {
--       {"units", "integer", min = 1, doc = "Size of the output's last axis."},
--       {"activation", "activation", default = tf.None, doc = "..."},
--     }
--
-- From the rows follow the constructor's check and defaults, get_config and from_config, docs and LuaCATS types. A
-- class accepts its base's arguments too: they go by name, and a row of the same name replaces the base's
-- (`{"units", remove = true}` takes it away). Fields of a row, beyond those of base/args.lua:
--     min, max    bounds of a number, or of each number in a list
--     one_of      list of the allowed strings
--     accept      function(value): true, or false and what was expected
--     get         function(object): the value for get_config; without it the attribute of that name, or what was given
--     config      false: not part of the config
--     dict        an empty table is a dict in the config
--     doc         one sentence
--
-- In the table that `read` returns, nil is Python's None.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local args = require "moonflow.base.args"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local types = require "moonflow.base.types"

local None = dicts.None

local Schema = {}
Schema.__index = Schema

local schema = {}

local function copy_row(row, changes)
  local copy = {}
  for key, value in next, row do copy[key] = value end
  for key, value in next, changes do copy[key] = value end
  return copy
end

--- A schema called `name` (for error texts) of `rows`, extending the schema `base` if there is one.
function schema.new(name, rows, base)
  local self = setmetatable({name = name, rows = {}, by_name = {}, base = base}, Schema)
  local own = {}
  for _, row in ipairs(rows) do
    own[row[1]] = true
    if not row.remove then self.rows[#self.rows + 1] = row end
  end
  for _, row in ipairs(base and base.rows or {}) do
    local by_name = row.keyword or row.open
    if not own[row[1]] then
      self.rows[#self.rows + 1] = by_name and row or copy_row(row, {keyword = true, rest = false})
    end
  end
  for _, row in ipairs(self.rows) do
    self.by_name[row[1]] = row
    types.get(row[2] or "any", name)
  end
  return self
end

--- The same arguments under another name: a subclass without rows of its own.
function Schema:renamed(name)
  return setmetatable({name = name, rows = self.rows, by_name = self.by_name, base = self.base}, Schema)
end

--- The signature that calls are read by.
function Schema:signature()
  if not self.compiled then
    local spec = {name = self.name}
    for i, row in ipairs(self.rows) do spec[i] = row end
    self.compiled = args.signature(spec)
  end
  return self.compiled
end

-- ---- checking

local function bounds_text(row)
  if row.min and row.max then return ("between %s and %s"):format(row.min, row.max) end
  if row.min then return ("of at least %s"):format(row.min) end
  return ("of at most %s"):format(row.max)
end

local function within(value, row)
  if type(value) ~= "number" then return true end
  return (not row.min or value >= row.min) and (not row.max or value <= row.max)
end

local function reject(self, row, expected, value)
  errors.invalid(self.name, "argument '%s': expected %s, received %s", row[1], expected, errors.describe(value))
end

local function check_bounds(self, row, value)
  if type(value) == "table" and getmetatable(value) == nil then
    for i = 1, #value do
      if not within(value[i], row) then reject(self, row, "numbers " .. bounds_text(row), value[i]) end
    end
  elseif not within(value, row) then
    local type_ = types.get(row[2] or "any", self.name)
    local noun = type_.check == "integer" and "an integer " or "a number "
    reject(self, row, noun .. bounds_text(row), value)
  end
end

local function check_choice(self, row, value)
  if type(value) ~= "string" then return end
  for _, choice in ipairs(row.one_of) do
    if choice == value then return end
  end
  local near = errors.nearest(value, row.one_of)
  local expected = "one of '" .. table.concat(row.one_of, "', '") .. "'"
  errors.invalid(self.name, "argument '%s': expected %s, received %s%s", row[1], expected, errors.describe(value),
    near and "; did you mean " .. near .. "?" or "")
end

local function check_value(self, row, value)
  local type_ = types.get(row[2] or "any", self.name)
  for _, accept in ipairs{type_.accept or false, row.accept or false} do
    if accept then
      local ok, expected = accept(value, row)
      if not ok then reject(self, row, expected or "a " .. type_.name, value) end
    end
  end
  if row.min or row.max then check_bounds(self, row, value) end
  if row.one_of then check_choice(self, row, value) end
  if type_.convert then return type_.convert(value, row) end
  return value
end

--- Checks a table of arguments that was read, and converts values as their types say. Returns it.
function Schema:check(values)
  for _, row in ipairs(self.rows) do
    local value = values[row[1]]
    if value ~= nil and not row.rest and not row.open then values[row[1]] = check_value(self, row, value) end
  end
  return values
end

--- Reads the arguments of a call: one table name -> value.
function Schema:read(...)
  return self:check(self:signature():read_table(...))
end

--- What this schema names, out of the arguments `values` that were read by the schema `of`; what that one does not
-- name is read as if it had not been given.
function Schema:take(values, of)
  local taken, absent = {}, false
  for _, row in ipairs(self.rows) do
    taken[row[1]] = values[row[1]]
    absent = absent or not of.by_name[row[1]]
  end
  if not absent then return taken end
  local keywords = {}
  for _, row in ipairs(self.rows) do
    local name = row[1]
    keywords[name] = taken[name]
    if taken[name] == nil and of.by_name[name] then keywords[name] = None end
  end
  return self:read(dicts.kw(keywords))
end

-- ---- configs

local function config_value(row, value, where)
  if value == nil or value == None then return None end
  local type_ = types.get(row[2] or "any", where)
  if type_.to_config then
    value = type_.to_config(value, row)
    if value == nil then return None end
  end
  if (row.dict or type_.kind == "map") and type(value) == "table" and getmetatable(value) == nil then
    return dicts.dict(value)
  end
  return value
end

--- The value of a row's argument in `object`: its attribute, unless that is a method, else what was given.
local function argument_of(object, row, given)
  if row.get then return row.get(object) end
  local name = row[1]
  local value = object[name]
  if value ~= nil and not (type(value) == "function" and rawequal(value, object.class[name])) then return value end
  return given[name]
end

--- The config of `object`, made from the arguments `given`: a dict, the base's arguments first.
function Schema:config(object, given)
  local config = dicts.ordered{}
  local own, inherited = {}, {}
  for _, row in ipairs(self.rows) do
    if row.config ~= false and not row.open then
      local is_inherited = self.base and self.base.by_name[row[1]]
      local list = is_inherited and inherited or own
      list[#list + 1] = row
    end
  end
  for _, rows in ipairs{inherited, own} do
    for _, row in ipairs(rows) do
      config[row[1]] = config_value(row, argument_of(object, row, given), self.name)
    end
  end
  return config
end

--- The arguments that a config stands for, marked as keywords. Keys that no row names are errors.
function Schema:keywords_of(config)
  if type(config) ~= "table" then
    errors.invalid(self.name, "from_config: expected a dict, received %s", errors.describe(config))
  end
  local keywords = {}
  for key, value in next, config do
    local row = self.by_name[key]
    if row and value ~= None then
      local type_ = types.get(row[2] or "any", self.name)
      if type_.from_config then value = type_.from_config(value, row) end
    end
    keywords[key] = value
  end
  return dicts.kw(keywords)
end

-- ---- docs

local function default_text(row)
  if args.is_required(row) then return nil end
  if row.default == nil or row.default == None then return "None" end
  if type(row.default) == "table" and getmetatable(row.default) == nil then
    local parts = {}
    for i = 1, #row.default do parts[i] = tostring(row.default[i]) end
    return "{" .. table.concat(parts, ", ") .. "}"
  end
  return errors.describe(row.default)
end

--- One line of Markdown an argument.
function Schema:docs()
  local lines = {}
  for _, row in ipairs(self.rows) do
    local default = default_text(row)
    lines[#lines + 1] = ("- `%s` (%s%s)%s"):format(row[1], row[2] or "any", default and ", default " .. default or "",
      row.doc and ": " .. row.doc or "")
  end
  return table.concat(lines, "\n")
end

--- A LuaCATS class for the table of arguments.
function Schema:luacats(class_name)
  local lines = {"---@class " .. class_name}
  for _, row in ipairs(self.rows) do
    local type_ = types.get(row[2] or "any", self.name)
    local optional = args.is_required(row) and "" or "?"
    lines[#lines + 1] = ("---@field %s%s %s%s"):format(row[1], optional, type_.luacats or "any",
      row.doc and " " .. row.doc or "")
  end
  return table.concat(lines, "\n")
end

return schema
