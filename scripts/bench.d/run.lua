--- Runs one benchmark of moonflow and of its peers and prints both. usage: lua5.4 run.lua NAME ROOT
-- The last line is: bench NAME moonflow VALUE UNIT tensorflow VALUE pytorch VALUE

local name, root = arg[1], arg[2]
local units = {mlp = "samples/s", cnn = "samples/s", dispatch = "ns", start = "ms", pool = "us"}
if not units[name] then
  io.stderr:write("bench: unknown benchmark '", tostring(name), "' (mlp, cnn, dispatch, start, pool)\n")
  os.exit(2)
end

local function lines_of(command)
  local pipe = assert(io.popen(command))
  local lines = {}
  for line in pipe:lines() do
    print(line)
    lines[#lines + 1] = line
  end
  local ok = pipe:close()
  if not ok then
    io.stderr:write("bench: failed: ", command, "\n")
    os.exit(1)
  end
  return lines
end

local function quoted(path) return "'" .. root .. path .. "'" end

local programs = name == "pool" and {"bench_ceiling", "bench_pool", "bench_gemm", "bench_conv"} or {"bench_ceiling"}
lines_of(("cmake --build %s --target %s >/dev/null"):format(quoted "/build", table.concat(programs, " ")))
lines_of(quoted "/build/tests/bench_ceiling" .. " 2")

local function median_of(lines, pattern)
  for i = #lines, 1, -1 do
    local value = lines[i]:match(pattern)
    if value then return tonumber(value) end
  end
  return nil
end

-- No peer has a call for an empty region: OpenMP, whose regions they use, stands in the lines above.
if name == "pool" then
  local own = median_of(lines_of(quoted "/build/tests/bench_pool"), "^pool_region_idle ([%d.]+)")
  lines_of(quoted "/build/tests/bench_gemm" .. " 2 2>/dev/null")
  lines_of(quoted "/build/tests/bench_conv" .. " 2 2>/dev/null")
  print(("bench pool moonflow %.3g us tensorflow - pytorch -"):format(own))
  os.exit(0)
end

local program = name == "start" and ("lua5.4 '%s/scripts/bench.d/start.lua' '%s'"):format(root, root)
  or ("'%s/build/bin/moonflow' '%s/scripts/bench.d/%s.lua'"):format(root, root, name)
local own = median_of(lines_of(program), "^value ([%d.]+)")
local python = assert(io.popen(root .. "/scripts/peers-python")):read("l")
local peers = lines_of(("'%s' '%s/scripts/bench.d/peers/all.py' %s --threads 2"):format(python, root, name))
local values = {}
for _, line in ipairs(peers) do
  local peer, value = line:match('"peer": "(%w+)"'), line:match('"value": ([%d.]+)')
  if peer then values[peer] = tonumber(value) end
end
-- Faster is less for times and more for rates.
local rate = units[name] == "samples/s"
for _, peer in ipairs{"tensorflow", "pytorch"} do
  local ratio = rate and own / values[peer] or values[peer] / own
  print(("%s: moonflow is %.2fx %s"):format(name, ratio, peer))
end
local function figure(value) return (value < 1000 and "%.4g" or "%.0f"):format(value) end
print(("bench %s moonflow %s %s tensorflow %s pytorch %s"):format(name, figure(own), units[name], figure(values.tensorflow),
  figure(values.pytorch)))
