--- The same bits with 1, 2, 3 and 8 threads, for every op of the table with its gradient, on the golden cases and on larger ones made
-- of them. Work is cut into far smaller pieces than usual, so that these are cut at all. (Big calls of the kernels that cut by hand:
-- tests/c/test_kernels_bits.c; a whole fit: keras_fit_test.lua.)

local core = require "moonflow.core"
local tf = require "moonflow"
local golden = require "golden_data"
local harness = require "op_harness"

local only = os.getenv("MF_OP")
local THREADS = {1, 2, 3, 8}
local LEAST = 3000 -- elements of an enlarged input

local function append(list, value)
  if type(value) == "table" then
    for i = 1, #value do append(list, value[i]) end
  elseif type(value) == "number" then
    list[#list + 1] = math.type(value) == "integer" and string.pack("<i8", value) or string.pack("<d", value)
  else
    list[#list + 1] = tostring(value)
  end
end

local function bits(tensors)
  local list = {}
  for _, t in ipairs(tensors) do
    list[#list + 1] = t.dtype.name .. tostring(t.shape)
    append(list, t:totable())
  end
  return table.concat(list, "|")
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
    if ok then return change, results end
  end
end

local function compare(op, case, change, want)
  for i = 2, #THREADS do
    core.machine.set_threads(THREADS[i])
    local got = bits(harness.results(op, case, change))
    core.machine.set_threads(THREADS[1])
    assert(got == want, ("%s, case %s: other bits with %d threads than with 1"):format(op, case.name, THREADS[i]))
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
          if not case.error then ok, results = pcall(harness.results, op, case) end
          if ok then
            ran = ran + 1
            compare(op, case, nil, bits(results))
            if larger < 3 then
              local change, more = larger_results(op, case)
              if change then
                larger = larger + 1
                compare(op, case, change, bits(more))
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
