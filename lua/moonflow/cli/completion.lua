--- Completion of names: globals, fields of tables, methods of objects, the public functions of moonflow.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local api = require "moonflow.api"
local core = require "moonflow.core"

local completion = {}

local function add_keys(found, value, prefix)
  for key in next, value do
    if type(key) == "string" and key:sub(1, #prefix) == prefix and key:match("^[%a_][%w_]*$") then found[key] = true end
  end
end

--- Names under a namespace: those that are not loaded yet, too.
local function add_public(found, namespace, prefix)
  local start = namespace .. "." .. prefix
  for _, name in ipairs(api.names()) do
    if name:sub(1, #start) == start then
      local field = name:sub(#namespace + 2):match("^[^.]+")
      if field then found[field] = true end
    end
  end
end

local fields = {"shape", "dtype", "device", "ndim", "rank", "name"}

--- Members of a value that can be told without calling anything.
local function members(value, prefix, methods_only)
  local found = {}
  local meta = debug.getmetatable(value)
  local kind = core.args.kind(value)
  if type(value) == "table" then
    add_keys(found, value, prefix)
    local namespace = type(meta) == "table" and rawget(meta, "__mf_namespace")
    if namespace then add_public(found, namespace, prefix) end
    if namespace and meta.members then add_keys(found, meta.members, prefix) end
    local class = package.loaded["moonflow.base.class"]
    local of = class and (class.is_class(value) and value or class.of(value))
    if of then add_keys(found, class.names(of), prefix) end
  end
  if kind == "tensor" or kind == "variable" then
    add_keys(found, core.tensor.methods, prefix)
    if kind == "variable" then add_keys(found, core.variable.methods, prefix) end
    if not methods_only then
      for _, field in ipairs(fields) do
        if field:sub(1, #prefix) == prefix then found[field] = true end
      end
    end
  end
  local depth = 0
  while type(meta) == "table" and depth < 20 do
    local index = rawget(meta, "__index")
    if type(index) ~= "table" then break end
    add_keys(found, index, prefix)
    meta, depth = getmetatable(index), depth + 1
  end
  if type(value) == "string" then add_keys(found, string, prefix) end
  return found
end

--- The value of a dotted name such as "tf.math", or nil.
local function value_of(path)
  local value = _G
  for key in path:gmatch("[^.:]+") do
    if value == nil then return nil end
    local ok, field = pcall(function() return value[key] end)
    if not ok then return nil end
    value = field
  end
  return value
end

local function sorted(found)
  local list = {}
  for name in next, found do list[#list + 1] = name end
  table.sort(list)
  return list
end

local function common_start(list)
  local start = list[1]
  for i = 2, #list do
    local n = 0
    while n < #start and list[i]:sub(n + 1, n + 1) == start:sub(n + 1, n + 1) do n = n + 1 end
    start = start:sub(1, n)
  end
  return start
end

local words = {
  "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil", "not", "or", "repeat",
  "return", "then", "true", "until", "while",
}

--- What may follow the text in front of the cursor: the candidates and the prefix they share with the text.
function completion.candidates(text)
  local path, mark, prefix = text:match("([%a_][%w_%.]*)([%.:])([%a_]?[%w_]*)$")
  if path then
    local value = value_of(path)
    if value == nil then return {}, prefix end
    return sorted(members(value, prefix, mark == ":")), prefix
  end
  prefix = text:match("([%a_][%w_]*)$")
  if not prefix then return {}, "" end
  local found = {}
  add_keys(found, _G, prefix)
  for _, word in ipairs(words) do
    if word:sub(1, #prefix) == prefix then found[word] = true end
  end
  return sorted(found), prefix
end

--- What the terminal wants: text to insert, and the candidates when there are several.
function completion.complete(text)
  local list, prefix = completion.candidates(text)
  if #list == 0 then return "", list end
  return common_start(list):sub(#prefix + 1), list
end

return completion
