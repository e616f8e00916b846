--- More memory than there is: a batch, an op, a process under a limit. An error with a code, and the session goes on.

local tf = require "moonflow"
local core = require "moonflow.core"
local process = require "process"

local moonflow = process.program()

local function refused(code, f, ...)
  local ok, err = pcall(f, ...)
  assert.is_false(ok)
  assert.are.equal(code, err.code, err.message)
  return err.message
end

--- Runs f with room for `bytes` more than is in use now.
local function with_room(bytes, f)
  collectgarbage()
  collectgarbage()
  local before = core.machine.memory("CPU", 0)
  core.machine.set_memory_limit("CPU", 0, before.current + bytes)
  local ok, err = pcall(f)
  core.machine.set_memory_limit("CPU", 0, before.limit)
  assert(ok, type(err) == "table" and err.message or err)
end

describe("a batch larger than memory", function()
  local x, y = tf.random.normal({4096, 64}), tf.random.normal({4096, 1})

  local function made()
    local model = tf.keras.Sequential{tf.keras.Input{shape = {64}}, tf.keras.layers.Dense(512, {activation = "relu"}),
      tf.keras.layers.Dense(1)}
    model:compile{optimizer = "adam", loss = "mse"}
    model:fit(x, y, {batch_size = 16, epochs = 1, verbose = 0})
    return model
  end

  it("ends fit with an error, leaves the weights, and a smaller one trains on", function()
    local model = made()
    local before = {}
    for i, w in ipairs(model.weights) do before[i] = w:value():totable() end
    with_room(6 * 2^20, function()
      local message = refused("RESOURCE_EXHAUSTED", model.fit, model, x, y, {batch_size = 4096, verbose = 0})
      assert.matches("bytes requested", message)
      for i, w in ipairs(model.weights) do assert.are.same(before[i], w:value():totable()) end
      local history = model:fit(x, y, {batch_size = 64, epochs = 2, verbose = 0})
      assert.is_true(history.history.loss[2] < history.history.loss[1] * 1.01)
    end)
  end)

  it("ends predict, evaluate and a tape with an error", function()
    local model = made()
    with_room(6 * 2^20, function()
      refused("RESOURCE_EXHAUSTED", model.predict, model, x, {batch_size = 4096, verbose = 0})
      refused("RESOURCE_EXHAUSTED", model.evaluate, model, x, y, {batch_size = 4096, verbose = 0})
      refused("RESOURCE_EXHAUSTED", function()
        local tape <close> = tf.GradientTape()
        local loss = tf.reduce_mean(model(x))
        return tape:gradient(loss, model.trainable_variables)
      end)
      assert.are.same({4096, 1}, model:predict(x, {verbose = 0}).shape:as_list())
    end)
  end)
end)

describe("shapes that no memory holds", function()
  it("are errors at once", function()
    refused("RESOURCE_EXHAUSTED", tf.zeros, {2^20 // 1, 2^20 // 1})
    refused("RESOURCE_EXHAUSTED", tf.random.normal, {2^20 // 1, 2^20 // 1})
    refused("RESOURCE_EXHAUSTED", tf.matmul, tf.zeros{2^21 // 1, 1}, tf.zeros{1, 2^21 // 1})
    refused("RESOURCE_EXHAUSTED", tf.tile, tf.zeros{2^20 // 1}, {2^22 // 1})
    refused("RESOURCE_EXHAUSTED", tf.range, 0, 2^45 // 1)
    refused("RESOURCE_EXHAUSTED", tf.one_hot, tf.zeros({2^20 // 1}, "int32"), 2^24 // 1)
    refused("RESOURCE_EXHAUSTED", tf.image.resize, tf.zeros{1, 2, 2, 3}, {2^20 // 1, 2^20 // 1})
    refused("RESOURCE_EXHAUSTED", tf.pad, tf.zeros{1}, {{0, 2^45 // 1}})
    assert.are.equal(3, tf.add(1, 2):item())
  end)

  it("or no number counts, are errors, too", function()
    refused("INVALID_ARGUMENT", tf.zeros, {-1})
    refused("INVALID_ARGUMENT", tf.zeros, {2, -3})
    refused("INVALID_ARGUMENT", tf.zeros, {math.maxinteger, 4})
    refused("INVALID_ARGUMENT", tf.zeros, {2^31 // 1, 2^31 // 1, 2^31 // 1})
    refused("INVALID_ARGUMENT", tf.fill, {-1, 4}, 1.0)
    refused("INVALID_ARGUMENT", tf.reshape, tf.zeros{4}, {math.maxinteger, math.maxinteger})
    refused("INVALID_ARGUMENT", tf.broadcast_to, tf.zeros{1}, {math.maxinteger, math.maxinteger})
    assert.are.equal(3, tf.add(1, 2):item())
  end)
end)

describe("a process under a limit of the system", function()
  if not moonflow then
    pending("needs the moonflow program, not a stock Lua")
    return
  end

  it("gets errors, collects what is not used, and goes on", function()
    if process.reserves_addresses() then
      pending("the sanitizer of this build reserves more addresses than the limit allows")
    end
    local script = os.tmpname()
    process.write(script, [[
        local tf = require "moonflow"
        local kept = {}
        local ok, err = pcall(function() for i = 1, 100000 do kept[i] = tf.ones{1024, 1024} end end)
        print(ok, err.code, #kept > 50)
        kept = nil
        for i = 1, 2000 do local t = tf.ones{1024, 1024} + 1.0 end
        print(tf.reduce_sum(tf.ones{1024, 1024}):item())
      ]])
    assert.are.equal("false\tRESOURCE_EXHAUSTED\ttrue\n1048576.0\n",
      process.output(("ulimit -v 1000000; OMP_NUM_THREADS=1 '%s' '%s'"):format(moonflow, script)))
    os.remove(script)
  end)
end)
