--- JSON. Expected texts are what Python's json module prints (json.dumps), or the standard's own.

local errors = require "moonflow.base.errors"
local json = require "moonflow.base.json"
local nest = require "moonflow.base.nest"

local None = nest.None

local function message_of(f, ...)
  local ok, err = pcall(f, ...)
  assert.is_false(ok)
  assert.is_true(errors.is(err))
  assert.are.equal("INVALID_ARGUMENT", err.code)
  return err.message
end

--- The error's message holds `text`.
local function says(text, f, ...)
  local message = message_of(f, ...)
  assert(message:find(text, 1, true), ("expected an error with '%s', got: %s"):format(text, message))
end

describe("json.encode", function()
  it("prints floats as Python's repr does", function()
    local floats = {
      {0.1, "0.1"}, {1 / 3, "0.3333333333333333"}, {1e16, "1e+16"}, {9999999999999998.0, "9999999999999998.0"},
      {1e15, "1000000000000000.0"}, {123456789012345680.0, "1.2345678901234568e+17"},
      {1e-4, "0.0001"}, {1e-5, "1e-05"},
      {5e-324, "5e-324"}, {2.2250738585072014e-308, "2.2250738585072014e-308"},
      {1.7976931348623157e308, "1.7976931348623157e+308"}, {0.1 + 0.2, "0.30000000000000004"}, {100.0, "100.0"},
      {2.5, "2.5"},
      {-0.0, "-0.0"}, {0.0, "0.0"}, {4.35, "4.35"}, {1e21, "1e+21"}, {1.5e300, "1.5e+300"},
      {9007199254740993.0, "9007199254740992.0"}, {0x1.fffffffffffffp-1022, "4.4501477170144023e-308"},
      {-0x1.7584a2265b1f5p-740, "-2.522753946247637e-223"}, {-0x1.13e30d8f16adfp+215, "-5.674664918136216e+64"},
      {-0x1.e6f447ed4d57bp+45, "-66926478731690.96"}, {0x1.e3d437204e52dp+67, "2.7890840981819507e+20"},
      {-0x1.06ce60741c7a8p+588, "-1.039999246087972e+177"}, {0x1.6e6e307d4bedcp-932, "3.942716995897388e-281"},
      {-0x1.8a7dd06839eb9p-411, "-2.9138649815953417e-124"}, {0x1.b413f8a9a021ep-986, "2.60464476415712e-297"},
    }
    for _, pair in ipairs(floats) do assert.are.equal(pair[2], json.encode(pair[1])) end
  end)

  it("reads its own floats back exactly", function()
    local state = 88172645463325252
    for _ = 1, 2000 do
      state = state ~ (state << 13)
      state = state ~ (state >> 7)
      state = state ~ (state << 17)
      local x = string.unpack("<d", string.pack("<i8", state))
      if x == x and x ~= 1 / 0 and x ~= -1 / 0 then assert.are.equal(x, json.decode(json.encode(x))) end
    end
  end)

  it("prints integers without a point", function()
    assert.are.equal("[1, -9223372036854775808, 9223372036854775807, 1.0]",
      json.encode{1, math.mininteger, math.maxinteger, 1.0})
  end)

  it("is the same under a locale with a decimal comma", function()
    local before = os.setlocale(nil, "numeric")
    for _, name in ipairs{"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"} do os.setlocale(name, "numeric") end
    local text = json.encode{0.5, 1e-7, 1234.25}
    local value = json.decode("[0.5]")[1]
    os.setlocale(before, "numeric")
    assert.are.equal("[0.5, 1e-07, 1234.25]", text)
    assert.are.equal(0.5, value)
  end)

  it("escapes strings as Python does", function()
    local text = "a\"\\/\b\f\n\r\t\1\127é😀\u{2028}"
    assert.are.equal([["a\"\\/\b\f\n\r\t\u0001\u007f\u00e9\ud83d\ude00\u2028"]], json.encode(text))
    assert.are.equal([["a\"\\/\b\f\n\r\t\u0001]] .. "\127é😀\u{2028}\"", json.encode(text, {ascii = false}))
    assert.are.equal(text, json.decode(json.encode(text)))
    assert.are.equal([["\u0000"]], json.encode("\0"))
  end)

  it("tells empty lists from empty dicts, and null", function()
    assert.are.equal('{"a": [], "b": {}, "c": null}', json.encode{a = {}, b = nest.dict{}, c = None})
    assert.are.equal("null", json.encode(nil))
    assert.are.equal("[true, false]", json.encode{true, false})
  end)

  it("sorts plain tables bytewise and keeps the order of dicts", function()
    assert.are.equal('{"B": 1, "a": 2, "b": 3}', json.encode{b = 3, a = 2, B = 1})
    assert.are.equal('{"b": 3, "a": 2}', json.encode(nest.dict{{"b", 3}, {"a", 2}}))
  end)

  it("indents as Python does", function()
    local value = nest.dict{{"a", {}}, {"b", nest.dict{}}, {"c", {1, {d = None}}}}
    assert.are.equal('{\n  "a": [],\n  "b": {},\n  "c": [\n    1,\n    {\n      "d": null\n    }\n  ]\n}',
      json.encode(value, {indent = 2}))
    assert.are.equal('[1,{"a":2}]', json.encode({1, {a = 2}}, {compact = true}))
  end)

  it("writes long texts", function()
    local list = {}
    for i = 1, 20000 do list[i] = ("x"):rep(i % 7) end
    assert.are.same(list, json.decode(json.encode(list)))
    local long = ("é"):rep(100000)
    assert.are.equal(long, json.decode(json.encode(long)))
  end)

  it("writes shapes as lists", function()
    local shape = setmetatable({}, {
      __mf_kind = "shape", __len = function() return 2 end, __index = function(_, i) return i == 1 and None or 3 end,
    })
    assert.are.equal("[null, 3]", json.encode(shape))
  end)

  it("says what it cannot write, and where", function()
    assert.are.equal("json.encode: at ['a'][2]: JSON has no NaN", message_of(json.encode, {a = {1, 0 / 0}}))
    assert.are.equal("json.encode: JSON has no infinities", message_of(json.encode, 1 / 0))
    says("json.encode: at ['f']: expected numbers, strings, booleans, tf.None, lists and dicts, received a function",
      json.encode, {f = print})
    says("received a tensor", json.encode, {setmetatable({}, {__mf_kind = "tensor"})})
    says("json.encode: at ['s']: a string is not valid UTF-8 at byte 3", json.encode, {s = "ab\xff"})
    for _, bad in ipairs{"\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80"} do
      says("not valid UTF-8 at byte 1", json.encode, bad)
    end
    says("list items and string keys", json.encode, {1, a = 2})
    says("holes", json.encode, {1, nil, 3})
    says("received 1.5", json.encode, {[1.5] = 1})
    says("keys of a dict are strings", json.encode, nest.dict{{1, "x"}})
    local cyclic = {}
    cyclic.a = cyclic
    says("or contain themselves", json.encode, cyclic)
    local deep = {}
    for _ = 1, 600 do deep = {deep} end
    says("nested deeper than 512 levels", json.encode, deep)
  end)
end)

describe("json.decode", function()
  it("keeps integers apart from floats, and null", function()
    local value = json.decode('[1, 1.0, 1e2, -0, null, true, "a\\u0000b"]')
    assert.are.same({"integer", "float", "float", "integer"},
      {math.type(value[1]), math.type(value[2]), math.type(value[3]), math.type(value[4])})
    assert.are.equal(None, value[5])
    assert.are.equal("a\0b", value[7])
    assert.are.equal(None, json.decode("null"))
  end)

  it("keeps the order of keys", function()
    local text = '{"z": 1, "a": {"y": [], "b": {}}, "m": [{"k": null}]}'
    assert.are.equal(text, json.encode(json.decode(text)))
    assert.are.equal(1, json.decode(text).z)
  end)

  it("says line and column", function()
    assert.is_truthy(message_of(json.decode, '{\n "a": 1,\n "b" 2}'):find("^json.decode: line 3, column %d+: "))
    assert.is_truthy(message_of(json.decode, '{"a": 1, "a": 2}'):find("line 1, column %d+: duplicate object key"))
    assert.is_truthy(message_of(json.decode, '["\xff"]'):find("line 1, column %d+: unable to decode byte 0xff"))
    for _, bad in ipairs{"", "[1", "[1]]", "{\"a\"}", "[01]", "[1,]", "nul", "[NaN]", "'a'", "[1] x",
      "[99999999999999999999]", "[1e999]", "\"\\ud800\"", "{\"a\\u0000b\": 1}"} do
      assert.is_truthy(message_of(json.decode, bad):find("^json.decode: line %d+, column %d+: "))
    end
  end)

  it("bounds the depth", function()
    assert.is_truthy(json.decode(("["):rep(500) .. ("]"):rep(500)))
    says("nested too deeply", json.decode, ("["):rep(600) .. ("]"):rep(600))
    says("depth", json.decode, ("["):rep(1000000))
    says("nested too deeply", json.decode, "[[[1]]]", {depth = 2})
  end)
end)
