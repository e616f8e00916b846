--- Saves that do not come to their end: killed in the middle, a full disk, a closed folder. The file from before stays as it was.
-- Needs the program itself: it runs the savers as processes of their own.

local tf = require "moonflow"
local core = require "moonflow.core"
local process = require "process"

local moonflow = process.program()
local read, output = process.read, process.output
local folder = os.tmpname() .. "-saves"
os.remove((folder:gsub("%-saves$", "")))

local function write(name, text)
  return process.write(folder .. "/" .. name, text)
end

--- What every script begins with: a model of 4 MB, and save(kind, path, value): every value in the file is `value`.
local COMMON = [[
local tf = require "moonflow"
local function filled(value)
  local model = tf.keras.Sequential{tf.keras.Input{shape = {1000}}, tf.keras.layers.Dense(1000,
    {kernel_initializer = tf.keras.initializers.Constant(value), use_bias = false})}
  return model
end
local savers = {
  npy = function(path, value) tf.files.save_npy(path, tf.fill({1000, 1000}, value)) end,
  npz = function(path, value) tf.files.save_npz(path, {a = tf.fill({500, 1000}, value), b = tf.fill({500, 1000}, value)}) end,
  ["weights.h5"] = function(path, value) filled(value):save_weights(path) end,
}
]]

local readers = {
  npy = function(path) return tf.files.load_npy(path) end,
  npz = function(path)
    local arrays = tf.files.load_npz(path)
    return tf.concat({arrays.a, arrays.b}, 0)
  end,
  ["weights.h5"] = function(path)
    local model = tf.keras.Sequential{tf.keras.Input{shape = {1000}}, tf.keras.layers.Dense(1000, {use_bias = false})}
    model:load_weights(path)
    return model.weights[1]:value()
  end,
}

--- The one value that a whole file holds.
local function value_in(kind, path)
  local t = readers[kind](path)
  local low, high = tf.reduce_min(t):item(), tf.reduce_max(t):item()
  assert.are.equal(low, high)
  return low
end

local function temporary_files()
  return #core.files.glob(folder .. "/*.tmp-*")
end

