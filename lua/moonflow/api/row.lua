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

local args = require "moonflow.base.args"
local core = require "moonflow.core"
local errors = require "moonflow.base.errors"

local None = core.args.None

local row = {}

-- Kinds of parameters by their name, where TensorFlow uses the name in one sense only.
local by_name = {
  name = "string", axis = "axis", axes = "axes", dtype = "dtype", out_type = "dtype", output_type = "dtype", shape = "shape",
  padding = "any", data_format = "string", strides = "integers", ksize = "integers", dilations = "integers", seed = "any",
  message = "string", summarize = "integer", perm = "axes", equation = "string", k = "any", dtype_hint = "dtype", mode = "string",
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

--- The function of a row called `name`, or nil.
function row.make(name, definition)
  local spec = row.read_signature(name, definition[2])
  local body = definition[3]
  if type(body) == "string" then
    local op = body:match("^[%w_]+")
    if not core.op.has(op) then return nil end
    return core.op.row(op, args.signature(spec), renaming(spec, body))
  end
  local read = args.signature(spec)
  return function(...)
    return body(read(...))
  end
end

return row
