--- Reads what the test runner recorded (tests/lua/run.lua --record): one name a line, for each signature that a passing case
-- judged by TensorFlow called: Dense (a class), Dataset.map (a method), tf.math.add (a function), AddV2 (an op).
-- In the second file plain names are ops: a class and an op may have the same name (Add, Softmax).

local calls = {}

local function add(names, path, prefix)
  local file = io.open(path, "r")
  if not file then return end -- no judged case ran
  for line in file:lines() do
    names[line:find(".", 1, true) and line or prefix .. line] = true
  end
  file:close()
end

--- The set of names in both files.
function calls.read(names_path, ops_path)
  local names = {}
  add(names, names_path, "")
  add(names, ops_path, "tf.raw_ops.")
  return names
end

return calls
