--- Holds the two lists against what exists, what was called and what the arguments are.

local core = require "moonflow.core"
local class = require "moonflow.base.class"
local compare = require "compare"
local public = require "public"

local measure = {}

local function owner_of(name)
  return name:match("^(.-):(.+)$")
end

--- Ops and classes by the name their signatures have; a name that both have is the class's.
local function signature_names(values)
  local by_name = {}
  for _, value in next, values do
    if class.is_class(value) then by_name[value.class_name] = value end
  end
  for _, op in ipairs(core.op.names()) do
    if not by_name[op] then by_name[op] = "tf.raw_ops." .. op end
  end
  return by_name
end

--- What was called: objects, "owner class -> member" pairs, and ops by full name.
local function resolve_calls(called, values, names)
  local objects, members, ops = {}, {}, {}
  for name in next, called do
    local owner, member = owner_of(name)
    local plain = names[name]
    if owner then
      local value = public.find(owner)
      if value ~= nil then
        members[value] = members[value] or {}
        members[value][member] = true
      end
    elseif name:match("^tf%.raw_ops%.") then
      ops[name:match("([^.]+)$")] = true
    elseif name:match("^tf%.") then
      local value = values[name]
      if value == nil then value = public.find(name) end
      if value ~= nil then objects[value] = true end
    elseif type(plain) == "string" then
      ops[plain:match("([^.]+)$")] = true
    elseif plain then
      objects[plain] = true
    else
      local class_name, method = name:match("^([%w_]+)%.([%w_]+)$")
      local value = class_name and names[class_name]
      if value and type(value) ~= "string" then
        members[value] = members[value] or {}
        members[value][method] = true
      end
    end
  end
  return objects, members, ops
end

local function measure_name(row, values, objects, members)
  local owner_name, member_name = owner_of(row.name)
  local out = {row = row}
  if owner_name then
    local owner = values[owner_name]
    out.exists = owner ~= nil and public.member(owner_name, owner, member_name) ~= nil
    out.called = out.exists and members[owner] and members[owner][member_name] or false
    return out
  end
  local value = values[row.name]
  out.exists = value ~= nil
  if not out.exists then return out end
  out.called = objects[value] or false
  if (row.kind == "function" or row.kind == "class") and compare.is_comparable(row.parameters) then
    local ours = public.parameters(row.name, value)
    if ours then out.differences = compare.parameters(row.parameters, ours) end
  end
  return out
end

--- {names = {…}, ops = {…}}: one entry for each row of the lists, with exists, called, differences.
function measure.all(api_rows, op_rows, called)
  local values = {}
  for _, row in ipairs(api_rows) do
    if not owner_of(row.name) then values[row.name] = public.find(row.name) end
  end
  local objects, members, ops = resolve_calls(called, values, signature_names(values))
  local found = {names = {}, ops = {}}
  for _, row in ipairs(api_rows) do
    if row.part ~= "no" then table.insert(found.names, measure_name(row, values, objects, members)) end
  end
  for _, row in ipairs(op_rows) do
    table.insert(found.ops, {row = row, exists = core.op.has(row.name), called = ops[row.name] or false})
  end
  return found
end

return measure
