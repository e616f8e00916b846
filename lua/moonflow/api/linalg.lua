--- Rows: products of matrices and tensors, diagonals.

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local raw = require "moonflow.raw_ops"

local to, integers = core.tensor.to, core.tensor.integers
local int32 = core.dtype.int32

local function conjugate(x)
  return x.dtype.is_complex and raw.Conj(x) or x
end

local function matmul(a, b, transpose_a, transpose_b, adjoint_a, adjoint_b, _, _, output_type)
  local is_a, is_b = core.args.is_tensor(a), core.args.is_tensor(b)
  if is_a or not is_b then a = to(a, nil, "matmul", "a") end
  b = is_b and to(b, nil, "matmul", "b") or to(b, a.dtype, "matmul", "b")
  a = to(a, not is_a and b.dtype or nil, "matmul", "a")
  if transpose_a and adjoint_a or transpose_b and adjoint_b then
    errors.invalid("matmul", "only one of transpose and adjoint may be true for the same matrix")
  end
  local result
  local rank_a, rank_b = a.shape.rank, b.shape.rank
  if rank_a == nil or rank_b == nil or rank_a > 2 or rank_b > 2 then
    if transpose_a then a, adjoint_a = conjugate(a), true end
    if transpose_b then b, adjoint_b = conjugate(b), true end
    result = raw.BatchMatMulV2(a, b, adjoint_a, adjoint_b)
  else
    if adjoint_a then a, transpose_a = conjugate(a), true end
    if adjoint_b then b, transpose_b = conjugate(b), true end
    result = raw.MatMul(a, b, transpose_a, transpose_b)
  end
  if output_type and core.dtype.get(output_type) ~= result.dtype then return raw.Cast(result, output_type) end
  return result
end

local function matvec(a, b, transpose_a, adjoint_a)
  local column = raw.ExpandDims(to(b, nil, "matvec", "b"), -1)
  return raw.Squeeze{input = matmul(a, column, transpose_a, false, adjoint_a, false), squeeze_dims = {-1}}
end

-- ---- tensordot

local function product(list)
  local p = 1
  for i = 1, #list do p = p * list[i] end
  return p
end

