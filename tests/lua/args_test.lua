--- The argument helper beyond the table of calls: hostile tables, checks, splitting, error objects.

local args = require "moonflow.base.args"
local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local nest = require "moonflow.base.nest"

local None = nest.None

local function failure(f, ...)
  local ok, err = pcall(f, ...)
  assert.is_false(ok)
  assert.is_true(errors.is(err))
  return err
end

--- The error's message holds `text`.
local function says(text, f, ...)
  local message = failure(f, ...).message
  assert(message:find(text, 1, true), ("expected an error with '%s', got: %s"):format(text, message))
end

local function tensor()
  return setmetatable({}, {__mf_kind = "tensor"})
end

local dense = args.signature{
  name = "Dense", {"units", "integer"}, {"activation", "any", default = "linear"},
  {"use_bias", "boolean", default = true},
  {"rate", "number", default = 0.5}, {"init", "function", default = None}, {"shape", "shape", default = {1, 2}},
}

describe("argument reader", function()
  it("returns every value in order, with defaults", function()
    local values = table.pack(dense(3))
    assert.are.equal(6, values.n)
    assert.are.same({3, "linear", true, 0.5}, {values[1], values[2], values[3], values[4]})
    assert.is_nil(values[5])
    assert.are.same({1, 2}, values[6])
  end)

  it("copies defaults that are tables", function()
    local _, _, _, _, _, first = dense(3)
    first[1] = 99
    local _, _, _, _, _, second = dense(3)
    assert.are.same({1, 2}, second)
  end)

  it("tells None from an argument left out", function()
    local _, activation = dense(3, None)
    assert.is_nil(activation)
    _, activation = dense(3, nil)
    assert.are.equal("linear", activation)
    _, activation = dense(3, {activation = None})
    assert.is_nil(activation)
  end)

  it("refuses None where a checked value has another default", function()
    assert.are.equal("Dense: argument 'use_bias': expected a boolean, received None",
      failure(dense, 3, {use_bias = None}).message)
    assert.are.equal("Dense: argument 'units': expected an integer, received None", failure(dense, None).message)
  end)

  it("accepts 14.0 as an integer and nothing near it", function()
    local units = dense(14.0)
    assert.are.equal("integer", math.type(units))
    assert.are.equal(14, units)
    for _, bad in ipairs{14.5, 0 / 0, 1 / 0, 2.0 ^ 63, "14", true, {}} do
      local err = failure(dense, {units = bad})
      assert.is_truthy(err.message:find("expected an integer", 1, true))
    end
  end)

  it("checks booleans, numbers and functions", function()
    says("expected a boolean, received 1", dense, 1, {use_bias = 1})
    says("expected a number, received '1'", dense, 1, {rate = "1"})
    says("expected a function, received 4", dense, 1, {init = 4})
    local callable = setmetatable({}, {__call = function() end})
    assert.are.equal(callable, (select(5, dense(1, {init = callable}))))
  end)

  it("names the missing argument", function()
    assert.are.equal("Dense: missing required argument 'units'", failure(dense).message)
    assert.are.equal("Dense: missing required argument 'units'", failure(dense, nil, "relu").message)
    assert.are.equal("Dense: missing required argument 'units'", failure(dense, {activation = "relu"}).message)
  end)

  it("suggests the nearest names, lists all when none is near", function()
    says("did you mean 'units'?", dense, 1, {Units = 1})
    says("did you mean 'activation'?", dense, 1, {activaton = 1})
    says("its arguments are: units, activation, use_bias, rate, init, shape", dense, 1, {quux = 1})
  end)

  it("counts swapped neighbours as one slip, and looks inside longer names", function()
    assert.are.equal("'from' or 'fork'", errors.nearest("form", {"from", "fork", "other"}))
    assert.are.equal("'learning_rate'", errors.nearest("learning", {"learning_rate", "name"}))
    assert.is_nil(errors.nearest("lr", {"learning_rate", "name"}))
    assert.are.equal("'a1', 'a2' or 'a3'", errors.nearest("a10", {"a1", "a2", "a3", "a4"}))
  end)

  it("says the same whatever the order of keys", function()
    for _, extra in ipairs{"b", "zz", "q"} do
      says("list items and the key 'a'", dense, 3, {1, [extra] = 1, c = 2, a = 3})
    end
    local message = failure(dense, 1, {zzz = 1, aab = 1, mmm = 1}).message
    assert.is_truthy(message:find("unknown argument 'aab'", 1, true))
    says("'activation' was given twice", dense, 1, 2, true, {use_bias = true, activation = 3})
  end)

  it("raises error objects with code, op and the caller's position", function()
    local err = failure(dense, {unit = 1})
    assert.are.equal("INVALID_ARGUMENT", err.code)
    assert.are.equal("Dense", err.op)
    assert.is_truthy(err.position:find("args_test.lua:%d+$"))
    assert.is_truthy(tostring(err):find("^.*args_test.lua:%d+: INVALID_ARGUMENT: Dense: unknown argument 'unit'"))
  end)
end)

