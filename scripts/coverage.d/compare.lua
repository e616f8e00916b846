--- Compares the parameters of a name with TensorFlow's list.

local compare = {}

local function by_name(parameters)
  local found, open = {}, false
  for _, p in ipairs(parameters) do
    if p.stars == "" then found[p[1]] = p end
    open = open or p.stars == "**"
  end
  return found, open
end

--- True where the two texts mean the same default: 1e-3 and 0.001, (1, 1) and [1, 1], "a" and 'a'.
local function same_default(a, b)
  if a == b then return true end
  if a == nil or b == nil then return false end
  if a == "…" or a:match("^<") then return true end -- the list has no text for it
  local x, y = tonumber(a), tonumber(b)
  if x and y then return x == y end
  local function plain(text)
    return (text:gsub("[%[%(]", "("):gsub("[%]%)]", ")"):gsub('"', "'"):gsub("%s+", ""):gsub(",%)", ")"))
  end
  return plain(a) == plain(b)
end

--- Whether TensorFlow's list says anything: "*args, **kwargs" does not.
function compare.is_comparable(theirs)
  for _, p in ipairs(theirs) do
    if p.stars == "" then return true end
  end
  return #theirs == 0
end

--- A list of differences in words; empty when all is the same.
function compare.parameters(theirs, ours)
  local differences = {}
  local have, have_open = by_name(ours)
  local want, want_open = by_name(theirs)
  for _, p in ipairs(theirs) do
    local own = have[p[1]]
    local named = p.stars == ""
    if named and not own and not have_open then
      differences[#differences + 1] = "lacks " .. p[1]
    elseif named and own and not same_default(p.default, own.default) then
      local is, should = own.default or "required", p.default or "required"
      differences[#differences + 1] = ("%s is %s, not %s"):format(p[1], is, should)
    end
  end
  local order, last = {}, 0
  for i, p in ipairs(ours) do
    if not p.keyword then order[p[1]] = i end -- what goes by name only has no place
  end
  for _, p in ipairs(theirs) do
    local at = p.stars == "" and order[p[1]]
    if at and at < last then
      differences[#differences + 1] = p[1] .. " stands elsewhere"
    elseif at then
      last = at
    end
  end
  for _, p in ipairs(ours) do
    if p.stars == "" and not want[p[1]] and not want_open then
      differences[#differences + 1] = "has " .. p[1] .. " besides"
    end
  end
  return differences
end

return compare
