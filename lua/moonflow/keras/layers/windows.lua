--- Sizes of what windows that move over an image give: convolutions and poolings.

local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"

local None = dicts.None

local windows = {}

--- Positions of a window of `size` (with holes: dilation) on an axis of length `n`; None when n is not known.
local function positions(n, size, stride, dilation, padding)
  if n == None then return None end
  if padding == "same" then return (n - 1) // stride + 1 end
  return (n - dilation * (size - 1) - 1) // stride + 1
end

--- The output's shape, a list. options: size, strides, dilation (lists, one number a spatial axis), padding,
-- data_format, channels (of the output; nil keeps those of the input).
function windows.output_shape(self, input_shape, options)
  local shape = core.shape.new(input_shape)
  local rank = #options.size
  if #shape ~= rank + 2 then
    errors.invalid(self.class_name, "layer '%s': expected an input of rank %d, received the shape %s", self.name,
      rank + 2, tostring(shape))
  end
  local first = options.data_format == "channels_first"
  local channels = options.channels or shape[first and 2 or rank + 2]
  local output = {shape[1]}
  if first then output[2] = channels end
  for i = 1, rank do
    local n = shape[first and i + 2 or i + 1]
    local found = positions(n, options.size[i], options.strides[i], options.dilation and options.dilation[i] or 1,
      options.padding)
    if found ~= None and found <= 0 then
      errors.invalid(self.class_name,
        "layer '%s': the window of size %d does not fit into axis %d of the input shape %s",
        self.name, options.size[i], first and i + 1 or i, tostring(shape))
    end
    output[#output + 1] = found
  end
  if not first then output[#output + 1] = channels end
  return output
end

--- Strides or sizes for all four axes of an image.
function windows.four(sizes, data_format)
  if data_format == "channels_first" then return {1, 1, sizes[1], sizes[2]} end
  return {1, sizes[1], sizes[2], 1}
end

windows.formats = {channels_last = "NHWC", channels_first = "NCHW"}

--- "valid" or "same" from an argument in any case.
function windows.padding(self, value)
  local lower = value:lower()
  if lower ~= "valid" and lower ~= "same" then
    errors.invalid(self.class_name, "argument 'padding': expected one of 'valid', 'same', received %s",
      errors.describe(value))
  end
  return lower
end

return windows
