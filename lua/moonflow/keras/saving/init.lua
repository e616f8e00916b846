--- tf.keras.saving: weights in files; whole models are not saved yet.

local args = require "moonflow.base.args"
local errors = require "moonflow.base.errors"

local saving = {}

local read_save = args.signature{name = "save_weights", {"model", "object"}, {"filepath", "string"},
  {"overwrite", "boolean", default = true}}

--- The same as model:save_weights.
function saving.save_weights(...)
  local model, filepath, overwrite = read_save(...)
  model:save_weights(filepath, overwrite)
end

local read_load = args.signature{name = "load_weights", {"model", "object"}, {"filepath", "string"},
  {"skip_mismatch", "boolean", default = false}}

--- The same as model:load_weights.
function saving.load_weights(...)
  local model, filepath, skip_mismatch = read_load(...)
  model:load_weights(filepath, {skip_mismatch = skip_mismatch})
end

function saving.save_model(model)
  return model:save()
end

function saving.load_model()
  errors.unimplemented("load_model", "whole models cannot be loaded yet; make the model by its code and use load_weights")
end

return errors.strict("tf.keras.saving", saving)
