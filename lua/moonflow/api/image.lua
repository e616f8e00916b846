--- Rows: images as tensors [height, width, channels] or batches of them.

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local raw = require "moonflow.raw_ops"

local to, integers, is_tensor = core.tensor.to, core.tensor.integers, core.args.is_tensor
local dtypes = core.dtype
local int32, float32 = dtypes.int32, dtypes.float32

--- The image as a batch, and whether it was one.
local function as_batch(image, op)
  image = to(image, nil, op, "image")
  local rank = image.shape.rank
  if rank == 3 then return raw.ExpandDims(image, 0), false end
  if rank == 4 then return image, true end
  errors.invalid(op, "argument 'image': expected 3 or 4 axes, received shape %s", tostring(image.shape))
end

local function as_given(image, was_batch)
  return was_batch and image or raw.Squeeze{input = image, squeeze_dims = {0}}
end

--- Size along an axis: a Lua number where it is known, else a tensor.
local function extent(image, axis)
  local n = image:dim(axis)
  if rawequal(n, core.args.None) then return raw.Shape(image)[axis] end
  return n
end

local function greater(a, b)
  if is_tensor(a) or is_tensor(b) then return raw.Maximum(a, b) end
  return math.max(a, b)
end

local function lesser(a, b)
  if is_tensor(a) or is_tensor(b) then return raw.Minimum(a, b) end
  return math.min(a, b)
end

--- Raises unless the condition on Lua numbers holds; what is known only later is checked by the ops.
local function check(op, holds, ...)
  local values = {...}
  for i = 1, #values do
    if is_tensor(values[i]) then return end
  end
  if not holds(...) then errors.invalid(op, "received impossible sizes or offsets: %s", table.concat(values, ", ")) end
end

local function positive(...)
  for _, value in ipairs{...} do
    if value <= 0 then return false end
  end
  return true
end

-- ---- conversion of types

local function check_numbers(dtype, what)
  if not dtype.is_floating and not dtype.is_integer then
    errors.invalid("convert_image_dtype", "%s must be either floating point or integer, received %s", what, dtype.name)
  end
end

