--- Rows of the API table: TensorFlow's public functions, one row each.
--
--     {"tf.reduce_sum tf.math.reduce_sum", "input_tensor, axis=None, keepdims=False, name=None", body, "Doc."}
--
-- The first text holds the names. The second is the signature in Python's notation, as TensorFlow's documentation has it; where
-- the kind of a parameter does not follow from its name or default it is written behind a colon: `values:tensors`. `*inputs` is
-- the rest parameter, `**kwargs` collects unknown keywords. The body is one of
--     a function              called with the values in the order of the signature (nil for None)
--     "MatMul"                the op as it is
--     "Sub x=a y=b"           the op, parameters renamed: parameter=argument of the op
-- A row whose op does not exist gives no function.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local args = require "moonflow.base.args"
local core = require "moonflow.core"
local errors = require "moonflow.base.errors"

local types = require "moonflow.base.types"

local None, is_tensor = core.args.None, core.args.is_tensor

local row = {}

types.define("real", {kind = "scalar", luacats = "number|tf.Tensor"})
types.define("index", {kind = "scalar", luacats = "integer|tf.Tensor"})

-- Kinds of parameters by their name, where TensorFlow uses the name in one sense only.
local by_name = {
  name = "string", axis = "axis", axes = "axes", dtype = "dtype", out_type = "dtype", output_type = "dtype", shape = "shape",
  padding = "any", data_format = "string", strides = "integers", ksize = "integers", dilations = "integers",
  message = "string", summarize = "integer", perm = "axes", equation = "string", dtype_hint = "dtype", mode = "string",
}

