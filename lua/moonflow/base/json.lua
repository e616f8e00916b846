--- JSON: key order is kept, integers are apart from floats, null is tf.None.
--
--     json.encode{units = 128, activation = tf.None, rate = 0.1}   --> {"activation": null, "rate": 0.1, "units": 128}
--     json.decode('{"b": 1, "a": [1.0, null]}')                    --> dict{b = 1, a = {1.0, tf.None}}
--
-- encode(value, options): a list ({} too) is an array, a dict or a table with string keys an object; floats are the
-- shortest text that reads back the same, with a point. Options: indent (spaces a level), ascii (default true: other
-- characters as \uXXXX, as Python's json does), compact (no blanks behind commas and colons), depth (default and at
-- most 512). decode(text, options): objects become tf.dict with their order, arrays lists. Options: depth. Errors
-- are error objects and say where.

local core = require "moonflow.core"
local nest = require "moonflow.base.nest"

local json = {}

function json.encode(value, options)
  return core.json.encode(value, options, nest.ordered_keys)
end

function json.decode(text, options)
  return core.json.decode(text, options)
end

return json
