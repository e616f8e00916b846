--- `require "moonflow"` and one matmul in a fresh stock lua5.4: whole-process milliseconds and peak memory, median of 21 runs.

local root = arg[1]
local child = ([[LUA_PATH='%s/lua/?.lua;%s/lua/?/init.lua' \
LUA_CPATH='%s/build/lib/lua/5.4/?.so' lua5.4 -e "
local tf = require 'moonflow'
local y = tf.matmul({{1.0, 2.0}}, {{3.0}, {4.0}})
assert(y:totable()[1][1] == 11)
for line in io.lines('/proc/self/status') do
  local kb = line:match('^VmHWM:%%s+(%%d+)')
  if kb then print(kb) end
end"]]):format(root, root, root)

local function now()
  local pipe = assert(io.popen("date +%s%N"))
  local value = tonumber(pipe:read("l"))
  pipe:close()
  return value
end

-- The cost of starting a process and reading the clock is measured the same way and taken off.
local function run(command)
  local start = now()
  local pipe = assert(io.popen(command))
  local text = pipe:read("a")
  pipe:close()
  return (now() - start) / 1e6, tonumber(text:match("%d+"))
end

local times, bare, memory = {}, {}, 0
for i = 1, 21 do
  bare[i] = run("lua5.4 -e 'print(1)'")
  times[i], memory = run(child)
end
table.sort(times)
table.sort(bare)
print(("peak memory %.1f MB; an empty lua5.4 takes %.1f ms of the time"):format(memory / 1024, bare[11]))
print(("value %.2f ms"):format(times[11]))
