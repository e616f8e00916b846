--- How a layer is called: inputs are converted and checked, the layer is built on its first call, training and mask are
-- resolved, `call` runs, and a call on KerasTensors is recorded.

local InputSpec = require "moonflow.keras.layers.input_spec"
local Node = require "moonflow.keras.ops.node"
local args = require "moonflow.base.args"
local class = require "moonflow.base.class"
local context = require "moonflow.keras.backend.context"
local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local inputs_of = require "moonflow.keras.layers.inputs"
local marks = require "moonflow.keras.backend.marks"
local nest = require "moonflow.base.nest"
local symbolic_of = require "moonflow.keras.layers.symbolic"

local kind_of, None = core.args.kind, core.args.None
local convert, shapes_of, pack_results = inputs_of.convert, inputs_of.shapes_of, inputs_of.pack_results

local calling = {}

-- ---- reading a call

local signatures = setmetatable({}, {__mode = "k"}) -- class -> signature of its calls

local function signature_of(cls)
  local signature = signatures[cls]
  if signature then return signature end
  local spec = {name = cls.class_name .. ".call", rest = {"inputs", "struct"}, input_first = true}
  for _, row in ipairs(class.call_args(cls)) do
    local copy = {}
    for key, value in next, row do copy[key] = value end
    copy.keyword = true
    -- a default of `training` counts only when no outer call says otherwise
    if row[1] == "training" then copy.default = None end
    spec[#spec + 1] = copy
  end
  signature = args.signature(spec)
  signatures[cls] = signature
  return signature
end

local defaults = setmetatable({}, {__mode = "k"}) -- class -> default of `training`, None where there is none

local function default_training(cls)
  local default = defaults[cls]
  if default == nil then
    default = None
    for _, row in ipairs(class.call_args(cls)) do
      if row[1] == "training" and row.default ~= nil then default = row.default end
    end
    defaults[cls] = default
  end
  if default == None then return nil end
  return default
end

-- ---- errors

local decorated = setmetatable({}, {__mode = "k"})

local function describe_input(x)
  if x == nil or x == None then return "None" end
  if core.args.is_tensor(x) then return ("%s%s"):format(x.dtype.name, tostring(x.shape)) end
  if type(x) == "table" and nest.is_nested(x) then
    local parts = {}
    for _, leaf in ipairs(nest.flatten(x)) do parts[#parts + 1] = describe_input(leaf) end
    return "{" .. table.concat(parts, ", ") .. "}"
  end
  return errors.describe(x)
end

--- Adds the layer's name and what it got to an error that came out of its `call`; the innermost layer does so.
local function decorate(self, err, kw, n, ...)
  if not errors.is(err) or decorated[err] then return err end
  local parts = {}
  for i = 1, n do parts[i] = describe_input((select(i, ...))) end
  err.message = ("%s\nException encountered when calling layer '%s' (%s). Received: inputs=%s, training=%s"):format(
    err.message, self.name, self.class_name, table.concat(parts, ", "), tostring(kw.training == nil and "None" or kw.training))
  decorated[err] = true
  return err
end

-- ---- masks

local function mask_of(x)
  if type(x) == "table" and nest.is_nested(x) then
    local any = false
    local masks = nest.map_structure(function(leaf)
      local mask = marks.mask(leaf)
      any = any or mask ~= nil
      return mask
    end, x)
    return any and masks or nil
  end
  return marks.mask(x)
end

local function set_output_masks(self, first, output, mask)
  if self.compute_mask == calling.compute_mask and not rawget(self, "supports_masking") then return end
  local computed = self:compute_mask(first, mask)
  if computed == nil then return end
  local outputs, masks = nest.flatten(output), nest.flatten(computed)
  for i, x in ipairs(outputs) do
    if masks[i] ~= None and masks[i] ~= nil and marks.mask(x) == nil then marks.set_mask(x, masks[i]) end
  end
end

-- ---- the call

local function add_activity_loss(self, output)
  for _, x in ipairs(nest.flatten(output)) do
    if kind_of(x) == "tensor" then
      local loss = self.activity_regularizer(x)
      if x.shape.rank ~= 0 then
        local batch = core.op.get("Cast")(core.op.get("StridedSlice")(core.op.get("Shape")(x), {0}, {1}, {1},
          {shrink_axis_mask = 1}), loss.dtype)
        loss = core.op.get("DivNoNan")(loss, batch)
      end
      self:add_loss(loss)
    end
  end
end

local function build(self, n, ...)
  if self.class.build == calling.build then
    self:build(shapes_of((...)))
    return
  end
  local shapes = {}
  for i = 1, n do
    local x = select(i, ...)
    shapes[i] = x ~= None and shapes_of(x) or None
  end
  self:build(table.unpack(shapes, 1, n))
end

local function resolve_training(self, kw)
  local training = kw.training
  if training == nil then training = context.training end
  if training == nil then training = default_training(self.class) end
  context.training = training
  kw.training = training
end

--- Runs `method` ("call" or "compute_output_spec") of a layer on converted inputs.
local function run(self, kw, symbolic, n, first, ...)
  local method = symbolic and self.compute_output_spec or self.call
  if n == 1 then return pack_results(pcall(method, self, first, kw)) end
  local inputs = {first, ...}
  inputs[n + 1] = kw
  return pack_results(pcall(method, self, table.unpack(inputs, 1, n + 1)))
end

local function is_symbolic(kw, n, first, ...)
  if type(first) == "table" and Node.is_symbolic(first) then return true end
  for i = 1, n - 1 do
    local x = select(i, ...)
    if type(x) == "table" and Node.is_symbolic(x) then return true end
  end
  for _, x in next, kw do
    if type(x) == "table" and Node.is_symbolic(x) then return true end
  end
  return false
end

local function copy_table(values)
  local copy = {}
  for name, value in next, values do copy[name] = value end
  return copy
end

local function check_inputs(self, first)
  local spec = rawget(self, "input_spec")
  if spec then InputSpec.check_inputs(spec, first, self._own.name or self.name) end
end

--- Builds the layer if it is not built. Returns true, or false and the error.
local function ensure_built(self, n, first, ...)
  if rawget(self, "built") then return true end
  local had_spec = rawget(self, "input_spec")
  local ok, err = pcall(build, self, n, first, ...)
  if ok and not had_spec then ok, err = pcall(check_inputs, self, first) end
  return ok, err
end

local function call_in_context(self, kw, symbolic, n, first, ...)
  local ok, output = ensure_built(self, n, first, ...)
  if not ok then return false, output end
  resolve_training(self, kw)
  if marks.has_masks and kw.mask == nil then kw.mask = mask_of(first) end
  ok, output = run(self, kw, symbolic, n, first, ...)
  if ok and rawget(self, "activity_regularizer") ~= nil and not context.inferring then
    local added, err = pcall(add_activity_loss, self, output)
    if not added then return false, err end
  end
  return ok, output
end

--- Calls a layer on converted inputs; `original` is what the caller gave: the value, or a list of n.
local function call_converted(self, kw, original, n, first, ...)
  local depth, calls, outer_training = context.depth, context.calls, context.training
  local symbolic = is_symbolic(kw, n, first, ...)
  local recorded = symbolic and copy_table(kw)
  if calls == 0 and context.losses_added > 0 and not context.inferring then
    self:_clear_losses()
    context.losses_added = 0
  end
  check_inputs(self, first)
  context.enter(self._own.name or self.name, self)
  context.calls = calls + 1
  local ok, output = call_in_context(self, kw, symbolic, n, first, ...)
  context.leave(depth)
  context.calls = calls
  if calls == 0 then context.training = outer_training end
  if not ok then error(decorate(self, output, kw, n, first, ...), 0) end
  rawset(self, "built", true)
  if not symbolic and (marks.has_masks or self.compute_mask ~= calling.compute_mask) then
    set_output_masks(self, first, output, kw.mask)
  end
  if symbolic then Node.new(self, n == 1 and {n = 1, original} or original, recorded, output) end
  return output
end

--- Calls a layer: `kw` is a table of keywords that is this call's own, `...` the n inputs.
function calling.invoke(self, kw, n, first, ...)
  local own = self._own
  if not own.converts then
    return call_converted(self, kw, n == 1 and first or table.pack(first, ...), n, first, ...)
  end
  local policy = own.policy or self.dtype_policy
  if n == 1 then return call_converted(self, kw, first, 1, convert(self, policy, first)) end
  local original, converted = table.pack(first, ...), {}
  for i = 1, n do converted[i] = convert(self, policy, original[i]) end
  return call_converted(self, kw, original, n, table.unpack(converted, 1, n))
end

local function call_split(self, kw, ...)
  local n = select("#", ...)
  if n == 0 then errors.invalid(self.class_name, "layer '%s' is called with its input: layer(x)", self.name) end
  return calling.invoke(self, kw, n, ...)
end

--- Layer's __call.
function calling.call(self, ...)
  return call_split(self, signature_of(self.class):split(...))
end

--- Layer's own build, for layers without weights.
function calling.build(self)
  self.built = true
end

--- Layer's own compute_mask: the mask goes on as it is.
function calling.compute_mask(_, _, previous_mask)
  return previous_mask
end

calling.compute_output_spec, calling.compute_output_shape = symbolic_of.compute_output_spec, symbolic_of.compute_output_shape
calling.trace_shapes, calling.trace_like = symbolic_of.trace_shapes, symbolic_of.trace_like

return calling
