--- The graph behind a functional model: which nodes lie between inputs and outputs, in which order they run.
--
-- The order is Keras's: by depth (the longest way to an output), and within a depth by the first visit from the outputs.

local errors = require "moonflow.base.errors"

local graph = {}

--- Nodes from inputs to outputs, and operation -> place of its first visit.
local function sort_nodes(inputs, outputs, model)
  local is_input, finished, busy = {}, {}, {}
  for _, x in ipairs(inputs) do is_input[x] = true end
  local nodes, visits, count = {}, {}, 0
  local function visit(x)
    local history = x.history
    if not history then return end
    local operation = history.operation
    local node = operation._nodes[history.node]
    if finished[node] then return end
    if not node:is_input() and is_input[x] then
      finished[node] = true
      return
    end
    if busy[node] then errors.invalid(model, "tensor '%s' from layer '%s' is part of a cycle", x.name, operation.name) end
    if not visits[operation] then
      visits[operation] = count
      count = count + 1
    end
    busy[node] = true
    for _, input in ipairs(node.inputs) do visit(input) end
    busy[node] = nil
    finished[node] = true
    nodes[#nodes + 1] = node
  end
  for _, x in ipairs(outputs) do visit(x) end
  return nodes, visits
end

local function find_depths(nodes, inputs, visits)
  local in_graph, depths, op_depths = {}, {}, {}
  local order, ops = {}, {}
  local function note(node)
    if depths[node] == nil then order[#order + 1] = node end
  end
  for _, node in ipairs(nodes) do in_graph[node] = true end
  for i = #nodes, 1, -1 do
    local node = nodes[i]
    note(node)
    local depth = math.max(depths[node] or 0, op_depths[node.operation] or 0)
    if not op_depths[node.operation] then ops[#ops + 1] = node.operation end
    op_depths[node.operation], depths[node] = depth, depth
    for _, parent in ipairs(node.parents) do
      if in_graph[parent] then
        note(parent)
        depths[parent] = math.max(depth + 1, depths[parent] or 0)
      end
    end
  end
  for _, x in ipairs(inputs) do
    local history = x.history
    local node = history and history.operation._nodes[history.node]
    if node and not op_depths[node.operation] and node:is_input() then
      op_depths[node.operation], visits[node.operation] = 0, -1
      ops[#ops + 1] = node.operation
      depths[node] = 0
      order[#order + 1] = node
    end
  end
  return order, depths, ops, op_depths
end

--- Sorts items by depth, greatest first; items of one depth by `less`, or as they come.
local function by_depth(items, depths, rank)
  local place = {}
  for i, item in ipairs(items) do place[item] = rank and rank[item] or i end
  local sorted = table.move(items, 1, #items, 1, {})
  table.sort(sorted, function(a, b)
    if depths[a] ~= depths[b] then return depths[a] > depths[b] end
    return place[a] < place[b]
  end)
  return sorted
end

local function check_connected(nodes, inputs, model)
  local known, seen = {}, {}
  for _, x in ipairs(inputs) do known[x] = true end
  for _, node in ipairs(nodes) do
    for _, x in ipairs(node.inputs) do
      if not known[x] then
        errors.invalid(model, "graph disconnected: cannot find parent for tensor '%s' at layer '%s'. The following " ..
          "previous layers were accessed without issue: {%s}", x.name, node.operation.name, table.concat(seen, ", "))
      end
    end
    -- an Input that is none of the model's gives nothing
    if not node:is_input() then
      seen[#seen + 1] = node.operation.name
      for _, x in ipairs(node.outputs) do known[x] = true end
    end
  end
end

local function check_names(operations, model)
  local seen = {}
  for _, operation in ipairs(operations) do
    if seen[operation.name] then
      errors.invalid(model, "the name '%s' is used more than once in the model; all names of layers should be unique",
        operation.name)
    end
    seen[operation.name] = true
  end
end

--- The graph between two flat lists of KerasTensors: {nodes, depths, operations}, in the order of running. `model` is for
-- error texts.
function graph.find(inputs, outputs, model)
  local nodes, visits = sort_nodes(inputs, outputs, model)
  local order, depths, ops, op_depths = find_depths(nodes, inputs, visits)
  local sorted = by_depth(order, depths)
  local operations = by_depth(ops, op_depths, visits)
  check_connected(sorted, inputs, model)
  check_names(operations, model)
  return {nodes = sorted, depths = depths, operations = operations}
end

return graph
