--- tf.GradientTape: records what is computed from watched values and differentiates it.
--
--     local dy
--     do local tape <close> = tf.GradientTape()
--       local y = x^2
--       dy = tape:gradient(y, x)
--     end
--
-- The recording is C (core.tape); here structures are flattened and packed, and arguments are checked.

local args = require "moonflow.base.args"
local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local nest = require "moonflow.base.nest"
local row = require "moonflow.api.row"
local slices = require "moonflow.indexed_slices"

local tape = core.tape
local None = core.args.None

local methods = {}

local function signature(name, text)
  return args.signature(row.read_signature("GradientTape" .. name, text))
end

local read_new = signature("", "persistent=False, watch_accessed_variables=True")
local read_watch = signature(".watch", "tensor:struct")
local read_gradient = signature(".gradient",
  "target:struct, sources:struct, output_gradients:struct=None, unconnected_gradients:any='none'")
local read_jacobian = signature(".jacobian",
  "target, sources:struct, unconnected_gradients:any='none', parallel_iterations:any=None, experimental_use_pfor=True")
local read_batch_jacobian = signature(".batch_jacobian",
  "target, source, unconnected_gradients:any='none', parallel_iterations:any=None, experimental_use_pfor=True")

--- The tensor or variable behind an object that stands for one (a Keras variable).
local function unwrap(value)
  local kind = core.args.kind(value)
  if kind == "tensor" then return value end
  local meta = debug.getmetatable(value)
  local field = type(meta) == "table" and rawget(meta, "__mf_to_tensor")
  while type(field) == "string" do
    value = value[field]
    meta = debug.getmetatable(value)
    field = type(meta) == "table" and rawget(meta, "__mf_to_tensor")
  end
  return value
end

local function flatten(structure, what)
  local flat = nest.flatten(structure, {what = what})
  for i = 1, #flat do flat[i] = unwrap(flat[i]) end
  return flat
end

local function check_unconnected(op, value)
  if value == nil or value == "none" or value == "zero" then return value or "none" end
  errors.invalid(op, "argument 'unconnected_gradients': expected 'none' or 'zero', received %s", errors.describe(value))
end

local function start_use(self, op)
  local data = tape.data(self)
  if data.used and not data.persistent then
    errors.raise("FAILED_PRECONDITION", op,
      "%s: a non-persistent GradientTape can only be used to compute one set of gradients (or jacobians); pass " ..
      "persistent=true", op)
  end
  data.used = true
  -- as TensorFlow: asking ends the recording of a tape that is used once
  if not data.persistent and tape.is_open(self) then tape.close(self) end
  return data
end

local function end_use(self, data)
  if not data.persistent then tape.reset(self) end
end

local function zeros_of(source)
  local tf = require "moonflow"
  return tf.zeros_like(source)
end

--- Flat gradients: tensors, IndexedSlices or None.
local function compute(self, targets, sources, output_gradients, unconnected, quiet)
  local found = tape.gradient(self, targets, sources, output_gradients, quiet)
  for i = 1, #found do
    local g = found[i]
    if g == false then
      found[i] = unconnected == "zero" and zeros_of(sources[i]) or None
    elseif type(g) == "table" then
      found[i] = slices.from_parts(g.values, g.indices, g.dense_shape)
    end
  end
  return found
end

--- One value for one source, None becomes nil there; else the structure of the sources.
local function pack(sources, flat)
  if nest.is_nested(sources) then return nest.pack_sequence_as(sources, flat) end
  if rawequal(flat[1], None) then return nil end
  return flat[1]
end

