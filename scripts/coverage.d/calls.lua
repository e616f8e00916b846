--- Reads what the test runner recorded.
--
-- One name a line, anything behind it (a count) is ignored; the same name may stand there many times. A name is
--     tf.math.add                  a public function or class: counts for all its aliases
--     tf.keras.Model:fit           a method or property of a class
--     tf.raw_ops.AddV2             an op
--     Dense, Dataset.map, AddV2    the name of a signature, as moonflow.core.args.called() gives it: a class, a method
--                                  of a class, an op. Where a class and an op have the same name (Add, Softmax) it
--                                  counts for neither: the runner writes the full name.
-- A line stands for a case that passed and whose expected values came from TensorFlow.

local calls = {}

function calls.none()
  return {}
end

--- The set of names in all files, or nil and what is wrong.
function calls.read(paths)
  local names = {}
  for _, path in ipairs(paths) do
    local file = io.open(path, "r")
    if not file then return nil, "no file " .. path .. ": run the tests first (scripts/test writes it)" end
    for line in file:lines() do
      local name = line:match("^%s*([^%s#]+)")
      if name then names[name] = true end
    end
    file:close()
  end
  return names
end

return calls
