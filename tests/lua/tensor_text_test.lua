--- How tensors and variables print: the texts are what Python's print shows for the same values (TensorFlow 2.21, numpy 2.4).

local tf = require "moonflow"

-- {how the value is made, its text}
local cases = {
  {function() return tf.constant{{1.0, 2.0}, {3.0, 4.0}} end, [==[tf.Tensor(
[[1. 2.]
 [3. 4.]], shape=(2, 2), dtype=float32)]==]},
  {function() return tf.constant(1.5) end, [==[tf.Tensor(1.5, shape=(), dtype=float32)]==]},
  {function() return tf.constant{1, 2, 3} end, [==[tf.Tensor([1 2 3], shape=(3,), dtype=int32)]==]},
  {function() return tf.constant(7) end, [==[tf.Tensor(7, shape=(), dtype=int32)]==]},
  {function() return tf.constant{} end, [==[tf.Tensor([], shape=(0,), dtype=float32)]==]},
  {function() return tf.constant{{}, {}} end, [==[tf.Tensor([], shape=(2, 0), dtype=float32)]==]},
  {function() return tf.constant{true, false} end, [==[tf.Tensor([ True False], shape=(2,), dtype=bool)]==]},
  {function() return tf.constant(true) end, [==[tf.Tensor(True, shape=(), dtype=bool)]==]},
  {function() return tf.constant("abc") end, [==[tf.Tensor(b'abc', shape=(), dtype=string)]==]},
  {function() return tf.constant{"a", "bcd"} end, [==[tf.Tensor([b'a' b'bcd'], shape=(2,), dtype=string)]==]},
  {function() return tf.constant("\0\xff'\"\n") end, [==[tf.Tensor(b'\x00\xff\'"\n', shape=(), dtype=string)]==]},
  {function() return tf.constant{1e10, 1.0} end, [==[tf.Tensor([1.e+10 1.e+00], shape=(2,), dtype=float32)]==]},
  {function() return tf.constant{1e-5, 1.0} end, [==[tf.Tensor([1.e-05 1.e+00], shape=(2,), dtype=float32)]==]},
  {function() return tf.constant{1e-5} end, [==[tf.Tensor([1.e-05], shape=(1,), dtype=float32)]==]},
  {function() return tf.constant{123456.789, 0.001} end, [==[tf.Tensor([1.2345679e+05 1.0000000e-03], shape=(2,), dtype=float32)]==]},
  {function() return tf.constant{0.1, 0.25, 1/3} end, [==[tf.Tensor([0.1        0.25       0.33333334], shape=(3,), dtype=float32)]==]},
  {function() return tf.constant{0/0, 1.0, 1/0, -1/0} end, [==[tf.Tensor([ nan   1.  inf -inf], shape=(4,), dtype=float32)]==]},
  {function() return tf.constant{-1.5, 2.25, 100.0} end, [==[tf.Tensor([ -1.5    2.25 100.  ], shape=(3,), dtype=float32)]==]},
  {function() return tf.constant(1e20) end, [==[tf.Tensor(1e+20, shape=(), dtype=float32)]==]},
  {function() return tf.constant(1e-10) end, [==[tf.Tensor(1e-10, shape=(), dtype=float32)]==]},
  {function() return tf.constant(1e16) end, [==[tf.Tensor(1e+16, shape=(), dtype=float32)]==]},
  {function() return tf.constant(123456789.0) end, [==[tf.Tensor(1.2345679e+08, shape=(), dtype=float32)]==]},
  {function() return tf.constant(0.1) end, [==[tf.Tensor(0.1, shape=(), dtype=float32)]==]},
  {function() return tf.constant(1/3) end, [==[tf.Tensor(0.33333334, shape=(), dtype=float32)]==]},
  {function() return tf.constant(1/3, tf.float64) end, [==[tf.Tensor(0.3333333333333333, shape=(), dtype=float64)]==]},
  {function() return tf.range(2000) end, [==[tf.Tensor([   0    1    2 ... 1997 1998 1999], shape=(2000,), dtype=int32)]==]},
  {function() return tf.reshape(tf.range(2000.0), {2, 1000}) end, [==[tf.Tensor(
[[0.000e+00 1.000e+00 2.000e+00 ... 9.970e+02 9.980e+02 9.990e+02]
 [1.000e+03 1.001e+03 1.002e+03 ... 1.997e+03 1.998e+03 1.999e+03]], shape=(2, 1000), dtype=float32)]==]},
  {function() return tf.reshape(tf.range(24), {2, 3, 4}) end, [==[tf.Tensor(
[[[ 0  1  2  3]
  [ 4  5  6  7]
  [ 8  9 10 11]]

 [[12 13 14 15]
  [16 17 18 19]
  [20 21 22 23]]], shape=(2, 3, 4), dtype=int32)]==]},
  {function() return tf.range(100) end, [==[tf.Tensor(
[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47
 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71
 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95
 96 97 98 99], shape=(100,), dtype=int32)]==]},
  {function() return tf.range(30.0) * 1.1 end, [==[tf.Tensor(
[ 0.         1.1        2.2        3.3000002  4.4        5.5
  6.6000004  7.7000003  8.8        9.900001  11.        12.1
 13.200001  14.3       15.400001  16.5       17.6       18.7
 19.800001  20.9       22.        23.1       24.2       25.300001
 26.400002  27.5       28.6       29.7       30.800001  31.900002 ], shape=(30,), dtype=float32)]==]},
  {function() return tf.constant({1.5, 2}, tf.bfloat16) end, [==[tf.Tensor([1.5 2], shape=(2,), dtype=bfloat16)]==]},
  {function() return tf.constant({1.5, 2, 1/3}, tf.float16) end, [==[tf.Tensor([1.5    2.     0.3333], shape=(3,), dtype=float16)]==]},
  {function() return tf.constant(1.5, tf.bfloat16) end, [==[tf.Tensor(1.5, shape=(), dtype=bfloat16)]==]},
  {function() return tf.ones{1, 30} end, [==[tf.Tensor(
[[1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1.
  1. 1. 1. 1. 1. 1.]], shape=(1, 30), dtype=float32)]==]},
  {function() return tf.constant{0.0, -0.0} end, [==[tf.Tensor([ 0. -0.], shape=(2,), dtype=float32)]==]},
  {function() return tf.constant{1e8, 1e7} end, [==[tf.Tensor([1.e+08 1.e+07], shape=(2,), dtype=float32)]==]},
  {function() return tf.constant{99999999.0} end, [==[tf.Tensor([1.e+08], shape=(1,), dtype=float32)]==]},
  {function() return tf.constant{1e-4} end, [==[tf.Tensor([0.0001], shape=(1,), dtype=float32)]==]},
  {function() return tf.constant{9e-5} end, [==[tf.Tensor([9.e-05], shape=(1,), dtype=float32)]==]},
  {function() return tf.constant{1.0, 1001.0} end, [==[tf.Tensor([1.000e+00 1.001e+03], shape=(2,), dtype=float32)]==]},
  {function() return tf.constant{0.001, 1.0} end, [==[tf.Tensor([0.001 1.   ], shape=(2,), dtype=float32)]==]},
  {function() return tf.constant{0.0009, 1.0} end, [==[tf.Tensor([9.e-04 1.e+00], shape=(2,), dtype=float32)]==]},
  {function() return tf.constant{{true, false}, {false, true}} end, [==[tf.Tensor(
[[ True False]
 [False  True]], shape=(2, 2), dtype=bool)]==]},
  {function() return tf.constant{{"a", "b"}, {"c", "d"}} end, [==[tf.Tensor(
[[b'a' b'b']
 [b'c' b'd']], shape=(2, 2), dtype=string)]==]},
  {function() return tf.zeros{0, 3} end, [==[tf.Tensor([], shape=(0, 3), dtype=float32)]==]},
  {function() return tf.zeros{2, 0, 3} end, [==[tf.Tensor([], shape=(2, 0, 3), dtype=float32)]==]},
  {function() return tf.zeros{1001} end, [==[tf.Tensor([0. 0. 0. ... 0. 0. 0.], shape=(1001,), dtype=float32)]==]},
  {function() return tf.zeros{40, 40} end, [==[tf.Tensor(
[[0. 0. 0. ... 0. 0. 0.]
 [0. 0. 0. ... 0. 0. 0.]
 [0. 0. 0. ... 0. 0. 0.]
 ...
 [0. 0. 0. ... 0. 0. 0.]
 [0. 0. 0. ... 0. 0. 0.]
 [0. 0. 0. ... 0. 0. 0.]], shape=(40, 40), dtype=float32)]==]},
  {function() return tf.constant({1e300, 1.0}, tf.float64) end, [==[tf.Tensor([1.e+300 1.e+000], shape=(2,), dtype=float64)]==]},
  {function() return tf.constant{1.0000001} end, [==[tf.Tensor([1.0000001], shape=(1,), dtype=float32)]==]},
  {function() return tf.constant{16777216.0, 1.0} end, [==[tf.Tensor([1.6777216e+07 1.0000000e+00], shape=(2,), dtype=float32)]==]},
  {function() return tf.constant({255}, tf.uint8) end, [==[tf.Tensor([255], shape=(1,), dtype=uint8)]==]},
  {function() return tf.constant({math.mininteger}, tf.uint64) end, [==[tf.Tensor([9223372036854775808], shape=(1,), dtype=uint64)]==]},
  {function() return tf.constant({-1, 10, 200}, tf.int64) end, [==[tf.Tensor([ -1  10 200], shape=(3,), dtype=int64)]==]},
  {function() return tf.Variable(3.0) end, [==[<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=3.0>]==]},
  {function() return tf.Variable({{1.0, 2.0}, {3.0, 4.0}}, {name = "w"}) end, [==[<tf.Variable 'w:0' shape=(2, 2) dtype=float32, numpy=
array([[1., 2.],
       [3., 4.]], dtype=float32)>]==]},
  {function() return tf.Variable{1, 2} end, [==[<tf.Variable 'Variable:0' shape=(2,) dtype=int32, numpy=array([1, 2], dtype=int32)>]==]},
  {function() return tf.Variable("a") end, [==[<tf.Variable 'Variable:0' shape=() dtype=string, numpy=b'a'>]==]},
  {function() return tf.Variable(true) end, [==[<tf.Variable 'Variable:0' shape=() dtype=bool, numpy=True>]==]},
  {function() return tf.constant{3.14159274e+00, 2.71828175e+00} end, [==[tf.Tensor([3.1415927 2.7182817], shape=(2,), dtype=float32)]==]},
  {function() return tf.constant{1e38, 1e-38} end, [==[tf.Tensor([1.e+38 1.e-38], shape=(2,), dtype=float32)]==]},
  {function() return tf.constant{12345678.0, 0.5} end, [==[tf.Tensor([1.2345678e+07 5.0000000e-01], shape=(2,), dtype=float32)]==]},
  {function() return tf.constant{0.12345678, 123.456} end, [==[tf.Tensor([  0.12345678 123.456     ], shape=(2,), dtype=float32)]==]},
  {function() return tf.constant{1.23456789e-5, 5.0} end, [==[tf.Tensor([1.2345679e-05 5.0000000e+00], shape=(2,), dtype=float32)]==]},
  {function() return tf.constant{{("x"):rep(60), ("y"):rep(60)}} end, [==[tf.Tensor(
[[b'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'
  b'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy']], shape=(1, 2), dtype=string)]==]},
  {function() return tf.constant({5e-324}, tf.float64) end, [==[tf.Tensor([5.e-324], shape=(1,), dtype=float64)]==]},
  {function() return tf.constant({0.3, 0.1 + 0.2}, tf.float64) end, [==[tf.Tensor([0.3 0.3], shape=(2,), dtype=float64)]==]},
  {function() return tf.Variable{} end, [==[<tf.Variable 'Variable:0' shape=(0,) dtype=float32, numpy=array([], dtype=float32)>]==]},
  {function() return tf.Variable(tf.zeros{2000}) end, [==[<tf.Variable 'Variable:0' shape=(2000,) dtype=float32, numpy=array([0., 0., 0., ..., 0., 0., 0.], shape=(2000,), dtype=float32)>]==]},
  {function() return tf.Variable{"a", "b"} end, [==[<tf.Variable 'Variable:0' shape=(2,) dtype=string, numpy=array([b'a', b'b'], dtype=object)>]==]},
  {function() return tf.Variable({1.5}, {dtype = tf.float64}) end, [==[<tf.Variable 'Variable:0' shape=(1,) dtype=float64, numpy=array([1.5])>]==]},
  {function() return tf.Variable(1.5, {dtype = tf.bfloat16}) end, [==[<tf.Variable 'Variable:0' shape=() dtype=bfloat16, numpy=1.5>]==]},
  {function() return tf.Variable{true} end, [==[<tf.Variable 'Variable:0' shape=(1,) dtype=bool, numpy=array([ True])>]==]},
  {function() return tf.Variable({1}, {dtype = tf.int64}) end, [==[<tf.Variable 'Variable:0' shape=(1,) dtype=int64, numpy=array([1])>]==]},
  {function() return tf.Variable({1.5}, {dtype = tf.float16}) end, [==[<tf.Variable 'Variable:0' shape=(1,) dtype=float16, numpy=array([1.5], dtype=float16)>]==]},
}

