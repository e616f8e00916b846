--- The figures as text.

local report = {}

local PARTS = {"ops", "functions", "keras", "data", "saving", "lite", "scale", "observe", "later"}

local function percent(n, total)
  return total == 0 and "-" or ("%.1f %%"):format(100 * n / total)
end

local function count(entries, key_of)
  local by, order = {}, {}
  for _, entry in ipairs(entries) do
    local key = key_of(entry.row)
    local sums = by[key]
    if not sums then
      sums = {key = key, names = 0, exist = 0, called = 0, compared = 0, equal = 0}
      by[key], order[#order + 1] = sums, sums
    end
    sums.names = sums.names + 1
    if entry.exists then sums.exist = sums.exist + 1 end
    if entry.called then sums.called = sums.called + 1 end
    if entry.differences then
      sums.compared = sums.compared + 1
      if #entry.differences == 0 then sums.equal = sums.equal + 1 end
    end
  end
  return order
end

local function total_of(sums)
  local all = {key = "**all**", names = 0, exist = 0, called = 0, compared = 0, equal = 0}
  for _, s in ipairs(sums) do
    for key, value in next, s do
      if key ~= "key" then all[key] = all[key] + value end
    end
  end
  return all
end

local function rank_of(part)
  for i, name in ipairs(PARTS) do
    if name == part then return i end
  end
  return #PARTS + 1
end

local function part_table(entries)
  local sums = count(entries, function(row) return row.part end)
  table.sort(sums, function(a, b)
    local x, y = rank_of(a.key), rank_of(b.key)
    if x ~= y then return x < y end
    return a.key < b.key
  end)
  sums[#sums + 1] = total_of(sums)
  local lines = {
    "| part | names | exist | | called | | arguments equal |", "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
  }
  for _, s in ipairs(sums) do
    lines[#lines + 1] = ("| %s | %d | %d | %s | %d | %s | %d of %d |"):format(s.key, s.names, s.exist,
      percent(s.exist, s.names), s.called, percent(s.called, s.names), s.equal, s.compared)
  end
  return table.concat(lines, "\n")
end

local function op_table(entries)
  local sums = count(entries, function(row) return row.group end)
  table.sort(sums, function(a, b) return a.key < b.key end)
  sums[#sums + 1] = total_of(sums)
  local lines = {"| ops | listed | exist | | called | |", "| --- | ---: | ---: | ---: | ---: | ---: |"}
  for _, s in ipairs(sums) do
    lines[#lines + 1] = ("| %s | %d | %d | %s | %d | %s |"):format(s.key, s.names, s.exist,
      percent(s.exist, s.names), s.called, percent(s.called, s.names))
  end
  return table.concat(lines, "\n")
end

function report.tables(found)
  return part_table(found.names) .. "\n\n" .. op_table(found.ops)
end

--- Names whose arguments differ, one a line.
function report.differences(found)
  local lines = {}
  for _, entry in ipairs(found.names) do
    if entry.differences and #entry.differences > 0 then
      lines[#lines + 1] = entry.row.name .. ": " .. table.concat(entry.differences, "; ")
    end
  end
  return #lines > 0 and table.concat(lines, "\n") or "no differences"
end

--- Names of a part that do not exist here.
function report.missing(found, part)
  local lines = {}
  for _, entry in ipairs(found.names) do
    if entry.row.part == part and not entry.exists then lines[#lines + 1] = entry.row.name end
  end
  for _, entry in ipairs(found.ops) do
    if entry.row.group == part and not entry.exists then lines[#lines + 1] = entry.row.name end
  end
  return table.concat(lines, "\n")
end

--- docs/coverage.md.
function report.document(found)
  local text = {
    "# Coverage of TensorFlow's API",
    "Written by `scripts/coverage --write`. The lists are `tests/api/api.tsv` (public names of TensorFlow 2.21 and "
      .. "Keras 3.15 with their methods and arguments) and `tests/api/ops.tsv` (ops).",
    "**exist**: the name is there. **called**: a passing case whose expected values come from TensorFlow called it; "
      .. "only this counts as done. **arguments equal**: names, order and defaults are the list's, of those that can "
      .. "be compared.",
    part_table(found.names),
    op_table(found.ops),
    "## Arguments that differ",
  }
  local differences = report.differences(found)
  text[#text + 1] = differences == "no differences" and "None." or "- " .. differences:gsub("\n", "\n- ")
  return table.concat(text, "\n\n") .. "\n"
end

return report
