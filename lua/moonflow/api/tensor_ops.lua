--- Rows: picking, scattering, ordering and masking elements.

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local raw = require "moonflow.raw_ops"

local to, integers = core.tensor.to, core.tensor.integers
local dtypes = core.dtype
local int32 = dtypes.int32

local function gather(params, indices, _, axis, batch_dims)
  if axis == nil then axis = batch_dims end
  -- of a variable only the rows are read, and its gradient is IndexedSlices
  local variable = require "moonflow.gradient_tape".unwrap(params)
  if core.variable.is(variable) and axis == 0 and batch_dims == 0 then return variable:sparse_read(indices) end
  return raw.GatherV2{params = params, indices = integers(indices, "gather", "indices"), axis = axis, batch_dims = batch_dims}
end

local function gather_nd(params, indices, batch_dims)
  params, indices = to(params, nil, "gather_nd", "params"), integers(indices, "gather_nd", "indices")
  if batch_dims == 0 then return raw.GatherNd(params, indices) end
  local tf = require "moonflow"
  -- the batch axes become further indices
  local shape = indices.shape:as_list()
  local ranges = {}
  for i = 1, batch_dims do
    local dims = {}
    for k = 1, #shape do dims[k] = k == i and shape[i] or 1 end
    ranges[i] = tf.broadcast_to(tf.reshape(tf.range(shape[i], {dtype = indices.dtype}), dims),
      tf.concat({to(table.move(shape, 1, #shape - 1, 1, {}), int32), to({1}, int32)}, 0))
  end
  ranges[#ranges + 1] = indices
  return raw.GatherNd(params, tf.concat(ranges, -1))
end

local function where(condition, x, y)
  condition = to(condition, nil, "where", "condition")
  if x == nil and y == nil then return raw.Where(condition) end
  if x == nil or y == nil then errors.invalid("where", "x and y must both be given, or neither") end
  local is_x, is_y = core.args.is_tensor(x), core.args.is_tensor(y)
  if is_x or not is_y then x = to(x, nil, "where", "x") end
  y = is_y and to(y, nil, "where", "y") or to(y, x.dtype, "where", "y")
  if not is_x then x = to(x, y.dtype, "where", "x") end
  return raw.SelectV2(condition, x, y)
end

local function boolean_mask(tensor, mask, axis)
  local tf = require "moonflow"
  tensor, mask = to(tensor, nil, "boolean_mask", "tensor"), to(mask, nil, "boolean_mask", "mask")
  axis = axis or 0
  if core.args.is_tensor(axis) then axis = to(axis):item() end
  local rank = mask.shape.rank
  if rank == 0 then errors.invalid("boolean_mask", "mask cannot be scalar") end
  if axis < 0 then axis = axis + tensor.shape.rank end
  local over = tensor.shape:slice(axis + 1, axis + rank)
  if not over:is_compatible_with(mask.shape) then
    errors.invalid("boolean_mask", "shapes %s and %s are incompatible", over, mask.shape)
  end
  local shape = {}
  for i = 1, axis do shape[#shape + 1] = tensor.shape[i] end
  shape[#shape + 1] = -1
  for i = axis + rank + 1, tensor.shape.rank do shape[#shape + 1] = tensor.shape[i] end
  if rank > 1 then
    shape[axis + 1] = over:num_elements()
    tensor = raw.Reshape(tensor, to(shape, int32))
    mask = raw.Reshape(mask, {-1})
  end
  return tf.gather(tensor, raw.Squeeze{input = raw.Where(mask), squeeze_dims = {1}}, {axis = axis})
end

-- ---- order

local function top_k(input, k, sorted, index_type)
  index_type = dtypes.get(index_type)
  local values, indices = raw.TopKV2{input = input, k = integers(k, "top_k", "k"), sorted = sorted}
  if indices.dtype ~= index_type then indices = raw.Cast(indices, index_type) end
  return values, indices
end

--- Values in descending order, or their indices, along an axis: it is moved to the end and back.
local function descending(values, axis, want_indices)
  local rank = values.shape.rank
  local at, perm = axis < 0 and axis + rank or axis, nil
  if at < 0 or at >= rank then errors.invalid("sort", "argument 'axis': %d is not in [%d, %d)", axis, -rank, rank) end
  if at ~= rank - 1 then
    perm = {}
    for i = 1, rank do perm[i] = i - 1 end
    perm[at + 1], perm[rank] = rank - 1, at
    values = raw.Transpose(values, perm)
  end
  local ordered, indices = raw.TopKV2(values, to(values:dim(-1), int32))
  if want_indices then ordered = indices end
  return perm and raw.Transpose(ordered, perm) or ordered
end

local function ascending(values, axis, want_indices)
  local dtype = values.dtype
  local flip
  if dtype.is_unsigned then
    local most = to(dtype.max, dtype)
    flip = function(x) return most - x end
  elseif dtype.is_integer then
    flip = function(x) return -x - 1 end
  else
    flip = function(x) return -x end
  end
  local ordered = descending(flip(values), axis, want_indices)
  return want_indices and ordered or flip(ordered)
end

local function sort_by(op, want_indices)
  return function(values, axis, direction)
    values = to(values, nil, op, "values")
    if core.args.is_tensor(axis) then axis = to(axis):item() end
    if direction == "ASCENDING" then return ascending(values, axis, want_indices) end
    if direction == "DESCENDING" then return descending(values, axis, want_indices) end
    errors.invalid(op, "argument 'direction': expected 'ASCENDING' or 'DESCENDING', received %s", errors.describe(direction))
  end
end

local argsort = sort_by("argsort", true)

--- The place of a value is the number of elements below it ("left"), or not above it ("right").
local function searchsorted(sorted_sequence, values, side, out_type)
  local tf = require "moonflow"
  sorted_sequence = to(sorted_sequence, nil, "searchsorted", "sorted_sequence")
  values = core.args.is_tensor(values) and to(values) or to(values, sorted_sequence.dtype, "searchsorted", "values")
  if side ~= "left" and side ~= "right" then
    errors.invalid("searchsorted", "argument 'side': expected 'left' or 'right', received %s", errors.describe(side))
  end
  local rank = sorted_sequence.shape.rank
  if rank == 0 or rank ~= values.shape.rank then
    errors.invalid("searchsorted", "both arguments must have the same number of axes, at least one, received shapes %s and %s",
      tostring(sorted_sequence.shape), tostring(values.shape))
  end
  local compare = side == "left" and raw.Less or raw.LessEqual
  local below = compare(raw.ExpandDims(sorted_sequence, -2), raw.ExpandDims(values, -1))
  return tf.reduce_sum(raw.Cast(below, out_type), -1)
end

-- ---- masks, repeats, numbers of positions

local function sequence_mask(lengths, maxlen, dtype)
  local tf = require "moonflow"
  lengths = to(lengths, nil, "sequence_mask", "lengths")
  if maxlen == nil then
    maxlen = raw.Maximum(tf.reduce_max(lengths), 0)
  else
    maxlen = to(maxlen, nil, "sequence_mask", "maxlen")
  end
  local row = tf.range(to(0, maxlen.dtype), maxlen, to(1, maxlen.dtype))
  local mask = raw.Less(row, tf.cast(raw.ExpandDims(lengths, -1), maxlen.dtype))
  dtype = dtypes.get(dtype)
  return dtype == dtypes.bool and mask or raw.Cast(mask, dtype)
end

local function repeat_(input, repeats, axis)
  local tf = require "moonflow"
  input = to(input, nil, "repeat", "input")
  if axis == nil then input, axis = raw.Reshape(input, {-1}), 0 end
  repeats = integers(repeats, "repeat", "repeats")
  if axis < 0 then axis = axis + input.shape.rank end
  local n = input:dim(axis)
  if repeats.shape.rank == 0 or repeats.shape:num_elements() == 1 then
    -- a further axis, tiled, and folded into this one
    local shape, multiples = input.shape:as_list(), {}
    for i = 1, #shape + 1 do multiples[i] = 1 end
    local times = raw.Reshape(repeats, {})
    local tiled = raw.Tile(raw.ExpandDims(input, axis + 1), raw.Pack((function()
      local parts = {}
      for i = 1, #multiples do parts[i] = i == axis + 2 and raw.Cast(times, int32) or to(1, int32) end
      return parts
    end)()))
    shape[axis + 1] = -1
    if input.shape:num_elements() == 0 then shape[axis + 1] = n * times:item() end
    return raw.Reshape(tiled, to(shape, int32))
  end
  if repeats.shape.rank ~= 1 or repeats.shape[1] ~= n then
    errors.invalid("repeat", "argument 'repeats': expected a scalar or %d numbers, received shape %s", n, repeats.shape)
  end
  local indices = {}
  for i, times in ipairs(repeats:totable()) do
    for _ = 1, times do indices[#indices + 1] = i - 1 end
  end
  return tf.gather(input, to(indices, int32), {axis = axis})
end

local function unravel_index(indices, dims)
  local tf = require "moonflow"
  indices, dims = to(indices, nil, "unravel_index", "indices"), to(dims, nil, "unravel_index", "dims")
  local parts, sizes = {}, dims:totable()
  if dims.shape.rank ~= 1 then
    errors.invalid("unravel_index", "argument 'dims': expected a list of integers, received shape %s", tostring(dims.shape))
  end
  local rest = indices
  for i = #sizes, 1, -1 do
    parts[i] = raw.FloorMod(rest, to(sizes[i], indices.dtype))
    rest = raw.FloorDiv(rest, to(sizes[i], indices.dtype))
  end
  return tf.stack(parts)
end

local function unique(x, out_idx)
  return raw.Unique{x = x, out_idx = out_idx}
end

local function unique_with_counts(x, out_idx)
  local y, idx = raw.Unique{x = x, out_idx = out_idx}
  return y, idx, raw.UnsortedSegmentSum(raw.OnesLike(idx), idx, raw.Size(y))
end

local function in_top_k(targets, predictions, k)
  targets = integers(targets, "in_top_k", "targets")
  return raw.InTopKV2{predictions = predictions, targets = targets, k = to(k, targets.dtype, "in_top_k", "k")}
end

local function scatter_nd(indices, updates, shape)
  indices = integers(indices, "scatter_nd", "indices")
  return raw.ScatterNd(indices, updates, to(shape, indices.dtype, "scatter_nd", "shape"))
end

return {
  {"tf.gather", "params, indices, validate_indices:any=None, axis:axis=None, batch_dims:integer=0, name=None", gather,
   "Slices picked along an axis."},
  {"tf.gather_nd", "params, indices, batch_dims=0, name=None, bad_indices_policy=''", gather_nd, "Slices picked by index vectors."},
  {"tf.where", "condition, x:any=None, y:any=None, name=None", where, "Elements of x where the condition holds, of y elsewhere."},
  {"tf.boolean_mask", "tensor, mask, axis:index=None, name:string='boolean_mask'", boolean_mask, "The elements where the mask is true."},
  {"tf.math.top_k tf.nn.top_k", "input, k:real=1, sorted=True, index_type:dtype=tf.int32, name=None", top_k,
   "The greatest values of the last axis, and where they are."},
  {"tf.math.in_top_k tf.nn.in_top_k", "targets, predictions, k:real, name=None", in_top_k, "Is the target among the k greatest?"},
  {"tf.sort", "values, axis:index=-1, direction='ASCENDING', name=None", sort_by("sort", false), "Values in order."},
  {"tf.argsort", "values, axis:index=-1, direction='ASCENDING', stable=False, name=None", argsort, "Indices that sort the values."},
  {"tf.searchsorted", "sorted_sequence, values, side='left', out_type=tf.int32, name=None",
   searchsorted,
   "Where values would be inserted."},
  {"tf.sequence_mask", "lengths, maxlen:real=None, dtype=tf.bool, name=None", sequence_mask, "True for the first positions of each row."},
  {"tf.repeat_", "input, repeats:any, axis:integer=None, name=None", repeat_, "Repeats elements."},
  {"tf.unravel_index", "indices, dims:shape, name=None", unravel_index, "Coordinates from flat indices."},
  {"tf.unique", "x, out_idx:dtype=tf.int32, name=None", unique, "The different values, and which one each element is."},
  {"tf.unique_with_counts", "x, out_idx:dtype=tf.int32, name=None", unique_with_counts, "unique, and how often each value occurs."},
  {"tf.scatter_nd", "indices, updates, shape, bad_indices_policy='', name=None", scatter_nd, "Updates added into zeros."},
  {"tf.tensor_scatter_nd_add", "tensor, indices, updates, bad_indices_policy='', name=None", "TensorScatterAdd bad_indices_policy=-",
   "A copy with updates added."},
  {"tf.tensor_scatter_nd_sub", "tensor, indices, updates, bad_indices_policy='', name=None", "TensorScatterSub bad_indices_policy=-",
   "A copy with updates subtracted."},
  {"tf.tensor_scatter_nd_update", "tensor, indices, updates, name=None", "TensorScatterUpdate", "A copy with updates in their places."},
  {"tf.tensor_scatter_nd_max", "tensor, indices, updates, bad_indices_policy='', name=None", "TensorScatterMax bad_indices_policy=-",
   "A copy with the greater of both."},
  {"tf.tensor_scatter_nd_min", "tensor, indices, updates, bad_indices_policy='', name=None", "TensorScatterMin bad_indices_policy=-",
   "A copy with the lesser of both."},
}
