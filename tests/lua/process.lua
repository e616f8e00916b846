--- For tests that run the program itself, or shell commands.

local process = {}

--- The program that runs the tests, or nil under a stock Lua.
function process.program()
  local lowest = 0
  while arg[lowest - 1] do lowest = lowest - 1 end
  local path = arg[lowest]
  return path and path:match("moonflow$") and path or nil
end

--- What a shell command writes, errors too.
function process.output(command)
  local pipe <close> = assert(io.popen(command .. " 2>&1"))
  return pipe:read("a")
end

function process.read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read("a")
end

function process.write(path, bytes)
  local file <close> = assert(io.open(path, "wb"))
  file:write(bytes)
  return path
end

--- True in builds whose sanitizer reserves a great part of the address space.
function process.reserves_addresses()
  return process.read("/proc/self/maps"):find("lib[at]san") ~= nil
end

return process
