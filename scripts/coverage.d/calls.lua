--- Reads what the test runner recorded.
--
-- One name a line, anything behind it (a count) is ignored; the same name may stand there many times. A name is
--     tf.math.add                  a public function or class: counts for all its aliases
--     tf.keras.Model:fit           a method or property of a class
--     tf.raw_ops.AddV2             an op
--     Dense, Dataset.map, AddV2    the name of a signature, as moonflow.core.args.called() gives it (tests/lua/run.lua
--                                  --record): a class, a method of a class, an op. Where a class and an op have the
--                                  same name (Add, Softmax) it is the class; in files of --ops it is always the op,
--                                  so these come from tests without Keras (ops_test, api_test).
-- A line stands for a case that passed and whose expected values came from TensorFlow.

local calls = {}

function calls.none()
  return {}
end

--- Adds the names of one file to the set; false when there is no such file.
local function add(names, path, prefix)
  local file = io.open(path, "r")
  if not file then return false end
  for line in file:lines() do
    local name = line:match("^%s*([^%s#]+)")
    if name then names[name:find(".", 1, true) and name or prefix .. name] = true end
  end
  file:close()
  return true
end

--- The set of names in all files, or nil and what is wrong. `op_paths`: files whose plain names are ops.
function calls.read(paths, op_paths)
  local names = {}
  for i, list in ipairs{paths, op_paths} do
    for _, path in ipairs(list) do
      if not add(names, path, i == 2 and "tf.raw_ops." or "") then
        return nil, "no file " .. path .. ": run the tests first (scripts/test writes it)"
      end
    end
  end
  return names
end

return calls
