--- tf.keras.config and tf.keras.backend: the settings that layers take as defaults.

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"

local config = {}

local floatx, epsilon, image_data_format = "float32", 1e-7, "channels_last"

--- Name of a dtype given as an object or a name: tf.float32 and "float32" are "float32"; "int" is "int64", "float" floatx.
function config.standardize_dtype(dtype)
  if dtype == nil or dtype == "float" then return floatx end
  if dtype == "int" then return "int64" end
  local found = core.dtype.get(dtype)
  if not found then errors.invalid("keras", "invalid dtype: %s", errors.describe(dtype)) end
  return found.name
end

function config.is_float_dtype(dtype)
  local name = config.standardize_dtype(dtype)
  return name:find("float", 1, true) ~= nil
end

function config.is_int_dtype(dtype)
  local name = config.standardize_dtype(dtype)
  return name:find("int", 1, true) ~= nil
end

--- Default float type: "float32" at first.
function config.floatx()
  return floatx
end

function config.set_floatx(value)
  if value ~= "float16" and value ~= "bfloat16" and value ~= "float32" and value ~= "float64" then
    errors.invalid("set_floatx", "expected one of 'bfloat16', 'float16', 'float32', 'float64', received %s",
      errors.describe(value))
  end
  floatx = value
end

--- The small number that keeps divisions and logarithms finite: 1e-7.
function config.epsilon()
  return epsilon
end

function config.set_epsilon(value)
  if type(value) ~= "number" then
    errors.invalid("set_epsilon", "expected a number, received %s", errors.describe(value))
  end
  epsilon = value
end

--- "channels_last" or "channels_first".
function config.image_data_format()
  return image_data_format
end

function config.set_image_data_format(value)
  if value ~= "channels_last" and value ~= "channels_first" then
    errors.invalid("set_image_data_format", "expected 'channels_first' or 'channels_last', received %s",
      errors.describe(value))
  end
  image_data_format = value
end

--- What the argument data_format of a layer means: nil is the setting.
function config.standardize_data_format(data_format)
  if data_format == nil then return image_data_format end
  local lower = type(data_format) == "string" and data_format:lower()
  if lower ~= "channels_first" and lower ~= "channels_last" then
    errors.invalid("keras", "the `data_format` argument must be one of 'channels_first', 'channels_last', received %s",
      errors.describe(data_format))
  end
  return lower
end

--- Name of the backend, as Keras's own scripts ask for it.
function config.backend()
  return "tensorflow"
end

return config
