--- tf.keras.backend: settings, and starting over.

local config = require "moonflow.keras.backend.config"
local context = require "moonflow.keras.backend.context"
local functions = require "moonflow.keras.utils.functions"

local backend = {}

for _, name in ipairs{"floatx", "set_floatx", "epsilon", "set_epsilon", "image_data_format", "set_image_data_format",
  "standardize_dtype", "is_float_dtype", "is_int_dtype", "backend"} do
  backend[name] = config[name]
end

backend.clear_session = functions.clear_session

--- A name for a new object that no other has: get_uid("dense") counts 1, 2, 3 ...
local uids = {}

function backend.get_uid(prefix)
  prefix = prefix or ""
  uids[prefix] = (uids[prefix] or 0) + 1
  return uids[prefix]
end

--- A to-be-closed scope: variables made inside have paths that begin with its name.
function backend.name_scope(name)
  return context.scope(name, {})
end

return backend
