--- CompileLoss: the loss given to compile, for one output or a structure of outputs, with weights, resolved on the first
-- batch.

local CompileMetrics = require "moonflow.keras.training.compile_metrics"
local class = require "moonflow.base.class"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local nest = require "moonflow.base.nest"

local None = dicts.None
local get = core.op.get
local multiply, add, cast = get("Mul"), get("AddV2"), get("Cast")

local CompileLoss = class.Object:extend("CompileLoss")

--- loss, loss_weights: as given to compile; output_names: names of the model's outputs, or nil.
function CompileLoss:init(loss, loss_weights, output_names)
  self.user_loss, self.user_weights, self.output_names = loss, loss_weights, output_names
  self.built = false
  self.metrics = {}
  self.dtype = core.dtype.get(require "moonflow.keras.backend.config".floatx())
end

--- The loss object that an identifier means.
local function resolve(identifier, y_true, y_pred)
  local losses = require "moonflow.keras.losses"
  local loss
  if type(identifier) == "string" and (identifier:lower() == "crossentropy" or identifier:lower() == "ce") then
    local binary, sparse = CompileMetrics.kind_of_target(y_true, y_pred)
    local name = binary and "binary_crossentropy" or sparse and "sparse_categorical_crossentropy" or
      "categorical_crossentropy"
    loss = losses[name]
  else
    loss = losses.get(identifier)
  end
  if type(loss) == "table" and loss.is_loss then return loss end
  return losses.LossFunctionWrapper{fn = loss, name = type(identifier) == "string" and identifier or "loss"}
end

local function is_dict(value)
  return type(value) == "table" and nest.is_dict(value)
end

local function is_list(value)
  return type(value) == "table" and nest.is_list(value)
end

-- ---- building

local function pack_keys(names)
  return "{" .. table.concat(names, ", ") .. "}"
end

