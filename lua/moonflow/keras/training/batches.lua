--- Where batches come from: tensors in memory, datasets, or a Lua function. Each source gives one iterator an epoch.
--
-- A source has num_batches (nil when unknown) and epoch(): a function that gives x, y, sample_weight (false for what is
-- absent) and nothing at the end, and a to-be-closed value or nil.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local nest = require "moonflow.base.nest"
local shuffle_order = require "moonflow.keras.training.shuffle_order"
local weights = require "moonflow.keras.training.class_weights"

local None = dicts.None
local get = core.op.get
local to_tensor, kind_of = core.tensor.to, core.args.kind
local gather, slice, range, shuffle_op = get("GatherV2"), get("Slice"), get("Range"), get("RandomShuffle")

local batches = {}

-- ---- values

--- A data argument with its leaves made tensors; None where it is absent.
local function convert(value, what)
  if value == nil or value == None then return nil end
  local kind = kind_of(value)
  if kind == "tensor" then return value end
  if kind == "variable" then return core.variable.read(value) end
  if type(value) == "table" and (getmetatable(value) == nil or dicts.is_dict(value)) and
    not core.args.is_scalar_list(value) then
    return nest.map_structure(function(leaf)
      return convert(leaf, what) or None
    end, value, nest.options{data = true, what = what})
  end
  return to_tensor(value, nil, what, "data")
end
batches.convert = convert

--- First dimensions of the leaves: all the same, or an error.
local function count_samples(structures, op)
  local n, first
  for _, entry in ipairs(structures) do
    for _, leaf in ipairs(entry[2] ~= nil and nest.flatten(entry[2]) or {}) do
      if leaf ~= None then
        local rank = leaf.shape.rank
        if rank == 0 then
          errors.invalid(op, "argument '%s': expected data with a first axis of samples, received a scalar", entry[1])
        end
        local size = leaf.shape[1]
        if n and size ~= n then
          errors.invalid(op, "data cardinality is ambiguous: '%s' has %d samples, '%s' has %d; make sure all arrays contain " ..
            "the same number of samples", first, n, entry[1], size)
        end
        n, first = size, first or entry[1]
      end
    end
  end
  if not n then errors.invalid(op, "argument 'x': expected data, received none") end
  return n
end
batches.count_samples = count_samples

--- f(leaf) in the structure of `value`; absent values stay false.
local function map(f, value)
  if not value then return false end
  if kind_of(value) == "tensor" then return f(value) end
  return nest.map_structure(function(leaf) return leaf == None and None or f(leaf) end, value)
end

-- ---- arrays

local axis_0 = to_tensor(0, "int32")

--- rows lo .. hi-1 of a tensor.
local function rows(x, lo, hi)
  local rank = x.shape.rank
  local begin, size = {lo}, {hi - lo}
  for i = 2, rank do begin[i], size[i] = 0, -1 end
  return slice(x, begin, size)
end
batches.rows = rows

local function contiguous(self)
  local at = 0
  return function()
    local lo, hi = at, math.min(at + self.batch_size, self.n)
    if lo >= self.n then return nil end
    at = hi
    local function take(leaf) return rows(leaf, lo, hi) end
    return map(take, self.x), map(take, self.y), map(take, self.sample_weight)
  end
end

--- The order of an epoch. With a global seed it is that of tf.random.shuffle in a dataset of the same seed, as in Keras: the
-- same one every epoch.
local function order_of(self)
  local seed = core.machine.get_seed()
  if seed then
    if not self.order then self.order = to_tensor(shuffle_order(seed, self.n), "int32") end
    return self.order
  end
  return shuffle_op(range(to_tensor(0, "int32"), to_tensor(self.n, "int32"), to_tensor(1, "int32")))
end

local function shuffled(self)
  local order = self.shuffle ~= "batch" and order_of(self)
  local at = 0
  return function()
    local lo, hi = at, math.min(at + self.batch_size, self.n)
    if lo >= self.n then return nil end
    at = hi
    local index
    if order then
      index = slice(order, {lo}, {hi - lo})
    else
      local seed, seed2 = core.machine.op_seeds()
      index = shuffle_op(range(to_tensor(lo, "int32"), to_tensor(hi, "int32"), to_tensor(1, "int32")),
        {seed = seed, seed2 = seed2})
    end
    local function take(leaf) return gather(leaf, index, axis_0) end
    return map(take, self.x), map(take, self.y), map(take, self.sample_weight)
  end
end

local function spread_weights(o)
  local sample_weight = o.sample_weight
  if sample_weight == nil then return nil end
  if o.class_weight ~= nil then
    errors.invalid(o.op, "`class_weight` and `sample_weight` cannot be given at the same time")
  end
  if not nest.is_nested(o.y) or nest.is_nested(sample_weight) then return sample_weight end
  local shape = sample_weight.shape
  if not (shape.rank == 1 or shape.rank == 2 and shape[2] == 1) then
    errors.invalid(o.op, "for a model with multiple outputs a single `sample_weight` has one number a sample; give one array " ..
      "for each output instead")
  end
  return nest.map_structure(function() return sample_weight end, o.y)
end

