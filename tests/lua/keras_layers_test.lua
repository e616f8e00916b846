--- Layers against real Keras, by the layer harness.

local golden = require "golden_data"
local harness = require "layer_harness"

local names = {"Activation", "Add", "AveragePooling2D", "BatchNormalization", "Concatenate", "Conv2D", "Dense", "Dropout",
  "Embedding", "Flatten", "GlobalAveragePooling2D", "LayerNormalization", "MaxPooling2D", "ReLU", "Rescaling", "Reshape",
  "Softmax"}

--- Runs a check over all cases of a layer and fails with what went wrong.
local function run(name, file, check)
  local wrong = {}
  for i = 1, #file.cases do
    local case = file.cases[i]
    local ok, found = pcall(harness.checks[check], name, case)
    if not ok or found then wrong[#wrong + 1] = case.name .. ": " .. tostring(found) end
  end
  if #wrong > 0 then
    error(("%d of %d cases\n  %s"):format(#wrong, #file.cases, table.concat(wrong, "\n  ", 1, math.min(#wrong, 5))), 0)
  end
end

for _, name in ipairs(names) do
  describe("layer " .. name, function()
    local file = golden.read("tests/golden/keras/layers/" .. name .. ".json")
    for _, check in ipairs(harness.order) do
      it(check, function() run(name, file, check) end)
    end
    it("refuses what Keras refuses", function()
      local wrong = {}
      for i = 1, #file.errors do
        local found = harness.check_refused(name, file.errors[i])
        if found then wrong[#wrong + 1] = file.errors[i].name .. ": " .. found end
      end
      if #wrong > 0 then error(table.concat(wrong, "\n"), 0) end
    end)
  end)
end

describe("further cases of layer", function()
  local file = golden.read("tests/golden/keras/small/layers.json")
  local of, list = {}, {}
  for i = 1, #file.cases do
    local name = file.cases[i].layer
    if not of[name] then
      of[name] = {cases = {}}
      list[#list + 1] = name
    end
    table.insert(of[name].cases, file.cases[i])
  end
  for _, name in ipairs(list) do
    for _, check in ipairs(harness.order) do
      it(name .. " " .. check, function() run(name, of[name], check) end)
    end
  end
end)
