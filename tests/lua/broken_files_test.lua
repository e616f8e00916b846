--- Every loader on files that are cut short, damaged, missing, or no files at all: an error with a code, or what the file still
-- holds; never a crash, a hang or a model that was half loaded.

local process = require "process"
local tf = require "moonflow"

local read = process.read

local folder = os.tmpname() .. "-broken"
os.remove((folder:gsub("%-broken$", "")))

local function write(name, bytes)
  return process.write(folder .. "/" .. name, bytes)
end

local CODES = {
  DATA_LOSS = true, INVALID_ARGUMENT = true, UNIMPLEMENTED = true, RESOURCE_EXHAUSTED = true, NOT_FOUND = true,
  OUT_OF_RANGE = true,
}

--- Calls load(path). True when it came back with values; else the error, whose message names the file or the operation.
local function outcome(load, path, what)
  local ok, err = pcall(load, path)
  if ok then return true end
  assert(type(err) == "table" and CODES[err.code], what .. ": " .. tostring(err))
  assert(#err.message > 20, what .. ": " .. err.message)
  return false, err
end

local function digits_model()
  local model = tf.keras.Sequential{tf.keras.Input{shape = {5}}, tf.keras.layers.Dense(3), tf.keras.layers.Dense(2)}
  model:compile{optimizer = "adam", loss = "mse"}
  model:fit(tf.zeros{4, 5}, tf.zeros{4, 2}, {verbose = 0})
  return model
end

local function values(model)
  local list = {}
  for i, variable in ipairs(model.variables) do list[i] = variable:value():totable() end
  for _, variable in ipairs(model.optimizer.variables) do list[#list + 1] = variable:value():totable() end
  return list
end

--- What writes a good file of each kind, and what loads one. `size`: bytes that matter most, from the front.
local function loaders()
  local model = digits_model()
  local kinds = {
    {name = "idx", load = tf.files.load_idx, bytes = "\0\0\8\2\0\0\0\4\0\0\0\5" .. ("0123456789"):rep(2)},
    {name = "npy", load = tf.files.load_npy, save = function(path) tf.files.save_npy(path, tf.range(12.0)) end},
    {name = "npz", load = tf.files.load_npz, save = function(path)
      tf.files.save_npz(path, {x = tf.range(12.0), y = {1, 2, 3}})
    end},
    {name = "packed.npz", load = tf.files.load_npz, save = function(path)
      tf.files.save_npz(path, {x = tf.zeros{300}, y = {1, 2, 3}}, {compressed = true})
    end},
    {name = "csv", load = function(path) return tf.files.load_csv(path, {header = true}) end,
      bytes = 'id,score,name\r\n1,0.5,"Doe, Jane"\r\n2,,"say ""hi"""\r\n'},
    {name = "png", load = function(path) return tf.io.decode_png(tf.io.read_file(path)) end,
      bytes = read("tests/golden/png/filters_rgb8.png")},
    {name = "weights.h5", load = function(path) return model:load_weights(path) end,
      save = function(path) model:save_weights(path) end, flips = 60, cuts = 40},
  }
  for _, kind in ipairs(kinds) do
    kind.path = folder .. "/good." .. kind.name
    if kind.bytes then write("good." .. kind.name, kind.bytes) else kind.save(kind.path) end
    kind.bytes = read(kind.path)
  end
  os.execute(("gzip -kc '%s' > '%s/good.idx.gz'"):format(kinds[1].path, folder))
  table.insert(kinds, 2, {name = "idx.gz", load = tf.files.load_idx, path = folder .. "/good.idx.gz",
    bytes = read(folder .. "/good.idx.gz")})
  return kinds, model
end

--- What may be loaded from a file that was cut: a table of fewer rows.
local MAY_BE_SHORT = {csv = true}

describe("broken files", function()
  local kinds, model

  setup(function()
    os.execute("mkdir -p '" .. folder .. "'")
    kinds, model = loaders()
  end)
  teardown(function() os.execute("chmod -R u+rwx '" .. folder .. "'; rm -rf '" .. folder .. "'") end)

  it("are good before they are broken", function()
    for _, kind in ipairs(kinds) do kind.load(kind.path) end
    assert.are.equal(8, #kinds)
  end)

  it("cut short are errors", function()
    for _, kind in ipairs(kinds) do
      local size = #kind.bytes
      for i = 0, (kind.cuts or 200) - 1 do
        local length = size * i // (kind.cuts or 200)
        local what = ("%s cut to %d of %d bytes"):format(kind.name, length, size)
        local loaded = outcome(kind.load, write("cut." .. kind.name, kind.bytes:sub(1, length)), what)
        assert(not loaded or MAY_BE_SHORT[kind.name], what .. ": was loaded")
      end
    end
  end)

  it("with flipped bits are errors or values", function()
    math.randomseed(3)
    for _, kind in ipairs(kinds) do
      local size, refused = #kind.bytes, 0
      for i = 1, kind.flips or 2000 do
        local bytes = kind.bytes
        for _ = 1, math.random(1, 3) do
          local at, bit = math.random(1, size), math.random(0, 7)
          if i % 2 == 0 then at = math.random(1, math.min(size, 40)) end
          bytes = bytes:sub(1, at - 1) .. string.char(bytes:byte(at) ~ (1 << bit)) .. bytes:sub(at + 1)
        end
        local what = ("%s with flipped bits, variant %d"):format(kind.name, i)
        if not outcome(kind.load, write("flip." .. kind.name, bytes), what) then refused = refused + 1 end
      end
      if kind.name ~= "csv" then assert(refused > 0, kind.name .. ": no damage was seen") end
    end
  end)

  it("with a checksum are never silently wrong", function()
    math.randomseed(4)
    for _, kind in ipairs(kinds) do
      if kind.name:match("npz$") or kind.name == "idx.gz" then
        local good = kind.load(kind.path)
        for i = 1, 1000 do
          local at, bit = math.random(1, #kind.bytes), math.random(0, 7)
          local bytes = kind.bytes:sub(1, at - 1) .. string.char(kind.bytes:byte(at) ~ (1 << bit)) .. kind.bytes:sub(at + 1)
          local what = ("%s, bit %d of byte %d"):format(kind.name, bit, at)
          local path = write("sum." .. kind.name, bytes)
          if outcome(kind.load, path, what) then
            local loaded = kind.load(path)
            if kind.name == "idx.gz" then
              assert.are.same(good:totable(), loaded:totable(), what)
            else
              for name, value in next, loaded do
                if good[name] then assert.are.same(good[name]:totable(), value:totable(), what) end
              end
            end
          end
        end
      end
    end
  end)

  it("that are empty, missing, folders or devices are errors", function()
    for _, kind in ipairs(kinds) do
      local function refused(path, code)
        local ok, err = pcall(kind.load, path)
        assert(not ok, kind.name .. ": loaded " .. path)
        assert(err.message:find(path, 1, true) or kind.name == "png", err.message)
        if code then assert.are.equal(code, err.code, kind.name .. ": " .. err.message) end
      end
      if kind.name ~= "csv" then refused(write("empty." .. kind.name, "")) end
      refused(folder .. "/none." .. kind.name, "NOT_FOUND")
      refused(kind.path .. "/deeper." .. kind.name, "NOT_FOUND")
      os.execute("mkdir -p '" .. folder .. "/folder." .. kind.name .. "'")
      refused(folder .. "/folder." .. kind.name, "FAILED_PRECONDITION")
    end
    assert.are.equal("INVALID_ARGUMENT", select(2, pcall(tf.files.load_npy, "a\0b")).code)
  end)

  it("without permission are errors", function()
    if io.open("/proc/self/status"):read("a"):match("CapEff:%s*(%x+)"):find("[^0]") then
      local code = [[for _, load in ipairs{tf.files.load_idx, tf.files.load_npy, tf.files.load_npz, tf.files.load_csv,
        tf.io.read_file} do local ok, err = pcall(load, arg[1]); print(not ok and err.code) end]]
      local script = write("script.lua", "local tf = require 'moonflow'\n" .. code)
      local closed = write("closed", "x")
      os.execute("chmod 000 '" .. closed .. "'; chmod 755 '" .. folder .. "'; chmod 644 '" .. script .. "'")
      assert.are.equal(("PERMISSION_DENIED\n"):rep(5), process.output(("setpriv --reuid=65534 --clear-groups --inh-caps=-all " ..
        "'%s' '%s' '%s'"):format(process.program(), script, closed)))
    else
      local closed = write("closed", "x")
      os.execute("chmod 000 '" .. closed .. "'")
      for _, kind in ipairs(kinds) do
        assert.are.equal("PERMISSION_DENIED", select(2, pcall(kind.load, closed)).code, kind.name)
      end
    end
  end)

  it("leave a model as it was", function()
    local before, kind = values(model), kinds[#kinds]
    for i = 1, 30 do
      local path = write("cut.weights.h5", kind.bytes:sub(1, #kind.bytes - i * 300))
      assert.is_false(pcall(model.load_weights, model, path))
    end
    assert.are.same(before, values(model))
  end)

  it("that libhdf5 does not survive are errors", function()
    local good = read("tests/golden/keras/h5/mlp_compiled.weights.h5")
    local function patched(at, bytes)
      return write("patched.weights.h5", good:sub(1, at) .. bytes .. good:sub(at + #bytes + 1))
    end
    local before = values(model)
    -- what these two do depends on what lies behind libhdf5's blocks
    for _, patch in ipairs{{8884, "\x80\x80"}, {19046, "\x7f"}} do
      local ok, err = pcall(model.load_weights, model, patched(patch[1], patch[2]))
      assert.is_false(ok)
      assert.is_true(err.code == "DATA_LOSS" or err.code == "INVALID_ARGUMENT", err.message)
    end
    local ok, err = pcall(model.load_weights, model, patched(2117, "\x7f\x7f\x7f\x7f"))
    assert.is_false(ok)
    assert.are.equal("DATA_LOSS", err.code)
    assert.matches("patched.weights.h5: libhdf5 did not come to an end", err.message, 1, true)
    assert.are.same(before, values(model))
    model:load_weights(kinds[#kinds].path)
  end)

  it("that claim too much are errors", function()
    local function npy(shape)
      local header = ("{'descr': '<f8', 'fortran_order': False, 'shape': %s, }"):format(shape)
      return "\x93NUMPY\1\0" .. string.pack("<I2", #header) .. header .. "12345678"
    end
    for _, shape in ipairs{"(9223372036854775807,)", "(4294967296, 4294967296, 4294967296)", "(-1,)", "(1e9,)", "(99999999999999999999,)",
                           "(1, " .. ("1, "):rep(300) .. ")"} do
      assert.is_false(outcome(tf.files.load_npy, write("big.npy", npy(shape)), shape))
    end
    local huge = "\0\0\14\4" .. ("\127\255\255\255"):rep(4)
    assert.is_false(outcome(tf.files.load_idx, write("big.idx", huge), "idx"))
    assert.is_false(outcome(tf.files.load_idx, write("deep.idx", "\0\0\8\255" .. ("\0\0\0\1"):rep(255) .. "x"), "deep idx"))
    os.execute(("head -c 200000000 /dev/zero | gzip -9 > '%s/bomb.gz'"):format(folder))
    local ok, err = outcome(tf.files.load_idx, folder .. "/bomb.gz", "a gzip bomb")
    assert.is_false(ok)
    assert.matches("load_idx", err.message)
  end)

  it("do not leave files open", function()
    local function open_files()
      collectgarbage()
      local stat <close> = assert(io.open("/proc/self/stat"))
      local pipe <close> = assert(io.popen("ls -l /proc/" .. stat:read("n") .. "/fd | sed -n 's/.*-> //p' | grep -v '^/proc'"))
      local list = {}
      for line in pipe:lines() do list[#list + 1] = (line:gsub("pipe:.*", "pipe")) end
      table.sort(list)
      return table.concat(list, "\n")
    end
    local before = open_files()
    for _, kind in ipairs(kinds) do
      for i = 1, 5 do pcall(kind.load, write("cut." .. kind.name, kind.bytes:sub(1, #kind.bytes * i // 6))) end
    end
    assert.are.equal(before, open_files())
  end)
end)
