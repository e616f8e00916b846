--- Rows: making, shaping, joining and cutting tensors.

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local raw = require "moonflow.raw_ops"

local to, integers, new_shape = core.tensor.to, core.tensor.integers, core.shape.new
local dtypes = core.dtype
local int32, float32 = dtypes.int32, dtypes.float32

--- A shape argument as a vector of integers: a list, a shape, or a tensor.
local function dims_of(shape, op, argument)
  local dims = integers(shape, op, argument or "shape")
  if dims.shape.rank == 0 then dims = raw.Reshape(dims, {1}) end
  return dims
end

local function zero_of(dtype)
  if dtype == dtypes.bool then return false end
  if dtype == dtypes.string then return "" end
  return 0
end

local function one_of(dtype)
  if dtype == dtypes.bool then return true end
  return 1
end

local function filled(op, value_of)
  return function(shape, dtype)
    dtype = dtypes.get(dtype or float32)
    return raw.Fill(dims_of(shape, op), to(value_of(dtype), dtype, op, "dtype"))
  end
end

local function filled_like(op, like, value_of)
  return function(input, dtype)
    input = to(input, nil, op, "input")
    if dtype == nil or dtypes.get(dtype) == input.dtype then return like(input) end
    dtype = dtypes.get(dtype)
    return raw.Fill(raw.Shape(input), to(value_of(dtype), dtype, op, "dtype"))
  end
end

local function constant(value, dtype, shape)
  if core.tensor.is(value) and dtype and dtypes.get(dtype) ~= value.dtype then
    errors.invalid("constant", "expected a tensor with dtype %s, but got dtype %s", dtypes.get(dtype).name, value.dtype.name)
  end
  local t = to(value, dtype, "constant", "value")
  if shape == nil then return t end
  shape = new_shape(shape)
  local have, want = t.shape:num_elements(), shape:num_elements()
  if have == want then return raw.Reshape(t, shape) end
  if have == 1 then return raw.Fill(dims_of(shape, "constant"), raw.Reshape(t, {})) end
  errors.invalid("constant", "value has %d elements, but got shape %s with %s elements", have, shape, want or "unknown")
end

local function eye(num_rows, num_columns, batch_shape, dtype)
  dtype = dtypes.get(dtype)
  local columns = num_columns or num_rows
  local rows = raw.Range(0, to(num_rows, int32, "eye", "num_rows"), 1)
  local square = raw.OneHot(rows, to(columns, int32, "eye", "num_columns"), to(one_of(dtype), dtype), to(zero_of(dtype), dtype))
  if batch_shape == nil then return square end
  return raw.BroadcastTo(square, raw.ConcatV2({dims_of(batch_shape, "eye", "batch_shape"), raw.Shape(square)}, 0))
end

local ranks = {[dtypes.int32] = 1, [dtypes.int64] = 2, [dtypes.float16] = 3, [dtypes.bfloat16] = 3, [dtypes.float32] = 4,
               [dtypes.float64] = 5}

local function range(start, limit, delta, dtype)
  if limit == nil then start, limit = 0, start end
  dtype = dtype and dtypes.get(dtype)
  local parts, widest = {start, limit, delta}, nil
  for i, name in ipairs{"start", "limit", "delta"} do
    local wanted = dtype
    if core.args.is_tensor(parts[i]) then wanted = nil end
    if wanted and wanted.is_floating == false and math.type(parts[i]) == "float" then wanted = nil end
    parts[i] = to(parts[i], wanted, "range", name)
    local rank = ranks[parts[i].dtype] or 0
    if not widest or rank > ranks[widest] then widest = ranks[parts[i].dtype] and parts[i].dtype or int32 end
  end
  dtype = dtype or widest
  for i = 1, 3 do
    if parts[i].dtype ~= dtype then parts[i] = raw.Cast{x = parts[i], DstT = dtype} end
  end
  return raw.Range(parts[1], parts[2], parts[3])
end

local function linspace(start, stop, num, _, axis)
  local tf = require "moonflow"
  start = to(start, nil, "linspace", "start")
  stop = core.args.is_tensor(stop) and to(stop, nil, "linspace", "stop") or to(stop, start.dtype, "linspace", "stop")
  if start.shape.rank == 0 and stop.shape.rank == 0 and start.dtype.is_floating then
    if num == 0 then return tf.zeros({0}, start.dtype) end
    return raw.LinSpace(start, stop, to(num, nil, "linspace", "num"))
  end
  num = type(num) == "number" and math.tointeger(num) or to(num, nil, "linspace", "num"):item()
  local shape = raw.BroadcastArgs(raw.Shape(start), raw.Shape(stop))
  local first = raw.ExpandDims(raw.BroadcastTo(start, shape), axis)
  local last = raw.ExpandDims(raw.BroadcastTo(stop, shape), axis)
  if num == 1 then return first end
  local delta = (last - first) / tf.cast(num - 1, last.dtype)
  first, last = tf.cast(first, delta.dtype), tf.cast(last, delta.dtype)
  local ones = {}
  for i = 1, first.shape.rank do ones[i] = 1 end
  ones[axis < 0 and first.shape.rank + axis + 1 or axis + 1] = num - 2
  local steps = raw.Reshape(tf.cast(raw.Range(1, num - 1, 1), delta.dtype), ones)
  return raw.ConcatV2({first, first + delta * steps, last}, axis)