--- `a` as a matrix: free axes by contracted ones, or the other way round when `flipped`. Also the free dimensions.
local function as_matrix(a, axes, flipped)
  local rank, dims, contracted = a.shape.rank, a.shape:as_list(), {}
  local free, free_dims, axes_dims, chosen = {}, {}, {}, {}
  for i, axis in ipairs(axes) do
    chosen[i] = axis < 0 and axis + rank or axis
    contracted[chosen[i]] = true
    axes_dims[i] = dims[chosen[i] + 1]
  end
  for i = 0, rank - 1 do
    if not contracted[i] then
      free[#free + 1] = i
      free_dims[#free_dims + 1] = dims[i + 1]
    end
  end
  local perm, first, second = {}, flipped and chosen or free, flipped and free or chosen
  for _, i in ipairs(first) do perm[#perm + 1] = i end
  for _, i in ipairs(second) do perm[#perm + 1] = i end
  local rows, columns = product(free_dims), product(axes_dims)
  local shape = flipped and {columns, rows} or {rows, columns}
  return raw.Reshape(raw.Transpose(a, to(perm, int32)), to(shape, int32)), free_dims
end

local function axes_pair(a, axes)
  if core.args.is_tensor(axes) then axes = axes:totable() end
  if math.type(axes) == "integer" then
    local rank, left, right = a.shape.rank, {}, {}
    if axes < 0 or axes > rank then
      errors.invalid("tensordot", "argument 'axes': expected 0 to %d, received %d", rank, axes)
    end
    for i = 1, axes do left[i], right[i] = rank - axes + i - 1, i - 1 end
    return left, right
  end
  if type(axes) ~= "table" or #axes ~= 2 then
    errors.invalid("tensordot", "argument 'axes': expected an integer or two lists, received %s", errors.describe(axes))
  end
  local left, right = axes[1], axes[2]
  left, right = type(left) == "table" and left or {left}, type(right) == "table" and right or {right}
  for _, list in ipairs{left, right} do
    for i = 1, #list do
      if math.type(list[i]) ~= "integer" then
        errors.invalid("tensordot", "argument 'axes': expected an integer or two lists of integers, received %s in it",
          errors.describe(list[i]))
      end
    end
  end
  if #left ~= #right then errors.invalid("tensordot", "different number of contraction axes: %d and %d", #left, #right) end
  return left, right
end

local function tensordot(a, b, axes)
  a = to(a, nil, "tensordot", "a")
  b = core.args.is_tensor(b) and to(b, nil, "tensordot", "b") or to(b, a.dtype, "tensordot", "b")
  if not (a.shape:is_fully_defined() and b.shape:is_fully_defined()) then
    errors.unimplemented("tensordot", "shapes must be fully known, received %s and %s", tostring(a.shape), tostring(b.shape))
  end
  local left, right = axes_pair(a, axes)
  local x, free_x = as_matrix(a, left, false)
  local y, free_y = as_matrix(b, right, true)
  for _, dim in ipairs(free_y) do free_x[#free_x + 1] = dim end
  return raw.Reshape(raw.MatMul(x, y), to(free_x, int32))
end

-- ---- einsum

--- Letters of one operand; the ellipsis stands as "...".
local function labels_of(text)
  local labels, i = {}, 1
  while i <= #text do
    if text:sub(i, i + 2) == "..." then
      labels[#labels + 1], i = "...", i + 3
    else
      labels[#labels + 1], i = text:sub(i, i), i + 1
    end
  end
  return labels
end

--- "ij,jk": the letters that occur once, in alphabetical order, behind the ellipsis.
local function implicit_output(inputs)
  local count, has_ellipsis, letters = {}, false, {}
  for _, text in ipairs(inputs) do
    for _, label in ipairs(labels_of(text)) do
      if label == "..." then has_ellipsis = true
      else
        if not count[label] then letters[#letters + 1] = label end
        count[label] = (count[label] or 0) + 1
      end
    end
  end
  local out = {}
  for _, label in ipairs(letters) do
    if count[label] == 1 then out[#out + 1] = label end
  end
  table.sort(out)
  return (has_ellipsis and "..." or "") .. table.concat(out)
end

local function contract(equation, inputs)
  return raw.Einsum{inputs = inputs, equation = equation}
end

--- Several operands are contracted two at a time, from the left.
local function einsum(equation, inputs)
  equation = equation:gsub("%s", "")
  local left, output = equation:match("^(.-)%->(.*)$")
  local texts = {}
  for text in ((left or equation) .. ","):gmatch("([^,]*),") do texts[#texts + 1] = text end
  output = output or implicit_output(texts)
  if #texts ~= #inputs then
    errors.invalid("einsum", "expected %d inputs for the equation '%s', received %d", #texts, equation, #inputs)
  end
  local operands, dtype = {}, nil
  for i = 1, #inputs do
    operands[i] = to(inputs[i], not core.args.is_tensor(inputs[i]) and dtype or nil, "einsum", "inputs")
    dtype = dtype or operands[i].dtype
  end
  while #operands > 2 do
    local wanted, kept, seen = output .. table.concat(texts, ",", 3), {}, {}
    for _, label in ipairs(labels_of(texts[1] .. texts[2])) do
      if not seen[label] and wanted:find(label, 1, true) then kept[#kept + 1], seen[label] = label, true end
    end
    local joined = table.concat(kept)
    operands[1] = contract(texts[1] .. "," .. texts[2] .. "->" .. joined, {operands[1], operands[2]})
    texts[1] = joined
    table.remove(operands, 2)
    table.remove(texts, 2)
  end
  return contract(table.concat(texts, ",") .. "->" .. output, operands)
end

-- ---- diagonals

local function diag(diagonal, _, k, num_rows, num_cols, padding_value, align)
  diagonal = to(diagonal, nil, "diag", "diagonal")
  local none = diagonal.dtype == core.dtype.bool and padding_value == 0
  return raw.MatrixDiagV3{diagonal = diagonal, k = integers(k, "diag", "k"), num_rows = num_rows, num_cols = num_cols,
    padding_value = to(none and false or padding_value, diagonal.dtype, "diag", "padding_value"), align = align}
end

local function diag_part(input, _, k, padding_value, align)
  input = to(input, nil, "diag_part", "input")
  local none = input.dtype == core.dtype.bool and padding_value == 0
  return raw.MatrixDiagPartV3{input = input, k = integers(k, "diag_part", "k"),
    padding_value = to(none and false or padding_value, input.dtype, "diag_part", "padding_value"), align = align}
end

local function trace(x)
  local tf = require "moonflow"
  return tf.reduce_sum(diag_part(x, nil, 0, 0, "RIGHT_LEFT"), {-1})
end

return {
  {"tf.matmul tf.linalg.matmul", "a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, a_is_sparse=False, " ..
    "b_is_sparse=False, output_type=None, grad_a=False, grad_b=False, name=None", matmul, "Matrix product, over batches too."},
  {"tf.linalg.matvec", "a, b, transpose_a=False, adjoint_a=False, a_is_sparse=False, b_is_sparse=False, name=None", matvec,
   "Matrix times vector."},
  {"tf.tensordot tf.linalg.tensordot", "a, b, axes:any, name=None", tensordot, "Contraction over axes."},
  {"tf.einsum tf.linalg.einsum", "equation, *inputs, **kwargs", einsum, "Contraction by an equation of letters."},
  {"tf.linalg.diag", "diagonal, name:string='diag', k:real=0, num_rows=-1, num_cols=-1, padding_value:any=0, align:string='RIGHT_LEFT'",
   diag, "Matrices with given diagonals."},
  {"tf.linalg.diag_part", "input, name:string='diag_part', k:real=0, padding_value:any=0, align:string='RIGHT_LEFT'", diag_part,
   "Diagonals of matrices."},
  {"tf.linalg.tensor_diag", "diagonal, name=None", "Diag", "A tensor with a given diagonal."},
  {"tf.linalg.tensor_diag_part", "input, name=None", "DiagPart", "The diagonal of a tensor."},
  {"tf.linalg.band_part", "input, num_lower, num_upper, name=None", "MatrixBandPart", "Zero outside a band around the diagonal."},
  {"tf.linalg.trace", "x, name=None", trace, "Sums of the diagonals."},
}