function methods:gradient(...)
  local op = "GradientTape.gradient"
  local target, sources, output_gradients, unconnected = read_gradient(...)
  unconnected = check_unconnected(op, unconnected)
  if target == nil then errors.invalid(op, "argument 'target': expected tensors, received None") end
  if sources == nil then errors.invalid(op, "argument 'sources': expected tensors or variables, received None") end
  local targets, flat_sources = flatten(target, op), flatten(sources, op)
  for i = 1, #targets do
    if core.variable.is(targets[i]) then targets[i] = core.variable.read(targets[i]) end
    if not core.tensor.is(targets[i]) then targets[i] = core.tensor.to(targets[i], nil, op, "target") end
  end
  local given
  if output_gradients ~= nil then
    given = nest.flatten_up_to(target, output_gradients, {what = op .. ": argument 'output_gradients'"})
    if #given ~= #targets then
      errors.invalid(op, "argument 'output_gradients': expected %d gradients, received %d", #targets, #given)
    end
    for i = 1, #given do
      given[i] = not rawequal(given[i], None) and core.tensor.to(given[i], targets[i].dtype, op, "output_gradients") or false
    end
  end
  local data = start_use(self, op)
  local flat = compute(self, targets, flat_sources, given, unconnected, not data.persistent)
  end_use(self, data)
  return pack(sources, flat)
end

--- Gradients of every element of the flat target, row by row: a list (per source) of lists.
local function rows_of(self, data, target, sources, unconnected)
  local tf = require "moonflow"
  local n = target.shape:num_elements()
  local columns = {}
  for i = 1, #sources do columns[i] = {} end
  local flat_shape = {n}
  for k = 0, n - 1 do
    local seed = tf.reshape(tf.one_hot(k, n, {dtype = target.dtype}), target.shape)
    local found = compute(self, {target}, sources, {seed}, unconnected, not data.persistent)
    for i = 1, #found do
      if slices.is(found[i]) then found[i] = found[i]:to_tensor() end
      columns[i][k + 1] = found[i]
    end
  end
  return columns, flat_shape
end

function methods:jacobian(...)
  local op = "GradientTape.jacobian"
  local tf = require "moonflow"
  local target, sources, unconnected = read_jacobian(...)
  unconnected = check_unconnected(op, unconnected)
  target = core.tensor.to(target, nil, op, "target")
  local flat_sources = flatten(sources, op)
  local data = start_use(self, op)
  local columns = rows_of(self, data, target, flat_sources, unconnected)
  local flat = {}
  for i, source in ipairs(flat_sources) do
    local column = columns[i]
    local shape = target.shape:concatenate(source.shape)
    if #column == 0 then
      flat[i] = tf.zeros(shape, {dtype = source.dtype})
    elseif rawequal(column[1], None) then
      flat[i] = None
    else
      flat[i] = tf.reshape(tf.stack(column), shape)
    end
  end
  end_use(self, data)
  return pack(sources, flat)
end

function methods:batch_jacobian(...)
  local op = "GradientTape.batch_jacobian"
  local tf = require "moonflow"
  local target, source, unconnected = read_batch_jacobian(...)
  unconnected = check_unconnected(op, unconnected)
  target = core.tensor.to(target, nil, op, "target")
  source = unwrap(source)
  local batch = target.shape[1]
  if target.shape.rank < 2 or source.shape.rank < 2 or batch ~= source.shape[1] then
    errors.invalid(op, "need first dimension of target shape (%s) and source shape (%s) to match, and at least rank 2",
      target.shape, source.shape)
  end
  local data = start_use(self, op)
  local per_row = target.shape:num_elements() // math.max(batch, 1)
  local columns = {}
  for k = 0, per_row - 1 do
    local seed = tf.broadcast_to(tf.one_hot(k, per_row, {dtype = target.dtype}), {batch, per_row})
    local found = compute(self, {target}, {source}, {tf.reshape(seed, target.shape)}, unconnected, not data.persistent)
    if slices.is(found[1]) then found[1] = found[1]:to_tensor() end
    columns[k + 1] = found[1]
  end
  end_use(self, data)
  if #columns == 0 or rawequal(columns[1], None) then return nil end
  local shape = target.shape:concatenate(source.shape:slice(2))
  return tf.reshape(tf.stack(columns, 1), shape)
end

function methods:watch(...)
  for _, value in ipairs(flatten(read_watch(...), "GradientTape.watch")) do tape.watch(self, value) end
end

function methods:watched_variables()
  return tape.variables(self)
end

function methods:reset()
  tape.data(self).used = false
  tape.reset(self)
end

function methods:close()
  tape.close(self)
end

local pause_meta = {__mf_kind = "object", __name = "stop_recording"}
pause_meta.__close = function(pause)
  if pause.tape then
    tape.resume(pause.tape)
    pause.tape = nil
  end
end
pause_meta.__gc = pause_meta.__close
pause_meta.__index = {close = pause_meta.__close}

--- `do local _ <close> = tape:stop_recording() ... end`: nothing in the block is recorded.
function methods:stop_recording()
  if not tape.is_open(self) then
    errors.raise("FAILED_PRECONDITION", "GradientTape.stop_recording",
      "GradientTape.stop_recording: trying to stop recording a tape which is not recording")
  end
  tape.pause(self)
  return setmetatable({tape = self}, pause_meta)
end

tape.set_methods(methods)

local GradientTape = setmetatable({methods = methods, unwrap = unwrap}, {
  __name = "tf.GradientTape",
  __call = function(_, ...)
    local persistent, watch = read_new(...)
    local made = tape.open(watch)
    tape.data(made).persistent = persistent
    return made
  end,
})

return GradientTape
