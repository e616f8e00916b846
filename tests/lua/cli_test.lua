--- The moonflow program: scripts, code, the session through a pipe, doctor. Needs the program itself: it runs this test.

local process = require "process"
local tf = require "moonflow"

local read = process.read

local moonflow = process.program()

local function write(text)
  return process.write(os.tmpname(), text)
end

--- Runs the program with `words`; `input` goes to its standard input. Returns what it wrote, its errors, its exit code.
local function run(words, input)
  local from, out, err = write(input or ""), os.tmpname(), os.tmpname()
  local _, _, code = os.execute(("%s %s < %s > %s 2> %s"):format(moonflow, words, from, out, err))
  local written, errors = read(out), read(err)
  for _, path in ipairs{from, out, err} do os.remove(path) end
  return written, errors, code
end

local function has(text, part)
  assert(text:find(part, 1, true), ("expected '%s' in: %s"):format(part, text))
end

describe("the moonflow program", function()
  if not moonflow then
    pending("needs the moonflow program, not a stock Lua")
    return
  end

  it("runs a script with its arguments", function()
    local script = write "local a, b = ...\nprint(a, b, arg[0] ~= nil, arg[1], #arg)\nos.exit(3)"
    local out, _, code = run(script .. " first second")
    assert.are.equal("first\tsecond\ttrue\tfirst\t2\n", out)
    assert.are.equal(3, code)
    os.remove(script)
  end)

  it("reports errors with the script's line and stack only", function()
    local script = write "local tf = require 'moonflow'\nlocal function f()\n  tf.zeros({2}, {dtyp = 1})\nend\nf()"
    local out, err, code = run(script)
    assert.are.equal("", out)
    assert.are.equal(1, code)
    has(err, ":3: INVALID_ARGUMENT: tf.zeros: unknown argument 'dtyp'; did you mean 'dtype'?")
    has(err, "in local 'f'")
    assert(not err:find("cli/init.lua", 1, true), err)
    os.remove(script)
    local _, missing, missing_code = run("/no/such/script.lua")
    has(missing, "/no/such/script.lua")
    assert.are.equal(1, missing_code)
    has(select(2, run(write "x = = 1")), ":1:")
  end)

  it("runs code and tells its version", function()
    assert.are.equal("tf.Tensor(3, shape=(), dtype=int32)\n", (run [[-e "print(require 'moonflow'.constant(1) + 2)"]]))
    has(run("--version"), "moonflow " .. tf.version.VERSION)
    has(run("--help"), "usage: moonflow")
    assert.are.equal("ab\n", (run("-", "print('ab')")))
    local _, err, code = run("--no-such-option")
    has(err, "unknown option '--no-such-option'")
    assert.are.equal(2, code)
    assert.are.equal(1, select(3, run [[-e "error('x')"]]))
  end)

  it("keeps a session through errors, and shows values", function()
    local out, err, code = run("", table.concat({
      "1 + 1", "x = tf.Variable(3.0)", "x * 2", "for i = 1, 2 do", "  print('row', i)", "end", "error('boo')", "nope.nope", "tf.ones{2, dtyp=1}",
      "x = = 2", "{a = 1, b = {}}", "'text', nil", "=x:value()", "help(tf.reduce_sum)", "help('MatMul')", "_", "tf.newaxis",
    }, "\n") .. "\n")
    assert.are.equal(0, code)
    assert.are.equal("2\n", out:match("^[^\n]*\n"))
    has(out, "tf.Tensor(6.0, shape=(), dtype=float32)\nrow\t1\nrow\t2\n")
    has(out, '{a = 1, b = {}}\n"text"\nnil\ntf.Tensor(3.0, shape=(), dtype=float32)\n')
    has(out, "reduce_sum(input_tensor, axis=None, keepdims=False, name=None)")
    has(out, "tf.raw_ops.MatMul(a, b, transpose_a=false")
    has(out, "None\n")
    has(err, "boo")
    has(err, "attempt to index a nil value (global 'nope')")
    has(err, "did you mean 'dtype'")
  end)

  it("checks the machine", function()
    local out, _, code = run("doctor")
    assert.are.equal(0, code)
    for _, part in ipairs{"processor", "OpenBLAS", "GPU", "memory", "a matrix product is right"} do has(out, part) end
  end)

  it("completes names of Keras and of objects", function()
    local completion = require "moonflow.cli.completion"
    rawset(_G, "tf_for_completion", tf)
    rawset(_G, "model_for_completion", tf.keras.Sequential{tf.keras.layers.Dense(1)})
    local function has_all(text, ...)
      local found = {}
      for _, name in ipairs((completion.candidates(text))) do found[name] = true end
      for _, name in ipairs{...} do assert.is_true(found[name], text .. ": " .. name) end
    end
    has_all("tf_for_completion.keras.layers.Den", "Dense")
    has_all("tf_for_completion.data.Dataset.ra", "range")
    has_all("model_for_completion:fi", "fit")
    has_all("model_for_completion.trainable_v", "trainable_variables")
    rawset(_G, "tf_for_completion", nil)
    rawset(_G, "model_for_completion", nil)
  end)

  it("completes names", function()
    local completion = require "moonflow.cli.completion"
    local function candidates(text) return table.concat((completion.candidates(text)), " ") end
    rawset(_G, "tf", tf)
    rawset(_G, "some_tensor", tf.ones{1})
    has(candidates("y = tf.reduce_"), "reduce_max reduce_mean reduce_min reduce_prod reduce_sum")
    has(candidates("tf.math.reduce_st"), "reduce_std")
    has(candidates("tf.ma"), "math matmul maximum")
    has(candidates("some_tensor:it"), "item iter")
    has(candidates("some_tensor.sh"), "shape")
    assert.are.equal("shape", candidates("some_tensor.sh"))
    assert.are.equal("function", candidates("x = func"))
    assert.are.equal("", candidates("nothing.here.at"))
    assert.are.equal("m", (completion.complete("tf.reduce_su")))
    rawset(_G, "tf", nil)
    rawset(_G, "some_tensor", nil)
  end)
end)
