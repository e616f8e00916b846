--- The op harness: runs every op of the table through its golden cases, eager, traced, and traced with unknown shapes, with first
-- and second gradients; refuses what TensorFlow refuses. tests/golden/README.md has the format of the cases.

local core = require "moonflow.core"
local tf = require "moonflow"
local golden = require "golden_data"

local harness = {}
local graph = core.graph
local None = tf.None

-- What issue by issue comes later: cases in these dtypes may be UNIMPLEMENTED, and are counted.
local optional_dtypes = {float16 = true, bfloat16 = true, complex64 = true, complex128 = true, int8 = true, int16 = true,
  uint16 = true, uint32 = true, uint64 = true, qint8 = true, quint8 = true, qint32 = true}

local function each_tensor(values, visit)
  for i = 1, #values do
    local value = values[i]
    if golden.is_tensor(value) then visit(value)
    elseif type(value) == "table" then
      for k = 1, #value do
        if golden.is_tensor(value[k]) then visit(value[k]) end
      end
    end
  end
end

--- True when the case computes in a dtype that may be missing.
function harness.is_optional(case)
  local found = false
  local function look(value) found = found or optional_dtypes[value.dtype] end
  each_tensor(case.inputs or {}, look)
  each_tensor(case.outputs or {}, look)
  for _, attrs in ipairs{case.attrs or {}, case.implied or {}} do
    for _, tagged in next, attrs do
      if type(tagged) == "table" and tagged.type then found = found or optional_dtypes[tagged.type] end
    end
  end
  return found
end

--- Complex numbers have no conversion from Lua values yet.
local function is_complex(case)
  local found = false
  local function look(value) found = found or value.dtype:sub(1, 7) == "complex" end
  each_tensor(case.inputs, look)
  each_tensor(case.outputs or {}, look)
  return found
end