describe("interrupted saves", function()
  if not moonflow then
    pending("needs the moonflow program, not a stock Lua")
    return
  end

  before_each(function() os.execute("mkdir -p '" .. folder .. "'") end)
  after_each(function() os.execute("rm -rf '" .. folder .. "'") end)

  for _, kind in ipairs{"npy", "npz", "weights.h5"} do
    it("killed at any moment leave a whole file: " .. kind, function()
      local path = folder .. "/a." .. kind
      local script = write("save.lua", COMMON .. ([[
        local kind, path = arg[1], arg[2]
        savers[kind](path, 0.0)
        io.stdout:write("ready\n")
        io.stdout:flush()
        for i = 1, 1000000 do savers[kind](path, i % 1000 + 0.0) end
      ]]))
      local in_the_middle = 0
      for round = 1, 12 do
        os.execute("rm -f " .. folder .. "/*.tmp-*")
        -- the shell kills the saver some milliseconds after its first file is whole
        output(("'%s' '%s' '%s' '%s' > '%s/ready' & saver=$!; while ! grep -q ready '%s/ready'; do sleep 0.005; done; " ..
          "sleep 0.%03d; kill -9 $saver; wait $saver"):format(moonflow, script, kind, path, folder, folder, 3 + round * 7))
        local value = value_in(kind, path)
        assert.is_true(value >= 0 and value < 1000 and value == math.floor(value))
        if temporary_files() > 0 then in_the_middle = in_the_middle + 1 end
        os.remove(folder .. "/ready")
      end
      assert(in_the_middle > 0, "no save was hit in the middle")
      -- what is left behind is in nobody's way
      output(("'%s' '%s'"):format(moonflow, write("again.lua", COMMON .. ("savers['%s']('%s', 7.0)"):format(kind, path))))
      assert.are.equal(7.0, value_in(kind, path))
    end)
  end

  it("on a full disk are errors, and the session goes on", function()
    local script = write("full.lua", COMMON .. ([[
      for _, kind in ipairs{"npy", "npz", "weights.h5"} do
        for _ = 1, 2 do
          local ok, err = pcall(savers[kind], arg[1] .. "/b." .. kind, 2.0)
          print(kind, ok, err.code, err.message:match("File too large"))
        end
      end
      local model = filled(1.0)
      model:compile{optimizer = "sgd", loss = "mse"}
      local saver = tf.keras.callbacks.ModelCheckpoint{filepath = arg[1] .. "/c.weights.h5", save_weights_only = true}
      local ok, err = pcall(model.fit, model, tf.ones{4, 1000}, tf.ones{4, 1000}, {verbose = 0, callbacks = {saver}})
      print("fit", ok, err.code, tf.add(1, 2):item())
    ]]))
    for kind in next, readers do write("b." .. kind, "the file of before") end
    local out = output(("ulimit -f 1000; '%s' '%s' '%s'; echo code $?"):format(moonflow, script, folder))
    local expected = {}
    for _, kind in ipairs{"npy", "npz", "weights.h5"} do
      for _ = 1, 2 do expected[#expected + 1] = kind .. "\tfalse\tRESOURCE_EXHAUSTED\tFile too large\n" end
    end
    assert.are.equal(table.concat(expected) .. "fit\tfalse\tRESOURCE_EXHAUSTED\t3\ncode 0\n", out)
    for kind in next, readers do assert.are.equal("the file of before", read(folder .. "/b." .. kind)) end
    assert.are.equal(0, temporary_files())
    assert.is_false(core.files.exists(folder .. "/c.weights.h5"))
  end)

  it("into folders that are missing, closed or no folders are errors", function()
    local script = write("closed.lua", COMMON .. ([[
      for _, kind in ipairs{"npy", "npz", "weights.h5"} do
        for _, place in ipairs{"/closed/x.", "/file/x.", "/folder."} do
          local ok, err = pcall(savers[kind], arg[1] .. place .. kind, 2.0)
          print(kind, place, ok, err.code)
        end
      end
    ]]))
    os.execute(("chmod 755 '%s'; chmod 644 '%s'; mkdir '%s/closed'; chmod 555 '%s/closed'"):format(folder, script, folder, folder))
    write("file", "a file")
    for kind in next, readers do os.execute(("mkdir '%s/folder.%s'"):format(folder, kind)) end
    local as_user = output("id -u"):match("^0") and "setpriv --reuid=65534 --clear-groups --inh-caps=-all" or ""
    local out = output(("%s '%s' '%s' '%s'"):format(as_user, moonflow, script, folder))
    local expected = {}
    for _, kind in ipairs{"npy", "npz", "weights.h5"} do
      for i, place in ipairs{"/closed/x.", "/file/x.", "/folder."} do
        local code = ({"PERMISSION_DENIED", "NOT_FOUND", "FAILED_PRECONDITION"})[i]
        expected[#expected + 1] = ("%s\t%s\tfalse\t%s\n"):format(kind, place, code)
      end
    end
    assert.are.equal(table.concat(expected), out)
    assert.are.equal("a file", read(folder .. "/file"))
  end)

  it("through a link write what it points to, and devices are refused", function()
    local target = write("target.npy", "old")
    os.execute(("ln -s '%s' '%s/link.npy'; mkfifo '%s/pipe.npy'"):format(target, folder, folder))
    tf.files.save_npy(folder .. "/link.npy", tf.constant{1.0, 2.0})
    assert.are.same({1.0, 2.0}, tf.files.load_npy(target):totable())
    assert.are.equal("link.npy\n", output(("cd '%s'; find . -type l -printf '%%f\\n'"):format(folder)))
    local ok, err = pcall(tf.files.save_npy, folder .. "/pipe.npy", tf.constant{1.0})
    assert.is_false(ok)
    assert.are.equal("FAILED_PRECONDITION", err.code)
    assert.matches("pipe.npy is not a regular file", err.message)
  end)

  it("keep the permissions of the file of before", function()
    local path = write("mode.npy", "old")
    os.execute(("chmod 640 '%s'"):format(path))
    tf.files.save_npy(path, tf.constant{1.0})
    assert.are.equal("640\n", output(("stat -c %%a '%s'"):format(path)))
  end)
end)
