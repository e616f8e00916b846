--- Traces as Keras uses them: finding the shapes a function gives without running it, and making weights meanwhile.

local core = require "moonflow.core"

local trace = {}

local graph, keras = core.graph, core.keras

local open_pause = {__close = function(pause) if pause.trace then keras.resume_trace(pause.trace) end end}

--- Until it is closed ops run at once although a trace is open: `local _ <close> = trace.pause()`.
function trace.pause()
  return setmetatable({trace = keras.pause_trace()}, open_pause)
end

--- Calls f with symbolic tensors made from `specs`, a list of {dtype, shape}, and look(results of f) before they end.
-- What look returns is returned. Nothing is computed; variables keep their values.
function trace.infer(specs, f, look)
  local g = graph.begin()
  local ok, result = pcall(function()
    local inputs = {}
    for i, spec in ipairs(specs) do inputs[i] = graph.input(g, spec.dtype, spec.shape) end
    return graph.call(function() return look(f(inputs)) end)
  end)
  graph.abandon(g)
  if not ok then error(result, 0) end
  return result
end

--- True while ops are recorded instead of run.
trace.is_tracing = core.machine.is_tracing

return trace
