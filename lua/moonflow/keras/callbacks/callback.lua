--- Callback: the base of all callbacks. What a class writes are the hooks it needs:
--
--     on_train_begin(logs)  on_train_end(logs)      on_epoch_begin(epoch, logs)   on_epoch_end(epoch, logs)
--     on_train_batch_begin(batch, logs)  on_train_batch_end(batch, logs)          the same with test and predict:
--     on_test_begin ...  on_test_batch_end ...      on_predict_begin ...
--
-- Epochs and batches count from 0; logs are tables name -> number. self.model is the model, self.params a table with
-- verbose, epochs and steps. Setting self.model.stop_training = true ends fit after the batch.

local class = require "moonflow.base.class"

local Callback = class.Object:extend("Callback", {args = {}})
Callback.is_callback = true

local function nothing()
end

for _, name in ipairs{
  "on_batch_begin", "on_batch_end", "on_epoch_begin", "on_epoch_end", "on_train_begin", "on_train_end", "on_test_begin",
  "on_test_end", "on_predict_begin", "on_predict_end", "on_test_batch_begin", "on_test_batch_end",
  "on_predict_batch_begin", "on_predict_batch_end",
} do
  Callback[name] = nothing
end

function Callback:set_params(params)
  self.params = params
end

function Callback:set_model(model)
  self.model = model
end

--- The old names of the hooks of training batches are called by the new ones.
function Callback:on_train_batch_begin(batch, logs)
  self:on_batch_begin(batch, logs)
end

function Callback:on_train_batch_end(batch, logs)
  self:on_batch_end(batch, logs)
end

return Callback