end

local function one_hot(indices, depth, on_value, off_value, axis, dtype)
  dtype = dtype and dtypes.get(dtype)
  local on = on_value ~= nil and to(on_value, nil, "one_hot", "on_value", dtype) or nil
  local off = off_value ~= nil and to(off_value, nil, "one_hot", "off_value", dtype) or nil
  local found = on and on.dtype or off and off.dtype
  if dtype and found and dtype ~= found then
    errors.invalid("one_hot", "dtype %s of on_value or off_value does not match dtype parameter %s", found.name, dtype.name)
  end
  dtype = dtype or found or float32
  on = on or to(one_of(dtype), dtype, "one_hot", "on_value")
  off = off or to(zero_of(dtype), dtype, "one_hot", "off_value")
  return raw.OneHot(indices, depth, on, off, axis or -1)
end

local function cast(x, dtype)
  dtype = dtypes.get(dtype) or errors.invalid("cast", "argument 'dtype': expected a dtype, received %s", errors.describe(dtype))
  x = to(x, nil, "cast", "x")
  if x.dtype == dtype then return x end
  return raw.Cast(x, dtype)
end

local function saturate_cast(value, dtype)
  dtype = dtypes.get(dtype)
  value = to(value, nil, "saturate_cast", "value")
  local from = value.dtype
  if from.is_complex or not from.is_numeric or not dtype.is_numeric then
    errors.invalid("saturate_cast", "expected numbers, received a cast from %s to %s", from.name, dtype.name)
  end
  if from.min < dtype.min then value = raw.Maximum(value, to(from.is_integer and dtype.min or dtype.min + 0.0, from)) end
  if from.max > dtype.max then value = raw.Minimum(value, to(from.is_integer and dtype.max or dtype.max + 0.0, from)) end
  return cast(value, dtype)
end

local function transpose(a, perm)
  a = to(a, nil, "transpose", "a")
  if perm == nil then
    local rank = a.shape.rank
    if rank == nil then
      local n = raw.Rank(a)
      perm = raw.Sub(raw.Sub(n, 1), raw.Range(0, n, 1))
    else
      perm = {}
      for i = 1, rank do perm[i] = rank - i end
      perm = to(perm, int32)
    end
  end
  return raw.Transpose(a, perm)
end

local function concat(values, axis)
  if core.args.is_tensor(values) then return raw.Identity(values) end
  if #values == 1 then return raw.Identity(values[1]) end
  return raw.ConcatV2(values, axis)
end

local function stack(values, axis)
  if core.args.is_tensor(values) then
    local tf = require "moonflow"
    values = tf.unstack(values)
  end
  return raw.Pack(values, axis)
end

local function unstack(value, num, axis)
  value = to(value, nil, "unstack", "value")
  if num == nil then
    num = value:dim(axis)
    if num == core.args.None then
      errors.invalid("unstack", "cannot infer argument 'num' from shape %s", value.shape)
    end
  end
  return raw.Unpack(value, num, axis)
end

local function split(value, parts, axis, num)
  value = to(value, nil, "split", "value")
  if type(parts) == "number" then return raw.Split(axis, value, parts) end
  local sizes = integers(parts, "split", "num_or_size_splits")
  if sizes.shape.rank == 0 then return raw.Split(axis, value, sizes:item()) end
  if num == nil then
    num = sizes.shape[1]
    if num == core.args.None then errors.invalid("split", "cannot infer argument 'num' from shape %s", sizes.shape) end
  end
  return raw.SplitV(value, sizes, axis, num)
end

local function pad(tensor, paddings, mode, constant_values)
  mode = mode:upper()
  tensor = to(tensor, nil, "pad", "tensor")
  if mode == "CONSTANT" then
    if constant_values == 0 and tensor.dtype ~= dtypes.bool then return raw.Pad(tensor, paddings) end
    if constant_values == 0 then constant_values = false end
    return raw.PadV2(tensor, paddings, constant_values)
  end
  if mode ~= "REFLECT" and mode ~= "SYMMETRIC" then
    errors.invalid("pad", "argument 'mode': expected 'CONSTANT', 'REFLECT' or 'SYMMETRIC', received '%s'", mode)
  end
  return raw.MirrorPad(tensor, paddings, mode)
end

