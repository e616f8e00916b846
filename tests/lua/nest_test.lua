--- Structures: flattening, packing, mapping, and hostile tables. Orders and results are tf.nest's.

local errors = require "moonflow.base.errors"
local nest = require "moonflow.base.nest"

local None = nest.None

local function message_of(f, ...)
  local ok, err = pcall(f, ...)
  assert.is_false(ok)
  assert.is_true(errors.is(err))
  return err.message
end

--- The error's message holds `text`.
local function says(text, f, ...)
  local message = message_of(f, ...)
  assert(message:find(text, 1, true), ("expected an error with '%s', got: %s"):format(text, message))
end

local function object(fields)
  return setmetatable(fields or {}, {__mf_kind = "tensor"})
end

describe("nest", function()
  it("walks dicts in bytewise order", function()
    -- tf.nest.flatten({"b": 1, "a": [2, {"z": 3, "Z": 4}], "ä": 5, "a1": 6}) == [2, 4, 3, 6, 1, 5]
    assert.are.same({2, 4, 3, 6, 1, 5}, nest.flatten{b = 1, a = {2, {z = 3, Z = 4}}, ["ä"] = 5, a1 = 6})
  end)

  it("puts a key before those that it begins", function()
    assert.are.same({"", "a", "a\0", "a1", "aa", "aaa"},
      nest.keys{aaa = 1, a = 1, aa = 1, a1 = 1, [""] = 1, ["a\0"] = 1})
  end)

  it("keeps bytewise order under any locale", function()
    local before = os.setlocale(nil, "collate")
    os.setlocale("C.UTF-8", "collate")
    assert.are.same({"B", "_", "a", "b"}, nest.keys{a = 1, B = 2, b = 3, _ = 4})
    os.setlocale(before, "collate")
  end)

  it("walks an ordered dict in bytewise order too, and keeps its order for files", function()
    local dict = nest.dict{{"q", 1}, {"b", 2}}
    assert.are.same({2, 1}, nest.flatten(dict))
    assert.are.same({"q", "b"}, nest.ordered_keys(dict))
    dict.a = 3
    assert.are.same({"q", "b", "a"}, nest.ordered_keys(dict))
    dict.q = nil
    assert.are.same({"b", "a"}, nest.ordered_keys(dict))
    local seen = {}
    for key in pairs(dict) do seen[#seen + 1] = key end
    assert.are.same({"b", "a"}, seen)
  end)

  it("tells lists, dicts and leaves apart", function()
    assert.is_true(nest.is_list{})
    assert.is_true(nest.is_list{1})
    assert.is_false(nest.is_list(nest.dict{}))
    assert.is_true(nest.is_dict(nest.dict{}))
    assert.is_true(nest.is_dict{a = 1})
    assert.are.equal("leaf", nest.kind(object()))
    assert.are.equal("leaf", nest.kind(None))
    assert.are.equal("leaf", nest.kind("text"))
    assert.are.equal("leaf", nest.kind(nil))
  end)

  it("packs what it flattened", function()
    local structure = {b = {1, 2, {}}, a = {c = 3}, d = nest.dict{}}
    local packed = nest.pack_sequence_as(structure, {10, 20, 30})
    assert.are.same({20, 30, {}}, packed.b)
    assert.are.equal(10, packed.a.c)
    assert.is_true(nest.is_dict(packed.d))
    assert.are.equal(7, nest.pack_sequence_as("leaf", {7}))
  end)

  it("keeps the order of dicts when packing", function()
    local packed = nest.pack_sequence_as(nest.dict{{"q", 1}, {"b", 2}}, {10, 20})
    assert.are.same({"q", "b"}, nest.ordered_keys(packed))
    assert.are.same({20, 10}, {packed.q, packed.b})
  end)

  it("says how many items do not fit", function()
    assert.are.equal("nest.pack_sequence_as: could not pack the sequence: the structure has 2 atoms, " ..
      "but the flat sequence has 3 items", message_of(nest.pack_sequence_as, {1, {a = 2}}, {1, 2, 3}))
  end)

  it("maps several structures", function()
    local sum = nest.map_structure(function(x, y) return x + y end, {1, {a = 2}}, {10, {a = 20}})
    assert.are.same({11, {a = 22}}, sum)
    local nones = nest.map_structure(function() end, {1, 2})
    assert.are.same({None, None}, nones)
    assert.are.equal(4, nest.map_structure(function(x) return x + 1 end, 3))
  end)

  it("maps and flattens with paths", function()
    local flat = nest.flatten_with_paths{a = {1, {b = 2}}}
    assert.are.same({{{"a", 1}, 1}, {{"a", 2, "b"}, 2}}, flat)
    assert.are.equal("['a'][2]['b']", nest.path_text(flat[2][1]))
    local texts = nest.map_structure_with_path(function(path) return nest.path_text(path) end, {a = {1}})
    assert.are.same({a = {"['a'][1]"}}, texts)
  end)

  it("says where structures differ", function()
    assert.are.equal("nest: at ['a'][2]: the two structures don't have the same nested structure: the first is " ..
      "a list of 1, the second is a leaf", message_of(nest.assert_same_structure, {a = {1, {2}}}, {a = {1, 2}}))
    says("the first is a dict with the keys {a, b}, the second is a dict with the keys {a, c}",
      nest.assert_same_structure, {a = 1, b = 2}, {a = 1, c = 2})
    nest.assert_same_structure({a = {1, "x"}}, {a = {print, None}})
  end)

  it("flattens up to a shallow structure", function()
    assert.are.same({{1, 2}, 3}, nest.flatten_up_to({a = 0, b = 0}, {a = {1, 2}, b = 3}))
    says("expected a structure with 1, received 1", nest.flatten_up_to, {a = {0}}, {a = 1})
  end)

  it("reads nested numbers of a data argument as one leaf", function()
    local x = object()
    assert.are.same({{{1, 2}, {3, 4}}, x}, nest.flatten({a = {{1, 2}, {3, 4}}, b = x}, {data = true}))
    assert.are.same({x, 1}, nest.flatten({x, 1}, {data = true}))
    assert.are.same({1, 2}, nest.flatten({{1}, 2}))
  end)

  it("expands composites when asked", function()
    local spec = {from_components = function(_, list) return {built = list} end}
    local ragged = setmetatable({spec = spec, components = function() return {5, 6} end}, {__mf_kind = "composite"})
    assert.are.equal(1, #nest.flatten{ragged})
    assert.are.same({5, 6, 7}, nest.flatten({ragged, 7}, {expand_composites = true}))
    assert.are.same({{built = {1, 2}}, 3}, nest.pack_sequence_as({ragged, 7}, {1, 2, 3}, {expand_composites = true}))
  end)

  it("counts nil as None", function()
    assert.are.same({None}, nest.flatten(nil))
  end)

  it("zips lists", function()
    assert.are.same({{1, "a"}, {2, "b"}}, nest.zip({1, 2, 3}, {"a", "b"}))
    assert.are.same({}, nest.zip())
    says("argument 2: expected a list, received 5", nest.zip, {1}, 5)
  end)
end)

describe("hostile structures", function()
  it("mixed keys", function()
    says("fit: argument 'x': at ['a']: a table is a list or a dict, received one with list items and the key 'b'",
      nest.flatten, {a = {1, b = 2}}, {what = "fit: argument 'x'"})
  end)

  it("holes, key 0, other keys", function()
    says("a list has no holes, received 2 items with keys up to 3", nest.flatten, {1, nil, 3})
    says("received 0", nest.flatten, {[0] = 1})
    says("received 1.5", nest.flatten, {[1.5] = 1})
    says("received true", nest.flatten, {[true] = 1})
    says("keys of a dict are strings", nest.flatten, nest.dict{{1, "x"}})
  end)

  it("tables that contain themselves", function()
    local cyclic = {1}
    cyclic[2] = cyclic
    says("deeper than 200 levels, or contains itself", nest.flatten, cyclic)
    says("contains itself", nest.pack_sequence_as, cyclic, {1})
    says("contains itself", nest.assert_same_structure, cyclic, cyclic)
    says("contains itself", nest.map_structure, print, cyclic)
  end)

  it("tables that share parts until they are huge", function()
    local bomb = {1}
    for _ = 1, 60 do bomb = {bomb, bomb} end
    says("more than 1000000 parts", nest.assert_same_structure, bomb, bomb)
  end)

  it("metatables that raise are never asked", function()
    local trap = setmetatable({}, {
      __index = function() error("__index") end, __pairs = function() error("__pairs") end,
      __len = function() error("__len") end, __metatable = false,
    })
    assert.is_true(rawequal(trap, nest.flatten({trap})[1]))
  end)
end)

describe("tf.dict and tf.kw", function()
  it("refuse other keys", function()
    says("keys are strings or integers, received true", nest.dict, {[true] = 1})
    says("expected string keys, or a list of {key, value} pairs", nest.dict, {1, 2})
    says("key 'a' occurs twice", nest.dict, {{"a", 1}, {"a", 2}})
    says("list of {key, value} pairs", nest.dict, {{"a", 1}, b = 2})
    says("keys are names of arguments, received 1", nest.kw, {1})
  end)

  it("do not change the table they are given", function()
    local options = {a = 1}
    nest.kw(options)
    nest.dict(options)
    assert.is_nil(getmetatable(options))
  end)

  it("prints", function()
    assert.are.equal("dict{q=1, b='x'}", tostring(nest.dict{{"q", 1}, {"b", "x"}}))
  end)
end)

describe("class_weight", function()
  it("counts from 0", function()
    assert.are.same({{0, 1.0}, {2, 5.0}}, nest.map_entries{[0] = 1.0, [2] = 5.0})
    assert.are.same({{1, 2.0}}, nest.map_entries(nest.dict{{1, 2.0}}))
    assert.are.same({}, nest.map_entries{})
  end)

  it("refuses what looks like a list", function()
    says("fit: argument 'class_weight': a table with the keys 1..2 and no 0 looks like a list",
      nest.map_entries, {1.0, 5.0}, "fit: argument 'class_weight'")
    says("keys are class numbers from 0, received 'a'", nest.map_entries, {a = 1})
    says("received '0'", nest.map_entries, {["0"] = 1})
    says("received -1", nest.map_entries, {[-1] = 1})
    says("received 5", nest.map_entries, 5)
  end)
end)
