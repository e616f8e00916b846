--- tf.raw_ops: every op of the op table as a function, with the op's own argument names. Unknown names are nil.

local core = require "moonflow.core"

local get = core.op.get

return setmetatable({}, {
  __name = "tf.raw_ops",
  __index = function(ops, name)
    if type(name) ~= "string" then return nil end
    local op = get(name)
    if op then rawset(ops, name, op) end
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
