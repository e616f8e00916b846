--- Every op of the table against its golden cases; entries against TensorFlow's OpDefs.

local core = require "moonflow.core"
local golden = require "golden_data"
local harness = require "op_harness"

local complex_only = {Conj = true}

-- Ops that are judged elsewhere, and where.
local elsewhere = {
  AssignAddVariableOp = "variables_test", AssignSubVariableOp = "variables_test", AssignVariableOp = "variables_test",
  DestroyResourceOp = "variables_test", ReadVariableOp = "variables_test", ResourceGather = "variables_test",
  ResourceScatterAdd = "variables_test", ResourceScatterSub = "variables_test", ResourceScatterUpdate = "variables_test",
  ResourceScatterMul = "variables_test", VarHandleOp = "variables_test", VarIsInitializedOp = "variables_test",
  VariableShape = "variables_test", Placeholder = "the traced runs of this harness", ReadFile = "files_test",
  DecodePng = "files_test", PrintV2 = "strings_test", Assert = "debugging_test",
}

-- Where TensorFlow's answer is a fault of its own: op, case, and what is done here instead.
local deviations = {
  Erf = {edges_float64 = "erf of infinity is 1; TensorFlow's kernel gives NaN"},
  Round = {int32 = "integers are their own rounding; TensorFlow's kernel gives 0", int64 = "the same"},
  SoftmaxCrossEntropyWithLogits = {
    broadcast_labels = "a gradient has the shape of its input; TensorFlow leaves it broadcast", broadcast_logits = "the same"},
}

local only = os.getenv("MF_OP")

local function path_of(op)
  return "tests/golden/ops/" .. op .. ".json"
end

describe("op", function()
  for _, op in ipairs(core.op.names()) do
    if op:sub(1, 2) ~= "Mf" and not elsewhere[op] and (not only or only == op) then
      it(op .. " equals TensorFlow", function()
        local failures, missing, ran = {}, 0, 0
        local file = io.open(path_of(op))
        assert(file, op .. " has no golden cases")
        file:close()
        for _, case in ipairs(golden.read(path_of(op)).cases) do
          local excuse = deviations[op] and deviations[op][case.name]
          local wrong, is_missing = harness.run_case(op, case)
          if excuse then
            assert(wrong, case.name .. ": listed as a deviation, but equals TensorFlow")
            wrong = nil
          end
          ran = ran + 1
          if is_missing then missing = missing + 1 end
          if wrong then failures[#failures + 1] = case.name .. ": " .. wrong end
        end
        assert(ran > missing or complex_only[op], op .. ": no case ran")
        if #failures > 0 then
          error(("%d of %d cases\n  %s\n  rerun: MF_OP=%s moonflow tests/lua/run.lua tests/lua/ops_test.lua"):format(#failures, ran,
            table.concat(failures, "\n  ", 1, math.min(#failures, 6)), op), 0)
        end
      end)
    end
  end
end)
