--- tf.custom_gradient: a function that brings its own gradient.
--
--     local log1pexp = tf.custom_gradient(function(x)
--       local e = tf.exp(x)
--       return tf.math.log(1 + e), function(upstream) return upstream * (1 - 1 / (1 + e)) end
--     end)
--
-- The function returns its result (a tensor, or a structure of tensors) and the gradient function, which gets one gradient for
-- each tensor of the result and returns one for each argument. When the function reads variables, the gradient function gets
-- `{variables = list}` as its last argument and returns a second list: gradients of the variables.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local nest = require "moonflow.base.nest"
local raw = require "moonflow.raw_ops"

local tape, None = core.tape, core.args.None

--- Gradients as a list: several values, one list, or one value.
local function as_list(results, count, what)
  local list = results
  if results.n == 1 and count ~= 1 and nest.is_nested(results[1]) then
    list = nest.flatten(results[1])
    list.n = #list
  elseif results.n == 1 and count == 1 and type(results[1]) == "table" and getmetatable(results[1]) == nil and #results[1] == 1 then
    list = {results[1][1], n = 1}
  end
  if list.n ~= count then
    errors.invalid("custom_gradient", "expected %d gradients of the %s, received %d", count, what, list.n)
  end
  local gradients = {}
  for i = 1, count do
    local g = list[i]
    gradients[i] = g ~= nil and not rawequal(g, None) and g or false
  end
  return gradients
end

--- What core calls: a list of dy (false where there is none) gives a list of gradients of inputs and variables.
local function gradient_caller(grad_fn, outputs, n_inputs, variables)
  return function(dy)
    for i = 1, #outputs do
      if dy[i] == false then dy[i] = raw.ZerosLike(outputs[i]) end
    end
    if #variables == 0 then return as_list(table.pack(grad_fn(table.unpack(dy, 1, #outputs))), n_inputs, "arguments") end
    dy[#outputs + 1] = {variables = variables}
    local of_inputs, of_variables = grad_fn(table.unpack(dy, 1, #outputs + 1))
    local list = as_list({of_inputs, n = 1}, n_inputs, "arguments")
    for _, g in ipairs(as_list({of_variables, n = 1}, #variables, "variables")) do list[#list + 1] = g end
    return list
  end
end

local function call(f, ...)
  local arguments, inputs = table.pack(...), {}
  for i = 1, arguments.n do
    local value = arguments[i]
    if core.args.is_tensor(value) then
      value = core.variable.is(value) and core.variable.read(value) or core.tensor.to(value, nil, "custom_gradient", "args")
      inputs[#inputs + 1] = value
    elseif type(value) == "number" then
      value = core.tensor.to(value)
      inputs[#inputs + 1] = value
    end
    arguments[i] = value
  end
  local watcher <close> = tape.open(true)
  local result, grad_fn = f(table.unpack(arguments, 1, arguments.n))
  local variables = tape.variables(watcher)
  tape.close(watcher)
  if type(grad_fn) ~= "function" then
    errors.invalid("custom_gradient", "the function must return its result and a gradient function, received %s as the second",
      errors.describe(grad_fn))
  end
  -- handles of their own: what the function computed inside has other records
  local outputs = nest.flatten(result)
  for i = 1, #outputs do outputs[i] = raw.Identity(outputs[i]) end
  local recorded = table.move(inputs, 1, #inputs, 1, {})
  for _, variable in ipairs(variables) do recorded[#recorded + 1] = variable end
  core.custom_gradient.record(recorded, outputs, gradient_caller(grad_fn, outputs, #inputs, variables))
  if nest.is_nested(result) then return nest.pack_sequence_as(result, outputs) end
  return outputs[1]
end

return function(f)
  if type(f) ~= "function" then errors.invalid("custom_gradient", "argument 'f': expected a function, received %s", errors.describe(f)) end
  return function(...)
    return call(f, ...)
  end
end
