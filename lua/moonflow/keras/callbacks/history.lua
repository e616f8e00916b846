--- History: what fit returns. history.history is a table name -> list with one value an epoch, history.epoch the epochs.

local Callback = require "moonflow.keras.callbacks.callback"

local History = Callback:extend("History", {args = {}})

function History:init()
  self.history = {}
  self.epoch = {}
end

function History:on_train_begin()
  self.epoch = {}
end

function History:on_epoch_end(epoch, logs)
  self.epoch[#self.epoch + 1] = epoch
  for name, value in next, logs do
    local list = self.history[name]
    if not list then
      list = {}
      self.history[name] = list
    end
    list[#list + 1] = value
  end
  self.model.history = self
end

return History
