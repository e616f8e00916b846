--- tf.raw_ops: every op of the op table as a function, with the op's own argument names. An unknown name is an error.

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"

local get = core.op.get

return setmetatable({}, {
  __name = "tf.raw_ops",
  __index = function(ops, name)
    if type(name) ~= "string" or name:sub(1, 1) == "_" then return nil end
    local op = get(name)
    if not op then errors.no_member("tf.raw_ops", name, core.op.names()) end
    rawset(ops, name, op)
    return op
  end,
  __pairs = function(ops)
    local names, i = core.op.names(), 0
    return function()
      i = i + 1
      local name = names[i]
      if name then return name, ops[name] end
    end
  end,
})
