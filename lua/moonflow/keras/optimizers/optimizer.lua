--- Optimizer: the base of all optimizers.
--
-- What a class writes: `init(a)` (super_init takes learning_rate and the common arguments), `build(variables)` that calls
-- `self.super_build(self, variables)`'s equivalent `Optimizer.build(self, variables)` first and then makes its slots with
-- add_optimizer_variables, and one of
--     update_all(grads, variables, learning_rate)      all variables at once: the fast way (one fused op)
--     update_step(grad, variable, learning_rate)       one variable
-- `grads` are tensors, or IndexedSlices where a gradient is sparse: a class that says `handles_slices = true` gets these as
-- they are, others get them made dense. learning_rate is a scalar tensor of float32.
--
-- State in files, in this order: iteration (int64), learning_rate (unless it is a schedule), averages, accumulators, slots.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local args = require "moonflow.base.args"
local class = require "moonflow.base.class"
local clipping = require "moonflow.keras.optimizers.clipping"
local config = require "moonflow.keras.backend.config"
local context = require "moonflow.keras.backend.context"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local naming = require "moonflow.keras.backend.naming"
local variables = require "moonflow.keras.backend.variable"
require "moonflow.keras.saving.argument_types"

local None = dicts.None
local get = core.op.get
local multiply, divide, subtract, add = get("Mul"), get("RealDiv"), get("Sub"), get("AddV2")
local to_tensor, kind_of = core.tensor.to, core.args.kind
local assign, assign_add, read = core.variable.assign, core.variable.assign_add, core.variable.read

local getters, setters = {}, {}

local Optimizer = class.Object:extend("Optimizer", {
  args = {
    {"name", "string", default = None, keyword = true, doc = "Name of the optimizer."},
    {"learning_rate", "any", default = 0.001, keyword = true, get = function(self) return self:_learning_rate_config() end,
      doc = "A number, a LearningRateSchedule, or a function of the iteration."},
    {"weight_decay", "number", default = None, keyword = true, doc = "Weight decay."},
    {"clipnorm", "number", default = None, keyword = true, doc = "Each gradient is clipped to this norm."},
    {"global_clipnorm", "number", default = None, keyword = true, doc = "All gradients together are clipped to this norm."},
    {"clipvalue", "number", default = None, keyword = true, doc = "Gradients are clipped to [-clipvalue, clipvalue]."},
    {"use_ema", "boolean", default = false, keyword = true, doc = "Keep moving averages of the weights."},
    {"ema_momentum", "number", default = 0.99, keyword = true},
    {"ema_overwrite_frequency", "integer", default = None, keyword = true},
    {"loss_scale_factor", "number", default = None, keyword = true},
    {"gradient_accumulation_steps", "integer", default = None, keyword = true},
  },
  getters = getters, setters = setters,
})
Optimizer.is_optimizer = true
Optimizer.keras_module = "keras.optimizers"

