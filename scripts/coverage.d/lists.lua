--- Reads tests/api: TensorFlow's public names and ops, as tab-separated lines.

local lists = {}

local function rows(path)
  local file = assert(io.open(path, "r"))
  local found = {}
  for line in file:lines() do
    if line:sub(1, 1) ~= "#" and line ~= "" then
      local fields = {}
      for field in (line .. "\t"):gmatch("([^\t]*)\t") do fields[#fields + 1] = field end
      found[#found + 1] = fields
    end
  end
  file:close()
  return found
end

--- Splits "a, b=(1, 2), *args" at the commas that stand outside brackets and quotes.
function lists.split(text)
  local parts, depth, start, quote = {}, 0, 1, nil
  for i = 1, #text do
    local c = text:sub(i, i)
    if quote then
      if c == quote then quote = nil end
    elseif c == "'" or c == '"' then quote = c
    elseif c:find("[%(%[{]") then depth = depth + 1
    elseif c:find("[%)%]}]") then depth = depth - 1
    elseif c == "," and depth == 0 then
      parts[#parts + 1], start = text:sub(start, i - 1), i + 1
    end
  end
  if text:find("%S", start) then parts[#parts + 1] = text:sub(start) end
  return parts
end

--- Parameters from Python's notation: {name, default = text or nil, stars = "", "*" or "**"}.
function lists.parameters(text)
  local found = {}
  for _, part in ipairs(lists.split(text)) do
    local stars, name, default = part:match("^%s*(%**)([%a_][%w_]*)%s*=?%s*(.-)%s*$")
    if name then found[#found + 1] = {name, stars = stars, default = default ~= "" and default or nil} end
  end
  return found
end

--- The public names: {name, kind, part, parameters}.
function lists.api(path)
  local found = {}
  for _, fields in ipairs(rows(path)) do
    found[#found + 1] = {
      name = fields[1], kind = fields[2], part = fields[3], parameters = lists.parameters(fields[4] or ""),
    }
  end
  return found
end

--- The ops: {name, group, gradient, old}.
function lists.ops(path)
  local found = {}
  for _, fields in ipairs(rows(path)) do
    found[#found + 1] = {name = fields[1], group = fields[2], gradient = fields[3], old = fields[7] == "old"}
  end
  return found
end

return lists
