--- File sizes: no source over 800 lines, no line over 140 characters, no file named misc, util, common or helper.

local MOST_LINES, LONGEST_LINE = 800, 140
local wrong, files = 0, 0
local pipe = assert(io.popen("git ls-files core kernels lua scripts examples tests/c tests/lua cmake CMakeLists.txt"))
for file in pipe:lines() do
  local source = file:match("%.[ch]$") or file:match("%.cu$") or file:match("%.cpp$") or file:match("%.lua$") or file:match("%.inc$")
  local name = file:match("([^/]+)$"):match("^[^.]+") or ""
  if name == "misc" or name == "util" or name == "common" or name == "helper" or name == "utils" and not file:match("keras") then
    print(file .. ": this name says nothing")
    wrong = wrong + 1
  end
  local handle = source and io.open(file)
  if handle then
    files = files + 1
    local count = 0
    for line in handle:lines() do
      count = count + 1
      if #line > LONGEST_LINE and not file:match("^tests/lua/") then -- expected texts stand in one piece
        print(("%s:%d: %d characters, at most %d"):format(file, count, #line, LONGEST_LINE))
        wrong = wrong + 1
      end
    end
    handle:close()
    if count > MOST_LINES then
      print(("%s: %d lines, at most %d"):format(file, count, MOST_LINES))
      wrong = wrong + 1
    end
  end
end
pipe:close()
print(("%d files, %d wrong sizes"):format(files, wrong))
os.exit(wrong == 0)
