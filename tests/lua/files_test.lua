--- tf.files, tf.io.gfile, tf.io.read_file, tf.io.decode_png: values judged by TensorFlow or written by hand; broken files.

local tf = require "moonflow"
local core = require "moonflow.core"
local golden = require "golden_data"

local folder = os.tmpname() .. "-files"
os.remove((folder:gsub("%-files$", "")))

local function write(name, bytes)
  local path = folder .. "/" .. name
  local file = assert(io.open(path, "wb"))
  file:write(bytes)
  file:close()
  return path
end

local function refused(code, f, ...)
  local ok, err = pcall(f, ...)
  assert.is_false(ok)
  assert.are.equal(code, err.code)
  return err.message
end

describe("files", function()
  setup(function() os.execute("mkdir -p '" .. folder .. "'") end)
  teardown(function() os.execute("rm -rf '" .. folder .. "'") end)

  it("reads idx, plain and gzip", function()
    local path = write("a.idx", "\0\0\8\2\0\0\0\2\0\0\0\3\1\2\3\4\5\6")
    local t = tf.files.load_idx(path)
    assert.are.equal("uint8", t.dtype.name)
    assert.are.same({{1, 2, 3}, {4, 5, 6}}, t:totable())
    os.execute("gzip -k '" .. path .. "'")
    assert.are.same({{1, 2, 3}, {4, 5, 6}}, tf.files.load_idx(path .. ".gz"):totable())
    local wide = write("b.idx", "\0\0\12\1\0\0\0\2\0\0\1\0\255\255\255\254")
    assert.are.same({256, -2}, tf.files.load_idx(wide):totable())
    local images = tf.files.load_idx("examples/data/digits-images.idx3-ubyte.gz")
    assert.are.same({5000, 28, 28}, {images.shape[1], images.shape[2], images.shape[3]})
  end)

  it("refuses broken idx files and names the place", function()
    assert.matches("No such file", refused("NOT_FOUND", tf.files.load_idx, folder .. "/none"))
    assert.matches("magic", refused("DATA_LOSS", tf.files.load_idx, write("c.idx", "hello world")))
    assert.matches("expected 6 elements", refused("DATA_LOSS", tf.files.load_idx, write("d.idx", "\0\0\8\2\0\0\0\2\0\0\0\3\1\2")))
    assert.matches("header", refused("DATA_LOSS", tf.files.load_idx, write("e.idx", "\0\0\8\2\0\0")))
    refused("INVALID_ARGUMENT", tf.files.load_idx, write("f.idx", "\0\0\8\3" .. ("\127\255\255\255"):rep(3)))
    assert.matches("truncated", refused("DATA_LOSS", tf.files.load_idx, write("g.gz", "\x1f\x8b\8\0\0\0\0\0\0\3\75")))
  end)

  it("writes npy that it reads again, in every dtype", function()
    for _, name in ipairs{"float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "bool", "float16"} do
      local t = tf.cast(tf.constant{{0, 1, 1}, {1, 0, 1}}, name)
      tf.files.save_npy(folder .. "/t.npy", t)
      local back = tf.files.load_npy(folder .. "/t.npy")
      assert.are.equal(name, back.dtype.name)
      assert.are.same(t:totable(), back:totable())
    end
    assert.matches("bfloat16", refused("INVALID_ARGUMENT", tf.files.save_npy, folder .. "/u.npy", tf.cast({1.0}, "bfloat16")))
    assert.is_false(core.files.exists(folder .. "/u.npy"))
  end)

  it("reads Fortran order and big-endian npy", function()
    local function npy(descr, order, shape, data)
      local header = ("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }"):format(descr, order, shape)
      return "\x93NUMPY\1\0" .. string.pack("<I2", #header) .. header .. data
    end
    local columns = write("f.npy", npy("<i4", "True", "(2, 3)", string.pack("<i4i4i4i4i4i4", 1, 4, 2, 5, 3, 6)))
    assert.are.same({{1, 2, 3}, {4, 5, 6}}, tf.files.load_npy(columns):totable())
    local big = write("g.npy", npy(">f8", "False", "(2,)", string.pack(">dd", 1.5, -2)))
    assert.are.same({1.5, -2.0}, tf.files.load_npy(big):totable())
    local quotes = write("k.npy", "\x93NUMPY\1\0" .. string.pack("<s2", '{"descr": "f4", "fortran_order": False, "shape": (2,)}') ..
      string.pack("<ff", 1.5, 2.5))
    assert.are.same({1.5, 2.5}, tf.files.load_npy(quotes):totable())
    refused("DATA_LOSS", tf.files.load_npy, write("h.npy", npy("<f8", "False", "(3,)", "12345678")))
    refused("UNIMPLEMENTED", tf.files.load_npy, write("i.npy", npy("|O", "False", "(3,)", "")))
    refused("DATA_LOSS", tf.files.load_npy, write("j.npy", "nothing"))
  end)

  it("writes npz that it reads again", function()
    local path = folder .. "/a.npz"
    for _, compressed in ipairs{false, true} do
      tf.files.save_npz(path, {x = tf.constant{1.5, 2.5}, y = {{1, 2}, {3, 4}}}, {compressed = compressed})
      local arrays, names = tf.files.load_npz(path)
      assert.are.same({"x", "y"}, names)
      assert.are.same({1.5, 2.5}, arrays.x:totable())
      assert.are.same({{1, 2}, {3, 4}}, arrays.y:totable())
    end
    refused("NOT_FOUND", tf.files.load_npz, folder .. "/none.npz")
    refused("DATA_LOSS", tf.files.load_npz, write("b.npz", "PK\3\4 broken"))
  end)

  it("reads CSV by RFC 4180", function()
    local path = write("a.csv", 'id,score,name\r\n1,0.5,"Doe, Jane"\r\n2,,"say ""hi"""\r\n')
    local columns, names = tf.files.load_csv(path, {header = true})
    assert.are.same({"id", "score", "name"}, names)
    assert.are.same({1, 2}, columns.id:totable())
    assert.are.equal("int64", columns.id.dtype.name)
    local score = columns.score:totable()
    assert.are.equal(0.5, score[1])
    assert.is_true(score[2] ~= score[2])
    assert.are.same({"Doe, Jane", 'say "hi"'}, columns.name:totable())
    local blanks = tf.files.load_csv(write("d.csv", " 1 ,2.5 , \n 2,3,x\n"))
    assert.are.same({1, 2}, blanks["0"]:totable())
    assert.are.same({2.5, 3.0}, blanks["1"]:totable())
    assert.are.same({" ", "x"}, blanks["2"]:totable())
    assert.matches("columns 0 and 1 have the same name 'a'",
      refused("INVALID_ARGUMENT", tf.files.load_csv, write("e.csv", "a,a\n1,2\n"), {header = true}))
    assert.matches("zero byte", refused("INVALID_ARGUMENT", tf.files.load_csv, write("f.csv", "a\0b,c\n1,2\n"), {header = true}))
    assert.matches("line 2", refused("INVALID_ARGUMENT", tf.files.load_csv, write("b.csv", "1,2\n3\n")))
    assert.matches("does not end", refused("INVALID_ARGUMENT", tf.files.load_csv, write("c.csv", '1,"2\n3,4\n')))
    for _, delimiter in ipairs{"ab", "", "\n", '"'} do
      assert.matches("delimiter", refused("INVALID_ARGUMENT", tf.files.load_csv, path, {delimiter = delimiter}))
    end
  end)

  it("lists folders and patterns", function()
    write("p1.txt", "")
    write("p2.txt", "")
    assert.are.same({folder .. "/p1.txt", folder .. "/p2.txt"}, tf.io.gfile.glob(folder .. "/p*.txt"))
    assert.are.same({}, tf.io.gfile.glob(folder .. "/q*"))
    local seen = {}
    for _, name in ipairs(tf.io.gfile.listdir(folder)) do seen[name] = true end
    assert.is_true(seen["p1.txt"])
    refused("NOT_FOUND", tf.io.gfile.listdir, folder .. "/none")
  end)

  it("keeps the old file when a save fails", function()
    local path = write("keep.npy", "old bytes")
    refused("INVALID_ARGUMENT", tf.files.save_npy, path, tf.cast({1.0}, "bfloat16"))
    assert.are.equal("old bytes", core.files.read(path))
    assert.are.equal(0, #core.files.glob(folder .. "/keep.npy.tmp*"))
  end)

  it("decodes PNG as TensorFlow does", function()
    for _, entry in ipairs(golden.read("tests/golden/png/index.json").files) do
      local bytes = tf.io.read_file("tests/golden/png/" .. entry.file)
      for _, row in ipairs(entry.decode_png) do
        local ok, result = pcall(tf.raw_ops.DecodePng, {contents = bytes, channels = row.channels, dtype = tf[row.dtype]})
        local place = ("%s, channels %d, %s"):format(entry.file, row.channels, row.dtype)
        if row.error then
          assert(not ok, place .. ": expected an error")
          assert.are.equal(row.error.code or row.error, result.code, place)
        else
          assert(ok, place .. ": " .. tostring(result))
          local wrong = golden.difference(result, row.image)
          assert(not wrong, place .. ": " .. tostring(wrong))
        end
      end
    end
  end)
end)
