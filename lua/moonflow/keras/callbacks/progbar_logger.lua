--- ProgbarLogger: shows progress: a bar on a terminal, one line an epoch elsewhere.

local Callback = require "moonflow.keras.callbacks.callback"
local Progbar = require "moonflow.keras.utils.progbar"
local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local logs_of = require "moonflow.keras.training.logs"

local ProgbarLogger = Callback:extend("ProgbarLogger", {args = {}})

function ProgbarLogger:init()
  self.seen, self.verbose, self.epochs = 0, 1, 1
end

function ProgbarLogger:set_params(params)
  local verbose = params.verbose
  if verbose == nil or verbose == "auto" then verbose = core.keras.terminal() and 1 or "line" end
  if verbose == true then verbose = 1 end
  if verbose ~= 0 and verbose ~= 1 and verbose ~= 2 and verbose ~= "line" then
    errors.invalid("fit", "argument 'verbose': expected 'auto', 0, 1 or 2, received %s", errors.describe(verbose))
  end
  self.verbose, self.epochs, self.target = verbose, params.epochs or 1, params.steps
  self.params = params
end

local function start(self, prefix)
  self.seen = 0
  self.progbar = Progbar{target = self.target, verbose = self.verbose, unit_name = "step", stateless_metrics = {},
    prefix = prefix or ""}
end

function ProgbarLogger:on_train_begin()
  self.called_in_fit = true -- validation is silent inside fit
end

function ProgbarLogger:on_test_begin()
  if not self.called_in_fit then start(self) end
end

function ProgbarLogger:on_predict_begin()
  start(self)
end

function ProgbarLogger:on_epoch_begin(epoch)
  local title = self.epochs > 1 and ("Epoch %d/%d"):format(epoch + 1, self.epochs) or ""
  start(self, title ~= "" and self.verbose == "line" and title .. " - " or "")
  if title ~= "" and (self.verbose == 1 or self.verbose == 2) then
    io.stdout:write(title, "\n")
    io.stdout:flush()
  end
end

--- Is a batch of this phase to be drawn? Asked before the batch runs, because reading metrics costs.
function ProgbarLogger:wants_logs(phase)
  self.drawing = not (phase == "test" and self.called_in_fit) and self.progbar ~= nil and self.progbar:due()
  return self.drawing
end

--- What wants_logs said.
function ProgbarLogger:due()
  return self.drawing
end

--- A batch that is not drawn.
function ProgbarLogger:note(batch)
  self.seen = batch + 1
  local progbar = self.progbar
  if batch == 0 and progbar and not progbar.after_first then progbar.after_first = core.keras.clock() end
end

local function pairs_of(logs)
  local list = {}
  for i, name in ipairs(logs_of.names(logs)) do list[i] = {name, logs[name]} end
  return list
end

local function update(self, batch, logs)
  self.seen = batch + 1
  if self.verbose == 1 then self.progbar:update(self.seen, pairs_of(logs), false) end
end

function ProgbarLogger:on_train_batch_end(batch, logs)
  update(self, batch, logs)
end

function ProgbarLogger:on_test_batch_end(batch, logs)
  if not self.called_in_fit then update(self, batch, logs) end
end

function ProgbarLogger:on_predict_batch_end(batch)
  self.seen = batch + 1
  if self.verbose == 1 then update(self, batch, {}) end
end

local function finish(self, logs)
  if not self.target then
    self.target = self.seen
    self.progbar.target = self.seen
  end
  self.progbar:update(self.target, pairs_of(logs), true)
end

function ProgbarLogger:on_epoch_end(_, logs)
  finish(self, logs)
end

function ProgbarLogger:on_test_end(logs)
  if not self.called_in_fit then finish(self, logs) end
end

function ProgbarLogger:on_predict_end()
  finish(self, {})
end

return ProgbarLogger
