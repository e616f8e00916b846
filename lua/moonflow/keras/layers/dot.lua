--- Dot: the products of two inputs along one axis of each, sample by sample.

local Merge = require "moonflow.keras.layers.merge"
local config = require "moonflow.keras.backend.config"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"

local Dot = Merge:extend("Dot", {
  args = {
    {"axes", "axes", doc = "Axis of both inputs, or a list of two axes."},
    {"normalize", "boolean", default = false, doc = "Whether rows get length 1 before: cosines."},
  },
})

local get = core.op.get
local to_tensor = core.tensor.to

function Dot:init(a)
  self:super_init(a)
  self.axes, self.normalize = a.axes, a.normalize
  if type(a.axes) == "table" and #a.axes ~= 2 then
    errors.invalid("Dot", "argument 'axes': expected an integer or two integers, received %d", #a.axes)
  end
end

--- Axes (from 0) of two inputs of the ranks m and n.
local function axes_for(self, m, n)
  local axes = self.axes
  local a, b
  if type(axes) == "table" then a, b = axes[1], axes[2] else a, b = axes, axes end
  return a < 0 and a + m or a, b < 0 and b + n or b
end

local function check(self, input_shape)
  local shapes = self:shapes(input_shape)
  if #shapes ~= 2 then
    errors.invalid("Dot", "layer '%s' should be called on a list of 2 inputs, received %d", self.name, #shapes)
  end
  local a, b = axes_for(self, #shapes[1], #shapes[2])
  local m, n = shapes[1][a + 1], shapes[2][b + 1]
  if a < 1 or b < 1 or m ~= n and m ~= dicts.None and n ~= dicts.None then
    errors.invalid("Dot", "layer '%s': incompatible input shapes %s and %s for the axes %d and %d", self.name,
      tostring(shapes[1]), tostring(shapes[2]), a, b)
  end
  return shapes, a, b
end

function Dot:build(input_shape)
  check(self, input_shape)
end

local function unit(x, axis)
  local norm = get("Rsqrt")(get("Sum")(get("Square")(x), to_tensor(axis, "int32"), {keep_dims = true}))
  return x * get("Minimum")(norm, to_tensor(1.0 / config.epsilon(), x.dtype))
end

--- The subscripts of an einsum: letters of the two inputs, the batch shared, the axes a and b summed over.
local function equation(m, n, a, b)
  local first, second, output = {}, {}, {}
  for i = 0, m - 1 do first[i + 1] = i == 0 and "z" or string.char(97 + i) end
  for i = 0, n - 1 do second[i + 1] = i == 0 and "z" or string.char(109 + i) end
  second[b + 1] = first[a + 1]
  for i = 0, m - 1 do if i ~= a then output[#output + 1] = first[i + 1] end end
  for i = 1, n - 1 do if i ~= b then output[#output + 1] = second[i + 1] end end
  return table.concat(first) .. "," .. table.concat(second) .. "->" .. table.concat(output)
end

function Dot:call(inputs)
  local x, y = inputs[1], inputs[2]
  local m, n = x.rank, y.rank
  local a, b = axes_for(self, m, n)
  if self.normalize then x, y = unit(x, a), unit(y, b) end
  local result = get("Einsum")({x, y}, {equation = equation(m, n, a, b)})
  if m == 2 and n == 2 then result = get("ExpandDims")(result, to_tensor(1, "int32")) end
  return result
end

function Dot:compute_output_shape(input_shape)
  local shapes, a, b = check(self, input_shape)
  local output = {}
  for i = 1, #shapes[1] do if i ~= a + 1 then output[#output + 1] = shapes[1][i] end end
  for i = 2, #shapes[2] do if i ~= b + 1 then output[#output + 1] = shapes[2][i] end end
  if #output == 1 then output[2] = 1 end
  return output
end

function Dot:compute_mask()
  return nil
end

return Dot
