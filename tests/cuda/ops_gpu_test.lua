--- Every op of the table against its golden cases with everything placed on GPU:0: a GPU, or the emulated one
-- (MOONFLOW_CUDA=emu). What has no CUDA kernel runs on the CPU and must still take its inputs from the GPU.

local core = require "moonflow.core"
local tf = require "moonflow"
local golden = require "golden_data"
local harness = require "op_harness"

local only = os.getenv("MF_OP")

-- Cases (their names begin so) that are not run. TensorFlow's own GPU kernels raise no errors about single elements
-- either: integers divided by 0 give 0, integers to negative powers too, and a label out of range makes its row NaN. The
-- last three are the deviations that ops_test explains.
local left_out = {
  Div = "by_zero", FloorDiv = "by_zero", FloorMod = "by_zero", Mod = "by_zero", TruncateDiv = "by_zero",
  TruncateMod = "by_zero", Pow = "negative_exponent", SparseSoftmaxCrossEntropyWithLogits = "label_",
  Erf = "edges_float64", Round = "int", SoftmaxCrossEntropyWithLogits = "broadcast_l",
}

-- Ops whose cases need more than a device: judged on the CPU by ops_test.
local elsewhere = {
  Einsum = "its gradient computes shapes, which are on the GPU here", GatherNd = "the same", GatherV2 = "the same",
  Prod = "the same", StridedSlice = "the same", ResizeBilinearGrad = "no CUDA kernel", ReadFile = "files_test",
  DecodePng = "files_test", PrintV2 = "strings_test", Assert = "debugging_test",
}

local gpus = #tf.config.list_physical_devices("GPU")
local scope = gpus > 0 and tf.device("GPU:0")

local function check_op(op, file)
  local failures = {}
  for _, case in ipairs(golden.read(file).cases) do
    local prefix = left_out[op]
    if not (prefix and case.name:sub(1, #prefix) == prefix) then
      local wrong = harness.run_case(op, case)
      if wrong then failures[#failures + 1] = case.name .. ": " .. wrong end
    end
  end
  assert(#failures == 0, table.concat(failures, "\n  ", 1, math.min(#failures, 6)))
end

describe("op on GPU:0", function()
  it("has a device", function()
    assert(scope, "no GPU: set MOONFLOW_CUDA=emu for the emulated one")
    assert.are.equal("/job:localhost/replica:0/task:0/device:GPU:0", (tf.constant({1.0}) + 1).device)
  end)
  for _, op in ipairs(core.op.names()) do
    local path = "tests/golden/ops/" .. op .. ".json"
    local file = io.open(path)
    if file then file:close() end
    if file and not elsewhere[op] and (not only or only == op) then
      it(op .. " equals TensorFlow", function() check_op(op, path) end)
    end
  end
end)
