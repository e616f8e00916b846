--- Reading golden files: JSON values to tensors and attributes, and comparing tensors. tests/golden/README.md has the format.

local core = require "moonflow.core"
local tf = require "moonflow"

local golden = {}

local judged = false

--- Says that the running case compares with values of TensorFlow: scripts/coverage counts the names that it calls.
-- golden.difference says it by itself.
function golden.judged()
  judged = true
end

--- Whether the case that ends was judged; the next one begins anew.
function golden.take_judged()
  local was = judged
  judged = false
  return was
end

local base64 = {}
for i = 0, 25 do base64[65 + i], base64[97 + i] = i, 26 + i end
for i = 0, 9 do base64[48 + i] = 52 + i end
base64[43], base64[47] = 62, 63

local function from_base64(text)
  local bits, count, out = 0, 0, {}
  for i = 1, #text do
    local value = base64[text:byte(i)]
    if value then
      bits, count = (bits << 6 | value) & 0xFFFFFF, count + 6
      if count >= 8 then
        count = count - 8
        out[#out + 1] = string.char(bits >> count & 0xFF)
      end
    end
  end
  return table.concat(out)
end

local specials = {nan = -(0 / 0), inf = math.huge, ["-inf"] = -math.huge}

local function element(value, dtype)
  if dtype == "string" then return type(value) == "table" and from_base64(value.b64) or value end
  if type(value) ~= "string" then return value end
  return specials[value] or math.tointeger(value) or tonumber(value)
end

function golden.read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return core.json.decode(text)
end

local function list_of(value)
  local list = {}
  for i = 1, #value do list[i] = value[i] end
  return list
end

--- An integer of up to 64 bits, unsigned ones by their bits.
local function wide_integer(value)
  if type(value) ~= "string" then return value end
  local whole = math.tointeger(value)
  if whole then return whole end
  local bits = 0
  for digit in value:gmatch("%d") do bits = bits * 10 + tonumber(digit) end
  return bits
end

--- A tensor from its JSON form.
function golden.tensor(value)
  local data = {}
  if value.dtype == "uint64" then
    for i = 1, #value.data do data[i] = wide_integer(value.data[i]) end
    return tf.cast(tf.constant(data, {dtype = "int64", shape = list_of(value.shape)}), tf.uint64)
  end
  for i = 1, #value.data do data[i] = element(value.data[i], value.dtype) end
  return tf.constant(data, {dtype = value.dtype, shape = list_of(value.shape)})
end

function golden.is_tensor(value)
  return type(value) == "table" and value.dtype ~= nil
end

local lists = {list_i = true, list_f = true, list_b = true, list_s = true}

--- An attribute from its tagged JSON form, as tf.raw_ops takes it.
function golden.attribute(tagged)
  local tag, value = next(tagged)
  if tag == "type" then return core.dtype[value] end
  if tag == "tensor" then return golden.tensor(value) end
  if tag == "shape" then return tf.TensorShape(value ~= tf.None and list_of(value) or nil) end
  if tag == "s" then return element(value, "string") end
  if tag == "f" then return element(value, "float32") end
  if tag == "i" then return element(value, "int64") end
  if lists[tag] then
    local kind, list = tag:sub(-1), {}
    for i = 1, #value do list[i] = element(value[i], kind == "s" and "string" or "float32") end
    return list
  end
  if tag == "list_type" then
    local list = {}
    for i = 1, #value do list[i] = core.dtype[value[i]] end
    return list
  end
  if tag == "list_shape" then
    local list = {}
    for i = 1, #value do list[i] = tf.TensorShape(list_of(value[i])) end
    return list
  end
  return value
end

-- Relative and absolute tolerance by dtype: about 16 units in the last place, sums of a few hundred terms.
local tolerances = {float32 = {2e-6, 2e-6}, float64 = {1e-13, 1e-13}, float16 = {2e-3, 1e-3}, bfloat16 = {1.6e-2, 1e-2},
  complex64 = {2e-6, 2e-6}, complex128 = {1e-13, 1e-13}}

local function close(got, want, rtol, atol)
  if got ~= got or want ~= want then return got ~= got and want ~= want end
  if got == want then return true end
  if got == math.huge or got == -math.huge or want == math.huge or want == -math.huge then return false end
  return math.abs(got - want) <= atol + rtol * math.abs(want)
end

local function flat_values(t, list)
  local function walk(value)
    if type(value) ~= "table" then list[#list + 1] = value return end
    for i = 1, #value do walk(value[i]) end
  end
  walk(t:totable())
  return list
end

local function same_shape(shape, want)
  if #shape ~= #want then return false end
  for i = 1, #want do
    if shape[i] ~= want[i] then return false end
  end
  return true
end

--- nil when tensor `t` is what the JSON form says; else a sentence. tol = {rtol, atol} or nil.
function golden.difference(t, want, tol)
  judged = true
  if core.args.kind(t) ~= "tensor" then return "expected a tensor, received " .. tostring(t) end
  if t.dtype.name ~= want.dtype then return ("dtype %s, expected %s"):format(t.dtype.name, want.dtype) end
  if not same_shape(t.shape, want.shape) then
    return ("shape %s, expected [%s]"):format(tostring(t.shape), table.concat(list_of(want.shape), ", "))
  end
  if want.dtype == "uint64" then t = tf.cast(t, tf.int64) end
  local limits = tol or tolerances[want.dtype] or {0, 0}
  local values = flat_values(t, {})
  for i = 1, #want.data do
    local expected, got = element(want.data[i], want.dtype), values[i]
    if want.dtype == "uint64" then expected = wide_integer(want.data[i]) end
    local equal
    if type(expected) == "number" and type(got) == "number" then
      equal = close(got, expected, limits[1], limits[2])
    else
      equal = got == expected
    end
    if not equal then return ("element %d is %s, expected %s"):format(i - 1, tostring(got), tostring(expected)) end
  end
  return nil
end

return golden
