--- Error objects for Lua modules.
--
-- An error object has `code` ("INVALID_ARGUMENT" ...), `message` (operation, argument, expected, received), `op` and
-- `position` ("file:line" of the nearest caller outside moonflow's own modules); its tostring reads well alone.
--
--     errors.invalid("Dense", "argument 'units': expected an integer above 0, received %s", errors.describe(units))

local core = require "moonflow.core"

core.error.set_home()

local errors = {
  new = core.error.new, -- (code, op or nil, message)
  is = core.error.is,
  position = core.error.position,
  describe = core.args.describe, -- a value in an error text: 3.5, 'relu', None, a table, a Dense
  nearest = core.args.nearest, -- (name, list of names): "'a' or 'b'", or nil
}

--- Raises an error. With further arguments `message` is a format of string.format; without, it is plain text.
function errors.raise(code, op, message, ...)
  if select("#", ...) > 0 then message = message:format(...) end
  error(core.error.new(code, op, message), 0)
end

--- Raises INVALID_ARGUMENT with the message "op: ...".
function errors.invalid(op, message, ...)
  if select("#", ...) > 0 then message = message:format(...) end
  error(core.error.new("INVALID_ARGUMENT", op, op .. ": " .. message), 0)
end

--- Raises UNIMPLEMENTED with the message "op: ...".
function errors.unimplemented(op, message, ...)
  if select("#", ...) > 0 then message = message:format(...) end
  error(core.error.new("UNIMPLEMENTED", op, op .. ": " .. message), 0)
end

--- Raises NOT_FOUND: the namespace `space` has no `name`; `names` are those that it has.
function errors.no_member(space, name, names)
  local near = errors.nearest(name, names)
  errors.raise("NOT_FOUND", space, ("%s has no '%s'%s"):format(space, name, near and "; did you mean " .. near .. "?" or ""))
end

--- Makes asking the table for a name that it does not have an error, as in Python; names that begin with an underscore are nil.
function errors.strict(space, members)
  return setmetatable(members, {
    __name = space, __mf_namespace = space,
    __index = function(_, key)
      if type(key) ~= "string" or key:sub(1, 1) == "_" then return nil end
      local names = {}
      for name in next, members do names[#names + 1] = name end
      table.sort(names)
      errors.no_member(space, key, names)
    end,
  })
end

return errors
