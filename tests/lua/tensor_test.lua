--- Tensors as Lua sees them: conversion, fields, indexing, operators, comparison, tf.scope. Expected values are TensorFlow's or
-- by hand.

local errors = require "moonflow.base.errors"
local tf = require "moonflow"

local None = tf.None

--- The call raises an error object with this code, and its message holds `text`.
local function refused(code, text, f, ...)
  local ok, err = pcall(f, ...)
  assert.is_false(ok)
  assert(errors.is(err), "not an error object: " .. tostring(err))
  assert.are.equal(code, err.code)
  assert(err.message:find(text, 1, true), ("expected '%s' in: %s"):format(text, err.message))
  return err
end

local function holds(expected, dtype, t)
  assert.are.same(expected, t:totable())
  assert.are.equal(dtype, t.dtype.name)
end

describe("conversion", function()
  it("infers the dtype as TensorFlow does", function()
    for _, case in ipairs{
      {1, "int32"}, {2^31 | 0, "int64"}, {1 << 40, "int64"}, {{1 << 40, 1}, "int64"}, {1.5, "float32"}, {{1, 2.5}, "float32"},
      {true, "bool"}, {{1, true}, "int32"}, {"a", "string"}, {{}, "float32"}, {{{}, {}}, "float32"},
    } do
      assert.are.equal(case[2], tf.constant(case[1]).dtype.name)
    end
    assert.are.same({2, 0}, tf.constant{{}, {}}.shape:as_list())
  end)

  it("fills a given dtype, or refuses", function()
    holds(44, "uint8", tf.constant(300, tf.uint8))
    holds(255, "uint8", tf.constant(-1, tf.uint8))
    holds(1.0, "float32", tf.constant(true, tf.float32))
    holds({1.5}, "bfloat16", tf.constant({1.5}, "bfloat16"))
    holds({}, "int32", tf.constant({}, tf.int32))
    refused("INVALID_ARGUMENT", "cannot convert 1 to a tensor of dtype bool", tf.constant, 1, tf.bool)
    refused("INVALID_ARGUMENT", "cannot convert 1.5 to a tensor of dtype int32", tf.constant, 1.5, tf.int32)
    refused("INVALID_ARGUMENT", "cannot convert 2.0 to a tensor of dtype int32", tf.constant, 2.0, tf.int32)
    refused("INVALID_ARGUMENT", "cannot convert 'a' to a tensor of dtype int32", tf.constant, "a", tf.int32)
    refused("INVALID_ARGUMENT", "cannot convert 1 to a tensor of dtype string", tf.constant, 1, tf.string)
    refused("INVALID_ARGUMENT", "expected a dtype", tf.constant, 1, "float33")
  end)

  it("refuses lists that are no tensor", function()
    refused("INVALID_ARGUMENT", "different lengths", tf.constant, {{1, 2}, {3}})
    refused("INVALID_ARGUMENT", "mixed types", tf.constant, {true, 1})
    refused("INVALID_ARGUMENT", "mixed types", tf.constant, {1, "a"})
    refused("INVALID_ARGUMENT", "different lengths", tf.constant, {1, {2}})
    refused("INVALID_ARGUMENT", "cannot convert None", tf.constant, {1, None})
    refused("INVALID_ARGUMENT", "cannot convert a function", tf.constant, {print})
    local deep = {}
    for _ = 1, 30 do deep = {deep} end
    refused("INVALID_ARGUMENT", "too deeply", tf.constant, deep)
    local cycle = {}
    cycle[1] = cycle
    refused("INVALID_ARGUMENT", "too deeply", tf.constant, cycle)
  end)

  it("packs lists that hold tensors", function()
    holds({1.0, 2.0}, "float32", tf.convert_to_tensor{tf.constant(1.0), 2})
    holds({{1.0, 2.0}, {2.0, 3.0}}, "float32", tf.convert_to_tensor{tf.constant{1.0, 2.0}, {2, 3}})
    holds({3.0, 4.0}, "float32", tf.convert_to_tensor{tf.Variable(3.0), 4})
  end)

  it("takes shapes, and gives Lua values back", function()
    holds({2, 3}, "int32", tf.convert_to_tensor(tf.zeros{2, 3}.shape))
    assert.are.equal(5, tf.constant(5):item())
    assert.are.equal("integer", math.type(tf.constant(5):item()))
    assert.are.equal("float", math.type(tf.constant(5.0):item()))
    assert.is_true(tf.constant(true):item())
    assert.are.equal("a\0b", tf.constant("a\0b"):item())
    assert.are.same({{{1}, {2}}}, tf.constant{{{1}, {2}}}:totable())
    refused("INVALID_ARGUMENT", "only a tensor of one element", tf.constant{1, 2}.item, tf.constant{1, 2})
  end)

  it("shapes constants", function()
    holds({{1, 1}, {1, 1}}, "int32", tf.constant(1, {shape = {2, 2}}))
    holds({{1, 2}, {3, 4}}, "int32", tf.constant({1, 2, 3, 4}, {shape = {2, 2}}))
    refused("INVALID_ARGUMENT", "2 elements", tf.constant, {1, 2}, {shape = {2, 2}})
  end)
end)

