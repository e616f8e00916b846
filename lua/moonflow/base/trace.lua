--- Tracing a Lua function into a graph: symbolic inputs in, the function runs once, its results are the outputs.

local core = require "moonflow.core"

local graph = core.graph
local trace = {}

--- Runs f over symbolic tensors. `specs` is a list of {dtype, shape, name}; f gets the list of symbolic tensors and returns a
-- list of tensors. Returns the graph and what f returned besides the list. Tracing ends on every path; errors are passed on.
function trace.run(specs, f)
  local g = graph.begin()
  local result = table.pack(pcall(function()
    local inputs = {}
    for i = 1, #specs do inputs[i] = graph.input(g, specs[i][1], specs[i][2], specs[i][3]) end
    return graph.call(f, inputs)
  end))
  if not result[1] then
    graph.abandon(g)
    error(result[2], 0)
  end
  graph.finish(g, result[2])
  return g, table.unpack(result, 3, result.n)
end

return trace
