--- Variables of layers, optimizers and metrics: tf.Variables that know their path ("model/dense/kernel"), regularizer and
-- constraint.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local config = require "moonflow.keras.backend.config"
local context = require "moonflow.keras.backend.context"
local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local trace = require "moonflow.keras.backend.trace"
require "moonflow.variable" -- the methods of variables

local variables = {}

--- Makes a variable. Fields of `options`:
--     initializer   tensor, number, or function(shape, {dtype=}): an Initializer is one too
--     shape         list or shape; a scalar without it
--     dtype         name or object; floatx without it
--     trainable     true without it
--     name          "variable" without it; the path is the open name scopes and the name
function variables.new(options)
  local dtype = config.standardize_dtype(options.dtype)
  local shape = core.shape.new(options.shape or {})
  local name = options.name or "variable"
  if not shape:is_fully_defined() then
    errors.invalid("add_weight", "variable '%s': shapes are known in full when a variable is made, received %s", name,
      tostring(shape))
  end
  local value = options.initializer
  local resume <close> = trace.pause()
  if type(value) == "function" or type(value) == "table" and (getmetatable(value) or {}).__call then
    value = value(shape, {dtype = dtype})
  end
  value = core.tensor.to(value, dtype, "add_weight", name)
  if options.shape and value.shape ~= shape then
    errors.invalid("add_weight", "variable '%s': the initializer gave the shape %s, expected %s", name,
      tostring(value.shape), tostring(shape))
  end
  local trainable = options.trainable ~= false
  local variable = core.variable.new(value, trainable, name)
  local path = context.path()
  variable.path = path == "" and name or path .. "/" .. name
  core.variable.set_attribute(variable, "name", name)
  return variable
end

variables.is = core.variable.is
variables.assign = core.variable.assign
variables.assign_add = core.variable.assign_add
variables.read = core.variable.read
variables.set_trainable = core.variable.set_trainable

return variables