--- Flat list of tensors and a function that puts a flat list back into the form of the arguments.
local function flatten(inputs)
  local flat, form = {}, {}
  for i = 1, #inputs do
    if golden.is_tensor(inputs[i]) then
      flat[#flat + 1] = golden.tensor(inputs[i])
      form[i] = #flat
    else
      local part = {}
      for k = 1, #inputs[i] do
        flat[#flat + 1] = golden.tensor(inputs[i][k])
        part[k] = #flat
      end
      form[i] = part
    end
  end
  return flat, function(list)
    local arguments = {}
    for i = 1, #form do
      if type(form[i]) == "number" then arguments[i] = list[form[i]]
      else
        local part = {}
        for k = 1, #form[i] do part[k] = list[form[i][k]] end
        arguments[i] = part
      end
    end
    return arguments
  end
end

--- JSON forms of results, flat; None stays.
local function flat_wants(values)
  local list = {}
  for i = 1, #values do
    local value = values[i]
    if value == None or golden.is_tensor(value) then list[#list + 1] = value
    else
      for k = 1, #value do list[#list + 1] = value[k] end
    end
  end
  return list
end

local function flat_results(results)
  local list = {}
  for i = 1, results.n do
    if core.args.kind(results[i]) == "tensor" then list[#list + 1] = results[i]
    elseif type(results[i]) == "table" then
      for k = 1, #results[i] do list[#list + 1] = results[i][k] end
    end
  end
  return list
end

--- The call itself: f(flat list of tensors) -> flat list of outputs.
local function caller(op, case, arrange)
  local entry, f, attrs = core.op.entry(op), tf.raw_ops[op], {}
  for name, tagged in next, case.attrs or {} do attrs[name] = golden.attribute(tagged) end
  return function(list)
    local call, arguments = {}, arrange(list)
    for i = 1, #entry.inputs do call[entry.inputs[i].name] = arguments[i] end
    for name, value in next, attrs do call[name] = value end
    return flat_results(table.pack(f(tf.kw(call))))
  end
end

local function tolerance(case)
  return case.tol and {case.tol.rtol or 0, case.tol.atol or 0} or nil
end

-- Gradients are sums and products of what the outputs are: a little wider than outputs.
local gradient_tolerance = {float32 = {1e-5, 1e-5}, float64 = {1e-12, 1e-12}}

--- ignore_absent: what TensorFlow leaves undefined is not looked at.
local function compare(what, got, wants, tol, by_dtype, ignore_absent)
  for i = 1, #wants do
    local want = wants[i]
    if want == None and ignore_absent then
      goto next_want -- undefined in TensorFlow
    elseif want == None then
      if got[i] and got[i] ~= None then return ("%s %d: expected none, received %s"):format(what, i - 1, tostring(got[i])) end
    elseif not got[i] or got[i] == None then
      return ("%s %d: expected a tensor, received none"):format(what, i - 1)
    else
      local wrong = golden.difference(got[i], want, tol or by_dtype and by_dtype[want.dtype])
      if wrong then return ("%s %d: %s"):format(what, i - 1, wrong) end
    end
    ::next_want::
  end
  return nil
end

--- outputs, dx, second derivatives of one call over flat inputs; works on symbolic tensors too.
local function differentiate(call, case, inputs)
  local g = case.gradients
  local with_gradients = g and g ~= None
  if not with_gradients then return call(inputs) end
  local second = case.second
  local outer = tf.GradientTape{persistent = true}
  local tape = tf.GradientTape{persistent = true}
  local dys = {}
  local dy_wants = flat_wants(g.dy)
  for i = 1, #dy_wants do dys[i] = dy_wants[i] ~= None and golden.tensor(dy_wants[i]) or None end
  for i = 1, #inputs do
    outer:watch(inputs[i])
    tape:watch(inputs[i])
  end
  for i = 1, #dys do
    if dys[i] ~= None then outer:watch(dys[i]) end
  end
  local ok, outputs, dx, dd = pcall(function()
    local outs = call(inputs)
    tape:close()
    local targets, seeds = {}, {}
    for i = 1, #outs do
      if dys[i] and dys[i] ~= None then targets[#targets + 1], seeds[#seeds + 1] = outs[i], dys[i] end
    end
    local first = tape:gradient(targets, inputs, {output_gradients = seeds})
    for i = 1, #inputs do
      if first[i] and core.args.kind(first[i]) ~= "tensor" and first[i] ~= None then first[i] = tf.convert_to_tensor(first[i]) end
    end
    local more
    if second then
      local vs, total = flat_wants(second.v), nil
      for i = 1, #inputs do
        if vs[i] ~= None and first[i] and first[i] ~= None then
          local term = tf.reduce_sum(first[i] * golden.tensor(vs[i]))
          total = total and total + term or term
        end
      end
      outer:close()
      if total then more = {outer:gradient(total, inputs), outer:gradient(total, (function()
        local list = {}
        for i = 1, #dys do
          if dys[i] ~= None then list[#list + 1] = dys[i] end
        end
        return list
      end)())} end
    end
    return outs, first, more
  end)
  tape:close()
  outer:close()
  if not ok then error(outputs, 0) end
  return outputs, dx, dd
end

local function check(case, outputs, dx, dd, stage)
  local tol = tolerance(case)
  local wrong = compare(stage .. ": output", outputs, flat_wants(case.outputs), tol, nil, true)
  if not wrong and dx then
    wrong = compare(stage .. ": gradient", dx, flat_wants(case.gradients.dx), tol, gradient_tolerance)
  end
  if not wrong and dd and case.second.dx then
    for i = 1, #dd[1] do
      if dd[1][i] and core.args.kind(dd[1][i]) ~= "tensor" and dd[1][i] ~= None then dd[1][i] = tf.convert_to_tensor(dd[1][i]) end
    end
    wrong = compare(stage .. ": second gradient", dd[1], flat_wants(case.second.dx), tol, gradient_tolerance)
  end
  return wrong
end

local function unknown_shape(t, mode)
  if mode == "static" then return t.shape end
  local dims = {}
  for i = 1, #t.shape do dims[i] = None end
  return dims
end

--- Traces the call with its gradients, runs the graph by the interpreter and compares; also: inferred shapes fit the values.
local function run_traced(call, case, inputs, mode)
  local g = graph.begin()
  local ok, wrong = pcall(function()
    local symbolic = {}
    for i = 1, #inputs do symbolic[i] = graph.input(g, inputs[i].dtype, unknown_shape(inputs[i], mode)) end
    local outputs, dx = differentiate(call, case, symbolic)
    local all, where = {}, {}
    for i = 1, #outputs do all[i] = outputs[i] end
    for i = 1, dx and #inputs or 0 do
      if dx[i] and dx[i] ~= None then
        all[#all + 1] = dx[i]
        where[i] = #all
      end
    end
    graph.finish(g, all)
    local values = graph.run(g, inputs)
    for i = 1, #values do
      if not all[i].shape:is_compatible_with(values[i].shape) then
        return ("%s: inferred shape %s, written shape %s"):format(mode, tostring(all[i].shape), tostring(values[i].shape))
      end
    end
    local got_dx
    if dx then
      got_dx = {}
      for i = 1, #inputs do got_dx[i] = where[i] and values[where[i]] or None end
    end
    return check(case, values, got_dx, nil, "traced " .. mode)
  end)
  graph.abandon(g)
  if not ok then error(wrong, 0) end
  return wrong
end

--- What the call and its gradient give for inputs of one's own, as a flat list of tensors; raises what they raise.
function harness.results(op, case, change)
  local flat, arrange = flatten(case.inputs)
  flat = change and change(flat) or flat
  local call, list = caller(op, case, arrange), {}
  tf.random.set_seed(1)
  local tape = tf.GradientTape()
  for i = 1, #flat do tape:watch(flat[i]) end
  local ok, outputs = pcall(call, flat)
  tape:close()
  if not ok then error(outputs, 0) end
  local targets = {}
  for i = 1, #outputs do
    list[i] = outputs[i]
    if outputs[i].dtype.is_floating then targets[#targets + 1] = outputs[i] end
  end
  if #targets > 0 and case.gradients and case.gradients ~= None then
    local dx = tape:gradient(targets, flat)
    for i = 1, #flat do
      if dx[i] and dx[i] ~= None then list[#list + 1] = tf.convert_to_tensor(dx[i]) end
    end
  end
  return list
end

local function is_stateful(op)
  return core.op.entry(op).stateful
end

--- nil when the case passes, else a sentence; the second result is true when it is an optional dtype that is missing.
function harness.run_case(op, case)
  if is_complex(case) then return nil, true end
  local flat, arrange = flatten(case.inputs)
  local call = caller(op, case, arrange)
  if case.error then
    local ok, err = pcall(call, flat)
    if ok then return "expected " .. case.error.code .. ", the call succeeded" end
    if err.code == case.error.code then return nil end
    if harness.is_optional(case) and err.code == "UNIMPLEMENTED" then return nil, true end
    return ("expected %s (%s), received %s"):format(case.error.code, case.error.message, tostring(err))
  end
  if is_stateful(op) then tf.random.set_seed(1) end
  local ok, outputs, dx, dd = pcall(differentiate, call, case, flat)
  if not ok then
    local err = outputs
    if harness.is_optional(case) and type(err) == "table" and err.code == "UNIMPLEMENTED" then return nil, true end
    return "eager: " .. tostring(err)
  end
  local wrong = check(case, outputs, dx, dd, "eager")
  for i = 1, not wrong and case.next_outputs and #case.next_outputs or 0 do
    wrong = wrong or compare("call " .. i + 1 .. ": output", call(flat), flat_wants(case.next_outputs[i]), tolerance(case))
  end
  if wrong or is_stateful(op) then return wrong end
  for _, mode in ipairs{"static", "unknown"} do
    ok, wrong = pcall(run_traced, call, case, flat, mode)
    if not ok then return ("traced %s: %s"):format(mode, tostring(wrong)) end
    if wrong then return wrong end
  end
  return nil
end

return harness
