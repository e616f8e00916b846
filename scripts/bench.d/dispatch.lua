--- One eager add of two scalars: nanoseconds without a tape, recorded, and a chain of 100 recorded adds with its backward.

local tf = require "moonflow"

local function clock()
  return tf.timestamp():item()
end

local function median(f, count)
  local samples = {}
  for i = 1, 9 do
    local start = clock()
    f(count)
    samples[i] = (clock() - start) / count * 1e9
  end
  table.sort(samples)
  return samples[5]
end

local a, b = tf.constant(1.0), tf.constant(2.0)

local function plain(count)
  local x
  for _ = 1, count do x = a + b end
  return x
end

local function recorded(count)
  local done = 0
  while done < count do
    local tape <close> = tf.GradientTape()
    tape:watch(a)
    for _ = 1, 1000 do local _ = a + b end
    done = done + 1000
  end
end

local function chain(count)
  for _ = 1, count // 100 do
    local x, tape = a, tf.GradientTape()
    tape:watch(a)
    for _ = 1, 100 do x = x + b end
    tape:close()
    tape:gradient(x, a)
  end
end

plain(100000)
print(("recorded add %.0f ns"):format(median(recorded, 200000)))
print(("chain of 100 adds and its backward %.0f ns an add"):format(median(chain, 100000)))
print(("value %.1f ns"):format(median(plain, 1000000)))