local function array_source(o)
  local n = count_samples({{"x", o.x}, {"y", o.y}, {"sample_weight", o.sample_weight}}, o.op)
  local size = o.batch_size or o.steps and math.ceil(n / o.steps) or 32
  if size < 1 then errors.invalid(o.op, "argument 'batch_size': expected an integer of at least 1, received %s", size) end
  local sample_weight = spread_weights(o)
  if o.class_weight ~= nil then
    if o.y == nil then errors.invalid(o.op, "argument 'class_weight': needs targets (y)") end
    if nest.is_nested(o.y) then
      errors.invalid(o.op, "`class_weight` is only supported for models with a single output")
    end
    sample_weight = weights.of_targets(o.y, o.class_weight, o.op)
  end
  local self = {
    n = n, batch_size = size, num_batches = math.ceil(n / size), x = o.x, y = o.y or false,
    sample_weight = sample_weight or false, shuffle = o.shuffle,
  }
  function self.epoch() return self.shuffle and shuffled(self) or contiguous(self) end
  return self
end

-- ---- datasets and functions

local function first_values(class_weight, op, x, y, sample_weight, ...)
  if x == nil then return nil end
  if select("#", ...) > 0 then
    errors.invalid(op, "data are expected as x, (x, y) or (x, y, sample_weight), received %d values", 3 + select("#", ...))
  end
  if class_weight and y ~= nil then
    if sample_weight ~= nil then
      errors.invalid(op, "`class_weight` and `sample_weight` cannot be given at the same time")
    end
    sample_weight = weights.of_targets(y, class_weight, op)
  end
  if y == nil then y = false end
  if sample_weight == nil then sample_weight = false end
  return x, y, sample_weight
end

local function check_alone(o, what)
  for _, name in ipairs{"y", "sample_weight"} do
    if o[name] ~= nil then
      errors.invalid(o.op, "when `x` is a %s, `%s` should not be passed: it is part of the %s's elements", what, name, what)
    end
  end
end

local function dataset_source(o)
  check_alone(o, "dataset")
  local dataset = o.x
  local cardinality = dataset:cardinality()
  if kind_of(cardinality) == "tensor" then cardinality = cardinality:item() end
  if cardinality == -1 and not o.steps then
    errors.invalid(o.op, "the dataset has no end: give %s", o.op == "fit" and "`steps_per_epoch`" or
      o.op == "fit: validation_data" and "`validation_steps`" or "`steps`")
  end
  local self = {num_batches = cardinality >= 0 and cardinality or nil}
  function self.epoch()
    local next_value, state, control, closing = dataset:iter()
    return function()
      return first_values(o.class_weight, o.op, next_value(state, control))
    end, closing
  end
  return self
end

--- What a function gave, as tensors.
local function converted(op, x, y, ...)
  x = convert(x, op .. ": what the function returned as x")
  if x ~= nil then count_samples({{"x", x}}, op) end
  return x, convert(y, op .. ": what the function returned as y"), ...
end

local function function_source(o)
  check_alone(o, "function")
  return {
    endless = true,
    epoch = function()
      return function() return first_values(o.class_weight, o.op, converted(o.op, o.x())) end
    end,
  }
end

--- Makes a source. Fields of `o`: op (for error texts), x, y, sample_weight, batch_size, steps, shuffle, class_weight.
function batches.source(o)
  if o.x == nil then errors.invalid(o.op, "argument 'x': expected data, received none") end
  if kind_of(o.x) == "dataset" then return dataset_source(o) end
  if type(o.x) == "function" then return function_source(o) end
  o.x = convert(o.x, o.op .. ": argument 'x'")
  o.y = convert(o.y, o.op .. ": argument 'y'")
  for _, leaf in ipairs(o.y ~= nil and nest.flatten(o.y) or {}) do
    if leaf ~= None and leaf.dtype == core.dtype.string then
      errors.invalid(o.op, "argument 'y': expected numbers, received strings; give classes as numbers from 0")
    end
  end
  o.sample_weight = convert(o.sample_weight, o.op .. ": argument 'sample_weight'")
  return array_source(o)
end

--- Splits arrays: the last share of the samples is for validation. Returns two tables {x, y, sample_weight}.
function batches.split(x, y, sample_weight, share)
  if kind_of(x) == "dataset" or type(x) == "function" then
    errors.invalid("fit", "argument 'validation_split': is only supported for tensors and nested numbers")
  end
  local all = {x = convert(x, "fit: argument 'x'"), y = convert(y, "fit: argument 'y'"),
    sample_weight = convert(sample_weight, "fit: argument 'sample_weight'")}
  local n = count_samples({{"x", all.x}, {"y", all.y}, {"sample_weight", all.sample_weight}}, "fit")
  local at = math.floor(n * (1.0 - share))
  if at == 0 or at == n then
    errors.invalid("fit", "training data contains %d samples, which is not enough to split them as " ..
      "validation_split=%s says", n, tostring(share))
  end
  local train, validation = {}, {}
  for name, value in next, all do
    train[name] = map(function(leaf) return rows(leaf, 0, at) end, value) or nil
    validation[name] = map(function(leaf) return rows(leaf, at, n) end, value) or nil
  end
  return train, validation
end

return batches
