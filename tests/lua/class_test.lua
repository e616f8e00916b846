--- Classes and schemas: construction, inheritance, configs, properties, tracking.

local class = require "moonflow.base.class"
local errors = require "moonflow.base.errors"
local json = require "moonflow.base.json"
local nest = require "moonflow.base.nest"
local types = require "moonflow.base.types"

local None = nest.None
local Object = class.Object

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

local Layer = Object:extend("Layer", {
  args = {
    {"trainable", "boolean", default = true}, {"dtype", "dtype", default = "float32"},
    {"name", "string", default = None},
  },
  call_args = {{"training", "boolean", default = None}},
  getters = {
    trainable = function(self) return self._trainable end,
    weights = function() return {"kernel", "bias"} end,
  },
  setters = {trainable = function(self, value) self._trainable = value end},
  track = true,
})

function Layer:init(a)
  self.trainable = a.trainable
  self.name = a.name or self.class_name:lower()
  self.dtype = a.dtype
end

function Layer:__call(x)
  return self:call(x)
end

local Dense = Layer:extend("Dense", {args = {
  {"units", "integer", min = 1, doc = "Size of the last axis."},
  {"activation", "any", default = "tanh"},
  {"padding", "string", default = "valid", one_of = {"valid", "same", "causal"}},
  {"size", "integers", default = {2, 2}, min = 1},
}})

function Dense:init(a)
  self:super_init(a)
  self.units = a.units
  self.activation = a.activation
end

function Dense:call(x)
  return x * self.units
end

describe("construction", function()
  it("follows the grammar, the base's arguments included", function()
    local layer = Dense{16, activation = "relu", name = "d", trainable = false}
    assert.are.same({16, "relu", "d", false}, {layer.units, layer.activation, layer.name, layer.trainable})
    assert.are.equal("dense", Dense(3).name)
    assert.are.equal(33, Dense(3)(11))
  end)

  it("takes the base's arguments by name only", function()
    says("takes at most 4 arguments by position", Dense, 1, "relu", "same", 2, false)
  end)

  it("checks bounds, choices and items", function()
    says("Dense: argument 'units': expected an integer of at least 1, received 0", Dense, 0)
    says("Dense: argument 'padding': expected one of 'valid', 'same', 'causal', received 'sam'; did you mean 'same'?",
      Dense, 1, {padding = "sam"})
    says("argument 'size': expected numbers of at least 1, received 0", Dense, 1, {size = {2, 0}})
    says("expected an integer or a list of integers", Dense, 1, {size = {2, 0.5}})
    says("expected an integer or a list of integers, received '2'", Dense, 1, {size = "2"})
  end)

  it("gives init a table where None is nil", function()
    assert.is_nil(Dense(1, {activation = None}).activation)
  end)

  it("raises error objects at the caller's line", function()
    local err = failure(Dense, {unit = 1})
    assert.are.equal("Dense: unknown argument 'unit'; did you mean 'units'?", err.message)
    assert.is_truthy(err.position:find("class_test.lua:%d+$"))
  end)

  it("takes rest and open arguments", function()
    local Checkpoint = Object:extend("Checkpoint", {args = {
      {"parts", "struct", rest = true}, {"tracked", "struct", open = true}, {"name", "string", default = "ckpt"},
    }})
    local saved = Checkpoint(1, 2, nest.kw{model = 3, name = "x"})
    assert.are.same({{1, 2}, {model = 3}, "x"}, {saved.parts, saved.tracked, saved.name})
    assert.are.same({{}, {}, "ckpt"}, {Checkpoint().parts, Checkpoint().tracked, Checkpoint().name})
  end)

  it("assigns the arguments when no init is written", function()
    local Point = Object:extend("Point", {args = {{"x", "number"}, {"y", "number", default = 2.5}}})
    local point = Point(1)
    assert.are.same({1, 2.5}, {point.x, point.y})
  end)
end)

