--- The same bits with 1, 2, 3 and 8 threads, for every op of the table with its gradient, on the golden cases and on larger ones made
-- of them. Work is cut into far smaller pieces than usual, so that these are cut at all. (Big calls of the kernels that cut by hand:
-- tests/c/test_kernels_bits.c; a whole fit: keras_fit_test.lua.)

local core = require "moonflow.core"
local tf = require "moonflow"
local golden = require "golden_data"
local harness = require "op_harness"

local only = os.getenv("MF_OP")
local THREADS = {1, 2, 3, 8}
local LEAST = 2000 -- elements of an enlarged input
local MOST = 200000 -- of a result that is compared
local SLOW = 0.01 -- seconds of processor time that a case may take to be enlarged

local COMPARED_BY_OPS = {float32 = true, float64 = true, int32 = true, int64 = true, bool = true}

--- All equal: numbers with their sign (-0.0 is not 0.0), and NaN where the other is NaN.
local function same_bits(a, b)
  if a.dtype ~= b.dtype or tostring(a.shape) ~= tostring(b.shape) then return false end
  if a.dtype.size == 2 and a.dtype.is_floating then a, b = tf.cast(a, "float32"), tf.cast(b, "float32") end
  if not COMPARED_BY_OPS[a.dtype.name] then return pcall(assert.are.same, a:totable(), b:totable()) end
  local equal = tf.equal(a, b)
  if a.dtype.is_floating then
    equal = tf.logical_and(equal, tf.equal(1.0 / a, 1.0 / b))
    equal = tf.logical_or(equal, tf.logical_and(tf.not_equal(a, a), tf.not_equal(b, b)))
  end
  return tf.reduce_all(equal):item()
end

--- Inputs repeated along an axis (0 or the last), all of them or the first only.
local function enlarged(axis_of, first_only)
  return function(flat)
    local list = {}
    for i, t in ipairs(flat) do
      local rank = t.shape.rank
      list[i] = t
      if rank > 0 and t.shape:num_elements() > 0 and (i == 1 or not first_only) then
        local times, multiples = math.max(1, math.ceil(LEAST / flat[1].shape:num_elements())), {}
        for k = 1, rank do multiples[k] = 1 end
        multiples[axis_of(rank)] = math.min(times, 1024)
        list[i] = tf.tile(t, multiples)
      end
    end
    return list
  end
end

local function first(_) return 1 end
local function last(rank) return rank end

local enlargers = {enlarged(first), enlarged(last), enlarged(first, true), enlarged(last, true)}

--- The first change of the inputs that the op takes, and its results; nil when it takes none.
local function larger_results(op, case)
  for _, change in ipairs(enlargers) do
    local ok, results = pcall(harness.results, op, case, change)
    if ok then
      local elements = 0
      for _, t in ipairs(results) do elements = elements + t.shape:num_elements() end
      if elements <= MOST then return change, results end
    end
  end
end

local function compare(op, case, change, want)
  for i = 2, #THREADS do
    core.machine.set_threads(THREADS[i])
    local got = harness.results(op, case, change)
    core.machine.set_threads(THREADS[1])
    for k = 1, #want do
      assert(same_bits(got[k], want[k]), ("%s, case %s, result %d: other bits with %d threads than with 1"):format(op, case.name, k,
        THREADS[i]))
    end
  end
end

local enlarged_ops, all_ops = 0, 0

describe("the same bits with 1, 2, 3 and 8 threads:", function()
  setup(function()
    core.machine.set_piece_ns(100)
    core.machine.set_threads(1)
  end)
  teardown(function()
    core.machine.set_piece_ns(0)
    core.machine.set_threads(0)
  end)

  for _, op in ipairs(core.op.names()) do
    local file = (not only or only == op) and io.open("tests/golden/ops/" .. op .. ".json")
    if file then
      file:close()
      it(op, function()
        local larger, ran = 0, 0
        for _, case in ipairs(golden.read("tests/golden/ops/" .. op .. ".json").cases) do
          local ok, results
          local begin = os.clock()
          if not case.error then ok, results = pcall(harness.results, op, case) end
          local seconds = os.clock() - begin
          if ok then
            ran = ran + 1
            compare(op, case, nil, results)
            if larger < 3 and seconds < SLOW then
              local change, more = larger_results(op, case)
              if change then
                larger = larger + 1
                compare(op, case, change, more)
              end
            end
          end
        end
        assert(ran > 0 or op == "Conj", "no case ran")
        all_ops = all_ops + 1
        if larger > 0 then enlarged_ops = enlarged_ops + 1 end
      end)
    end
  end

  if not only then
    it("most ops took larger inputs", function()
      assert(all_ops > 200 and enlarged_ops > 0.8 * all_ops, ("%d of %d"):format(enlarged_ops, all_ops))
    end)
  end
end)
