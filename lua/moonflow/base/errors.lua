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

return errors
