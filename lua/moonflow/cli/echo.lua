--- How the session shows a value: strings in quotes, the top level of tables, everything else by its tostring.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local nest = require "moonflow.base.nest"

local echo = {}

local LONGEST = 20

local function short(value)
  if type(value) == "string" then return ("%q"):format(value):gsub("\\\n", "\\n") end
  if type(value) == "table" and getmetatable(value) == nil then return next(value) == nil and "{}" or "{...}" end
  local text = tostring(value)
  return (text:gsub("\n", "\n  "))
end

local function table_text(value)
  local parts = {}
  for i = 1, #value do
    if #parts == LONGEST then break end
    parts[#parts + 1] = short(value[i])
  end
  local ok, keys = pcall(nest.keys, value)
  if #value == 0 and ok then
    for _, key in ipairs(keys) do
      if #parts == LONGEST then break end
      local name = key:match("^[%a_][%w_]*$") and key or ("[%q]"):format(key)
      parts[#parts + 1] = name .. " = " .. short(value[key])
    end
    if #keys > LONGEST then parts[#parts + 1] = "..." end
  elseif #value > LONGEST then
    parts[#parts + 1] = "..."
  end
  local line = table.concat(parts, ", ")
  if #line > 90 or line:find("\n", 1, true) then return "{\n  " .. table.concat(parts, ",\n  ") .. "\n}" end
  return "{" .. line .. "}"
end

function echo.text(value)
  if type(value) == "string" then return (short(value)) end
  if type(value) == "table" and getmetatable(value) == nil then
    if next(value) == nil then return "{}" end
    return table_text(value)
  end
  return tostring(value)
end

return echo