describe("hostile arguments", function()
  local any = args.signature{name = "f", {"x", "tensor"}, {"y", "struct", default = None}}

  it("zero bytes and control characters in names", function()
    local message = failure(dense, 1, {["units\0\n%s"] = 1}).message
    assert.is_truthy(message:find("unknown argument 'units\\000\\010%s'", 1, true))
  end)

  it("zero bytes in values", function()
    local _, activation = dense(1, "a\0b")
    assert.are.equal("a\0b", activation)
  end)

  it("long names", function()
    assert.is_truthy(#failure(dense, 1, {[("n"):rep(100000)] = 1}).message < 400)
  end)

  it("keys that are neither strings nor integers", function()
    for _, key in ipairs{1.5, true, {}, print} do
      local message = failure(any, tensor(), {[key] = 1}).message
      assert.is_truthy(message:find("keys of a table are strings or 1..n", 1, true))
      says("keys of a table", any, {[key] = 1})
    end
  end)

  it("floats with integer values are list keys, as in Lua", function()
    local x = any{[1.0] = 5, [2.0] = 6}
    assert.are.same({5, 6}, x)
  end)

  it("key 0 and holes", function()
    says("keys of a list are 1..n, received a table with key 0", any, {[0] = 1})
    says("a list has no holes, received 3 items with keys up to 5", any, {1, nil, 3, nil, 5})
    says("holes", any, {[math.maxinteger] = 1})
    says("received a table with key -9223372036854775808", any, {[math.mininteger] = 1})
  end)

  it("metatables with failing metamethods are never asked", function()
    local trap = setmetatable({}, {
      __index = function() error("__index") end, __len = function() error("__len") end,
      __pairs = function() error("__pairs") end,
      __eq = function() error("__eq") end, __tostring = function() error("__tostring") end, __metatable = "locked",
    })
    local x, y = any(trap, trap)
    assert.is_true(rawequal(x, trap) and rawequal(y, trap))
    says("received a table", dense, trap)
  end)

  it("tables that contain themselves", function()
    local list = {}
    list[1] = list
    local concat = args.signature{name = "concat", {"values", "tensors"}, {"axis", "axis", default = 0}}
    assert.is_true(rawequal(list, (concat(list))))
    assert.is_true(rawequal(list, (any(list))))
  end)

  it("many values", function()
    local printed = args.signature{name = "print", rest = {"inputs", "struct"}, {"sep", "string", default = " "}}
    local many = {}
    for i = 1, 5000 do many[i] = i end
    assert.are.equal(5000, #printed(table.unpack(many)))
    says("takes at most 6 arguments by position, received 5000", dense, table.unpack(many))
    says("received 5000", dense, many)
  end)

  it("tf.kw in the middle", function()
    says("tf.kw{...} must be the last argument", any, nest.kw{x = 1}, 2)
  end)

  it("text is data, never a format", function()
    says("received '%d%s%n'", dense, "%d%s%n")
  end)

  it("works in a coroutine and after collection", function()
    local read = coroutine.wrap(function(...) return (dense(...)) end)
    collectgarbage()
    assert.are.equal(5, read(5))
  end)
end)

describe("signature objects", function()
  it("read_table leaves None out", function()
    assert.are.same({units = 2, use_bias = true, rate = 0.5, shape = {1, 2}}, dense:read_table(2, {activation = None}))
  end)

  it("split tells values from keywords", function()
    local call = args.signature{
      name = "call", rest = {"inputs", "struct"}, {"training", "boolean", default = None},
      {"mask", "any", default = None}, input_first = true,
    }
    local x, y = tensor(), tensor()
    local kw, first, second, third = call:split(x, y, {training = true})
    assert.are.same({training = true}, kw)
    assert.is_true(rawequal(first, x) and rawequal(second, y) and third == nil)
    assert.are.equal(3, select("#", call:split({x, y}, nil, tensor())) - 1)
    kw, first = call:split(nest.kw{training = false})
    assert.are.same({training = false}, kw)
    assert.is_nil(first)
  end)

  it("lists its names and has a useful tostring", function()
    local f = args.signature{name = "f", {"a", "any"}, rest = {"more", "any"}, open = true}
    assert.are.same({"a", "more", "kwargs"}, f:names())
    assert.are.equal("f(a, *more, **kwargs)", tostring(f))
    assert.is_true(f:has("a"))
    assert.is_false(f:has("b"))
  end)

  it("refuses contradictory rows", function()
    assert.are.equal("INTERNAL", failure(args.signature, {name = "f", {"a", "any"}, {"a", "any"}}).code)
    assert.are.equal("INTERNAL", failure(args.signature, {name = "f", {"a", "no such type"}}).code)
    assert.are.equal("INTERNAL", failure(args.signature, {name = "f", {}}).code)
  end)

  it("counts calls by name", function()
    core.args.called()
    dense(1)
    dense(2)
    pcall(dense)
    assert.are.same({Dense = 3}, core.args.called())
    assert.are.same({}, core.args.called())
  end)

  it("allocates nothing for plain values", function()
    collectgarbage()
    collectgarbage("stop")
    local x = tensor()
    local before = collectgarbage("count")
    for _ = 1, 1000 do dense(3, x) end
    local grown = collectgarbage("count") - before
    collectgarbage("restart")
    -- the default {1, 2} is copied 1000 times (72 bytes each at least); nothing else may come on top
    local no_tables = args.signature{name = "g", {"x", "tensor"}, {"y", "tensor"}, {"name", "string", default = None}}
    collectgarbage("stop")
    before = collectgarbage("count")
    for _ = 1, 1000 do no_tables(x, 2.0) end
    local plain = collectgarbage("count") - before
    collectgarbage("restart")
    assert.are.equal(0.0, plain)
    assert.is_true(grown > 50)
  end)
end)

describe("what a table is made of", function()
  local is_scalar_list = core.args.is_scalar_list

  it("knows data for one tensor", function()
    for _, list in ipairs{{}, {1, 2}, {{1, 2}, {3, 4}}, {"a"}, {true}, {{}, {}}, {{{}}}} do
      assert.is_true(is_scalar_list(list))
    end
  end)

  it("knows structures", function()
    local x = tensor()
    local cyclic = {}
    cyclic[1] = cyclic
    for _, list in ipairs{{x}, {1, x}, {{x}}, {a = 1}, {{a = 1}}, {1, {a = 1}}, {None}, cyclic, {print}} do
      assert.is_false(is_scalar_list(list))
    end
    assert.is_false(is_scalar_list(x))
    assert.is_false(is_scalar_list(1))
  end)
end)
