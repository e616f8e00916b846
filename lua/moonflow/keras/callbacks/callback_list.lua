--- CallbackList: calls the hooks of several callbacks; fit adds History and ProgbarLogger.

local Callback = require "moonflow.keras.callbacks.callback"
local class = require "moonflow.base.class"
local errors = require "moonflow.base.errors"
local logs_of = require "moonflow.keras.training.logs"
local nest = require "moonflow.base.nest"

local CallbackList = class.Object:extend("CallbackList")

--- callbacks: one, a list, or nil. Options: model, add_history, add_progbar, verbose, epochs, steps.
function CallbackList:init(callbacks, options)
  options = options or {}
  self.callbacks = {}
  for _, callback in ipairs(callbacks ~= nil and nest.flatten(callbacks) or {}) do
    if class.is_class(callback) then
      errors.invalid("callbacks", "expected a callback, received the class %s; write %s{...}", callback.class_name,
        callback.class_name)
    end
    if type(callback) ~= "table" or not callback.is_callback then
      errors.invalid("callbacks", "expected callbacks, received %s", errors.describe(callback))
    end
    self.callbacks[#self.callbacks + 1] = callback
  end
  self:_add_defaults(options)
  self.hooks = {}
  if options.model then self:set_model(options.model) end
  self:set_params{verbose = options.verbose, epochs = options.epochs, steps = options.steps}
end

function CallbackList:_add_defaults(options)
  local History = require "moonflow.keras.callbacks.history"
  local ProgbarLogger = require "moonflow.keras.callbacks.progbar_logger"
  for _, callback in ipairs(self.callbacks) do
    if class.isinstance(callback, History) then self.history = callback end
    if class.isinstance(callback, ProgbarLogger) then self.progbar = callback end
  end
  if not self.history and options.add_history then
    self.history = History()
    self.callbacks[#self.callbacks + 1] = self.history
  end
  if not self.progbar and options.add_progbar and options.verbose ~= 0 then
    self.progbar = ProgbarLogger()
    self.callbacks[#self.callbacks + 1] = self.progbar
  end
end

function CallbackList:append(callback)
  self.callbacks[#self.callbacks + 1] = callback
  self.hooks = {}
end

function CallbackList:set_params(params)
  self.params = params
  for _, callback in ipairs(self.callbacks) do callback:set_params(params) end
end

function CallbackList:set_model(model)
  self.model = model
  if self.history then model.history = self.history end
  for _, callback in ipairs(self.callbacks) do callback:set_model(model) end
end

--- Does the callback write the hook itself?
local function has_hook(callback, name)
  if callback[name] ~= Callback[name] then return true end
  if name == "on_train_batch_begin" then return callback.on_batch_begin ~= Callback.on_batch_begin end
  if name == "on_train_batch_end" then return callback.on_batch_end ~= Callback.on_batch_end end
  return false
end

--- The callbacks that have a hook: found once, so that a batch costs nothing where nobody listens.
local function listeners(self, name)
  local list = self.hooks[name]
  if not list then
    list = {}
    for _, callback in ipairs(self.callbacks) do
      if has_hook(callback, name) then list[#list + 1] = callback end
    end
    self.hooks[name] = list
  end
  return list
end

--- Are logs of the batch that runs wanted? Only then are metrics read. `phase`: "train", "test" or "predict".
function CallbackList:wants_logs(phase)
  local name = "on_" .. phase .. "_batch_end"
  for _, callback in ipairs(listeners(self, name)) do
    if not rawequal(callback, self.progbar) or callback:wants_logs(phase) then return true end
  end
  return false
end

for _, name in ipairs{"on_train_begin", "on_train_end", "on_test_begin", "on_test_end", "on_predict_begin",
  "on_predict_end"} do
  CallbackList[name] = function(self, logs)
    for _, callback in ipairs(listeners(self, name)) do callback[name](callback, logs or {}) end
  end
end

for _, name in ipairs{"on_epoch_begin", "on_epoch_end", "on_train_batch_begin", "on_test_batch_begin",
  "on_predict_batch_begin", "on_predict_batch_end"} do
  CallbackList[name] = function(self, number, logs)
    local list = listeners(self, name)
    for i = 1, #list do list[i][name](list[i], number, logs or {}) end
  end
end

for _, name in ipairs{"on_train_batch_end", "on_test_batch_end"} do
  CallbackList[name] = function(self, batch, logs)
    local list = listeners(self, name)
    if #list == 0 then return end
    local numbers
    for i = 1, #list do
      local callback = list[i]
      if rawequal(callback, self.progbar) and not callback:due() then
        callback:note(batch)
      else
        numbers = numbers or logs_of.numbers(logs or {})
        callback[name](callback, batch, numbers)
      end
    end
  end
end

return CallbackList
