--- InputSpec: what a layer expects of its input; checked at every call before `call`.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local class = require "moonflow.base.class"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local nest = require "moonflow.base.nest"

local None = dicts.None

local InputSpec = class.Object:extend("InputSpec", {
  args = {
    {"dtype", "dtype", default = None}, {"shape", "shape", default = None}, {"ndim", "integer", default = None},
    {"max_ndim", "integer", default = None}, {"min_ndim", "integer", default = None},
    {"axes", "map", default = None, doc = "Axis -> expected size; negative axes count from the end."},
    {"allow_last_axis_squeeze", "boolean", default = false}, {"name", "string", default = None},
    {"optional", "boolean", default = false},
  },
})

function InputSpec:init(a)
  -- what is absent is false: a field that is nil would be looked for in all the bases
  for _, name in ipairs{"dtype", "max_ndim", "min_ndim", "axes", "allow_last_axis_squeeze", "name", "optional"} do
    rawset(self, name, a[name] or false)
  end
  self.shape = a.shape and core.shape.new(a.shape) or false
  self.ndim = self.shape and #self.shape or a.ndim or false
end

local function fail(self, index, layer, message, ...)
  errors.invalid(("layer '%s'"):format(layer), "input %d%s is incompatible with the layer: " .. message, index - 1,
    self.name and (" ('%s')"):format(self.name) or "", ...)
end

local function check_axes(self, shape, index, layer)
  for axis, size in next, self.axes do
    local at = axis < 0 and axis or axis + 1
    local found = shape[at]
    if size ~= None and found ~= size and found ~= None then
      fail(self, index, layer, "expected axis %d of input shape to have value %s, but received input with shape %s", axis,
        tostring(size), tostring(shape))
    end
  end
end

local function check_shape(self, shape, index, layer)
  for i = 1, math.min(#shape, #self.shape) do
    local expected, found = self.shape[i], shape[i]
    if expected ~= None and found ~= None and expected ~= found then
      fail(self, index, layer, "expected shape=%s, found shape=%s", tostring(self.shape), tostring(shape))
    end
  end
end

--- Raises unless the tensor `x`, input number `index` of the layer called `layer`, fits.
function InputSpec:check(x, index, layer)
  local shape = x.shape
  local rank = shape.rank
  if rank == nil then return end
  if self.ndim and not self.allow_last_axis_squeeze and rank ~= self.ndim then
    fail(self, index, layer, "expected ndim=%d, found ndim=%d. Full shape received: %s", self.ndim, rank, tostring(shape))
  end
  if self.max_ndim and rank > self.max_ndim then
    fail(self, index, layer, "expected max_ndim=%d, found ndim=%d", self.max_ndim, rank)
  end
  if self.min_ndim and rank < self.min_ndim then
    fail(self, index, layer, "expected min_ndim=%d, found ndim=%d. Full shape received: %s", self.min_ndim, rank,
      tostring(shape))
  end
  if self.dtype and x.dtype ~= core.dtype.get(self.dtype) then
    fail(self, index, layer, "expected dtype=%s, found dtype=%s", core.dtype.get(self.dtype).name, x.dtype.name)
  end
  if self.axes then check_axes(self, shape, index, layer) end
  if self.shape and not self.allow_last_axis_squeeze then check_shape(self, shape, index, layer) end
end

--- Checks the inputs of the layer called `layer` against one spec or a structure of specs.
function InputSpec.check_inputs(specs, inputs, layer)
  if getmetatable(specs) ~= nil and (type(inputs) == "userdata" or not nest.is_nested(inputs)) then
    return specs:check(inputs, 1, layer)
  end
  local flat_specs, flat = nest.flatten(specs), nest.flatten(inputs)
  if #flat_specs ~= #flat then
    errors.invalid(("layer '%s'"):format(layer), "expects %d input(s), but it received %d input tensors", #flat_specs, #flat)
  end
  for i, spec in ipairs(flat_specs) do
    if spec ~= None and flat[i] ~= None then spec:check(flat[i], i, layer) end
  end
end

return InputSpec