local function squeeze(input, axis)
  if axis == nil then return raw.Squeeze(input) end
  if type(axis) == "number" then axis = {axis} end
  return raw.Squeeze{input = input, squeeze_dims = axis}
end

local function reverse(tensor, axis)
  return raw.ReverseV2(tensor, integers(type(axis) == "number" and {axis} or axis, "reverse", "axis"))
end

local function shape_of(input, out_type)
  return raw.Shape{input = input, out_type = out_type or int32}
end

local function size_of(input, out_type)
  return raw.Size{input = input, out_type = out_type or int32}
end

local function shape_n(input, out_type)
  return raw.ShapeN{input = input, out_type = out_type}
end

local function meshgrid(arguments, options)
  local tf = require "moonflow"
  local indexing = options.indexing or "xy"
  if indexing ~= "xy" and indexing ~= "ij" then
    errors.invalid("meshgrid", "argument 'indexing': expected 'xy' or 'ij', received %s", errors.describe(indexing))
  end
  local n, out = #arguments, {}
  local sizes = {}
  for i = 1, n do
    local dims = {}
    for k = 1, n do dims[k] = k == i and -1 or 1 end
    out[i] = raw.Reshape(to(arguments[i], nil, "meshgrid", "args"), dims)
    sizes[i] = raw.Size(out[i])
  end
  if indexing == "xy" and n > 1 then
    sizes[1], sizes[2] = sizes[2], sizes[1]
    for i = 1, 2 do
      local dims = {}
      for k = 1, n do dims[k] = 1 end
      dims[i == 1 and 2 or 1] = -1
      out[i] = raw.Reshape(out[i], dims)
    end
  end
  local full = n > 0 and tf.stack(sizes)
  for i = 1, n do out[i] = raw.BroadcastTo(out[i], full) end
  return out
end

local function ensure_shape(x, shape)
  return raw.EnsureShape(x, new_shape(shape))
end