local function check_arguments(self, a)
  local given = {}
  for _, name in ipairs{"clipnorm", "clipvalue", "global_clipnorm"} do
    if a[name] ~= nil then given[#given + 1] = name .. "=" .. tostring(a[name]) end
  end
  if #given > 1 then
    errors.invalid(self.class_name, "only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set, received %s",
      table.concat(given, ", "))
  end
  if a.use_ema and (a.ema_momentum > 1 or a.ema_momentum < 0) then
    errors.invalid(self.class_name, "`ema_momentum` must be in the range [0, 1], received %s", tostring(a.ema_momentum))
  end
  if a.gradient_accumulation_steps and a.gradient_accumulation_steps < 2 then
    errors.invalid(self.class_name, "`gradient_accumulation_steps` must be an integer of at least 2, received %d",
      a.gradient_accumulation_steps)
  end
end

function Optimizer:init(a)
  check_arguments(self, a)
  rawset(self, "name", a.name or naming.auto_name(self.class_name))
  for _, name in ipairs{"weight_decay", "clipnorm", "global_clipnorm", "clipvalue", "use_ema", "ema_momentum",
    "ema_overwrite_frequency", "loss_scale_factor", "gradient_accumulation_steps"} do
    rawset(self, name, a[name])
  end
  rawset(self, "built", false)
  rawset(self, "_variables", {})
  rawset(self, "_trainable", {})
  rawset(self, "_index", {})
  rawset(self, "_constrained", {})
  rawset(self, "_iterations", self:add_variable{shape = {}, initializer = to_tensor(0, "int64"), dtype = "int64",
    name = "iteration"})
  self:_set_learning_rate(a.learning_rate)
end

-- ---- the learning rate

function Optimizer:_set_learning_rate(value)
  local callable = type(value) == "function" or type(value) == "table" and (getmetatable(value) or {}).__call
  if type(value) == "number" then
    rawset(self, "_learning_rate", self:add_variable{shape = {}, initializer = to_tensor(value + 0.0, config.floatx()),
      dtype = config.floatx(), name = "learning_rate"})
  elseif callable then
    rawset(self, "_learning_rate", value)
  else
    errors.invalid(self.class_name, "argument 'learning_rate': expected a number, a LearningRateSchedule, or a function " ..
      "of the iteration, received %s", errors.describe(value))
  end
end

--- The rate now as a scalar tensor.
function Optimizer:_current_learning_rate()
  local rate = self._learning_rate
  if kind_of(rate) == "variable" then return read(rate) end
  return to_tensor(rate(self.iterations), nil, self.class_name, "learning_rate", config.floatx())
end

function Optimizer:_learning_rate_config()
  local rate = self._learning_rate
  if kind_of(rate) == "variable" then return read(rate):item() end
  if class.of(rate) then return require "moonflow.keras.optimizers".schedules.serialize(rate) end
  errors.unimplemented(self.class_name, "a learning rate that is a function cannot be written to a config")
end

--- `optimizer.learning_rate`: the variable, or the rate a schedule gives now.
function getters.learning_rate(self)
  local rate = self._learning_rate
  if kind_of(rate) == "variable" then return rate end
  return self:_current_learning_rate()
end

function setters.learning_rate(self, value)
  local rate = self._learning_rate
  if kind_of(rate) ~= "variable" then
    if type(value) == "number" then
      errors.invalid(self.class_name, "this optimizer was created with a LearningRateSchedule, its learning rate is " ..
        "not settable; give the optimizer a number as learning_rate")
    end
    rawset(self, "_learning_rate", value)
    return
  end
  if type(value) == "table" and class.of(value) then
    for i, variable in ipairs(self._variables) do
      if rawequal(variable, rate) then table.remove(self._variables, i) end
    end
    rawset(self, "_learning_rate", value)
    return
  end
  assign(rate, to_tensor(value, nil, self.class_name, "learning_rate", config.floatx()))
end

--- How many updates were made: a tensor or variable of int64.
function getters.iterations(self)
  local steps = self.gradient_accumulation_steps
  if steps then return get("FloorDiv")(read(self._iterations), to_tensor(steps, "int64")) end
  return self._iterations
end

-- ---- variables

function getters.variables(self)
  return table.move(self._variables, 1, #self._variables, 1, {})
end

local read_add = args.signature{name = "add_variable", {"shape", "shape"}, {"initializer", "any", default = "zeros"},
  {"dtype", "dtype", default = None}, {"aggregation", "string", default = "none"}, {"layout", "any", default = None},
  {"name", "string", default = None}}

--- Makes a variable of the optimizer's state.
function Optimizer:add_variable(...)
  local shape, initializer, dtype, _, _, name = read_add(...)
  local _ <close> = context.scope(self.name, self)
  local variable = variables.new{
    shape = shape, dtype = dtype and core.dtype.get(dtype).name or nil, trainable = false, name = name,
    initializer = require "moonflow.keras.initializers".get(initializer),
  }
  self._variables[#self._variables + 1] = variable
  return variable
end

--- A slot for one variable of the model: of its shape and dtype, zero at first.
function Optimizer:add_variable_from_reference(variable, name, initializer)
  local path = variable.path or variable.name:gsub(":", "_")
  return self:add_variable{shape = variable.shape, dtype = variable.dtype, initializer = initializer or "zeros",
    name = path:gsub("/", "_") .. "_" .. (name or "var")}
end

--- Slots for all variables: one list for a name, several lists (and results) for a list of names. Slots of one variable
-- are made together: with names {"momentum", "velocity"} the order is m1, v1, m2, v2 ...
function Optimizer:add_optimizer_variables(list, names, initializer)
  local single = type(names) == "string"
  if single then names = {names} end
  local lists = {}
  for i = 1, #names do lists[i] = {} end
  for _, variable in ipairs(list) do
    for i, name in ipairs(names) do
      lists[i][#lists[i] + 1] = self:add_variable_from_reference(variable, name, initializer)
    end
  end
  return table.unpack(lists)
end

--- Notes the variables that are trained. Classes with slots call this first, then make them.
function Optimizer:build(list)
  if self.use_ema then rawset(self, "_averages", self:add_optimizer_variables(list, "average")) end
  if self.gradient_accumulation_steps then
    rawset(self, "_accumulated", self:add_optimizer_variables(list, "gradient_accumulator"))
  end
  for i, variable in ipairs(list) do
    self._index[variable] = i
    self._trainable[i] = variable
  end
  self.built = true
end

--- Place of a variable among those the optimizer was built for.
function Optimizer:_get_variable_index(variable)
  return self._index[variable]
end

-- ---- applying gradients

local read_apply = args.signature{name = "apply_gradients", {"grads_and_vars", "list"}}

--- Updates the variables: a list of {gradient, variable}, as tf.zip(grads, variables) makes it.
function Optimizer:apply_gradients(...)
  local pairs_of = read_apply(...)
  local grads, list = {}, {}
  for i, pair in ipairs(pairs_of) do
    if type(pair) ~= "table" or core.args.kind(pair[2]) ~= "variable" then
      errors.invalid("apply_gradients", "argument 'grads_and_vars': expected pairs {gradient, variable}, received %s as pair %d",
        type(pair) == "table" and "{" .. errors.describe(pair[1]) .. ", " .. errors.describe(pair[2]) .. "}" or
        errors.describe(pair), i)
    end
    grads[i], list[i] = pair[1], pair[2]
    if grads[i] == nil then grads[i] = None end
  end
  self:apply(grads, list)
  return self._iterations
end

--- Drops variables whose gradient is None.
local function filter_empty(self, grads, list)
  local missing
  for i = 1, #list do
    local grad = grads[i]
    if not grad or rawequal(grad, None) then missing = true end
  end
  if not missing then return grads, list end
  local kept, kept_list, names = {}, {}, {}
  for i, variable in ipairs(list) do
    if not grads[i] or rawequal(grads[i], None) then
      names[#names + 1] = variable.path or variable.name
    else
      kept[#kept + 1], kept_list[#kept_list + 1] = grads[i], variable
    end
  end
  if #kept == 0 then errors.invalid(self.class_name, "no gradients provided for any variable") end
  io.stderr:write(("warning: gradients do not exist for variables [%s] when minimizing the loss\n"):format(
    table.concat(names, ", ")))
  return kept, kept_list
end

--- The variables of `list` that have a constraint. A list that comes again, as in fit, is looked through once.
local function constrained(self, list)
  local known = self._constrained
  if rawequal(known.list, list) and known.n == #list then return known end
  known = {list = list, n = #list}
  for _, variable in ipairs(list) do
    if variable.constraint ~= nil then known[#known + 1] = variable end
  end
  rawset(self, "_constrained", known)
  return known
end

local function check_known(self, list)
  if rawequal(self._constrained.list, list) and self._constrained.n == #list then return end
  for _, variable in ipairs(list) do
    if not self._index[variable] then
      errors.invalid(self.class_name, "unknown variable: '%s'. This optimizer can only be called for the variables it " ..
        "was originally built with; make a new optimizer for a new set of variables",
        tostring(variable.path or variable.name))
    end
  end
end

local function dense(self, grads)
  if self.handles_slices then return grads end
  local result
  for i, grad in ipairs(grads) do
    if kind_of(grad) ~= "tensor" then
      result = result or table.move(grads, 1, #grads, 1, {})
      result[i] = to_tensor(grad)
    end
  end
  return result or grads
end

--- Applies gradients, one for each variable: `list` may be left out once the optimizer is built.
--- Gradients in the dtypes of their variables, as Keras casts them.
local function in_dtypes(grads, list)
  local result
  for i, variable in ipairs(list) do
    local grad, dtype, changed = grads[i], variable.dtype, nil
    if core.tensor.is(grad) then
      if grad.dtype ~= dtype then changed = get("Cast")(grad, dtype) end
    elseif type(grad) == "table" and core.tensor.is(grad.values) and grad.values.dtype ~= dtype then
      changed = require "moonflow.indexed_slices".from_parts(get("Cast")(grad.values, dtype), grad.indices, grad.dense_shape)
    end
    if changed then
      result = result or table.move(grads, 1, #grads, 1, {})
      result[i] = changed
    end
  end
  return result or grads
end

function Optimizer:apply(grads, list)
  if #grads == 0 then return end
  if list == nil then
    if not self.built then
      errors.invalid(self.class_name, "when gradients are passed without variables the optimizer must be built: " ..
        "optimizer:build(trainable_variables)")
    end
    if #grads ~= #self._trainable then
      errors.invalid(self.class_name, "expected %d gradients, one for each variable, received %d", #self._trainable, #grads)
    end
    list = self._trainable
  else
    if not self.built then
      local _ <close> = context.scope(self.name, self)
      self:build(list)
    end
    check_known(self, list)
  end
  grads, list = filter_empty(self, grads, list)
  grads = in_dtypes(grads, list)
  local scale = self.loss_scale_factor
  if scale then
    grads = dense(self, grads)
    local scaled = {}
    for i, grad in ipairs(grads) do scaled[i] = divide(grad, to_tensor(scale, grad.dtype)) end
    grads = scaled
  end
  self:_apply_prepared(grads, list)
  for _, variable in ipairs(constrained(self, list)) do assign(variable, variable.constraint(read(variable))) end
  assign_add(self._iterations, 1)
end

--- Variables by dtype, each group with its gradients: one op updates variables of one dtype. nil when all have the same.
local function groups_of(grads, list)
  local first, mixed = list[1].dtype, false
  for i = 2, #list do mixed = mixed or list[i].dtype ~= first end
  if not mixed then return nil end
  local groups, by_name = {}, {}
  for i, variable in ipairs(list) do
    local name = variable.dtype.name
    if not by_name[name] then
      by_name[name] = {grads = {}, list = {}}
      groups[#groups + 1] = by_name[name]
    end
    local group = by_name[name]
    group.grads[#group.grads + 1], group.list[#group.list + 1] = grads[i], variable
  end
  return groups
end

function Optimizer:_update(grads, list)
  grads = clipping.clip(self, dense(self, grads))
  if self.weight_decay then self:_apply_weight_decay(list) end
  local groups = #list > 0 and groups_of(grads, list)
  if not groups then return self:update_all(grads, list, self:_current_learning_rate()) end
  for _, group in ipairs(groups) do self:update_all(group.grads, group.list, self:_current_learning_rate()) end
end

local function accumulate(self, grads, list)
  local steps = self.gradient_accumulation_steps
  local is_update = (read(self._iterations):item() + 1) % steps == 0
  grads = dense(self, grads)
  for i, variable in ipairs(list) do
    local sum = self._accumulated[self._index[variable]]
    if kind_of(grads[i]) ~= "tensor" then grads[i] = to_tensor(grads[i]) end
    if is_update then
      grads[i] = divide(add(grads[i], read(sum)), to_tensor(steps + 0.0, grads[i].dtype))
    else
      assign_add(sum, grads[i])
    end
  end
  if not is_update then return end
  self:_update(grads, list)
  for _, sum in ipairs(self._accumulated) do assign(sum, get("ZerosLike")(read(sum))) end
end

local function update_averages(self)
  local step = read(self._iterations):item()
  local momentum = step == 0 and 0.0 or self.ema_momentum
  for i, variable in ipairs(self._trainable) do
    local average = self._averages[i]
    local kept = multiply(read(average), to_tensor(momentum, average.dtype))
    assign(average, add(kept, multiply(read(variable), to_tensor(1 - momentum, variable.dtype))))
  end
  local frequency = self.ema_overwrite_frequency
  if frequency and (step + 1) % frequency == 0 then self:finalize_variable_values(self._trainable) end
end

function Optimizer:_apply_prepared(grads, list)
  if self.gradient_accumulation_steps then
    accumulate(self, table.move(grads, 1, #grads, 1, {}), list)
  else
    self:_update(grads, list)
  end
  if self.use_ema then update_averages(self) end
end

--- With use_ema the variables take their averages: fit does so at the end.
function Optimizer:finalize_variable_values(list)
  if not self.use_ema or not self.built then return end
  for _, variable in ipairs(list) do
    local i = self._index[variable]
    if i then assign(variable, read(self._averages[i])) end
  end
end

--- All variables at once; classes with a fused op have their own.
function Optimizer:update_all(grads, list, learning_rate)
  for i, variable in ipairs(list) do self:update_step(grads[i], variable, learning_rate) end
end

function Optimizer:update_step()
  errors.unimplemented(self.class_name, "an optimizer needs an `update_step(gradient, variable, learning_rate)` method")
end

-- ---- weight decay

--- Variables that shall not decay: a list of variables, and of patterns of their names.
function Optimizer:exclude_from_weight_decay(a)
  if self.built then errors.invalid(self.class_name, "exclude_from_weight_decay is called before the optimizer is built") end
  local excluded = {names = a.var_names or {}}
  for _, variable in ipairs(a.var_list or {}) do excluded[variable] = true end
  rawset(self, "_excluded", excluded)
end

local function decays(self, variable)
  local excluded = self._excluded
  if not excluded then return true end
  if excluded[variable] then return false end
  for _, pattern in ipairs(excluded.names) do
    if variable.name:find(pattern) then return false end
  end
  return true
end

function Optimizer:_apply_weight_decay(list)
  local rate = self:_current_learning_rate()
  for _, variable in ipairs(list) do
    if decays(self, variable) then
      local value = read(variable)
      local factor = multiply(rate, to_tensor(self.weight_decay, rate.dtype))
      if factor.dtype ~= value.dtype then factor = get("Cast")(factor, value.dtype) end
      assign(variable, subtract(value, multiply(value, factor)))
    end
  end
end

return Optimizer
