--- tf.GradientTape, tf.custom_gradient, tf.IndexedSlices: values from TensorFlow or by hand.

local errors = require "moonflow.base.errors"
local tf = require "moonflow"

local None = tf.None

local function refused(code, text, f, ...)
  local ok, err = pcall(f, ...)
  assert.is_false(ok)
  assert(errors.is(err), "not an error object: " .. tostring(err))
  assert.are.equal(code, err.code)
  assert(err.message:find(text, 1, true), ("expected '%s' in: %s"):format(text, err.message))
end

local function near(expected, t, tolerance)
  local got = type(t) == "table" and t or t:totable()
  local function step(a, b)
    if type(a) == "table" then
      assert.are.equal(#a, #b)
      for i = 1, #a do step(a[i], b[i]) end
    else
      assert(math.abs(a - b) <= (tolerance or 1e-5) * (1 + math.abs(a)), ("expected %s, received %s"):format(a, b))
    end
  end
  step(expected, got)
end

describe("GradientTape", function()
  it("differentiates by variables and watched tensors", function()
    local x, c = tf.Variable(3.0), tf.constant{1.0, 2.0}
    local dx, dc
    do local tape <close> = tf.GradientTape{persistent = true}
      tape:watch(c)
      local y = x^2 + 2*x + 1
      local z = tf.reduce_sum(c * c * x)
      dx, dc = tape:gradient(y, x), tape:gradient(z, {c, x})
    end
    near(8.0, dx)
    near({6.0, 12.0}, dc[1])
    near(5.0, dc[2])
  end)

  it("keeps the structure of the sources", function()
    local a, b = tf.Variable(2.0), tf.Variable(5.0)
    local tape = tf.GradientTape()
    local y = a * b
    local g = tape:gradient(y, {first = a, rest = {b}})
    near(5.0, g.first)
    near(2.0, g.rest[1])
  end)

  it("sums targets and weighs them with output_gradients", function()
    local x = tf.Variable{1.0, 2.0}
    local tape = tf.GradientTape{persistent = true}
    local y, z = x * 3, x * x
    near({5.0, 7.0}, tape:gradient({y, z}, x))
    near({36.0, 6.0 + 40.0}, tape:gradient({y, z}, x, {output_gradients = {tf.constant{10.0, 2.0}, {3.0, 10.0}}}))
    tape:close()
  end)

  it("says which sources are unconnected", function()
    local x, other = tf.Variable(1.0), tf.Variable{2.0, 3.0}
    local tape = tf.GradientTape{persistent = true}
    local y = x * 2
    assert.is_nil(tape:gradient(y, other))
    assert.are.equal(None, tape:gradient(y, {x, other})[2])
    near({0.0, 0.0}, tape:gradient(y, other, {unconnected_gradients = "zero"}))
    refused("INVALID_ARGUMENT", "'none' or 'zero'", tape.gradient, tape, y, other, {unconnected_gradients = "maybe"})
    tape:close()
  end)

  it("serves once unless it is persistent", function()
    local x = tf.Variable(1.0)
    local tape = tf.GradientTape()
    local y = x * 2
    near(2.0, tape:gradient(y, x))
    refused("FAILED_PRECONDITION", "non-persistent", tape.gradient, tape, y, x)
    tape:reset()
  end)

  it("can be asked after its block", function()
    local x = tf.Variable(3.0)
    local tape = tf.GradientTape{persistent = true}
    local y
    do local _ <close> = tape
      y = x * x
    end
    local unseen = x * 100
    near(6.0, tape:gradient(y, x))
    assert.is_nil(tape:gradient(unseen, x))
  end)

  it("pauses, resets, and watches nothing by itself when told so", function()
    local x = tf.Variable(3.0)
    local tape = tf.GradientTape{persistent = true}
    local y = x * x
    local z
    do local _ <close> = tape:stop_recording()
      z = y * x
    end
    assert.is_nil(tape:gradient(z, x))
    near(6.0, tape:gradient(y, x))
    assert.are.equal(1, #tape:watched_variables())
    assert.is_true(rawequal(x, tape:watched_variables()[1]))
    tape:reset()
    assert.are.equal(0, #tape:watched_variables())
    assert.is_nil(tape:gradient(y, x))
    tape:close()
    refused("FAILED_PRECONDITION", "not recording", tape.stop_recording, tape)

    local blind = tf.GradientTape{watch_accessed_variables = false}
    local w = x * 2
    assert.is_nil(blind:gradient(w, x))
    local fixed = tf.Variable(1.0, {trainable = false})
    local other = tf.GradientTape()
    assert.is_nil(other:gradient(fixed * 2, fixed))
  end)

  it("nests for higher orders", function()
    local x = tf.Variable(2.0)
    local outer = tf.GradientTape()
    local inner = tf.GradientTape()
    local y = x^3
    local dy = inner:gradient(y, x)
    near(12.0, dy)
    near(12.0, outer:gradient(dy, x))
    -- third order through a persistent tape
    local tape = tf.GradientTape{persistent = true}
    local d1 = tape:gradient(x^4, x)
    local d2 = tape:gradient(d1, x)
    local d3 = tape:gradient(d2, x)
    tape:close()
    near(32.0, d1)
    near(48.0, d2)
    near(48.0, d3)
  end)

  it("does not see other coroutines", function()
    local x = tf.Variable(1.0)
    local tape = tf.GradientTape()
    local inside
    coroutine.wrap(function() inside = x * 2 end)()
    assert.is_nil(tape:gradient(inside, x))
  end)

  it("computes jacobians", function()
    local x = tf.Variable{1.0, 2.0}
    local m = tf.constant{{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}
    local tape = tf.GradientTape{persistent = true}
    local y = tf.linalg.matvec(m, x * x)
    near({{2.0, 8.0}, {6.0, 16.0}, {10.0, 24.0}}, tape:jacobian(y, x))
    assert.is_nil(tape:jacobian(y, tf.Variable(1.0)))
    tape:close()
    local once = tf.GradientTape()
    near({{2.0, 0.0}, {0.0, 4.0}}, once:jacobian(x * x, x))
    refused("FAILED_PRECONDITION", "non-persistent", once.gradient, once, m, x)
  end)

  it("computes batch jacobians", function()
    local x = tf.constant{{1.0, 2.0}, {3.0, 4.0}}
    local tape = tf.GradientTape()
    tape:watch(x)
    local y = x * x
    near({{{2.0, 0.0}, {0.0, 4.0}}, {{6.0, 0.0}, {0.0, 8.0}}}, tape:batch_jacobian(y, x))
    local other = tf.GradientTape()
    other:watch(x)
    refused("INVALID_ARGUMENT", "first dimension", other.batch_jacobian, other, tf.ones{3, 2}, x)
  end)

  it("refuses output_gradients that do not fit", function()
    local v = tf.Variable{1.0, 2.0, 3.0}
    local tape = tf.GradientTape{persistent = true}
    local y = v * v
    local total = tf.reduce_sum(y)
    tape:close()
    refused("INVALID_ARGUMENT", "item 0 has the shape [3], its target []", tape.gradient, tape, total, v, {output_gradients = tf.ones{3}})
    refused("INVALID_ARGUMENT", "item 0 has the shape [2], its target [3]", tape.gradient, tape, y, v, {output_gradients = tf.ones{2}})
    near({2, 4, 6}, tape:gradient(y, v, {output_gradients = tf.ones{}}))
  end)

  it("that nobody knows any more do not pile up", function()
    local v = tf.Variable(3.0)
    local before = tf.config.experimental.get_memory_info("CPU:0").current
    for _ = 1, 5000 do
      local _ = tf.GradientTape()
      local _ = v * v
    end
    local grown = tf.config.experimental.get_memory_info("CPU:0").current - before
    assert(grown < 2 ^ 20, grown .. " bytes")
    local tape = tf.GradientTape()
    near(6.0, tape:gradient(v * v, v))
  end)

  it("refuses what is no tensor", function()
    local tape = tf.GradientTape{persistent = true}
    refused("INVALID_ARGUMENT", "expected tensors or variables", tape.gradient, tape, tf.constant(1.0), {"x"})
    refused("INVALID_ARGUMENT", "expected tensors or variables", tape.watch, tape, "x")
    refused("INVALID_ARGUMENT", "unknown argument", tf.GradientTape, {persistant = true})
    tape:close()
  end)
end)

describe("IndexedSlices", function()
  it("are the gradient of gathered rows", function()
    local v = tf.Variable{{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}
    local tape = tf.GradientTape()
    local y = tf.reduce_sum(tf.gather(v, {0, 2, 0}) * tf.constant{{1.0}, {10.0}, {100.0}})
    local g = tape:gradient(y, v)
    assert.is_true(tf.IndexedSlices.is(g))
    assert.are.same({0, 2, 0}, g.indices:totable())
    assert.are.equal("(3, 2)", tostring(g.shape))
    near({{101.0, 101.0}, {0.0, 0.0}, {10.0, 10.0}}, tf.convert_to_tensor(g))
    near({{202.0, 202.0}, {0.0, 0.0}, {20.0, 20.0}}, (g * 2):to_tensor())
    local clipped, size = tf.clip_by_global_norm({g}, 1.0)
    assert.is_true(tf.IndexedSlices.is(clipped[1]))
    near(math.sqrt(2 * (1 + 100 + 10000)), size)
  end)

  it("update rows of variables", function()
    local v = tf.Variable{{1.0}, {2.0}, {3.0}}
    v:scatter_add(tf.IndexedSlices({{10.0}, {20.0}}, {2, 0}))
    near({{21.0}, {2.0}, {13.0}}, v:value())
    v:scatter_update(tf.IndexedSlices({{7.0}}, {1}))
    near({{21.0}, {7.0}, {13.0}}, v:value())
    refused("INVALID_ARGUMENT", "must be tf.IndexedSlices", v.scatter_add, v, tf.ones{1})
  end)
end)

describe("custom_gradient", function()
  it("replaces the gradient", function()
    local clip = tf.custom_gradient(function(x)
      return x * x, function(upstream) return tf.clip_by_value(upstream * 2 * x, -1.0, 1.0) end
    end)
    local x = tf.Variable{0.25, 3.0}
    local tape = tf.GradientTape()
    local y = clip(x) * 1.0
    near({0.0625, 9.0}, y)
    near({0.5, 1.0}, tape:gradient(y, x))
  end)

  it("takes several arguments and results", function()
    local f = tf.custom_gradient(function(a, b)
      return {a + b, a - b}, function(da, db) return {da * 10, db * 100} end
    end)
    local a, b = tf.Variable(1.0), tf.Variable(2.0)
    local tape = tf.GradientTape{persistent = true}
    local out = f(a, b)
    near(10.0, tape:gradient(out[1], a))
    near(0.0, tape:gradient(out[1], b))
    near(100.0, tape:gradient(out[2], b))
    tape:close()
  end)

  it("gives gradients of the variables that are read", function()
    local w = tf.Variable(3.0)
    local f = tf.custom_gradient(function(x)
      return x * w, function(upstream, options)
        assert.is_true(rawequal(w, options.variables[1]))
        return upstream * 7, {upstream * 9}
      end
    end)
    local x = tf.constant(2.0)
    local tape = tf.GradientTape()
    tape:watch(x)
    local g = tape:gradient(f(x), {x, w})
    near(7.0, g[1])
    near(9.0, g[2])
  end)

  it("passes errors of the gradient function on", function()
    local f = tf.custom_gradient(function(x)
      return x, function() error("no way") end
    end)
    local x = tf.Variable(1.0)
    local tape = tf.GradientTape()
    local ok, err = pcall(tape.gradient, tape, f(x), x)
    assert.is_false(ok)
    assert(tostring(err):find("no way", 1, true))
    local g = tf.custom_gradient(function(y) return y, function() return 1, 2 end end)
    local second = tf.GradientTape()
    refused("INVALID_ARGUMENT", "expected 1 gradients of the arguments, received 2", second.gradient, second, g(x), x)
  end)

  it("stops and passes gradients", function()
    local x = tf.Variable(2.0)
    local tape = tf.GradientTape()
    near(3.0, tape:gradient(x * 3 + tf.stop_gradient(x * x), x))
  end)
end)
