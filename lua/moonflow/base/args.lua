--- Signatures: how the arguments of a function are read. The rules are docs/call-grammar.md; the reader is C.
--
--     local read_concat = args.signature{name = "concat", {"values", "tensors"}, {"axis", "axis"},
--                                        {"name", "string", default = None}}
--     function M.concat(...)
--       local values, axis, name = read_concat(...)
--
-- A row is {name, type, ...}; types are those of base/types.lua. A parameter is required unless its row has `default`
-- (`default = tf.None` for Python's None: Lua cannot tell `default = nil` from nothing) or `optional = true`.
-- Further fields:
--     keyword   by name only
--     rest      takes all values up to the keywords (a list); rows behind it go by name
--     open      takes all unknown keywords (a table by name); placed at the end
--     none      tf.None is accepted although the default is something else
-- Fields of the signature:
--     name          for error texts
--     rest          a row {name, type}: the rest parameter, placed in front of the first parameter with a default
--     open          true, or a name: unknown keywords are collected in a last value, a table
--     input_first   a sole table is always the first value (calls of layers)
--
-- A signature is called with the arguments and returns the values in the order of the rows, defaults filled in; nil
-- is Python's None. `s:read_table(...)` returns one table name -> value; `s:split(...)` returns a table of the
-- parameters that go by name only, then the values by position, the rest parameter's one by one.

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local types = require "moonflow.base.types"

local args = {}

local INPUT_FIRST = 1

--- True when a call must give the row's argument.
function args.is_required(row)
  return row.default == nil and not row.optional and not row.rest and not row.open
end

local function compile_row(name, row)
  if type(row) ~= "table" or type(row[1]) ~= "string" then
    errors.raise("INTERNAL", name, "%s: a row of arguments is {name, type, ...}, received %s", name,
      errors.describe(row))
  end
  local type_ = types.get(row[2] or "any", name)
  return {
    name = row[1], kind = type_.kind, check = type_.check, tensors = type_.tensors, default = row.default,
    required = args.is_required(row), keyword = row.keyword, rest = row.rest, none = row.none,
    open = row.open,
  }
end

--- Compiles a signature; see above.
function args.signature(spec)
  local name = spec.name or "function"
  local rows, rest, open = {}, spec.rest, nil
  for i = 1, #spec do
    local row = spec[i]
    if rest and (row.keyword or not args.is_required(row)) then
      rows[#rows + 1] = compile_row(name, {rest[1], rest[2] or "struct", rest = true})
      rest = nil
    end
    if row.open then
      open = row
    else
      rows[#rows + 1] = compile_row(name, row)
    end
  end
  if rest then rows[#rows + 1] = compile_row(name, {rest[1], rest[2] or "struct", rest = true}) end
  if spec.open then open = {type(spec.open) == "string" and spec.open or "kwargs", "struct", open = true} end
  if open then rows[#rows + 1] = compile_row(name, open) end
  return core.args.compile(name, rows, spec.input_first and INPUT_FIRST or 0)
end

return args