local function broadcast_static_shape(a, b)
  a, b = new_shape(a), new_shape(b)
  local dims, none = {}, core.args.None
  local rank = math.max(#a, #b)
  for i = 1, rank do
    local x, y = a[i - rank + #a], b[i - rank + #b]
    if i - rank + #a < 1 then x = 1 end
    if i - rank + #b < 1 then y = 1 end
    if x == 1 then dims[i] = y
    elseif y == 1 or x == y then dims[i] = x
    elseif x == none then dims[i] = y
    elseif y == none then dims[i] = x
    else errors.invalid("broadcast_static_shape", "incompatible shapes for broadcasting: %s and %s", a, b) end
  end
  return new_shape(dims)
end

return {
  {"tf.constant", "value, dtype=None, shape=None, name:string='Const'", constant, "A tensor with the given values."},
  {"tf.convert_to_tensor", "value, dtype=None, dtype_hint=None, name=None", function(value, dtype, hint)
    return to(value, dtype, "convert_to_tensor", "value", hint)
  end, "The value as a tensor."},
  {"tf.zeros", "shape, dtype=tf.float32, name=None, layout:any=None", filled("zeros", zero_of), "A tensor of zeros."},
  {"tf.ones", "shape, dtype=tf.float32, name=None, layout:any=None", filled("ones", one_of), "A tensor of ones."},
  {"tf.zeros_like", "input, dtype=None, name=None, layout:any=None", filled_like("zeros_like", raw.ZerosLike, zero_of),
   "Zeros of the input's shape and dtype."},
  {"tf.ones_like", "input, dtype=None, name=None, layout:any=None", filled_like("ones_like", raw.OnesLike, one_of),
   "Ones of the input's shape and dtype."},
  {"tf.fill", "dims:shape, value, name=None, layout:any=None", function(dims, value)
    return raw.Fill(dims_of(dims, "fill", "dims"), value)
  end, "A tensor filled with one value."},
  {"tf.eye tf.linalg.eye", "num_rows, num_columns:real=None, batch_shape:shape=None, dtype=tf.float32, name=None", eye,
   "The identity matrix, or a batch of them."},
  {"tf.range", "start, limit:real=None, delta:real=1, dtype=None, name:string='range'", range, "Numbers from start up to limit."},
  {"tf.linspace", "start, stop, num, name=None, axis=0", linspace, "Evenly spaced values along an axis."},
  {"tf.one_hot", "indices, depth, on_value:any=None, off_value:any=None, axis=None, dtype=None, name=None", one_hot,
   "A one-hot tensor."},
  {"tf.cast tf.dtypes.cast", "x, dtype, name=None", cast, "The values as another dtype."},
  {"tf.saturate_cast tf.dtypes.saturate_cast", "value, dtype, name=None", saturate_cast,
   "Cast that clips to the new dtype's range."},
  {"tf.bitcast", "input, type:dtype, name=None", "Bitcast", "The same bits as another dtype."},
  {"tf.reshape", "tensor, shape, name=None", function(tensor, shape)
    return raw.Reshape(tensor, dims_of(shape, "reshape"))
  end, "The same values in another shape."},
  {"tf.transpose", "a, perm=None, conjugate=False, name:string='transpose'", transpose, "Permutes the axes."},
  {"tf.linalg.matrix_transpose", "a, name:string='matrix_transpose', conjugate=False", function(a)
    a = to(a, nil, "matrix_transpose", "a")
    local perm = {}
    for i = 1, #a.shape do perm[i] = i - 1 end
    perm[#perm], perm[#perm - 1] = perm[#perm - 1], perm[#perm]
    return raw.Transpose(a, perm)
  end, "Exchanges the last two axes."},
  {"tf.concat", "values:tensors, axis, name:string='concat'", concat, "Joins tensors along an axis."},
  {"tf.stack", "values:tensors, axis:axis=0, name:string='stack'", stack, "Joins tensors along a new axis."},
  {"tf.unstack", "value, num:integer=None, axis:axis=0, name:string='unstack'", unstack, "A list of the parts along an axis."},
  {"tf.split", "value, num_or_size_splits:any, axis:axis=0, num:integer=None, name:string='split'", split,
   "Cuts a tensor along an axis into a list."},
  {"tf.tile", "input, multiples:shape, name=None", function(input, multiples)
    return raw.Tile(input, dims_of(multiples, "tile", "multiples"))
  end, "Repeats a tensor along its axes."},
  {"tf.pad", "tensor, paddings, mode:string='CONSTANT', constant_values:any=0, name=None", pad, "Pads a tensor."},
  {"tf.squeeze", "input, axis:axes=None, name=None", squeeze, "Removes axes of length 1."},
  {"tf.expand_dims", "input, axis, name=None", "ExpandDims axis=dim", "Adds an axis of length 1."},
  {"tf.slice", "input_, begin:shape, size:shape, name=None", function(input, begin, size)
    return raw.Slice(input, dims_of(begin, "slice", "begin"), dims_of(size, "slice", "size"))
  end, "Cuts out a block."},
  {"tf.strided_slice", "input_, begin:shape, end:shape, strides:any=None, begin_mask=0, end_mask=0, ellipsis_mask=0, " ..
    "new_axis_mask=0, shrink_axis_mask=0, var:any=None, name=None",
   function(input, begin, finish, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
     begin = dims_of(begin, "strided_slice", "begin")
     return raw.StridedSlice{input = input, begin = begin, ["end"] = dims_of(finish, "strided_slice", "end"),
       strides = strides and dims_of(strides, "strided_slice", "strides") or raw.OnesLike(begin), begin_mask = begin_mask,
       end_mask = end_mask, ellipsis_mask = ellipsis_mask, new_axis_mask = new_axis_mask, shrink_axis_mask = shrink_axis_mask}
   end, "Cuts out a block with steps."},
  {"tf.reverse", "tensor, axis:axes, name=None", reverse, "Reverses axes."},
  {"tf.roll", "input, shift, axis:axes, name=None", function(input, shift, axis)
    return raw.Roll(input, integers(shift, "roll", "shift"), integers(axis, "roll", "axis"))
  end, "Rolls elements along axes."},
  {"tf.shape", "input, out_type=None, name=None", shape_of, "The shape as a tensor."},
  {"tf.shape_n", "input:tensors, out_type=tf.int32, name=None", shape_n, "The shapes of several tensors."},
  {"tf.size", "input, out_type=None, name=None", size_of, "The number of elements as a tensor."},
  {"tf.rank", "input, name=None", "Rank", "The number of axes as a tensor."},
  {"tf.identity", "input, name=None", "Identity", "A tensor with the same values."},
  {"tf.identity_n", "input:tensors, name=None", "IdentityN", "Tensors with the same values."},
  {"tf.stop_gradient", "input, name=None", "StopGradient", "The same values; gradients stop here."},
  {"tf.broadcast_to", "input, shape, name=None", function(input, shape)
    return raw.BroadcastTo(input, dims_of(shape, "broadcast_to"))
  end, "Broadcasts to a shape."},
  {"tf.broadcast_dynamic_shape", "shape_x, shape_y", "BroadcastArgs shape_x=s0 shape_y=s1", "The broadcast shape, as a tensor."},
  {"tf.broadcast_static_shape", "shape_x:shape, shape_y:shape", broadcast_static_shape, "The broadcast shape."},
  {"tf.ensure_shape", "x, shape, name=None", ensure_shape, "The tensor, once its shape is checked."},
  {"tf.meshgrid", "*args, **kwargs", meshgrid, "Coordinate matrices from vectors."},
  {"tf.is_tensor", "x:any", core.args.is_tensor, "Is it a tensor, a variable, or another tensor-like value?"},
}
