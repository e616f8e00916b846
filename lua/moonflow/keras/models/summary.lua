--- model:summary(): Keras's table of layers, drawn as Keras draws it.

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local nest = require "moonflow.base.nest"

local summary = {}

-- ---- texts

--- 1234567 -> "1,234,567"
local function with_commas(n)
  local text = ("%d"):format(n)
  local head = #text % 3
  return (text:sub(1, head) .. text:sub(head + 1):gsub("(%d%d%d)", ",%1")):gsub("^,", "")
end

local function readable_size(bytes)
  local units = {"B", "KB", "MB", "GB", "TB", "PB"}
  local i = 1
  while bytes >= 1024 and i < #units do
    bytes, i = bytes / 1024, i + 1
  end
  return ("%.2f %s"):format(bytes, units[i])
end

local function count(weights)
  local scalars, bytes, seen = 0, 0, {}
  for _, variable in ipairs(weights) do
    local n = variable.shape:num_elements()
    scalars = scalars + n
    if not seen[variable] then bytes = bytes + n * variable.dtype.size end
    seen[variable] = true
  end
  return scalars, bytes
end

local function shape_text(shapes)
  if core.args.kind(shapes) == "shape" then
    local parts = {}
    for i = 1, #shapes do parts[i] = tostring(shapes[i]) end
    return "(" .. table.concat(parts, ", ") .. ")"
  end
  local parts = {}
  if nest.is_dict(shapes) then
    for key, shape in nest.entries(shapes) do parts[#parts + 1] = key .. ": " .. shape_text(shape) end
    return "{" .. table.concat(parts, ", ") .. "}"
  end
  for i, shape in ipairs(shapes) do parts[i] = shape_text(shape) end
  return "[" .. table.concat(parts, ", ") .. "]"
end

local function output_text(layer)
  local nodes = layer._nodes
  local shapes
  if nodes and #nodes > 0 then
    shapes = nest.map_structure(function(x) return x.shape end, nodes[#nodes].output_structure)
  else
    local build = layer._own and layer._own.build_shapes
    if not build then return "?" end
    local ok, result = pcall(layer.compute_output_shape, layer, table.unpack(build, 1, build.n))
    if not ok then return "?" end
    shapes = result
    if nest.is_list(shapes) and (math.type(shapes[1]) or shapes[1] == core.args.None) then shapes = core.shape.new(shapes) end
  end
  local flat = nest.flatten(shapes)
  if #flat == 1 then return shape_text(flat[1]) end
  return shape_text(shapes)
end

-- ---- rows

local function connections(layer, relevant)
  local parts = {}
  for _, node in ipairs(layer._nodes) do
    if relevant[node] then
      for _, x in ipairs(node.inputs) do
        local history = x.history
        parts[#parts + 1] = ("%s[%d][%d]"):format(history.operation.name, history.node - 1, history.index - 1)
      end
    end
  end
  return #parts == 0 and "-" or table.concat(parts, ", ")
end

local function layer_row(layer, prefix, relevant, options)
  local params = "0"
  if layer.is_layer then
    params = layer.built and with_commas(layer:count_params()) or "0 (unbuilt)"
  end
  local row = {("%s%s (%s)"):format(prefix, layer.name, layer.class_name), output_text(layer), params}
  if relevant then row[#row + 1] = connections(layer, relevant) end
  if options.show_trainable then
    local has_weights = layer.is_layer and #layer.weights > 0
    row[#row + 1] = has_weights and (layer.trainable and "Y" or "N") or "-"
  end
  return row
end

local function add_rows(rows, layer, level, relevant, options)
  local prefix = level > 0 and ("   "):rep(level) .. "└ " or ""
  rows[#rows + 1] = layer_row(layer, prefix, relevant, options)
  if options.expand_nested and layer.is_model then
    for _, inner in ipairs(layer.layers) do add_rows(rows, inner, level + 1, relevant, options) end
  end
end

--- Is the model a plain chain? Then there is no column of connections.
local function is_chain(model)
  if not model.is_functional then return true end
  local at_depth, in_model = {}, {}
  for _, node in ipairs(model.graph.nodes) do
    local depth = model.graph.depths[node]
    if at_depth[depth] or #node.inputs > 1 then return false end
    at_depth[depth], in_model[node] = true, true
  end
  for _, layer in ipairs(model.layers) do
    local calls = 0
    for _, node in ipairs(layer._nodes) do
      if in_model[node] then calls = calls + 1 end
    end
    if calls > 1 then return false end
  end
  return true
end

-- ---- drawing

local function utf8_length(text)
  return utf8.len(text) or #text
end

--- Breaks a text into lines of at most `width` characters, at blanks where it can.
local function wrap(text, width)
  local lines, line = {}, ""
  for word, blanks in text:gmatch("(%S+)(%s*)") do
    if utf8_length(line) + utf8_length(word) > width then
      if utf8_length(word) > width then
        if line ~= "" then lines[#lines + 1] = line end
        while utf8_length(word) > width do
          local cut = utf8.offset(word, width + 1) or #word + 1
          lines[#lines + 1] = word:sub(1, cut - 1)
          word = word:sub(cut)
        end
        line = ""
      elseif line ~= "" then
        lines[#lines + 1] = line
        line = ""
      end
    end
    line = line .. word .. blanks
  end
  lines[#lines + 1] = line
  for i, item in ipairs(lines) do lines[i] = item:gsub("%s+$", "") end
  return lines
end

local function align(text, width, how)
  local space = math.max(width - utf8_length(text), 0)
  if how == "right" then return (" "):rep(space) .. text end
  if how == "center" then
    local left = space // 2
    return (" "):rep(left) .. text .. (" "):rep(space - left)
  end
  return text .. (" "):rep(space)
end

local function rule(widths, left, line, cross, right)
  local parts = {}
  for i, width in ipairs(widths) do parts[i] = line:rep(width) end
  return left .. table.concat(parts, cross) .. right .. "\n"
end

local function draw_row(cells, widths, aligns, bar)
  local columns, height = {}, 1
  for i, text in ipairs(cells) do
    local indent = text:match("^%s*")
    columns[i] = wrap(text:sub(#indent + 1), widths[i] - 2 - #indent)
    columns[i][1] = indent .. columns[i][1]
    height = math.max(height, #columns[i])
  end
  local out = {}
  for j = 1, height do
    local parts = {}
    for i = 1, #cells do parts[i] = " " .. align(columns[i][j] or "", widths[i] - 2, aligns[i]) .. " " end
    out[#out + 1] = bar .. table.concat(parts, bar) .. bar .. "\n"
  end
  return table.concat(out)
end

--- Half to even, as Python rounds.
local function round(x)
  local whole = math.floor(x)
  local rest = x - whole
  if rest > 0.5 or rest == 0.5 and whole % 2 == 1 then return whole + 1 end
  return whole
end

--- Widths of the columns with their padding: what is too much is taken from all alike.
local function column_widths(positions, line_length)
  local widths, current, total = {}, 0, 0
  for i, position in ipairs(positions) do
    local width = math.floor(position * line_length) - current
    if width < 4 then errors.invalid("summary", "%d columns are too few to print the summary", line_length) end
    current = current + width
    widths[i] = width + 2
    total = total + width + 2
  end
  local excess, left = total - (line_length - #widths - 1), #widths
  for i = 1, #widths do
    if excess <= 0 then break end
    local share = round(excess / left)
    widths[i] = widths[i] - share
    excess, left = excess - share, left - 1
  end
  return widths
end

local function select_range(layers, range)
  if not range then return layers end
  local low, high
  for i, layer in ipairs(layers) do
    if layer.name:find("^" .. range[1]) then low = low or i end
    if layer.name:find("^" .. range[2]) then high = i end
  end
  if not low or not high then
    errors.invalid("summary", "argument 'layer_range': the names do not match layers of the model")
  end
  if low > high then low, high = high, low end
  return table.move(layers, low, high, 1, {})
end

local function layout(model, options)
  local chain = is_chain(model)
  local length, positions = 88, {0.45, 0.80, 1.0}
  local header, aligns = {"Layer (type)", "Output Shape", "Param #"}, {"left", "left", "right"}
  if not chain then
    length, positions = 108, {0.3, 0.56, 0.74, 1.0}
    header[4], aligns[4] = "Connected to", "left"
  end
  positions = options.positions or positions
  if options.show_trainable then
    length = length + 12
    local scaled = {}
    for i, position in ipairs(positions) do scaled[i] = position * 0.9 end
    scaled[#scaled + 1] = 1.0
    positions = scaled
    header[#header + 1], aligns[#aligns + 1] = "Trainable", "center"
  end
  local columns = math.tointeger(tonumber(os.getenv("COLUMNS") or "")) or 80
  length = options.line_length or math.min(length, columns - 4)
  return chain, header, aligns, column_widths(positions, length)
end

local function totals(model)
  local trainable, trainable_bytes = count(model.trainable_weights)
  local frozen, frozen_bytes = count(model.non_trainable_weights)
  local optimizer = model.compiled and model.optimizer
  local slots, slots_bytes = 0, 0
  if optimizer and optimizer.built then slots, slots_bytes = count(optimizer.variables) end
  local function line(what, n, bytes) return (" %s params: %s (%s)\n"):format(what, with_commas(n), readable_size(bytes)) end
  local text = line("Total", trainable + frozen + slots, trainable_bytes + frozen_bytes + slots_bytes)
    .. line("Trainable", trainable, trainable_bytes) .. line("Non-trainable", frozen, frozen_bytes)
  if optimizer and optimizer.built then text = text .. line("Optimizer", slots, slots_bytes) end
  return text
end

--- The whole summary.
function summary.text(model, options)
  local chain, header, aligns, widths = layout(model, options)
  local relevant
  if not chain then
    relevant = {}
    for _, node in ipairs(model.graph.nodes) do relevant[node] = true end
  end
  local rows = {}
  local layers = model.is_functional and model.operations or model.layers
  for _, layer in ipairs(select_range(layers, options.layer_range)) do add_rows(rows, layer, 0, relevant, options) end
  local out = {('Model: "%s"\n'):format(model.name), rule(widths, "┏", "━", "┳", "┓"), draw_row(header, widths, aligns, "┃"),
    rule(widths, "┡", "━", "╇", "┩")}
  for i, row in ipairs(rows) do
    if i > 1 then out[#out + 1] = rule(widths, "├", "─", "┼", "┤") end
    out[#out + 1] = draw_row(row, widths, aligns, "│")
  end
  out[#out + 1] = rule(widths, "└", "─", "┴", "┘")
  out[#out + 1] = totals(model)
  return table.concat(out)
end

return summary