--- The losses of each output: a list as long as `names`, from a dict by name, a list, or one loss for all.
local function spread(self, given, names, what)
  local list = {}
  if is_dict(given) then
    local known = {}
    for i, name in ipairs(names) do
      local value = given[name]
      list[i], known[name] = value ~= None and value or nil, true
    end
    for key in nest.entries(given) do
      if not known[key] then
        errors.invalid("compile", "argument '%s': expected the keys %s, received the key '%s'", what, pack_keys(names), key)
      end
    end
    return list
  end
  if is_list(given) then
    if #given ~= #names then
      errors.invalid("compile", "argument '%s': the model has %d outputs, received a list of %d", what, #names, #given)
    end
    for i = 1, #names do list[i] = given[i] ~= None and given[i] or nil end
    return list
  end
  for i = 1, #names do list[i] = given end
  return list
end

--- Names of the outputs of y_pred, a list or dict.
local function names_of(self, y_pred)
  if is_dict(y_pred) then return nest.keys(y_pred) end
  local names = {}
  for i = 1, #y_pred do names[i] = self.output_names and self.output_names[i] or tostring(i - 1) end
  return names
end

local function add_single(self, y_true, y_pred)
  local given, weight = self.user_loss, self.user_weights
  if is_dict(given) then
    local keys = nest.keys(given)
    local name = self.output_names and self.output_names[1]
    if #keys ~= 1 or name and keys[1] ~= name then
      errors.invalid("compile", "argument 'loss': expected the keys %s, received %s", pack_keys(self.output_names or {}),
        pack_keys(keys))
    end
    given = {given[keys[1]]}
    if is_dict(weight) then weight = {weight[keys[1]]} end
  end
  local list = is_list(given) and given or {given}
  if is_list(weight) and #weight ~= #list or weight ~= nil and not is_list(weight) and #list > 1 then
    errors.invalid("compile", "`loss_weights` must match the number of losses, got %d losses and %d weights", #list,
      is_list(weight) and #weight or 1)
  end
  for i, identifier in ipairs(list) do
    if identifier ~= None then
      local loss = resolve(identifier, y_true, y_pred)
      self.flat[#self.flat + 1] = {loss = loss, weight = is_list(weight) and weight[i] or not is_list(weight) and weight or
        nil, name = self.output_names and self.output_names[1] or loss.name}
    end
  end
end

local function count(structure)
  return is_dict(structure) and #nest.keys(structure) or is_list(structure) and #structure or 1
end

local function add_nested(self, y_true, y_pred)
  local names = names_of(self, y_pred)
  if self.user_weights ~= nil and count(self.user_weights) ~= count(self.user_loss) then
    errors.invalid("compile", "`loss_weights` must match the number of losses, got %d losses and %d weights",
      count(self.user_loss), count(self.user_weights))
  end
  local losses = spread(self, self.user_loss, names, "loss")
  local weights = self.user_weights ~= nil and spread(self, self.user_weights, names, "loss_weights") or {}
  local keys = is_dict(y_pred) and names or nil
  for i, name in ipairs(names) do
    if losses[i] ~= nil then
      local key = keys and name or i
      local list = is_list(losses[i]) and losses[i] or {losses[i]}
      for _, identifier in ipairs(list) do
        local loss = resolve(identifier, y_true[key], y_pred[key])
        local has_name = self.output_names or keys
        self.flat[#self.flat + 1] = {loss = loss, weight = weights[i], key = key, name = has_name and name or loss.name}
      end
    end
  end
end

function CompileLoss:build(y_true, y_pred)
  self.flat = {}
  if type(y_pred) == "table" and nest.is_nested(y_pred) then
    add_nested(self, y_true, y_pred)
  else
    add_single(self, y_true, y_pred)
  end
  if #self.flat > 1 then
    local Mean = require "moonflow.keras.metrics".Mean
    for i, entry in ipairs(self.flat) do
      entry.metric = Mean{name = entry.name .. "_loss"}
      self.metrics[i] = entry.metric
    end
  end
  for _, entry in ipairs(self.flat) do
    if type(entry.loss.compute) ~= "function" then entry.call = entry.loss end
    if entry.weight ~= nil then entry.factor = core.tensor.to(entry.weight + 0.0, self.dtype) end
  end
  self.built = true
end

-- ---- computing

local function fail_structures(y_true, y_pred)
  local function show(y)
    if is_dict(y) then return pack_keys(nest.keys(y)) end
    return is_list(y) and ("a list of %d"):format(#y) or "one tensor"
  end
  errors.invalid("compute_loss", "y_true and y_pred have different structures. y_true: %s, y_pred: %s", show(y_true),
    show(y_pred))
end

--- y_true in the structure of y_pred: by the outputs' names, or in their order.
local function align(self, y_true, y_pred)
  if is_list(y_pred) then
    if is_dict(y_true) and self.output_names then
      local list = {}
      for i, name in ipairs(self.output_names) do
        list[i] = y_true[name]
        if list[i] == nil and not is_dict(self.user_loss) then fail_structures(y_true, y_pred) end
      end
      return list
    end
    if not is_list(y_true) then
      if #y_pred == 1 then return {y_true} end
      fail_structures(y_true, y_pred)
    end
    if #y_true ~= #y_pred then fail_structures(y_true, y_pred) end
    return y_true
  end
  if is_dict(y_true) then return y_true end
  if is_list(y_true) and #y_true == #nest.keys(y_pred) then
    local dict = {}
    for i, key in ipairs(nest.keys(y_pred)) do dict[key] = y_true[i] end
    return dict
  end
  fail_structures(y_true, y_pred)
end

local function part(structure, key)
  if structure == nil or key == nil then return structure end
  if type(structure) == "table" and nest.is_nested(structure) then return structure[key] end
  return structure
end

--- The total loss of a batch: a scalar tensor, or nil when no output has a loss. `n` is the size of the batch.
function CompileLoss:compute(y_true, y_pred, sample_weight, n)
  local nested = type(y_pred) == "table" and nest.is_nested(y_pred)
  if nested then
    if sample_weight ~= nil and nest.is_nested(sample_weight) and nest.is_nested(y_true) and count(sample_weight) ~= count(y_true) then
      errors.invalid("fit", "argument 'sample_weight': expected one for each output in y (%d), received %d", count(y_true),
        count(sample_weight))
    end
    y_true = align(self, y_true, y_pred)
    if is_dict(sample_weight) and is_list(y_pred) and self.output_names then
      local list = {}
      for i, name in ipairs(self.output_names) do list[i] = sample_weight[name] end
      sample_weight = list
    end
  elseif type(y_true) == "table" and nest.is_nested(y_true) and not core.args.is_scalar_list(y_true) then
    local flat = nest.flatten(y_true)
    if #flat ~= 1 then fail_structures(y_true, y_pred) end
    y_true = flat[1]
  end
  if not self.built then self:build(y_true, y_pred) end
  local total
  for _, entry in ipairs(self.flat) do
    local truth, pred, weight = part(y_true, entry.key), part(y_pred, entry.key), part(sample_weight, entry.key)
    local value
    if entry.call then value = entry.call(truth, pred, weight) else value = entry.loss:compute(truth, pred, weight) end
    if value.dtype ~= self.dtype then value = cast(value, self.dtype) end
    if entry.metric then entry.metric:add_scalar(value, n) end
    if entry.factor then value = multiply(value, entry.factor) end
    total = total and add(total, value) or value
  end
  return total
end

return CompileLoss
