--- TerminateOnNaN: ends training when the loss is NaN or infinite.

local Callback = require "moonflow.keras.callbacks.callback"
local errors = require "moonflow.base.errors"

local TerminateOnNaN = Callback:extend("TerminateOnNaN", {
  args = {{"raise_error", "boolean", default = false, doc = "Whether an error is raised instead of a quiet end."}},
})

function TerminateOnNaN:init(a)
  self.raise_error = a.raise_error
end

function TerminateOnNaN:on_batch_end(batch, logs)
  local loss = logs.loss
  if type(loss) ~= "number" or loss == loss and math.abs(loss) ~= math.huge then return end
  if self.raise_error then
    errors.raise("ABORTED", "TerminateOnNaN", "NaN or Inf loss encountered at batch %d. Loss value: %s. Terminating " ..
      "training immediately.", batch, tostring(loss))
  end
  io.stdout:write(("Batch %d: Invalid loss, terminating training\n"):format(batch))
  self.model.stop_training = true
end

return TerminateOnNaN
