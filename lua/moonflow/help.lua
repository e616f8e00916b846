--- help(x): what a function, class, op or value is. Called with a function of moonflow's, its name ("tf.reduce_sum"), a class, a
-- namespace or any value.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local api = require "moonflow.api"
local core = require "moonflow.core"

local intro = [[
moonflow does TensorFlow's job in Lua. Names, arguments and defaults are TensorFlow's:

  tf.reduce_sum(x, axis)               positional arguments
  tf.reduce_sum(x, {axis = 1})         keyword arguments stand in one last table
  x:reduce_sum{axis = 1}               methods take a colon, properties (x.shape) a dot
  tf.constant{{1, 2}, {3, 4}}          axes and indices of tensors count from 0: x[0], x["1:3, ::2"]

help("tf.reduce_sum"), help(tf.math), help(tf.raw_ops.MatMul), help(tf.keras.layers.Dense), help(value)]]

local function row_text(name, definition)
  local lines = {("%s(%s)"):format(name, definition[2]:gsub(":%w+", ""))}
  if definition[4] then lines[#lines + 1] = "  " .. definition[4] end
  local others = {}
  for other in definition[1]:gmatch("%S+") do
    if other ~= name then others[#others + 1] = other end
  end
  if #others > 0 then lines[#lines + 1] = "  also " .. table.concat(others, ", ") end
  return table.concat(lines, "\n")
end

local function op_text(name)
  local entry = core.op.entry(name)
  local parts = {}
  for _, input in ipairs(entry.inputs) do parts[#parts + 1] = input.name end
  for _, with_default in ipairs{false, true} do
    for _, attr in ipairs(entry.attrs) do
      if not attr.inferred and (attr.default ~= nil) == with_default then
        parts[#parts + 1] = attr.default and attr.name .. "=" .. attr.default or attr.name
      end
    end
  end
  local outputs = {}
  for _, output in ipairs(entry.outputs) do outputs[#outputs + 1] = output.name end
  return ("tf.raw_ops.%s(%s)\n  %s\n  gives %s; %s"):format(name, table.concat(parts, ", "), entry.doc or "",
    #outputs > 0 and table.concat(outputs, ", ") or "nothing", entry.differentiable and "has a gradient" or "has no gradient")
end

--- Name of the public function or op that `value` is, or nil.
local function find_function(value)
  for _, name in ipairs(api.names()) do
    if rawequal(api.find(name), value) then return name end
  end
  for name, op in next, require "moonflow.raw_ops" do
    if rawequal(op, value) then return name, true end
  end
end

--- The names below a namespace of Keras, or in a plain table of functions.
local function names_in(value)
  local meta, names = getmetatable(value), {}
  for name in next, meta and meta.members or value do
    if type(name) == "string" and name:sub(1, 1) ~= "_" then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

local function namespace_text(namespace, value)
  local fields, seen = {}, {}
  for _, name in ipairs(api.names()) do
    local field = name:sub(1, #namespace + 1) == namespace .. "." and name:sub(#namespace + 2):match("^[^.]+")
    if field and not seen[field] then
      seen[field] = true
      fields[#fields + 1] = field
    end
  end
  if value then
    for _, field in ipairs(names_in(value)) do
      if not seen[field] then fields[#fields + 1] = field end
    end
    table.sort(fields)
  end
  return namespace .. ":\n  " .. table.concat(fields, ", ")
end

--- The comment above a Lua function, with its first line, as it stands in its file; nil when there is none.
local function comment_of(f)
  local info = debug.getinfo(f, "S")
  local file = info.source:sub(1, 1) == "@" and io.open(info.source:sub(2))
  if not file then return nil end
  local comment, number = {}, 0
  for line in file:lines() do
    number = number + 1
    if number == info.linedefined then
      file:close()
      if #comment == 0 then return nil end
      return line:gsub("^%s*local function%s*", ""):gsub("^%s*function%s*", "") .. "\n  " .. table.concat(comment, "\n  ")
    end
    local text = line:match("^%s*%-%-%-?%s?(.*)$")
    if text then comment[#comment + 1] = text else comment = {} end
  end
  file:close()
end

--- What the methods of a class are called, those of its bases too.
local function methods_of(class)
  local names, seen = {}, {}
  while class and class.class_name ~= "Object" do
    for name, value in next, class do
      if type(name) == "string" and type(value) == "function" and not name:find("^_") and name ~= "init" and not seen[name] then
        seen[name] = true
        names[#names + 1] = name
      end
    end
    class = class.super
  end
  table.sort(names)
  return names
end

local function class_text(class)
  local schema = require "moonflow.base.class".schema
  local rows = schema and schema(class)
  local text = "class " .. tostring(class.class_name)
  if class.super then text = text .. " (a " .. tostring(class.super.class_name) .. ")" end
  if class.doc then text = text .. "\n  " .. class.doc end
  if rows then text = text .. "\n" .. rows:docs() end
  local methods = methods_of(class)
  return #methods > 0 and text .. "\nmethods: " .. table.concat(methods, ", ") or text
end

local describe

--- What a path such as "tf.keras.Model.fit" leads to, or nil and the error on the way.
local function resolve(path)
  local value = require "moonflow"
  for part in path:gsub("^tf%.", ""):gmatch("[^.]+") do
    if part ~= "tf" then value = value[part] end
  end
  return value
end

local function path_text(path)
  local ok, value = pcall(resolve, path)
  if ok and value ~= nil then return describe(value, path) end
  local message = type(value) == "table" and value.message
  return message or ("nothing is known about '%s'"):format(path)
end

function describe(value, path)
  if type(value) == "string" then
    local definition = api.row(value) or api.row("tf." .. value)
    if definition then return row_text(api.row(value) and value or "tf." .. value, definition) end
    local op = value:match("([%w_]+)$")
    if core.op.has(op) then return op_text(op) end
    return path_text(value)
  end
  if type(value) == "function" then
    local name, is_op = find_function(value)
    if is_op then return op_text(name) end
    if name then return row_text(name, api.row(name)) end
    local comment = comment_of(value)
    if comment then return comment end
    local info = debug.getinfo(value, "S")
    return ("a function from %s:%d"):format(info.short_src, info.linedefined)
  end
  local meta = debug.getmetatable(value)
  local namespace = type(meta) == "table" and rawget(meta, "__mf_namespace")
  if namespace then return namespace_text(namespace, value) end
  if type(value) == "table" and rawget(value, "class_name") then return class_text(value) end
  if path and type(value) == "table" and not meta then return namespace_text(path, value) end
  if type(value) == "table" and meta and meta.__call then
    return (path or core.args.describe(value)) .. "\nmembers: " .. table.concat(names_in(value), ", ")
  end
  return core.args.describe(value) .. "\n" .. tostring(value)
end

--- Prints; returns nothing, so that a session shows no more.
local function help(...)
  if select("#", ...) == 0 then
    print(intro)
    return
  end
  print(describe((...)))
end

return setmetatable({text = describe}, {__call = function(_, ...) return help(...) end, __name = "help", __tostring = function()
  return "help(x) explains x; help() begins"
end})
