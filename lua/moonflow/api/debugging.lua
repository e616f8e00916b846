--- Rows: assertions and checks.

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local raw = require "moonflow.raw_ops"

local to = core.tensor.to
local dtypes = core.dtype

local function fail(op, text)
  error(core.error.new("INVALID_ARGUMENT", op, text), 0)
end

local function prefix(message)
  return message and message ~= "" and message .. "\n" or ""
end

local function text_of(t, summarize)
  return require "moonflow.tensor_text".of_tensor(t, summarize)
end

local function same_dtype(x, y, op)
  local is_x, is_y = core.args.is_tensor(x), core.args.is_tensor(y)
  if is_x or not is_y then x = to(x, nil, op, "x") end
  y = is_y and to(y, nil, op, "y") or to(y, x.dtype, op, "y")
  return to(x, not is_x and y.dtype or nil, op, "x"), y
end

local function all(mask)
  return to(require "moonflow".reduce_all(mask)):item()
end

--- What differs between x and y, as TensorFlow says it.
local function difference(x, y, mask, summarize)
  local tf = require "moonflow"
  local lines = {}
  local broken = raw.Where and raw.Where(raw.LogicalNot(mask))
  if broken and mask.shape.rank > 0 and x.shape == y.shape then
    local n = math.min(broken:dim(0), summarize)
    local shown = broken[("0:%d"):format(n)]
    lines[#lines + 1] = ("Indices of first %d different values:\n%s"):format(n, text_of(shown, -1))
    lines[#lines + 1] = "Corresponding x values:\n" .. text_of(tf.gather_nd(x, shown), -1)
    lines[#lines + 1] = "Corresponding y values:\n" .. text_of(tf.gather_nd(y, shown), -1)
  end
  for _, item in ipairs{{"x", x}, {"y", y}} do
    local flat = tf.reshape(item[2], {-1})
    local n = math.min(flat:dim(0), summarize)
    lines[#lines + 1] = ("First %d elements of %s:\n%s"):format(n, item[1], text_of(flat[("0:%d"):format(n)], -1))
  end
  return table.concat(lines, "\n")
end

--- assert_equal and its relatives: `symbol` stands in the message.
local function comparison(op, raw_name, symbol)
  return function(x, y, message, summarize)
    x, y = same_dtype(x, y, op)
    local mask = raw[raw_name](x, y)
    if core.tensor.is_symbolic(mask) or all(mask) then return nil end
    fail(op, ("%sCondition x %s y did not hold.\n%s"):format(prefix(message), symbol, difference(x, y, mask, summarize or 3)))
  end
end

local function sign(op, raw_name, symbol)
  return function(x, message, summarize)
    x = to(x, nil, op, "x")
    local mask = raw[raw_name](x, 0)
    if core.tensor.is_symbolic(mask) or all(mask) then return nil end
    fail(op, ("%s\nCondition x %s 0 did not hold element-wise:\nx (shape=%s dtype=%s) = \n%s"):format(
      message and message .. ".  " or "", symbol, x.shape, x.dtype.name, text_of(x, summarize or 3)))
  end
end

local function assert_near(x, y, rtol, atol, message, summarize)
  local op = "assert_near"
  x, y = same_dtype(x, y, op)
  local epsilon = ({[dtypes.float64] = 2.220446049250313e-16, [dtypes.float16] = 0.0009765625, [dtypes.bfloat16] = 0.0078125})[x.dtype]
    or 1.1920928955078125e-07
  rtol, atol = rtol or 10 * epsilon, atol or 10 * epsilon
  local difference_ = raw.Abs(x - y)
  local mask = raw.LessEqual(difference_, raw.Abs(y) * to(rtol, y.dtype) + to(atol, y.dtype))
  if core.tensor.is_symbolic(mask) or all(mask) then return nil end
  fail(op, ("%sx and y not equal to tolerance rtol = %s, atol = %s\n%s"):format(prefix(message), tostring(rtol), tostring(atol),
    difference(x, y, mask, summarize or 3)))
end

local function describe_rank(x)
  return ("Received rank %s, shape %s"):format(x.shape.rank, x.shape)
end

--- A rank given as a number or a tensor.
local function rank_of(rank)
  if core.args.is_tensor(rank) then rank = to(rank):item() end
  return math.tointeger(rank) or errors.invalid("assert_rank", "argument 'rank': expected an integer, received %s", errors.describe(rank))
end

local function assert_rank(x, rank, message)
  x = to(x, nil, "assert_rank", "x")
  rank = rank_of(rank)
  if x.shape.rank ~= nil and x.shape.rank ~= rank then
    fail("assert_rank", ("%sTensor must have rank %d.  %s"):format(message and message .. ".  " or "", rank, describe_rank(x)))
  end
end

local function assert_rank_at_least(x, rank, message)
  x = to(x, nil, "assert_rank_at_least", "x")
  rank = rank_of(rank)
  if x.shape.rank ~= nil and x.shape.rank < rank then
    fail("assert_rank_at_least",
      ("%sTensor must have rank at least %d.  %s"):format(message and message .. ".  " or "", rank, describe_rank(x)))
  end
end

local function assert_rank_in(x, ranks, message)
  local texts = {}
  for i = 1, #ranks do texts[i] = tostring(ranks[i]) end
  x = to(x, nil, "assert_rank_in", "x")
  for _, rank in ipairs(ranks) do
    if x.shape.rank == nil or rank == x.shape.rank then return end
  end
  fail("assert_rank_in", ("%sTensor must have rank in (%s).  %s"):format(message and message .. ".  " or "",
    table.concat(texts, ", "), describe_rank(x)))
end

local function assert_scalar(tensor, message)
  tensor = to(tensor, nil, "assert_scalar", "tensor")
  if tensor.shape.rank ~= 0 then
    fail("assert_scalar", ("%sExpected scalar shape, saw shape: %s."):format(message and message .. "  " or "", tensor.shape))
  end
end

local function assert_type(tensor, tf_type, message)
  tensor = to(tensor, nil, "assert_type", "tensor")
  local wanted = dtypes.get(tf_type)
  if tensor.dtype ~= wanted then
    fail("assert_type", ("%stensor must be of type tf.%s; got tf.%s"):format(message and message .. "  " or "", wanted.name,
      tensor.dtype.name))
  end
end

local function assert_integer(x, message)
  x = to(x, nil, "assert_integer", "x")
  if not x.dtype.is_integer then
    fail("assert_integer", ("%sExpected \"x\" to be integer type.  Found: tensor of dtype %s"):format(message and message .. "  " or "",
      x.dtype))
  end
end

--- One pair: each symbol stands for one size everywhere.
local function assert_shape_of(x, wanted, sizes, message)
  x = to(x, nil, "assert_shapes", "shapes")
  local lead = message and message .. ".  " or ""
  if x.shape.rank ~= #wanted then
    fail("assert_shapes", ("%sTensor must have rank %d.  %s"):format(lead, #wanted, describe_rank(x)))
  end
  for i = 1, #wanted do
    local want, have = wanted[i], x.shape[i]
    if type(want) == "string" and not tonumber(want) then
      local seen = sizes[want]
      if seen == nil then sizes[want] = have end
      want = sizes[want]
    elseif rawequal(want, core.args.None) then
      want = have
    end
    if math.tointeger(tonumber(want)) ~= have then
      fail("assert_shapes", ("%sSpecified by dimension %s: axis %d must be %s, received shape %s"):format(lead, tostring(wanted[i]), i - 1,
        tostring(want), x.shape))
    end
  end
end

local function assert_shapes(shapes, _, _, message)
  local sizes = {}
  for _, pair in ipairs(shapes) do
    if type(pair) ~= "table" or type(pair[2]) ~= "table" then
      errors.invalid("assert_shapes", "argument 'shapes': expected a list of {tensor, shape}, received %s in it", errors.describe(pair))
    end
    assert_shape_of(pair[1], pair[2], sizes, message)
  end
end

local function assert_condition(condition, data, summarize)
  condition = to(condition, nil, "Assert", "condition")
  if core.tensor.is_symbolic(condition) or condition:item() then return nil end
  local parts = {}
  for i = 1, #data do parts[i] = require "moonflow.tensor_text".of_value(data[i], summarize or 3) end
  fail("Assert", ("Expected '%s' to be true. Summarized data: %s"):format(condition, table.concat(parts, "\n")))
end

local function assert_same_float_dtype(tensors, dtype)
  local expected = dtype and dtypes.get(dtype)
  for _, t in ipairs(tensors or {}) do
    t = to(t, nil, "assert_same_float_dtype", "tensors")
    expected = expected or t.dtype
    if t.dtype ~= expected then
      fail("assert_same_float_dtype", ("%s, type=%s, must be of the same type (%s)."):format(t, t.dtype, expected))
    end
  end
  expected = expected or dtypes.float32
  if not expected.is_floating then fail("assert_same_float_dtype", ("Expected floating point type, got %s."):format(expected)) end
  return expected
end

local function assert_proper_iterable(values)
  if core.args.is_tensor(values) or type(values) ~= "table" then
    fail("assert_proper_iterable", ('Expected argument "values" to be a list.  Found: %s'):format(errors.describe(values)))
  end
end

local function check_numerics(tensor, message)
  return raw.CheckNumerics{tensor = tensor, message = message}
end

local compared = "x:any, y:any, message=None, summarize=None, name=None"
local signed = "x, message=None, summarize=None, name=None"
return {
  {"tf.debugging.assert_equal tf.assert_equal", compared, comparison("assert_equal", "Equal", "=="), "All x == y?"},
  {"tf.debugging.assert_none_equal", "x:any, y:any, summarize=None, message=None, name=None", function(x, y, summarize, message)
    return comparison("assert_none_equal", "NotEqual", "!=")(x, y, message, summarize)
  end, "No x == y?"},
  {"tf.debugging.assert_less tf.assert_less", compared, comparison("assert_less", "Less", "<"), "All x < y?"},
  {"tf.debugging.assert_less_equal", compared, comparison("assert_less_equal", "LessEqual", "<="), "All x <= y?"},
  {"tf.debugging.assert_greater tf.assert_greater", compared, comparison("assert_greater", "Greater", ">"), "All x > y?"},
  {"tf.debugging.assert_greater_equal", compared, comparison("assert_greater_equal", "GreaterEqual", ">="), "All x >= y?"},
  {"tf.debugging.assert_near", "x:any, y:any, rtol:real=None, atol:real=None, message=None, summarize=None, name=None", assert_near,
   "All x close to y?"},
  {"tf.debugging.assert_positive", signed, sign("assert_positive", "Greater", ">"), "All x > 0?"},
  {"tf.debugging.assert_negative", signed, sign("assert_negative", "Less", "<"), "All x < 0?"},
  {"tf.debugging.assert_non_negative", signed, sign("assert_non_negative", "GreaterEqual", ">="), "All x >= 0?"},
  {"tf.debugging.assert_non_positive", signed, sign("assert_non_positive", "LessEqual", "<="), "All x <= 0?"},
  {"tf.debugging.assert_rank tf.assert_rank", "x, rank:index, message=None, name=None", assert_rank, "Has x this rank?"},
  {"tf.debugging.assert_rank_at_least", "x, rank:index, message=None, name=None", assert_rank_at_least, "Has x at least this rank?"},
  {"tf.debugging.assert_rank_in", "x, ranks:list, message=None, name=None", assert_rank_in, "Has x one of these ranks?"},
  {"tf.debugging.assert_scalar", "tensor, message=None, name=None", assert_scalar, "Is it a scalar?"},
  {"tf.debugging.assert_type", "tensor, tf_type:dtype, message=None, name=None", assert_type, "Has it this dtype?"},
  {"tf.debugging.assert_integer", "x, message=None, name=None", assert_integer, "Is it of an integer type?"},
  {"tf.debugging.assert_shapes", "shapes:list, data:any=None, summarize=None, message=None, name=None", assert_shapes,
   "Do several shapes fit together?"},
  {"tf.debugging.assert_same_float_dtype", "tensors:list=None, dtype=None", assert_same_float_dtype, "One floating dtype for all?"},
  {"tf.debugging.assert_proper_iterable", "values:any", assert_proper_iterable, "Is it a list?"},
  {"tf.debugging.Assert tf.Assert", "condition, data:list, summarize=None, name=None", assert_condition, "Is the condition true?"},
  {"tf.debugging.check_numerics", "tensor, message, name=None", check_numerics, "Raises where there is NaN or Inf."},
  {"tf.debugging.assert_all_finite", "x, message, name=None", check_numerics, "Raises where there is NaN or Inf."},
  {"tf.debugging.is_numeric_tensor", "tensor:any", function(tensor)
    return core.args.is_tensor(tensor) and tensor.dtype.is_numeric or false
  end, "Is it a tensor of numbers?"},
  {"tf.debugging.live", "", core.machine.native_memory, "Native memory that Lua objects hold, and how often it was collected."},
}
