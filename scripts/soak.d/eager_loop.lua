--- A million eager ops on 1 MB tensors stay under 100 MB resident, without a word in the script.

local tf = require "moonflow"

local function resident_mb()
  for line in io.lines("/proc/self/status") do
    local kb = line:match("^VmRSS:%s+(%d+)")
    if kb then return tonumber(kb) / 1024 end
  end
  return 0
end

local count = tonumber(arg and arg[1]) or 1000000
local x = tf.zeros{262144}
local most = 0
for i = 1, count do
  x = x + 1.0
  if i % 1000 == 0 then most = math.max(most, resident_mb()) end
end
print(("%d ops, last value %g, most resident %.1f MB (limit 100)"):format(count, x[0]:item(), most))
os.exit(most < 100 and x[0]:item() == count)
