--- Senseless calls of every public function and op: each either returns or raises an error object; nothing else, and no crash.

local api = require "moonflow.api"
local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local tf = require "moonflow"

-- What changes the process beyond the call, or writes files.
local left_out = {
  "set_seed", "tf.config", "tf.print", "write_file", "tf.device", "name_scope", "control_dependencies", "init_scope", "WriteFile",
  "PrintV2", "raw.Mf", "matching_files",
}

local function is_left_out(name)
  for _, part in ipairs(left_out) do
    if name:find(part, 1, true) then return true end
  end
  return false
end

local function functions()
  local list = {}
  for _, name in ipairs(api.names()) do
    local f = not is_left_out(name) and api.find(name)
    if type(f) == "function" then list[#list + 1] = {name, f} end
  end
  for _, name in ipairs(core.op.names()) do
    local f = not is_left_out("raw." .. name) and tf.raw_ops[name]
    if f then list[#list + 1] = {"raw." .. name, f} end
  end
  return list
end

local function values()
  return {
    n = 54, nil, 1, -1, 0, 2.5, 0/0, 1/0, math.maxinteger, math.mininteger, "x", "", "int32", true, false, {}, {1}, {1.5, 2}, {{1, 2}, {3, 4}},
    {"a"}, {-1}, {0}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, tf.None, tf.constant(1), tf.constant(2.0), tf.constant{1, 2, 3},
    tf.constant{{1.0, 2.0}, {3.0, 4.0}}, tf.ones{2, 3, 4}, tf.ones{1, 4, 4, 3}, tf.zeros{0}, tf.zeros{2, 0}, tf.constant"s",
    tf.constant{"a", "b"}, tf.constant{true, false}, tf.constant({1, 2}, "int64"), tf.constant({1}, "uint8"),
    tf.constant({1.5}, "float16"), tf.constant({1.0, 2.0}, "float64"), tf.Variable{1.0, 2.0}, tf.float32, tf.TensorShape{2, 2},
    tf.TensorShape(), print, {a = 1}, {tf.ones{2}, tf.ones{2}}, {tf.constant(1)}, tf.constant(-1), tf.constant{-1, 5}, 1e30, 3, 4, {2, 2},
    {1, 1, 1, 1}, "SAME",
  }
end

describe("senseless calls", function()
  it("raise error objects and nothing else", function()
    local list, pool, wrong = functions(), values(), {}
    local limit = core.machine.memory("CPU", 0).limit
    core.machine.set_memory_limit("CPU", 0, core.machine.memory("CPU", 0).current + 256 * 2^20)
    local state = 20261130
    local function random(n) -- a small generator of its own: the same calls on every machine
      state = (state * 1103515245 + 12345) % 2147483648
      return state // 65536 % n + 1
    end
    for _ = 1, 20000 do
      local item, n, arguments = list[random(#list)], random(6) - 1, {}
      for k = 1, n do arguments[k] = pool[random(pool.n)] end
      local ok, err = pcall(item[2], table.unpack(arguments, 1, n))
      if not ok and not errors.is(err) then wrong[#wrong + 1] = item[1] .. ": " .. tostring(err) end
    end
    core.machine.set_memory_limit("CPU", 0, limit)
    assert(#wrong == 0, table.concat(wrong, "\n"))
  end)
end)
