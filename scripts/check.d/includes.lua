--- Includes go one way: reads every #include of core, kernels and lua/bind and fails on a wrong arrow.
-- base <- tensor <- ops <- autodiff <- graph <- data, model <- serve, dist; io sits on tensor.

local sees = {
  base = {},
  tensor = {"base"},
  io = {"base", "tensor"},
  ops = {"base", "tensor"},
  autodiff = {"base", "tensor", "ops"},
  graph = {"base", "tensor", "ops", "autodiff"},
  data = {"base", "tensor", "ops", "autodiff", "graph", "io"},
  model = {"base", "tensor", "ops", "autodiff", "graph", "io"},
  serve = {"base", "tensor", "ops", "autodiff", "graph", "io", "data", "model"},
  dist = {"base", "tensor", "ops", "autodiff", "graph", "io", "data", "model"},
}

local function lines_of(command)
  local pipe = assert(io.popen(command))
  local list = {}
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

local function contains(list, item)
  for i = 1, #list do
    if list[i] == item then return true end
  end
  return false
end

local wrong, files = 0, 0
local function complain(file, include)
  print(("%s: must not include \"%s\""):format(file, include))
  wrong = wrong + 1
end

for _, file in ipairs(lines_of("find core kernels lua/bind -name '*.[ch]'")) do
  files = files + 1
  local room = file:match("^core/(%w+)/")
  for line in io.lines(file) do
    local include = line:match('^%s*#%s*include%s+"([^"]+)"')
    local folder = include and include:match("^(%w+)/")
    if room and folder and sees[folder] and folder ~= room and not contains(sees[room], folder) then complain(file, include) end
    if file:match("^core/") and include and (include:match("^lua") or include:match("^bind/") or include:match("^kernels/")) then
      complain(file, include)
    end
    if file:match("^core/") and line:match("#%s*include%s+<lua") then complain(file, line) end
  end
end
print(("%d files, %d wrong includes"):format(files, wrong))
os.exit(wrong == 0)