describe("printing", function()
  for i, case in ipairs(cases) do
    it(("case %d: %s"):format(i, case[2]:gsub("%s+", " "):sub(1, 60)), function()
      assert.are.equal(case[2], tostring(case[1]()))
    end)
  end

  it("shows the repr of a tensor as Python's session does", function()
    assert.are.equal("<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1.5, 2. ], dtype=float32)>", tf.constant{1.5, 2.0}:repr())
    assert.are.equal("<tf.Tensor: shape=(), dtype=int32, numpy=1>", tf.constant(1):repr())
    assert.are.equal("<tf.Tensor: shape=(), dtype=string, numpy=b'a'>", tf.constant("a"):repr())
  end)
end)

-- What tf.print writes, from TensorFlow.
describe("tf.print", function()
  local function printed(...)
    local path = os.tmpname()
    local file = io.open(path, "w")
    local values = {...}
    local options = values[#values]
    if getmetatable(options) == require "moonflow.core".args.kw_meta then
      values[#values] = nil
    else
      options = tf.kw{}
    end
    options.output_stream = file
    values[#values + 1] = options
    tf.print(table.unpack(values))
    file:close()
    local written = io.open(path):read("a")
    os.remove(path)
    return written
  end

  local c = tf.constant
  it("writes numbers with as few digits as identify them", function()
    assert.are.equal("[0.1 0.333333343 1e+10 ... 1 1e+08 1234567]\n",
      printed(c{0.1, 1/3, 1e10, 1e-5, 123456.789, 1.0, 100000000.0, 1234567.0}))
    assert.are.equal("[0.1 0.33333333333333331 10000000000 1e-05 123456.789 1]\n",
      printed(c({0.1, 1/3, 1e10, 1e-5, 123456.789, 1.0}, tf.float64), tf.kw{summarize = -1}))
    assert.are.equal("[nan inf -0]\n", printed(c{0/0, 1/0, -0.0}))
    assert.are.equal("[1.5 2.25] [1.5]\n", printed(c({1.5, 2.25}, tf.float16), c({1.5}, tf.bfloat16)))
  end)

  it("writes words, structures and axes as TensorFlow does", function()
    assert.are.equal('5 [1 0] "a" ["a" "b"] text 3.5 7 True None\n', printed(c(5), c{true, false}, c"a", c{"a", "b"}, "text", 3.5, 7,
      true, tf.None))
    assert.are.equal("[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]\n", printed(tf.reshape(tf.range(8), {2, 2, 2})))
    assert.are.equal("[1, [2 3]] {'a': 'x', 'b': 1}\n", printed({c(1), c{2, 3}}, {b = c(1), a = "x"}))
    assert.are.equal("a-b!\n", printed("a", "b", tf.kw{sep = "-", ["end"] = "!\n"}))
    assert.are.equal("[1 2]\n", printed(tf.Variable{1.0, 2.0}))
  end)

  it("serves tf.strings.format", function()
    assert.are.equal('x=[1 2] y="s"', tf.strings.format("x={} y={}", {c{1, 2}, c"s"}):item())
    assert.is_false(pcall(tf.strings.format, "x={}", {c(1), c(2)}))
  end)
end)