describe("fields", function()
  local x = tf.constant{{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}

  it("tell shape, dtype, device, rank", function()
    assert.are.equal("(2, 3)", tostring(x.shape))
    assert.are.equal(2, #x.shape)
    assert.are.equal(3, x.shape[-1])
    assert.are.equal(2, x.shape[1])
    assert.is_nil(x.shape[3])
    assert.are.equal(2, x.shape.rank)
    assert.are.equal(2, x.ndim)
    assert.are.equal(3, x:dim(-1))
    assert.are.equal(2, #x)
    assert.are.equal(tf.float32, x.dtype)
    assert.are.equal("/job:localhost/replica:0/task:0/device:CPU:0", x.device)
    refused("OUT_OF_RANGE", "s[1]", function() return x.shape[0] end)
    refused("FAILED_PRECONDITION", "undefined when eager execution is enabled", function() return x.name end)
    refused("INVALID_ARGUMENT", "no member 'nope'", function() return x.nope end)
    refused("INVALID_ARGUMENT", "cannot be changed", function() x[0] = 1 end)
  end)

  it("make shapes lists", function()
    local seen = {}
    for i, n in ipairs(x.shape) do seen[i] = n end
    assert.are.same({2, 3}, seen)
    local s = tf.TensorShape{None, 3}
    assert.are.equal("(None, 3)", tostring(s))
    assert.are.equal(None, s[1])
    assert.is_false(s:is_fully_defined())
    assert.is_nil(s:num_elements())
    assert.are.equal("<unknown>", tostring(tf.TensorShape()))
    assert.are.equal("(2, 3)", tostring(s:merge_with{2, -1}))
    assert.are.equal("(None, 3, 4)", tostring(s:concatenate{4}))
    assert.is_true(s:is_compatible_with(x.shape))
    assert.is_true(x.shape == tf.TensorShape{2, 3})
    refused("INVALID_ARGUMENT", "incompatible", s.merge_with, s, {2, 4})
    refused("INVALID_ARGUMENT", "read-only", function() s[1] = 2 end)
  end)

  it("describe dtypes", function()
    assert.are.equal("<dtype: 'float32'>", tostring(tf.float32))
    assert.is_true(tf.float32.is_floating)
    assert.is_true(tf.uint8.is_integer and tf.uint8.is_unsigned)
    assert.are.equal(255, tf.uint8.max)
    assert.are.equal(-128, tf.int8.min)
    assert.are.equal(65504.0, tf.float16.max)
    assert.are.equal(2, tf.bfloat16.size)
    assert.are.equal(tf.float64, tf.as_dtype("double"))
    assert.are.equal(tf.float16, tf.dtypes.float16)
  end)
end)

describe("indexing", function()
  local x = tf.reshape(tf.range(24), {2, 3, 4})

  it("counts from 0 and from the end", function()
    holds({12, 13, 14, 15}, "int32", x[1][0])
    holds(23, "int32", x[{-1, -1, -1}])
    refused("OUT_OF_RANGE", "x:iter()", function() return x[2] end)
    refused("OUT_OF_RANGE", "out of bounds", function() return x[-3] end)
    refused("INVALID_ARGUMENT", "scalar tensor cannot be indexed", function() return tf.constant(1)[0] end)
    refused("INVALID_ARGUMENT", "valid indices", function() return x[1.5] end)
  end)

  it("slices by text", function()
    holds({{{0, 2}, {8, 10}}}, "int32", x[":1, ::2, ::2"])
    holds({{20, 21, 22, 23}, {16, 17, 18, 19}, {12, 13, 14, 15}}, "int32", x["1, ::-1"])
    holds({3, 7, 11}, "int32", x["0, ..., -1"])
    holds({{{3}, {7}, {11}}}, "int32", x["..., 3:"][0][{"newaxis", "..."}])
    assert.are.same({1, 2, 3, 4}, x["newaxis, :"].shape:slice(1):as_list())
    refused("INVALID_ARGUMENT", "is no slice", function() return x["1:2:3:4"] end)
    refused("INVALID_ARGUMENT", "3 dims", function() return x["0,0,0,0"] end)
  end)

  it("mixes entries in a list", function()
    holds({5, 9}, "int32", x[{0, "1:", 1}])
    holds({{4, 5, 6, 7}}, "int32", x[{0, tf.newaxis, 1}])
    holds({16, 17, 18, 19}, "int32", x[{tf.constant(1), tf.constant(1)}])
    holds({16, 17, 18, 19}, "int32", x[{1, tf.constant(-2)}])
  end)

  it("is recorded by tapes", function()
    local v = tf.Variable{1.0, 2.0, 3.0}
    local g
    do local tape <close> = tf.GradientTape()
      g = tape:gradient(v[1] * 5 + tf.reduce_sum(v["1:"]), v)
    end
    holds({0.0, 6.0, 1.0}, "float32", g)
  end)

  it("walks over rows", function()
    local rows = {}
    for row in tf.constant{{1, 2}, {3, 4}}:iter() do rows[#rows + 1] = row:totable() end
    assert.are.same({{1, 2}, {3, 4}}, rows)
    refused("INVALID_ARGUMENT", "scalar", tf.constant(1).iter, tf.constant(1))
    refused("INVALID_ARGUMENT", "x:iter()", pairs, x)
    refused("OUT_OF_RANGE", "x:iter()", function() for _ in ipairs(x) do end end)
  end)
end)

describe("operators", function()
  local i, f = tf.constant{7, -7}, tf.constant{7.0, -7.0}

  it("compute as TensorFlow's", function()
    holds({8, -6}, "int32", i + 1)
    holds({-6, 8}, "int32", 1 - i)
    holds({3.5, -3.5}, "float64", i / 2)
    holds({3.5, -3.5}, "float32", tf.constant({7, -7}, tf.int8) / 2)
    holds({3, -4}, "int32", i // 2)
    holds({1, 1}, "int32", i % 2)
    holds({49, 49}, "int32", i ^ 2)
    holds({-7, 7}, "int32", -i)
    holds({3.0, -4.0}, "float32", f // 2)
    holds({8.5, -5.5}, "float32", 1.5 + f)
    holds({9.0, -5.0}, "float32", f + 2)
    holds({2.0, 4.0}, "float32", 2 ^ tf.constant{1.0, 2.0})
    holds({3, 1}, "int32", tf.constant{3, 5} & 3)
    holds({7, 7}, "int32", tf.constant{3, 5} | 6 & 4 | 2)
    holds({-4}, "int32", ~tf.constant{3})
    holds({false, true}, "bool", ~tf.constant{true, false})
    holds({true, false}, "bool", tf.constant{true, true} & {true, false})
    holds({false, true}, "bool", tf.constant{true, true} ~ {true, false})
    holds({4.0, 6.0}, "float32", tf.Variable{1.0, 2.0} + {3, 4})
    holds({4, 6}, "int32", {3, 4} + tf.constant{1, 2})
  end)

  it("do not promote", function()
    refused("INVALID_ARGUMENT", "use tf.cast", function() return i + 1.5 end)
    refused("INVALID_ARGUMENT", "use tf.cast", function() return i + f end)
    refused("INVALID_ARGUMENT", "expected a tensor", function() return i + print end)
    refused("INVALID_ARGUMENT", "", function() return tf.zeros{2} + tf.zeros{3} end)
  end)

  it("compare one element as numbers do", function()
    assert.is_true(tf.constant(3) < 5)
    assert.is_false(tf.constant(3.5) <= tf.constant(3.0))
    assert.is_true(2.5 < tf.constant{3})
    assert.is_true(tf.Variable(1.0) < tf.Variable(2.0))
    assert.is_false(tf.constant(0/0) < 1)
    refused("INVALID_ARGUMENT", "tf.less", function() return f < f end)
    refused("INVALID_ARGUMENT", "tf.less_equal", function() return f >= 1 end)
    holds({true, false}, "bool", f:greater(0.0))
  end)

  it("refuse == between tensors", function()
    refused("INVALID_ARGUMENT", "rawequal", function() return i == tf.constant{1} end)
    assert.is_true(i == i)
    assert.is_true(i ~= None)
    assert.is_true(rawequal(i, i))
    holds({true, false}, "bool", tf.equal(i, 7))
  end)

  it("name the caller's line", function()
    local err = refused("INVALID_ARGUMENT", "AddV2", function() return i + f end)
    assert(err.position:find("tensor_test.lua:", 1, true), tostring(err.position))
    assert.are.equal("AddV2", err.op)
  end)
end)

describe("functions", function()
  it("are methods, too", function()
    holds({{1}, {2}}, "int32", tf.constant{1, 2}:reshape{2, 1})
    holds(3, "int32", tf.constant{1, 2}:reduce_sum())
    holds({0.0, 1.0}, "float32", tf.Variable{-1.0, 1.0}:relu())
  end)

  it("refuse unknown arguments by name", function()
    refused("INVALID_ARGUMENT", "did you mean 'axis'", tf.reduce_sum, tf.ones{2}, {axes = 1})
    refused("INVALID_ARGUMENT", "missing required argument 'y'", tf.add, 1)
  end)

  it("that do not exist are errors that know the nearest name", function()
    refused("NOT_FOUND", "tf has no 'reduce_summ'; did you mean 'reduce_sum'?", function() return tf.reduce_summ end)
    refused("NOT_FOUND", "tf.raw_ops has no 'MatMull'; did you mean 'MatMul'", function() return tf.raw_ops.MatMull end)
    refused("NOT_FOUND", "did you mean 'Dense'", function() return tf.keras.layers.Dence end)
    refused("NOT_FOUND", "did you mean 'Dataset'?", function() return tf.data.Datasett end)
    refused("NOT_FOUND", "did you mean 'load_npy'", function() return tf.files.load_npi end)
    refused("NOT_FOUND", "did you mean 'relu'", function() return tf.keras.ops.reluu end)
    assert.is_nil(tf._private)
  end)

  it("read op arguments by name and by position", function()
    local raw = tf.raw_ops
    holds({4, 6}, "int32", raw.AddV2{x = {1, 2}, y = {3, 4}})
    holds({4.0, 6.0}, "float32", raw.AddV2(tf.constant{1.0, 2.0}, {3, 4}))
    holds({{1}, {2}}, "int32", raw.Reshape({1, 2}, {2, 1}))
    local parts = raw.Split{split_dim = 0, value = {1, 2, 3, 4}, num_split = 2}
    holds({3, 4}, "int32", parts[2])
    local values, indices = raw.TopKV2({3.0, 9.0, 5.0}, 2)
    holds({9.0, 5.0}, "float32", values)
    holds({1, 2}, "int32", indices)
    refused("INVALID_ARGUMENT", "cannot convert 2.5 to a tensor of dtype int32", raw.AddV2, 1, 2.5)
    refused("INVALID_ARGUMENT", "expected a boolean", raw.MatMul, tf.ones{1, 1}, tf.ones{1, 1}, 3)
    refused("INVALID_ARGUMENT", "missing required argument", raw.Cast, tf.ones{1})
  end)
end)

describe("tf.scope", function()
  it("closes what was made inside, except what is kept", function()
    local kept, dropped, nested
    local v = tf.Variable(1.0)
    do local s <close> = tf.scope()
      dropped = tf.constant{1, 2} + 1
      kept = s:keep(dropped * 2)
      nested = s:keep{a = {tf.ones{2}}}
      v:assign(tf.constant(5.0))
    end
    holds({4, 6}, "int32", kept)
    holds({1.0, 1.0}, "float32", nested.a[1])
    holds(5.0, "float32", v:read_value())
    refused("FAILED_PRECONDITION", "closed at the end of a tf.scope", function() return dropped + 1 end)
    refused("FAILED_PRECONDITION", "closed", function() return dropped.shape end)
    assert.is_false(pcall(tostring, dropped))
  end)

  it("nests: what an inner scope keeps belongs to the outer one", function()
    local a
    do local _ <close> = tf.scope()
      do local inner <close> = tf.scope()
        a = inner:keep(tf.ones{1})
      end
      holds({1.0}, "float32", a)
    end
    assert.is_false(pcall(function() return a + 1 end))
  end)

  it("leaves other coroutines alone, and may be abandoned", function()
    local outside
    local s = tf.scope()
    coroutine.wrap(function() outside = tf.ones{1} end)()
    s:close()
    holds({1.0}, "float32", outside)
    local x
    do
      local _ = tf.scope()
      x = tf.ones{1}
    end
    collectgarbage()
    collectgarbage()
    holds({2.0}, "float32", x + 1)
  end)
end)

describe("floats that are whole numbers", function()
  it("count as integers where only integers make sense", function()
    local n = 4 / 2
    holds({{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}, "float32", tf.zeros{n, 3})
    holds({{0, 1, 2}, {3, 4, 5}}, "int32", tf.reshape(tf.range(6), {n, 3}))
    holds({1, 2, 1, 2}, "int32", tf.tile({1, 2}, {n}))
    holds({0, 1, 0}, "int32", tf.pad({1}, {{1.0, 1}}))
    holds({{1.0, 0.0, 0.0}}, "float32", tf.one_hot({0}, 3.0))
    holds({30, 10}, "int32", tf.gather({10, 20, 30}, {2.0, 0.0}))
    holds({4, 5}, "int32", tf.constant{{1, 2, 3}, {4, 5, 6}}[{1.0, "0:2"}])
    holds(20, "int32", tf.constant{10, 20, 30}[n / 2])
    assert.are.same({1, 4, 4, 1}, tf.image.resize(tf.ones{1, 2, 2, 1}, {4.0, n * 2}).shape:as_list())
  end)

  it("stay floats elsewhere", function()
    holds({2.0, 3.0}, "float32", tf.constant{2.0, 3.0})
    holds({0.0, 1.0, 2.0}, "float32", tf.range(3.0))
    holds({2.0}, "float32", tf.convert_to_tensor({2.0}, {dtype_hint = "int32"}))
  end)

  it("and others are errors that name the argument", function()
    local ok, err = pcall(tf.zeros, {2.5})
    assert.is_false(ok)
    assert.are.equal("Fill: argument 'dims': expected dtype int32, int64, received float32", err.message)
    assert.is_false(pcall(function() return tf.ones{3}[0.5] end))
  end)
end)

describe("what must not be taken apart", function()
  it("metatables of tensors and the like are hidden", function()
    for _, value in ipairs{tf.constant(1), tf.Variable(1), tf.GradientTape(), tf.float32, tf.TensorShape{1}, tf.None} do
      assert.is_false(getmetatable(value))
    end
  end)

  it("objects that give themselves for a tensor", function()
    local object = setmetatable({}, {__mf_to_tensor = "self"})
    object.self = object
    refused("INVALID_ARGUMENT", "does not lead to a tensor", tf.constant, object)
  end)

  it("texts and numbers have no order", function()
    refused("INVALID_ARGUMENT", "a int32 and a string cannot be compared", function() return tf.constant(1) < "a" end)
    refused("INVALID_ARGUMENT", "cannot be compared", function() return tf.constant("a") <= 1 end)
    assert.is_true(tf.constant("a") < "b")
  end)
end)

describe("sorting", function()
  it("puts NaN last", function()
    local nan = 0 / 0
    assert.are.same({2, 0, 1}, tf.argsort({2.0, nan, 1.0}):totable())
    assert.are.same({1, 2, 0}, tf.argsort({nan, 2.0, 1.0}, {direction = "DESCENDING"}):totable())
    assert.are.same({2, 0, 1}, tf.argsort(tf.constant({2.0, nan, 1.0}, "float64")):totable())
  end)
end)

describe("native memory", function()
  it("stays bounded in a loop of temporaries", function()
    local x = tf.ones{512, 512}
    local most = 0
    for i = 1, 400 do
      local _ = x + 1.0
      if i % 10 == 0 then most = math.max(most, tf.config.experimental.get_memory_info("CPU:0").current) end
    end
    assert(most < 64 * 2^20, ("%d bytes were alive at once"):format(most))
  end)

  it("is collected when it runs out, and the op tried again", function()
    local core = require "moonflow.core"
    local before = core.machine.memory("CPU", 0)
    core.machine.set_memory_limit("CPU", 0, before.current + 24 * 2^20)
    collectgarbage("stop")
    local ok, err = pcall(function()
      for _ = 1, 40 do local _ = tf.ones{1024, 1024} end
    end)
    collectgarbage("restart")
    local big_ok, big = pcall(tf.ones, {64, 1024, 1024})
    core.machine.set_memory_limit("CPU", 0, before.limit)
    assert(ok, tostring(err))
    assert.is_false(big_ok)
    assert.are.equal("RESOURCE_EXHAUSTED", big.code)
    holds({1.0}, "float32", tf.ones{1})
  end)
end)
