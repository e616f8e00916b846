--- tf.data: the elements of pipelines judged by TensorFlow (tests/golden/datasets.json), everything else by hand.

local tf = require "moonflow"

local golden = require "golden_data"

local Dataset = tf.data.Dataset

-- What map calls in golden pipelines; scripts/golden.d/datasets.py has the same.
local functions = {
  square = function(x) return x * x + 1 end,
  halve = function(x) return tf.cast(x, "float32") / 2.0 end,
  swap = function(x, y) return y, x end,
  grow = function(x) return x, tf.fill({3}, x) end,
}

local function pipeline(row)
  local dataset
  if row.range then
    dataset = Dataset.range(table.unpack(row.range))
  else
    local arrays = {}
    for i, array in ipairs(row.slices) do arrays[i] = golden.tensor(array) end
    dataset = Dataset.from_tensor_slices(table.unpack(arrays))
  end
  for _, step in ipairs(row.steps) do
    local arguments = {}
    for name, value in next, step.arguments do arguments[name] = name == "map_func" and functions[value] or value end
    local method = step.method == "repeat" and "repeat_" or step.method
    dataset = dataset[method](dataset, tf.kw(arguments))
  end
  return dataset
end

local function collect(ds)
  local list = {}
  for x in ds:iter() do list[#list + 1] = x:totable() end
  return list
end

local function refused(code, f, ...)
  local ok, err = pcall(f, ...)
  assert.is_false(ok)
  assert.are.equal(code, err.code)
  return err.message
end

describe("tf.data", function()
  it("slices tensors, tuples and dicts", function()
    assert.are.same({1, 2, 3}, collect(Dataset.from_tensor_slices{1, 2, 3}))
    local pairs_seen = {}
    for x, y in Dataset.from_tensor_slices({1.0, 2.0}, {{1, 2}, {3, 4}}):iter() do
      pairs_seen[#pairs_seen + 1] = {x:item(), y:totable()}
    end
    assert.are.same({{1.0, {1, 2}}, {2.0, {3, 4}}}, pairs_seen)
    for e in Dataset.from_tensor_slices({a = {1}, b = {"x"}}):iter() do
      assert.are.equal(1, e.a:item())
      assert.are.equal("x", e.b:item())
    end
    assert.matches("component 1 has 3 rows", refused("INVALID_ARGUMENT", Dataset.from_tensor_slices, {1, 2}, {1, 2, 3}))
    refused("INVALID_ARGUMENT", Dataset.from_tensor_slices, 1)
  end)

  for _, row in ipairs(golden.read("tests/golden/datasets.json").pipelines) do
    it("gives TensorFlow's elements: " .. row.name, function()
      if row.seed ~= tf.None then tf.random.set_seed(row.seed) end
      local dataset = pipeline(row)
      golden.judged()
      assert.are.equal(row.cardinality, dataset:cardinality())
      for _, pass in ipairs(row.passes) do
        local at = 0
        for a, b in dataset:iter() do
          at = at + 1
          assert(pass[at], "more elements than TensorFlow's " .. #pass)
          for i, got in ipairs{a, b} do
            local wrong = golden.difference(got, pass[at][i])
            assert(not wrong, ("element %d, component %d: %s"):format(at, i, tostring(wrong)))
          end
          assert.are.equal(#pass[at], b == nil and 1 or 2)
        end
        assert.are.equal(#pass, at)
      end
    end)
  end

  it("keeps one order without reshuffling", function()
    tf.random.set_seed(1)
    local ds = Dataset.range(50):shuffle(10, {seed = 3, reshuffle_each_iteration = false})
    assert.are.same(collect(ds), collect(ds))
    local again = Dataset.range(50):shuffle(10, {seed = 3})
    assert.are_not.same(collect(again), collect(again))
    refused("INVALID_ARGUMENT", function() return Dataset.range(3):shuffle(0) end)
  end)

  it("batches, with short and dropped last batches", function()
    assert.are.same({{0, 1, 2}, {3, 4}}, collect(Dataset.range(5):batch(3)))
    assert.are.same({{0, 1, 2}}, collect(Dataset.range(5):batch(3, {drop_remainder = true})))
    assert.are.same({{"a", "bc"}, {""}}, collect(Dataset.from_tensor_slices{"a", "bc", ""}:batch(2)))
    assert.are.same({}, collect(Dataset.range(0):batch(2)))
    refused("INVALID_ARGUMENT", function() return Dataset.range(3):batch(0) end)
    local ragged = Dataset.range(1, 4):map(function(n) return tf.range(n) end):batch(2)
    assert.matches("different shapes in component 0", refused("INVALID_ARGUMENT", collect, ragged))
  end)

  it("repeats, takes, skips, zips and counts", function()
    assert.are.same({0, 1, 0, 1}, collect(Dataset.range(2):repeat_(2)))
    assert.are.same({0, 1, 0, 1, 0}, collect(Dataset.range(2):repeat_():take(5)))
    assert.are.same({3, 4}, collect(Dataset.range(5):skip(3)))
    assert.are.same({}, collect(Dataset.range(5):skip(9)))
    assert.are.same({}, collect(Dataset.range(0):repeat_()))
    local rows = {}
    for a, b in Dataset.zip(Dataset.range(3), Dataset.range(10, 20)):iter() do rows[#rows + 1] = {a:item(), b:item()} end
    assert.are.same({{0, 10}, {1, 11}, {2, 12}}, rows)
    assert.are.equal(7, #Dataset.range(20):batch(3))
    assert.are.equal(-1, Dataset.range(3):repeat_():cardinality())
    refused("FAILED_PRECONDITION", function() return #Dataset.range(3):repeat_() end)
  end)

  it("maps in order, with any number of workers", function()
    local function f(x) return x * x + 1 end
    local want = collect(Dataset.range(200):map(f))
    assert.are.equal(199 * 199 + 1, want[200])
    for _, calls in ipairs{2, 3, 8, tf.data.AUTOTUNE} do
      assert.are.same(want, collect(Dataset.range(200):map(f, {num_parallel_calls = calls}):prefetch(4)))
    end
    assert.are.same({{2.0, 4.0}}, collect(Dataset.from_tensor_slices({1.0, 2.0}, {1, 2}):map(function(x) return x * 2 end):batch(2)))
  end)

  it("draws the same random numbers whatever the number of workers", function()
    local function noisy(calls)
      tf.random.set_seed(5)
      return collect(Dataset.range(20):map(function() return tf.random.uniform{2} end, {num_parallel_calls = calls}))
    end
    local one = noisy(nil)
    assert.are.same(one, noisy(4))
    assert.are_not.same(one[1], one[2])
  end)

  it("says which element failed, and goes on behind it", function()
    local ds = Dataset.from_tensor_slices{4, 0, 2}:map(function(x) return tf.math.floordiv(8, x) end)
    local message = refused("INVALID_ARGUMENT", collect, ds)
    assert.matches("element 1", message)
    assert.matches("data_test.lua", message)
  end)

  it("cannot be left in the middle of a trace", function()
    local leave = coroutine.wrap(function()
      return Dataset.range(3):map(function(x)
        coroutine.yield()
        return x
      end)
    end)
    local ok, message = pcall(leave)
    assert.is_false(ok)
    assert.matches("yield", tostring(message))
    assert.are.equal(2.0, (tf.constant(1.0) + 1):item())
  end)

  it("tells what is returned or walked over in the wrong way", function()
    assert.matches("value 2 of 2 that the function returned is nil", refused("INVALID_ARGUMENT", function()
      return Dataset.range(3):map(function(x) return x, nil end)
    end))
    assert.matches("for x, y in dataset:iter", refused("INVALID_ARGUMENT", function()
      for _ in Dataset.range(3) do error("not reached") end
    end))
    assert.are.equal(3, #collect(Dataset.range(3):prefetch(1 << 40)))
  end)

  it("ends its workers when the loop is left", function()
    local function threads()
      local count = 0
      for _ in io.popen("ls /proc/self/task"):lines() do count = count + 1 end
      for line in io.lines("/proc/self/status") do
        local n = line:match("^Threads:%s+(%d+)")
        if n then return tonumber(n) end
      end
      return count
    end
    local before = threads()
    for _ = 1, 20 do
      for x in Dataset.range(1000000):map(function(v) return v + 1 end, {num_parallel_calls = 3}):prefetch(8):iter() do
        if x:item() == 5 then break end
      end
    end
    assert.are.equal(before, threads())
  end)

  it("reads a folder of images", function()
    local ds = Dataset.list_files("tests/golden/png/gray*.png", {shuffle = false})
      :map(function(path) return tf.io.decode_png(tf.io.read_file(path), {channels = 3}), path end)
    local count = 0
    for image, path in ds:iter() do
      assert.are.equal(3, image.shape[3])
      assert.matches("%.png$", path:item())
      count = count + 1
    end
    assert.is_true(count >= 5)
    refused("INVALID_ARGUMENT", Dataset.list_files, "tests/golden/png/none*.png")
  end)
end)
