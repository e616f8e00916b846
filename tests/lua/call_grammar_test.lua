--- Every call of the table is read as the table says, and docs/call-grammar.md shows the same table.

local args = require "moonflow.base.args"
local grammar = require "call_grammar"
local nest = require "moonflow.base.nest"

local function fake(kind, name)
  return setmetatable({name = name}, {__mf_kind = kind})
end

local names = {}
local environment = {None = nest.None, tf = {dict = nest.dict, kw = nest.kw}}
for _, letter in ipairs{"x", "y", "a", "b", "c"} do environment[letter] = fake("tensor", letter) end
environment.ds, environment.d1, environment.d2 = fake("dataset", "ds"), fake("object", "d1"), fake("object", "d2")
environment.f, environment.g = function() end, function() return 1 end
names[environment.f], names[environment.g] = "f", "g"

local function show(value)
  if value == nil then return "None" end
  if type(value) == "string" then return "'" .. value .. "'" end
  if names[value] then return names[value] end
  local meta = getmetatable(value)
  if type(value) == "userdata" then return tostring(value) end
  if type(value) ~= "table" then return tostring(value) end
  if meta and meta.__mf_kind ~= "dict" then return value.name end
  local parts = {}
  if #value > 0 and value[0] == nil then
    for i = 1, #value do parts[i] = show(value[i]) end
  else
    for key, item in next, value do
      parts[#parts + 1] = (type(key) == "string" and key or "[" .. key .. "]") .. "=" .. show(item)
    end
    table.sort(parts)
  end
  return "{" .. table.concat(parts, ", ") .. "}"
end

--- A reader that answers the reading's text.
local function reader(name, spec)
  local rows = {name = name, rest = spec.rest, open = spec.open, input_first = spec.input_first}
  local defaults = {}
  for i, row in ipairs(spec) do
    rows[i] = row
    defaults[row[1]] = row.default
  end
  local signature = args.signature(rows)
  local order = signature:names()
  return function(...)
    local values = table.pack(signature(...))
    local parts = {}
    for i, argument in ipairs(order) do
      local default, value = defaults[argument], values[i]
      if default == nest.None then default = nil end
      local text = show(value)
      local is_rest = spec.rest and spec.rest[1] == argument
      if text ~= show(default) and not (is_rest and text == "{}") then parts[#parts + 1] = argument .. "=" .. text end
    end
    return table.concat(parts, ", ")
  end
end

for name, spec in next, grammar.signatures do
  local read = reader(name, spec)
  local place, separator, last = name:match("^(.*)([.:])([^.:]+)$")
  if not place then
    environment[name] = read
  else
    local holder = environment
    for part in place:gmatch("[^.]+") do
      holder[part] = holder[part] or {}
      holder = holder[part]
    end
    holder[last] = separator == "." and read or function(_, ...) return read(...) end
  end
end

local function reading_of(call)
  local chunk = assert(load("return " .. call, "=call", "t", environment))
  local ok, result = pcall(chunk)
  if ok then return result end
  return "error: " .. (result.message or tostring(result)):gsub("^[%w_.:]+: ", "")
end

describe("the call grammar", function()
  for _, row in ipairs(grammar.calls) do
    local call, expected = row[1], row[2]
    it("reads " .. call, function()
      local reading = reading_of(call)
      if expected:sub(1, 6) == "error:" then
        assert.are.equal(expected, reading:sub(1, #expected))
      else
        assert.are.equal(expected, reading)
      end
    end)
  end

  it("is the table of the docs", function()
    local here = debug.getinfo(1, "S").source:match("^@(.*)[/\\][^/\\]*$") or "."
    local file = assert(io.open(here .. "/../../docs/call-grammar.md"))
    local rows = {}
    for line in file:lines() do
      local call, reading = line:match("^| `` ?(.-) ?`` | (.-) |$")
      if call then rows[#rows + 1] = {call, reading} end
    end
    file:close()
    assert.are.equal(#grammar.calls, #rows)
    for i, row in ipairs(grammar.calls) do
      assert.are.equal(row[1], rows[i][1])
      local expected = row[2]
      local text = expected:sub(1, 6) == "error:" and expected or "`` " .. expected .. " ``"
      assert.are.equal(text, rows[i][2])
    end
  end)
end)
