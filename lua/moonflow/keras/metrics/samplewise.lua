--- Values of a metric as one number a sample, with weights.

local core = require "moonflow.core"
local marks = require "moonflow.keras.backend.marks"
local reduction = require "moonflow.keras.losses.reduction"

local samplewise = {}

local get = core.op.get
local cast, multiply, broadcast, shape_of, mean = get("Cast"), get("Mul"), get("BroadcastTo"), get("Shape"),
  get("Mean")
local to_tensor = core.tensor.to

--- A tensor of the dtype object `dtype`; numbers and variables are converted. nil stays nil.
function samplewise.convert(value, dtype)
  if value == nil then return nil end
  local kind = core.args.kind(value)
  if kind == "variable" then value, kind = core.variable.read(value), "tensor" end
  if kind ~= "tensor" then value = to_tensor(value, nil, "Metric", "values", dtype) end
  if value.dtype == dtype then return value end
  return cast(value, dtype)
end

--- Reduces the axes first .. rank-1 with the op `reduce` (Mean, Sum).
local function reduce_from(x, first, reduce)
  local rank = x.rank
  if rank <= first then return x end
  local axes = {}
  for axis = first, rank - 1 do axes[#axes + 1] = axis end
  return reduce(x, to_tensor(axes, "int32"))
end

--- values and weights (or nil) as Keras's reduce_to_samplewise_values makes them: values of rank 1 (or 0) that are
-- weighted, and their weights. `reduce` is a reducing op, Mean when left out.
function samplewise.reduce(values, sample_weight, dtype, reduce)
  reduce = reduce or mean
  local mask = marks.has_masks and marks.mask(values) or nil
  values = samplewise.convert(values, dtype)
  if sample_weight ~= nil then
    sample_weight = samplewise.convert(sample_weight, dtype)
    if mask then sample_weight = reduction.apply_mask(sample_weight, mask, dtype, "sum") end
    values, sample_weight = reduction.squeeze_or_expand(values, sample_weight)
    local weight_rank = sample_weight.shape.rank
    values = reduce_from(values, weight_rank, reduce)
    if values.shape ~= sample_weight.shape then sample_weight = broadcast(sample_weight, shape_of(values)) end
    values = multiply(values, sample_weight)
    if weight_rank > 1 then sample_weight = reduce_from(sample_weight, 1, reduce) end
  end
  return reduce_from(values, 1, reduce), sample_weight
end

return samplewise
