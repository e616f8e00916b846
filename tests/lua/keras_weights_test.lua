--- .weights.h5 files: real Keras's are read, ours have the same layout; what does not fit is said, and changes nothing.

local core = require "moonflow.core"
local golden = require "golden_data"
local models = require "keras_models"
local tf = require "moonflow"

local keras, layers = tf.keras, tf.keras.layers
local folder = "tests/golden/keras/h5/"

local function numbers(t)
  return tf.reshape(t, {-1}):totable()
end

local function close(want, got, tolerance, what)
  assert.are.equal(#want, #got)
  for i = 1, #want do
    assert.is_true(math.abs(want[i] - got[i]) <= tolerance, ("%s %d: expected %.8g, got %.8g"):format(what, i, want[i], got[i]))
  end
end

local function fails_with(text, f, ...)
  local ok, err = pcall(f, ...)
  assert.is_false(ok)
  assert.is_truthy(tostring(err):find(text, 1, true), tostring(err))
  return err
end

--- What f writes to standard error.
local function warnings_of(f)
  local parts, real = {}, io.stderr
  rawset(io, "stderr", {write = function(self, ...)
    for _, part in ipairs{...} do parts[#parts + 1] = tostring(part) end
    return self
  end})
  local ok, err = pcall(f)
  rawset(io, "stderr", real)
  if not ok then error(err, 0) end
  return table.concat(parts)
end

local function compile(model)
  model:compile{optimizer = "adam", loss = keras.losses.SparseCategoricalCrossentropy{from_logits = true}}
  model.optimizer:build(model.trainable_variables)
end

--- path -> tensor of a file's datasets.
local function datasets(path)
  local found = {}
  for _, item in ipairs(core.h5.read(path)) do
    if item.kind == "dataset" then found[item.path] = item.tensor end
  end
  return found
end

describe("weights of Keras", function()
  for _, row in ipairs(golden.read(folder .. "index.json").files) do
    it("are read from " .. row.file, function()
      golden.judged()
      keras.utils.clear_session()
      local model = models[row.model]()
      if row.compiled then compile(model) end
      model:load_weights(folder .. row.file)
      for i, weight in ipairs(row.weights) do
        assert.are.equal(weight.path, model.weights[i].path)
        close(numbers(golden.tensor(weight.value)), numbers(model.weights[i]:read_value()), 0, weight.path)
      end
      local inputs = {}
      for i, input in ipairs(row.inputs) do inputs[i] = golden.tensor(input) end
      local outputs = model:predict(#inputs == 1 and inputs[1] or inputs, {verbose = 0})
      if #row.outputs == 1 then outputs = {outputs} end
      for i, output in ipairs(row.outputs) do
        close(numbers(golden.tensor(output)), numbers(outputs[i]), 1e-5, "output " .. i)
      end
    end)

    it("are written as in " .. row.file, function()
      golden.judged()
      local model = models[row.model]()
      if row.compiled then compile(model) end
      model:load_weights(folder .. row.file)
      local path = os.tmpname() .. ".weights.h5"
      model:save_weights(path)
      local ours, theirs = datasets(path), datasets(folder .. row.file)
      for name, value in next, theirs do
        assert.is_truthy(ours[name], name)
        assert.are.equal(value.dtype, ours[name].dtype)
        assert.are.same(numbers(value), numbers(ours[name]))
      end
      for name in next, ours do assert.is_truthy(theirs[name], name) end
      local names = {}
      for _, item in ipairs(core.h5.read(path)) do
        if item.kind == "text" then names[item.path] = item.text end
      end
      for _, item in ipairs(core.h5.read(folder .. row.file)) do
        if item.kind == "text" then assert.is_truthy(names[item.path], item.path) end
      end
      os.remove(path)
    end)
  end
end)

describe("weights of subclassed models", function()
  it("are under the attributes, then under layers", function()
    local My = keras.Model:extend("My")
    function My:init()
      self:super_init()
      self.d1 = layers.Dense(4)
      self.blocks = {layers.Dense(3), layers.Dense(2)}
      self.z = layers.Dense(2)
    end
    function My:call(x)
      x = self.d1(x)
      for _, block in ipairs(self.blocks) do x = block(x) end
      return self.z(x)
    end
    local model = My()
    model(tf.ones{2, 4})
    local path = os.tmpname() .. ".weights.h5"
    model:save_weights(path)
    local names = {}
    for name in next, datasets(path) do names[#names + 1] = name end
    table.sort(names)
    assert.are.same({"blocks/dense/vars/0", "blocks/dense/vars/1", "blocks/dense_1/vars/0", "blocks/dense_1/vars/1",
      "d1/vars/0", "d1/vars/1", "layers/dense_3/vars/0", "layers/dense_3/vars/1"}, names)
    local other = My()
    other(tf.ones{2, 4})
    other:load_weights(path)
    assert.are.same(model(tf.ones{1, 4}):totable(), other(tf.ones{1, 4}):totable())
    os.remove(path)
  end)
end)

describe("weights that do not fit", function()
  local function saved()
    local path = os.tmpname() .. ".weights.h5"
    local model = models.mlp()
    model:save_weights(path)
    return path, model
  end

  it("change nothing", function()
    local path = saved()
    local wide = keras.Sequential{keras.Input{shape = {8}}, layers.Dense(6), layers.Dense(5), layers.Dense(3)}
    local before = numbers(wide.weights[1]:read_value())
    local err = fails_with("has the shape (6, 5), the value in the weights file has the shape (6, 4)", wide.load_weights, wide,
      path)
    assert.are.equal("INVALID_ARGUMENT", err.code)
    assert.are.same(before, numbers(wide.weights[1]:read_value()))
    local long = keras.Sequential{keras.Input{shape = {8}}, layers.Dense(6), layers.Dense(4), layers.Dense(3), layers.Dense(3)}
    fails_with("expected 2 variables, but received 0 variables", long.load_weights, long, path)
    local plain = keras.Sequential{keras.Input{shape = {8}}, layers.Dense(6, {use_bias = false}), layers.Dense(4),
      layers.Dense(3)}
    fails_with("expected 1 variables, but received 2 variables", plain.load_weights, plain, path)
    os.remove(path)
  end)

  it("are passed over with skip_mismatch", function()
    local path, model = saved()
    local wide = keras.Sequential{keras.Input{shape = {8}}, layers.Dense(6), layers.Dense(5), layers.Dense(3)}
    local text = warnings_of(function() wide:load_weights(path, {skip_mismatch = true}) end)
    assert.is_truthy(text:find("a total of 2 objects could not be loaded", 1, true), text)
    assert.are.same(numbers(model.weights[1]:read_value()), numbers(wide.weights[1]:read_value()))
    os.remove(path)
  end)

  it("leave an optimizer that is not built as it is", function()
    local model = models.mlp()
    model:compile{optimizer = "adam", loss = "mse"}
    local text = warnings_of(function() model:load_weights(folder .. "mlp_compiled.weights.h5") end)
    assert.is_truthy(text:find("it has 2 variables whereas the saved optimizer has 14 variables", 1, true), text)
  end)

  it("are files that are missing, broken or of another kind", function()
    local model = models.mlp()
    local err = fails_with("no-such-file", model.load_weights, model, "no-such-file.weights.h5")
    assert.are.equal("NOT_FOUND", err.code)
    local path = os.tmpname() .. ".weights.h5"
    local file = assert(io.open(path, "wb"))
    file:write("no HDF5 file")
    file:close()
    err = fails_with("not an HDF5 file", model.load_weights, model, path)
    assert.are.equal("DATA_LOSS", err.code)
    file = assert(io.open(folder .. "mlp.weights.h5", "rb"))
    local bytes = file:read("a")
    file:close()
    file = assert(io.open(path, "wb"))
    file:write(bytes:sub(1, #bytes // 2))
    file:close()
    assert.is_false(pcall(model.load_weights, model, path))
    os.remove(path)
    fails_with("must end in `.weights.h5`", model.save_weights, model, "model.h5")
    fails_with("has not been built yet", function() keras.Sequential{layers.Dense(1)}:save_weights("a.weights.h5") end)
    fails_with("cannot be saved yet; use model:save_weights", model.save, model, "m.keras")
    fails_with("exists already", function()
      model:save_weights(path)
      model:save_weights(path, {overwrite = false})
    end)
    os.remove(path)
  end)
end)
