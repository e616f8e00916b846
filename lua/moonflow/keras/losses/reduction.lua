--- How values per sample become one loss: weights, masks, and the reductions of tf.keras.losses.

local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"

local reduction = {}

local get = core.op.get
local cast, multiply, divide, sum = get("Cast"), get("Mul"), get("DivNoNan"), get("Sum")
local mean, expand, squeeze = get("Mean"), get("ExpandDims"), get("Squeeze")
local select_op, size_of = get("SelectV2"), get("Size")
local to_tensor = core.tensor.to

local allowed = {
  sum_over_batch_size = true, sum = true, none = true, mean = true, mean_with_sample_weight = true,
}

--- Checks the argument; nil (None) and "none" keep the values.
function reduction.standardize(value)
  if value == nil or value == dicts.None then return "none" end
  if not allowed[value] then
    errors.invalid("Loss", "argument 'reduction': expected one of 'sum_over_batch_size', 'sum', 'none', 'mean', " ..
      "'mean_with_sample_weight', received %s", errors.describe(value))
  end
  return value
end

local last = {squeeze_dims = {-1}}

-- Axes 0 .. rank-1 as tensors, made once.
local all_axes = {}

--- A tensor with all axes of a value of that rank.
function reduction.axes_of(rank)
  local axes = all_axes[rank]
  if not axes then
    local list = {}
    for i = 1, rank do list[i] = i - 1 end
    axes = to_tensor(list, "int32")
    all_axes[rank] = axes
  end
  return axes
end

local function axes_of(x)
  local rank = x.shape.rank
  if rank then return reduction.axes_of(rank) end
  return get("Range")(to_tensor(0, "int32"), get("Rank")(x), to_tensor(1, "int32"))
end

--- Adds or removes a last axis of size 1 where the ranks of two tensors differ by one.
function reduction.squeeze_or_expand(x1, x2, expand_rank_1)
  local a, b = x1.shape, x2.shape
  if a.rank == nil or b.rank == nil or a.rank == b.rank then return x1, x2 end
  if a.rank == b.rank + 1 and a[-1] == 1 then
    if b.rank == 1 and expand_rank_1 ~= false then return x1, expand(x2, to_tensor(-1, "int32")) end
    return squeeze(x1, last), x2
  end
  if b.rank == a.rank + 1 and b[-1] == 1 then
    if a.rank == 1 and expand_rank_1 ~= false then return expand(x1, to_tensor(-1, "int32")), x2 end
    return x1, squeeze(x2, last)
  end
  return x1, x2
end

local function count(x, dtype)
  return cast(size_of(x), dtype)
end

--- Reduces values as `how` says.
function reduction.reduce(values, sample_weight, how)
  local rank = values.rank
  if how == "none" or rank == 0 then return values end
  local axes = rank and reduction.axes_of(rank) or axes_of(values)
  if how == "sum" then return sum(values, axes) end
  if how == "mean_with_sample_weight" and sample_weight ~= nil then
    return divide(sum(values, axes), sum(sample_weight, axes_of(sample_weight)))
  end
  if rank == 1 and values:dim(0) == 0 then return values end
  return mean(values, axes)
end

--- Merges a mask into the weights: with a mean, entries that count weigh total / valid.
local function apply_mask(sample_weight, mask, dtype, how)
  if mask == nil then return sample_weight end
  local weight = cast(mask, dtype)
  if how == "mean" or how == "sum_over_batch_size" then
    local valid = sum(weight, axes_of(weight))
    local share = divide(count(mask, dtype), valid)
    weight = select_op(cast(mask, core.dtype.bool), share, to_tensor(0.0, dtype))
  end
  if sample_weight == nil then return weight end
  local a, b = reduction.squeeze_or_expand(weight, cast(sample_weight, dtype))
  return multiply(a, b)
end

--- Weights values per sample and reduces them. `dtype` is a dtype object; sample_weight and mask may be nil.
function reduction.reduce_weighted(values, sample_weight, mask, how, dtype)
  if values.dtype ~= dtype then values = cast(values, dtype) end
  if sample_weight ~= nil then
    sample_weight = to_tensor(sample_weight, nil, "Loss", "sample_weight")
    if sample_weight.dtype ~= dtype then sample_weight = cast(sample_weight, dtype) end
  end
  sample_weight = apply_mask(sample_weight, mask, dtype, how)
  if sample_weight ~= nil then
    values, sample_weight = reduction.squeeze_or_expand(values, sample_weight)
    values = multiply(values, sample_weight)
  end
  return reduction.reduce(values, sample_weight, how)
end

reduction.apply_mask, reduction.axes_tensor = apply_mask, axes_of

return reduction
