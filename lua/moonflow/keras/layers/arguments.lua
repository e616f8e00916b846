--- Arguments that layers have in common: rows, and taking values over as attributes.

local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"

local None = dicts.None

local arguments = {}

--- Rows of a weight called `name` ("kernel", "bias", "gamma"): its initializer, regularizer and constraint come in
-- groups in Keras's signatures, so the rows are made one by one.
function arguments.initializer(name, default)
  return {name .. "_initializer", "initializer", default = default, doc = ("First values of the %s."):format(name)}
end

function arguments.regularizer(name)
  return {name .. "_regularizer", "regularizer", default = None, doc = ("Penalty on the %s."):format(name)}
end

function arguments.constraint(name)
  return {name .. "_constraint", "constraint", default = None, doc = ("Bounds of the %s."):format(name)}
end

--- Copies the arguments called `names` to attributes of the same names.
function arguments.take(self, a, names)
  for i = 1, #names do self[names[i]] = a[names[i]] end
end

--- Raises UNIMPLEMENTED when one of these arguments was given.
function arguments.refuse(self, a, names)
  for _, name in ipairs(names) do
    if a[name] ~= nil then
      errors.unimplemented(self.class_name, "argument '%s' is not supported, received %s", name,
        errors.describe(a[name]))
    end
  end
end

--- One number for each of `rank` axes: an integer stands for all of them. Numbers are at least 1.
function arguments.sizes(self, name, value, rank)
  local list = {}
  if type(value) == "number" then
    for i = 1, rank do list[i] = value end
  else
    for i = 1, #value do list[i] = value[i] end
  end
  if #list ~= rank then
    errors.invalid(self.class_name, "argument '%s': expected an integer or %d integers, received %d", name, rank,
      #list)
  end
  for _, size in ipairs(list) do
    if size < 1 then
      errors.invalid(self.class_name, "argument '%s': expected integers above 0, received %d", name, size)
    end
  end
  return list
end

return arguments