describe("inheritance", function()
  it("hands each init the arguments of its level", function()
    local seen
    local Narrow = Dense:extend("Narrow", {args = {{"factor", "integer"}, {"activation", "any", default = None}}})
    function Narrow:init(a)
      seen = a
      self:super_init(a)
      self.factor = a.factor
    end
    local layer = Narrow{2, units = 8, name = "n"}
    assert.are.same({2, 8, "n"}, {layer.factor, layer.units, layer.name})
    -- the child's default None is not replaced by the base's "tanh"
    assert.is_nil(layer.activation)
    assert.are.equal("valid", seen.padding)
    says("Narrow: missing required argument 'units'", Narrow, 2)
  end)

  it("reads other values as a call of the base's constructor", function()
    local Fixed = Dense:extend("Fixed", {args = {{"depth", "integer"}, {"units", remove = true}}})
    function Fixed:init(a)
      self:super_init(a.depth * 2, {activation = "relu", name = a.name})
    end
    local layer = Fixed(4, {name = "f"})
    assert.are.same({8, "relu", "f"}, {layer.units, layer.activation, layer.name})
    says("unknown argument 'units'", Fixed, 4, {units = 1})
    local Wrong = Dense:extend("Wrong")
    function Wrong:init() self:super_init(4, {activatio = 1}) end
    says("Dense: unknown argument 'activatio'; did you mean 'activation'?", Wrong)
  end)

  it("hands on None where an argument of the base was taken away", function()
    local Valid = Dense:extend("Valid", {args = {{"units", "integer"}, {"padding", remove = true}}})
    assert.is_nil(Valid(1, {activation = None}).activation)
    assert.are.equal("tanh", Valid(1).activation)
  end)

  it("without args, init gets exactly the values written", function()
    local got
    local Plain = Layer:extend("Plain")
    function Plain:init(...)
      got = table.pack(...)
      self:super_init{name = "p"}
    end
    local options = {units = 3}
    local layer = Plain(1, nil, options, nil)
    assert.are.equal(4, got.n)
    assert.is_true(rawequal(options, got[3]))
    assert.are.equal("p", layer.name)
  end)

  it("without args and init, constructs as the base does", function()
    local Mine = Dense:extend("Mine")
    function Mine:call(x) return x + self.units end
    assert.are.equal(12, Mine(5)(7))
    assert.is_truthy(failure(Mine, {unit = 1}).message:find("^Mine: unknown argument 'unit'"))
  end)

  it("walks three levels of super_init", function()
    local A = Object:extend("A", {args = {{"a", "integer", default = 1}}})
    function A:init(a) self.log = "A" .. a.a end
    local B = A:extend("B", {args = {{"b", "integer", default = 2}}})
    local C = B:extend("C", {args = {{"c", "integer", default = 3}}})
    function C:init(a)
      self:super_init(a)
      self.log = self.log .. "C" .. a.c
    end
    local D = C:extend("D")
    function D:init() self:super_init{a = 7} end
    assert.are.equal("A7C3", D().log)
    assert.are.equal("A5C6", C{a = 5, c = 6}.log)
  end)

  it("answers isinstance", function()
    local layer = Dense(1)
    assert.is_true(layer:isinstance(Dense) and layer:isinstance(Layer) and layer:isinstance(Object))
    assert.is_false(Layer():isinstance(Dense))
    assert.is_false(class.isinstance(5, Dense))
    assert.is_false(class.isinstance({}, Dense))
    assert.is_false(class.isinstance(Dense, Dense))
    assert.is_true(class.is_class(Dense))
    assert.is_false(class.is_class(layer))
    assert.are.equal(Dense, class.of(layer))
    assert.are.equal(Layer, Dense.super)
  end)

  it("inherits metamethods", function()
    local Sum = Object:extend("Sum")
    function Sum:init(x) self.x = x end
    function Sum.__add(a, b) return a.x + b.x end
    local Child = Sum:extend("Child")
    assert.are.equal(5, Child(2) + Child(3))
  end)

  it("prints", function()
    assert.are.equal("<Dense name=d>", tostring(Dense(1, {name = "d"})))
    assert.are.equal("<class Dense>", tostring(Dense))
    assert.are.equal("<Object>", tostring(Object()))
  end)

  it("collects the call's arguments", function()
    local Attention = Layer:extend("Attention", {call_args = {{"mask", "any", default = None}}})
    local names = {}
    for _, row in ipairs(class.call_args(Attention)) do names[#names + 1] = row[1] end
    assert.are.same({"mask", "training"}, names)
  end)

  it("lets a class replace construction", function()
    local Model = Layer:extend("Model")
    local Functional = Model:extend("Functional", {args = {{"inputs", "struct"}}})
    function Functional:init(a) self.inputs = a.inputs end
    function Functional._make(cls, ...) return class.construct(cls, ...) end
    function Model._make(cls, ...)
      if rawequal(cls, Model) and select("#", ...) > 0 then return Functional(...) end
      return class.construct(cls, ...)
    end
    assert.are.equal(Functional, class.of(Model{1, 2}))
    assert.are.equal(Model, class.of(Model()))
  end)
end)

describe("configs", function()
  it("are derived from the rows, the base's first", function()
    local config = Dense(4, {name = "d", activation = None}):get_config()
    assert.are.equal('{"trainable": true, "dtype": "float32", "name": "d", "units": 4, "activation": null, ' ..
      '"padding": "valid", "size": [2, 2]}', json.encode(config))
  end)

  it("read attributes as they are now", function()
    local layer = Dense(4)
    layer.trainable = false
    layer.units = 5
    assert.are.equal(false, layer:get_config().trainable)
    assert.are.equal(5, layer:get_config().units)
  end)

  it("make an equal object", function()
    local config = json.decode(json.encode(Dense(4, {size = 3, activation = None, name = "d"}):get_config()))
    for _, copy in ipairs{Dense.from_config(config), Dense:from_config(config)} do
      assert.are.equal(Dense, class.of(copy))
      assert.are.same(4, copy.units)
      assert.is_nil(copy.activation)
      assert.are.equal(json.encode(config), json.encode(copy:get_config()))
    end
    says("Dense: unknown argument 'unit'", Dense.from_config, {units = 1, unit = 2})
    says("Dense: from_config: expected a dict, received 5", Dense.from_config, 5)
  end)

  it("use the types' own writers and readers", function()
    types.define("test_color", {
      kind = "scalar",
      convert = function(value) return type(value) == "string" and {hue = value} or value end,
      to_config = function(value) return value.hue end,
      from_config = function(value) return {hue = value .. "!"} end,
    })
    local Pen = Object:extend("Pen", {args = {
      {"color", "test_color", default = "red"}, {"weights", "map", default = {}},
    }})
    function Pen:init(a) self.color = a.color end
    assert.are.equal("red", Pen().color.hue)
    assert.are.equal('{"color": "blue", "weights": {}}', json.encode(Pen("blue"):get_config()))
    assert.are.equal("blue!", Pen.from_config{color = "blue"}.color.hue)
  end)

  it("ask a class of plain values for its own", function()
    local Plain = Dense:extend("Plain")
    function Plain:init(units) self:super_init(units * 2) end
    local err = failure(function() return Plain(2):get_config() end)
    assert.are.equal("UNIMPLEMENTED", err.code)
    local Own = Dense:extend("Own")
    function Own:init(units) self:super_init(type(units) == "table" and units.units or units) end
    function Own:get_config()
      local config = Own.super.get_config(self)
      config.extra = 1
      return config
    end
    local Padded = Dense:extend("Padded")
    function Padded:init(units) self:super_init(units, {padding = "same"}) end
    function Padded:get_config() return Padded.super.get_config(self) end
    assert.are.equal("same", Padded(2):get_config().padding)
    assert.are.equal(1, Own(2):get_config().extra)
    assert.are.equal(2, Own(2):get_config().units)
    assert.are.equal(7, Own.from_config{units = 7}.units)
  end)

  it("inherit a hand-written from_config", function()
    local Own = Layer:extend("Own")
    function Own.from_config(config) return {made = config} end
    local Child = Own:extend("Child")
    assert.are.equal(3, Child.from_config(3).made)
  end)

  it("document themselves", function()
    local docs = class.schema(Dense):docs()
    assert.is_truthy(docs:find("- `units` (integer): Size of the last axis.", 1, true))
    assert.is_truthy(docs:find("- `size` (integers, default {2, 2})", 1, true))
    assert.is_truthy(docs:find("- `name` (string, default None)", 1, true))
    local cats = class.schema(Dense):luacats("tf.keras.layers.Dense.Args")
    assert.is_truthy(cats:find("^%-%-%-@class tf.keras.layers.Dense.Args\n%-%-%-@field units integer Size"))
    assert.is_truthy(cats:find("---@field activation? any", 1, true))
  end)
end)

describe("attributes", function()
  it("have getters and setters", function()
    local layer = Dense(1)
    assert.are.same({"kernel", "bias"}, layer.weights)
    layer.trainable = false
    assert.is_false(layer._trainable)
    assert.is_nil(rawget(layer, "trainable"))
    assert.are.equal("Dense: attribute 'weights' is read-only", failure(function() layer.weights = 1 end).message)
    assert.is_nil(layer.no_such_attribute)
  end)

  it("inherit and replace getters", function()
    local Child = Dense:extend("Child", {getters = {weights = function() return {} end}})
    assert.are.same({}, Child(1).weights)
    assert.is_true(Child(1).trainable)
  end)

  it("are tracked in the order of assignment", function()
    local model = Layer()
    model.second, model.count, model.first = Dense(2), 5, Dense(1)
    model.blocks = {}
    assert.are.same({"blocks", "first", "second"}, (function()
      local keys = class.tracked(model)
      table.sort(keys)
      return keys
    end)())
    local ordered = Layer()
    ordered.z = Dense(1)
    ordered.a = {}
    ordered.m = Dense(1)
    assert.are.same({"z", "a", "m"}, class.tracked(ordered))
    ordered.z = nil
    assert.are.same({"a", "m"}, class.tracked(ordered))
    ordered.z = Dense(3)
    assert.are.same({"a", "m", "z"}, class.tracked(ordered))
    ordered.m = Dense(9)
    assert.are.same({"a", "m", "z"}, class.tracked(ordered))
  end)

  it("that held a plain value first are found all the same", function()
    local layer = Layer()
    layer.later = false
    layer.x = Dense(1)
    layer.later = Dense(2)
    assert.are.same({"x", "later"}, class.tracked(layer))
  end)

  it("can be kept out of tracking", function()
    local layer = Layer()
    class.set_untracked(layer, "parent", Dense(1))
    layer.x = Dense(1)
    assert.are.same({"x"}, class.tracked(layer))
    assert.are.equal("dense", layer.parent.name)
  end)
end)