local function convert_integers(image, dtype, saturate)
  local tf = require "moonflow"
  local from, into = image.dtype.max, dtype.max
  local convert = saturate and tf.saturate_cast or tf.cast
  if from > into then return convert(raw.FloorDiv(image, to((from + 1) // (into + 1), image.dtype)), dtype) end
  return convert(image, dtype) * ((into + 1) // (from + 1))
end

local function convert_image_dtype(image, dtype, saturate)
  local tf = require "moonflow"
  image, dtype = to(image, nil, "convert_image_dtype", "image"), dtypes.get(dtype)
  check_numbers(dtype, "dtype")
  check_numbers(image.dtype, "the image's dtype")
  if image.dtype == dtype then return raw.Identity(image) end
  if image.dtype.is_integer and dtype.is_integer then return convert_integers(image, dtype, saturate) end
  if image.dtype.is_floating and dtype.is_floating then return raw.Cast(image, dtype) end
  if image.dtype.is_integer then return raw.Cast(image, dtype) * (1.0 / image.dtype.max) end
  local scaled = image * (dtype.max + 0.5)
  return saturate and tf.saturate_cast(scaled, dtype) or raw.Cast(scaled, dtype)
end

--- Runs body on the image as floats and gives back its dtype.
local function in_floats(image, op, body, saturate)
  image = to(image, nil, op, "image")
  local dtype = image.dtype
  local exact = dtype == dtypes.float16 or dtype == float32
  return convert_image_dtype(body(exact and image or convert_image_dtype(image, float32)), dtype, saturate)
end

-- ---- size

local resizers = {
  bilinear = function(images, size)
    return raw.ResizeBilinear{images = images, size = size, half_pixel_centers = true}
  end,
  nearest = function(images, size)
    return raw.ResizeNearestNeighbor{images = images, size = size, half_pixel_centers = true}
  end,
}
local other_methods = {area = true, bicubic = true, gaussian = true, lanczos3 = true, lanczos5 = true, mitchellcubic = true}

local function resizer(method, antialias, op)
  if other_methods[method] or antialias and method ~= "nearest" then
    errors.unimplemented(op, "method '%s'%s (bilinear and nearest without antialias are available)", tostring(method),
      antialias and " with antialias" or "")
  end
  return resizers[method] or errors.invalid(op, "argument 'method': expected 'bilinear' or 'nearest', received %s",
    errors.describe(method))
end

--- The greatest size within `size` that has the image's proportions.
local function fitting_size(images, size)
  local height, width = raw.Cast(raw.Shape(images)[1], float32), raw.Cast(raw.Shape(images)[2], float32)
  local scale = raw.Minimum(raw.Cast(size[0], float32) / height, raw.Cast(size[1], float32) / width)
  return raw.Pack{raw.Cast(raw.Round(scale * height), int32), raw.Cast(raw.Round(scale * width), int32)}
end

local function resize(images, size, method, preserve_aspect_ratio, antialias)
  local resize_with = resizer(method, antialias, "image.resize")
  local batch, was_batch = as_batch(images, "image.resize")
  size = integers(size, "image.resize", "size")
  if size.dtype ~= int32 or not size.shape:is_compatible_with{2} then
    errors.invalid("image.resize", "argument 'size': expected two integers, new_height and new_width")
  end
  if preserve_aspect_ratio then size = fitting_size(batch, size) end
  return as_given(resize_with(batch, size), was_batch)
end

local function crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width)
  local op = "image.crop_to_bounding_box"
  local batch, was_batch = as_batch(image, op)
  check(op, function(y, x, height, width, whole_height, whole_width)
    return y >= 0 and x >= 0 and positive(height, width) and y + height <= whole_height and x + width <= whole_width
  end, offset_height, offset_width, target_height, target_width, extent(batch, 1), extent(batch, 2))
  local cropped = raw.Slice(batch, to({0, offset_height, offset_width, 0}, int32), to({-1, target_height, target_width, -1}, int32))
  return as_given(cropped, was_batch)
end

local function pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width)
  local op = "image.pad_to_bounding_box"
  local batch, was_batch = as_batch(image, op)
  local below, right = target_height - offset_height - extent(batch, 1), target_width - offset_width - extent(batch, 2)
  check(op, function(y, x, b, r) return y >= 0 and x >= 0 and b >= 0 and r >= 0 end, offset_height, offset_width, below, right)
  local paddings = raw.Reshape(to({0, 0, offset_height, below, offset_width, right, 0, 0}, int32), {4, 2})
  return as_given(raw.Pad(batch, paddings), was_batch)
end

local function resize_with_crop_or_pad(image, target_height, target_width)
  local op = "image.resize_with_crop_or_pad"
  local batch, was_batch = as_batch(image, op)
  check(op, positive, target_height, target_width)
  local height, width = extent(batch, 1), extent(batch, 2)
  local more_height, more_width = target_height - height, target_width - width
  local cropped = crop_to_bounding_box(batch, greater(-more_height // 2, 0), greater(-more_width // 2, 0),
    lesser(target_height, height), lesser(target_width, width))
  return as_given(pad_to_bounding_box(cropped, greater(more_height // 2, 0), greater(more_width // 2, 0), target_height,
    target_width), was_batch)
end

local function central_crop(image, central_fraction)
  image = to(image, nil, "image.central_crop", "image")
  if is_tensor(central_fraction) then central_fraction = to(central_fraction):item() end
  if type(central_fraction) ~= "number" or central_fraction <= 0 or central_fraction > 1 then
    errors.invalid("image.central_crop", "argument 'central_fraction': expected a number in (0, 1], received %s",
      errors.describe(central_fraction))
  end
  if central_fraction == 1 then return image end
  local batch, was_batch = as_batch(image, "image.central_crop")
  local function start_of(whole)
    if not is_tensor(whole) then return math.floor((whole - whole * central_fraction) / 2) end
    local exact = raw.Cast(whole, dtypes.float64)
    return raw.Cast((exact - exact * central_fraction) / 2, int32)
  end
  local height, width = extent(batch, 1), extent(batch, 2)
  local y, x = start_of(height), start_of(width)
  return as_given(raw.Slice(batch, to({0, y, x, 0}, int32), to({-1, height - y * 2, width - x * 2, -1}, int32)), was_batch)
end

local function crop_randomly(op, offsets)
  return function(value, size, seed)
    value, size = to(value, nil, op, "value"), integers(size, op, "size")
    local limit = raw.Shape(value) - size + 1
    if not core.tensor.is_symbolic(limit) and require "moonflow".reduce_min(limit):item() < 1 then
      errors.invalid(op, "need value.shape >= size, received shape %s and size %s", tostring(value.shape),
        "(" .. table.concat(size:totable(), ", ") .. ")")
    end
    return raw.Slice(value, offsets(raw.Shape(limit), size.dtype, seed) % limit, size)
  end
end

-- ---- flips and turns

local function flip(axis)
  return function(image)
    local batch, was_batch = as_batch(image, "image.flip")
    return as_given(raw.ReverseV2(batch, {axis}), was_batch)
  end
end

--- A lone image is flipped or not; each image of a batch by itself.
local function flip_randomly(op, axis, uniform)
  return function(image, seed)
    local batch, was_batch = as_batch(image, op)
    local flipped = raw.ReverseV2(batch, {axis})
    if not was_batch then
      return as_given(raw.SelectV2(raw.Less(uniform({}, 0, 1.0, seed), 0.5), flipped, batch), false)
    end
    local count = raw.Reshape(raw.Shape(batch)[0], {1})
    local flips = raw.Round(raw.Reshape(uniform(count, 0, 1.0, seed), {-1, 1, 1, 1}))
    flips = raw.Cast(flips, batch.dtype)
    return flips * flipped + (1 - flips) * batch
  end
end

local function transpose(image)
  local batch, was_batch = as_batch(image, "image.transpose")
  return as_given(raw.Transpose(batch, {0, 2, 1, 3}), was_batch)
end

local function rot90(image, k)
  local batch, was_batch = as_batch(image, "image.rot90")
  if is_tensor(k) then k = to(k):item() end
  k = k % 4
  if k == 1 then batch = raw.Transpose(raw.ReverseV2(batch, {2}), {0, 2, 1, 3}) end
  if k == 2 then batch = raw.ReverseV2(batch, {1, 2}) end
  if k == 3 then batch = raw.ReverseV2(raw.Transpose(batch, {0, 2, 1, 3}), {2}) end
  return as_given(batch, was_batch)
end

-- ---- colours

local function adjust_brightness(image, delta)
  return in_floats(image, "image.adjust_brightness", function(x)
    return x + require "moonflow".cast(to(delta, nil, "image.adjust_brightness", "delta"), x.dtype)
  end, true)
end

local function adjust_contrast(images, contrast_factor)
  return in_floats(images, "image.adjust_contrast", function(x)
    local mean = require "moonflow".reduce_mean(x, {-3, -2}, true)
    return (x - mean) * contrast_factor + mean
  end, true)
end

local function adjust_gamma(image, gamma, gain)
  if not is_tensor(gamma) and gamma < 0 then
    errors.invalid("image.adjust_gamma", "argument 'gamma': expected a number of at least 0, received %s", gamma)
  end
  return in_floats(image, "image.adjust_gamma", function(x) return gain * x ^ gamma end, true)
end

local function per_image_standardization(image)
  local tf = require "moonflow"
  image = tf.cast(to(image, nil, "image.per_image_standardization", "image"), float32)
  local axes = {-1, -2, -3}
  local pixels = tf.reduce_prod(raw.Shape(image)["-3:"])
  local deviation = tf.math.reduce_std(image, axes, true)
  local least = raw.Rsqrt(raw.Cast(pixels, float32))
  return (image - tf.reduce_mean(image, axes, true)) / raw.Maximum(deviation, least)
end

local function rgb_to_grayscale(images)
  images = to(images, nil, "image.rgb_to_grayscale", "images")
  local weights = to({0.2989, 0.587, 0.114}, float32)
  local gray = require "moonflow".reduce_sum(convert_image_dtype(images, float32) * weights, -1, true)
  return convert_image_dtype(gray, images.dtype)
end

local function grayscale_to_rgb(images)
  images = to(images, nil, "image.grayscale_to_rgb", "images")
  if images:dim(-1) ~= 1 then
    errors.invalid("image.grayscale_to_rgb", "the last axis must have length 1, received shape %s", tostring(images.shape))
  end
  local multiples = {}
  for i = 1, images.shape.rank do multiples[i] = 1 end
  multiples[#multiples] = 3
  return raw.Tile(images, to(multiples, int32))
end

local function change_colours(op, kernel)
  return function(images)
    images = to(images, nil, op, "images")
    return require "moonflow".tensordot(images, to(kernel, images.dtype), {{images.shape.rank - 1}, {0}})
  end
end

local rgb_to_yuv = {{0.299, -0.14714119, 0.61497538}, {0.587, -0.28886916, -0.51496512}, {0.114, 0.43601035, -0.10001026}}
local yuv_to_rgb = {{1.0, 1.0, 1.0}, {0.0, -0.394642334, 2.03206185}, {1.13988303, -0.58062185, 0.0}}
local rgb_to_yiq = {{0.299, 0.59590059, 0.2115}, {0.587, -0.27455667, -0.52273617}, {0.114, -0.32134392, 0.31119955}}
local yiq_to_rgb = {{1.0, 1.0, 1.0}, {0.95598634, -0.27201283, -1.10674021}, {0.6208248, -0.64720424, 1.70423049}}

-- ---- measures

local function total_variation(images)
  local tf = require "moonflow"
  images = to(images, nil, "image.total_variation", "images")
  local _, was_batch = as_batch(images, "image.total_variation")
  local rows, columns, axes = "1:, :, :", ":, 1:, :", nil
  local rows_before, columns_before = ":-1, :, :", ":, :-1, :"
  if was_batch then
    rows, columns, rows_before, columns_before = ":, " .. rows, ":, " .. columns, ":, " .. rows_before, ":, " .. columns_before
    axes = {1, 2, 3}
  end
  return tf.reduce_sum(raw.Abs(images[rows] - images[rows_before]), axes) +
    tf.reduce_sum(raw.Abs(images[columns] - images[columns_before]), axes)
end

local function psnr(a, b, max_val)
  local tf = require "moonflow"
  a, b = to(a, nil, "image.psnr", "a"), to(b, nil, "image.psnr", "b")
  max_val = convert_image_dtype(tf.cast(to(max_val), a.dtype), float32)
  a, b = convert_image_dtype(a, float32), convert_image_dtype(b, float32)
  local mse = tf.reduce_mean(raw.SquaredDifference(a, b), {-3, -2, -1})
  return 20 * raw.Log(max_val) / raw.Log(to(10.0)) - 10 / math.log(10) * raw.Log(mse)
end

local function image_gradients(image)
  image = to(image, nil, "image.image_gradients", "image")
  if image.shape.rank ~= 4 then
    errors.invalid("image.image_gradients", "expects a 4D tensor [batch_size, h, w, d], received shape %s", tostring(image.shape))
  end
  local function pad_end(difference, axis)
    local paddings = {{0, 0}, {0, 0}, {0, 0}, {0, 0}}
    paddings[axis + 1][2] = 1
    return raw.Pad(difference, paddings)
  end
  return pad_end(image[":, 1:"] - image[":, :-1"], 1), pad_end(image[":, :, 1:"] - image[":, :, :-1"], 2)
end

-- ---- random changes, by an op seed or by a seed of two numbers

local function stateful(shape, minval, maxval, seed)
  return require "moonflow".random.uniform(shape, minval, maxval, {seed = seed})
end

local function stateless(shape, minval, maxval, seed)
  return require "moonflow".random.stateless_uniform(shape, seed, minval, maxval)
end

local function brighten_randomly(uniform)
  return function(image, max_delta, seed)
    if max_delta < 0 then errors.invalid("image.random_brightness", "argument 'max_delta' must be non-negative") end
    return adjust_brightness(image, uniform({}, -max_delta, max_delta + 0.0, seed))
  end
end

local function contrast_randomly(uniform)
  return function(image, lower, upper, seed)
    if upper <= lower then errors.invalid("image.random_contrast", "argument 'upper' must be > lower") end
    if lower < 0 then errors.invalid("image.random_contrast", "argument 'lower' must be non-negative") end
    return adjust_contrast(image, uniform({}, lower + 0.0, upper + 0.0, seed))
  end
end

local random_crop = crop_randomly("image.random_crop", function(shape, dtype, seed)
  return require "moonflow".random.uniform(shape, {maxval = dtype.max, dtype = dtype, seed = seed})
end)
local stateless_random_crop = crop_randomly("image.stateless_random_crop", function(shape, dtype, seed)
  return require "moonflow".random.stateless_uniform(shape, seed, {minval = 0, maxval = dtype.max, dtype = dtype})
end)

local box = "image, offset_height:real, offset_width:real, target_height:real, target_width:real"
return {
  {"tf.image.resize", "images, size:shape, method:any='bilinear', preserve_aspect_ratio=False, antialias=False, name=None", resize,
   "Images of another size."},
  {"tf.image.crop_to_bounding_box", box, crop_to_bounding_box, "A part of an image."},
  {"tf.image.pad_to_bounding_box", box, pad_to_bounding_box, "An image with zeros around it."},
  {"tf.image.resize_with_crop_or_pad", "image, target_height:real, target_width:real", resize_with_crop_or_pad,
   "Crops or pads around the centre."},
  {"tf.image.central_crop", "image, central_fraction:real", central_crop, "The middle of an image."},
  {"tf.image.random_crop", "value, size:shape, seed:integer=None, name=None", random_crop, "A random part."},
  {"tf.image.stateless_random_crop", "value, size:shape, seed, name=None", stateless_random_crop, "A random part by a seed."},
  {"tf.image.flip_left_right", "image", flip(2), "The mirror image."},
  {"tf.image.flip_up_down", "image", flip(1), "The image upside down."},
  {"tf.image.random_flip_left_right", "image, seed:integer=None", flip_randomly("image.random_flip_left_right", 2, stateful),
   "The image or its mirror image."},
  {"tf.image.random_flip_up_down", "image, seed:integer=None", flip_randomly("image.random_flip_up_down", 1, stateful),
   "The image, perhaps upside down."},
  {"tf.image.stateless_random_flip_left_right", "image, seed", flip_randomly("image.stateless_random_flip_left_right", 2, stateless),
   "The image or its mirror image, by a seed."},
  {"tf.image.stateless_random_flip_up_down", "image, seed", flip_randomly("image.stateless_random_flip_up_down", 1, stateless),
   "The image, perhaps upside down, by a seed."},
  {"tf.image.transpose", "image, name=None", transpose, "Exchanges height and width."},
  {"tf.image.rot90", "image, k:real=1, name=None", rot90, "Turns by 90 degrees counter-clockwise."},
  {"tf.image.convert_image_dtype", "image, dtype, saturate=False, name=None", convert_image_dtype,
   "Another dtype, scaled to its range."},
  {"tf.image.adjust_brightness", "image, delta:real", adjust_brightness, "Adds to all pixels."},
  {"tf.image.adjust_contrast", "images, contrast_factor:real", adjust_contrast, "Scales around the mean."},
  {"tf.image.adjust_gamma", "image, gamma:real=1, gain:real=1", adjust_gamma, "gain * x ^ gamma."},
  {"tf.image.random_brightness", "image, max_delta:real, seed:integer=None", brighten_randomly(stateful), "A random brightness."},
  {"tf.image.random_contrast", "image, lower:real, upper:real, seed:integer=None", contrast_randomly(stateful), "A random contrast."},
  {"tf.image.stateless_random_brightness", "image, max_delta:real, seed", brighten_randomly(stateless), "A brightness by a seed."},
  {"tf.image.stateless_random_contrast", "image, lower:real, upper:real, seed", contrast_randomly(stateless), "A contrast by a seed."},
  {"tf.image.per_image_standardization", "image", per_image_standardization, "Mean 0 and variance 1 for each image."},
  {"tf.image.rgb_to_grayscale", "images, name=None", rgb_to_grayscale, "Colours to grey."},
  {"tf.image.grayscale_to_rgb", "images, name=None", grayscale_to_rgb, "Grey to three channels."},
  {"tf.image.rgb_to_yuv", "images", change_colours("image.rgb_to_yuv", rgb_to_yuv), "RGB to YUV."},
  {"tf.image.yuv_to_rgb", "images", change_colours("image.yuv_to_rgb", yuv_to_rgb), "YUV to RGB."},
  {"tf.image.rgb_to_yiq", "images", change_colours("image.rgb_to_yiq", rgb_to_yiq), "RGB to YIQ."},
  {"tf.image.yiq_to_rgb", "images", change_colours("image.yiq_to_rgb", yiq_to_rgb), "YIQ to RGB."},
  {"tf.image.total_variation", "images, name=None", total_variation, "How much neighbouring pixels differ."},
  {"tf.image.psnr", "a, b, max_val:real, name=None", psnr, "Peak signal-to-noise ratio."},
  {"tf.image.image_gradients", "image", image_gradients, "Differences downwards and to the right."},
}
