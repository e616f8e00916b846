--- LambdaCallback: a callback made of functions: LambdaCallback{on_epoch_end = function(epoch, logs) ... end}.

local Callback = require "moonflow.keras.callbacks.callback"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"

local LambdaCallback = Callback:extend("LambdaCallback", {
  args = {
    {"on_epoch_begin", "function", default = dicts.None}, {"on_epoch_end", "function", default = dicts.None},
    {"on_train_begin", "function", default = dicts.None}, {"on_train_end", "function", default = dicts.None},
    {"on_train_batch_begin", "function", default = dicts.None}, {"on_train_batch_end", "function", default = dicts.None},
    {"kwargs", "struct", open = true, doc = "Other hooks, and attributes."},
  },
})

--- The function without the callback as its first argument.
local function as_method(f)
  return function(_, ...) return f(...) end
end

function LambdaCallback:init(a)
  for name, f in next, a do
    if name ~= "kwargs" then self[name] = as_method(f) end
  end
  for name, value in next, a.kwargs or {} do
    local is_hook = name:sub(1, 3) == "on_"
    if is_hook and Callback[name] == nil then errors.invalid("LambdaCallback", "there is no hook '%s'", name) end
    self[name] = is_hook and as_method(value) or value
  end
end

return LambdaCallback