--- Reads one default. Returns the Lua value; the second result is false when the text is no literal.
local function read_default(text)
  if text == "None" then return None, true end
  if text == "True" or text == "False" then return text == "True", true end
  local number = tonumber(text)
  if number then return number, true end
  if text == "inf" or text == "-inf" then return text == "inf" and math.huge or -math.huge, true end
  local quoted = text:match("^'(.*)'$")
  if quoted then return quoted, true end
  local dtype = text:match("^tf%.(%w+)$")
  if dtype and core.dtype[dtype] then return core.dtype[dtype], true end
  local items = text:match("^[%[%(](.*)[%]%)]$")
  if items then
    local list = {}
    for item in items:gmatch("[^,%s]+") do list[#list + 1] = read_default(item) end
    return list, true
  end
  return nil, false
end

local function kind_of_default(default)
  local kind = type(default)
  if kind == "boolean" or kind == "string" then return kind end
  if kind == "number" then return math.type(default) == "integer" and "integer" or "number" end
  if kind == "table" then return "integers" end
  if core.args.kind(default) == "dtype" then return "dtype" end
  return "tensor"
end

--- Splits at commas that stand outside brackets.
local function split(text)
  local parts, depth, start = {}, 0, 1
  for i = 1, #text do
    local c = text:sub(i, i)
    if c == "(" or c == "[" then depth = depth + 1
    elseif c == ")" or c == "]" then depth = depth - 1
    elseif c == "," and depth == 0 then
      parts[#parts + 1], start = text:sub(start, i - 1), i + 1
    end
  end
  if text:find("%S", start) then parts[#parts + 1] = text:sub(start) end
  return parts
end

local function read_parameter(text, where)
  local stars, name, kind, default_text = text:match("^%s*(%**)([%a_][%w_]*):?([%w_]*)%s*=?%s*(.-)%s*$")
  if not name then errors.raise("INTERNAL", where, "%s: cannot read the parameter '%s'", where, text) end
  local parameter = {name}
  if default_text ~= "" then
    local default, ok = read_default(default_text)
    if not ok then errors.raise("INTERNAL", where, "%s: cannot read the default '%s'", where, default_text) end
    parameter.default = default
  end
  if stars == "*" then
    parameter.is_rest = true
  elseif stars == "**" then
    parameter.is_open = true
  end
  if kind == "" then kind = by_name[name] or (default_text ~= "" and kind_of_default(parameter.default)) or "tensor" end
  parameter[2] = kind
  return parameter
end

--- The signature `text` as rows of base/args.lua: a spec for args.signature.
function row.read_signature(name, text)
  local spec = {name = name}
  for _, part in ipairs(split(text)) do
    local parameter = read_parameter(part, name)
    if parameter.is_rest then
      spec.rest = {parameter[1], parameter[2] == "tensor" and "struct" or parameter[2]}
      spec.rest_at = #spec + 1
    elseif parameter.is_open then
      spec.open = parameter[1]
    else
      -- what stands behind the rest parameter goes by name only
      if spec.rest and parameter.default ~= nil then parameter.keyword = true end
      spec[#spec + 1] = parameter
    end
  end
  return spec
end

--- Parameter of the row -> argument of the op, in the order of the signature.
local function renaming(spec, text)
  local renamed, map = {}, {}
  for parameter, argument in text:gmatch("([%w_]+)=([%w_%-]+)") do renamed[parameter] = argument end
  for i, parameter in ipairs(spec) do
    local argument = renamed[parameter[1]] or parameter[1]
    map[i] = argument ~= "-" and argument ~= "name" and argument or false
  end
  return map
end

-- ---- what a body may rely on

--- A list, a shape, or a tensor.
local function is_listed(value)
  if type(value) == "table" and getmetatable(value) == nil then return true end
  local kind = core.args.kind(value)
  return kind == "shape" or kind == "dict" or is_tensor(value)
end

local function is_integer(value)
  return type(value) == "number" and math.tointeger(value) ~= nil
end

-- Type -> what was expected, and whether a value is that. What is nil is not asked.
local accepted = {
  dtype = {"a dtype such as tf.float32 or 'float32'", function(value) return core.dtype.get(value) ~= nil end},
  real = {"a number or a tensor", function(value) return type(value) == "number" or is_tensor(value) end},
  index = {"an integer", function(value) return is_integer(value) or is_tensor(value) end},
  axis = {"an integer or a list of integers", function(value) return is_integer(value) or is_listed(value) end},
  integers = {"an integer or a list of integers", function(value) return is_integer(value) or is_listed(value) end},
  list = {"a list", is_listed},
}
accepted.axes, accepted.shape, accepted.tensors = accepted.axis, accepted.integers, accepted.list

--- Raises unless `value` is what a parameter of this type takes; returns it, names of dtypes as dtypes, 1.0 as 1.
local function checker(name, parameter)
  local rule = accepted[parameter[2]]
  if not rule then return nil end
  local expected, accepts = rule[1], rule[2]
  local is_dtype = parameter[2] == "dtype"
  return function(value)
    if not accepts(value) then
      errors.invalid(name, "argument '%s': expected %s, received %s", parameter[1], expected, errors.describe(value))
    end
    if is_dtype then return core.dtype.get(value) end
    if math.type(value) == "float" and parameter[2] ~= "real" then return math.tointeger(value) end
    return value
  end
end

-- Errors point past moonflow's own modules: the functions written out below count as part of this one.
local here = debug.getinfo(1, "S").source

--- The function that reads a call, checks what the reader does not, and calls the body. It is written out, so that a call makes
-- no table: `local p1, p2 = read(...)  if p2 ~= nil then p2 = c2(p2) end  return body(p1, p2)`.
local function join(name, spec, body)
  local order, checks, given, source = {}, {}, {}, {}
  for _, parameter in ipairs(spec) do
    if spec.rest and not order.rest and (parameter.keyword or not args.is_required(parameter)) then order.rest = #order + 1 end
    if order.rest == #order + 1 then order[#order + 1] = "rest" end
    order[#order + 1] = parameter
  end
  if spec.rest and not order.rest then order[#order + 1] = "rest" end
  if spec.open then order[#order + 1] = "open" end
  for i, parameter in ipairs(order) do
    given[i] = "p" .. i
    local check = type(parameter) == "table" and checker(name, parameter)
    if check then
      checks[#checks + 1] = check
      local condition = args.is_required(parameter) and "true" or ("p%d ~= nil"):format(i)
      source[#source + 1] = ("if %s then p%d = checks[%d](p%d) end"):format(condition, i, #checks, i)
    end
  end
  local read = args.signature(spec)
  if #checks == 0 then
    return function(...)
      return body(read(...))
    end
  end
  local names = table.concat(given, ", ")
  local text = ("local read, body, checks = ...\nreturn function(...)\nlocal %s = read(...)\n%s\nreturn body(%s)\nend"):format(names,
    table.concat(source, "\n"), names)
  return load(text, here, "t")(read, body, checks)
end

--- False when the row stands for an op that does not exist yet.
function row.exists(definition)
  return type(definition[3]) ~= "string" or core.op.has(definition[3]:match("^[%w_]+"))
end

--- The function of a row called `name`, or nil.
function row.make(name, definition)
  local spec = row.read_signature(name, definition[2])
  local body = definition[3]
  if type(body) ~= "string" then return join(name, spec, body) end
  local op = body:match("^[%w_]+")
  if not row.exists(definition) then return nil end
  return core.op.row(op, args.signature(spec), renaming(spec, body))
end

return row
