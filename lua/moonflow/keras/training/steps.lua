--- One step on one batch: train_step, test_step, predict_step, and what they are made of. Models may write their own
-- train_step(data), compute_loss, compute_metrics.
--
-- train_step gets data = {x, y, sample_weight} (tf.keras.utils.unpack_x_y_sample_weight(data)) and returns logs: a table
-- name -> value.

local args = require "moonflow.base.args"
local calling = require "moonflow.keras.layers.calling"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local nest = require "moonflow.base.nest"
local context = require "moonflow.keras.backend.context"

local None = dicts.None
local get = core.op.get
local add, cast, sum = get("AddV2"), get("Cast"), get("Sum")
local kind_of, to_tensor = core.args.kind, core.tensor.to

local steps = {}

--- The model's call, which cannot be left by a yield: what belongs to running calls is the process's, not the coroutine's.
local function forward(self, training, x)
  return core.graph.call(calling.invoke, self, {training = training}, 1, x)
end

--- Number of samples of a batch: the first dimension of its first tensor.
local function size_of(x)
  if kind_of(x) == "tensor" then return x.shape[1] end
  for _, leaf in ipairs(nest.flatten(x)) do
    if leaf ~= None then return leaf.shape[1] end
  end
end

--- x, y, sample_weight of a batch.
function steps.unpack(data)
  if kind_of(data) == "tensor" then return data end
  local x, y, sample_weight = data[1], data[2], data[3]
  if y == false then y = nil end
  if sample_weight == false then sample_weight = nil end
  return x, y, sample_weight
end

-- ---- loss and metrics

--- Do regularizers add to the loss? Asked for once an epoch of fit.
local function has_regularizers(self)
  local state = self._trainer
  if state.has_regularizers == nil then
    state.has_regularizers = false
    for _, variable in ipairs(self.weights) do
      if variable.regularizer then state.has_regularizers = true end
    end
  end
  return state.has_regularizers
end

--- Losses of add_loss and regularizers, as scalars of floatx.
local function extra_losses(self)
  if context.losses_added == 0 and not has_regularizers(self) then return nil end
  local list = {}
  for i, loss in ipairs(self.losses) do
    if not loss.dtype.is_floating then loss = cast(loss, require "moonflow.keras.backend.config".floatx()) end
    local rank = loss.shape.rank
    if rank ~= 0 then loss = sum(loss, require "moonflow.keras.losses.reduction".axes_of(rank)) end
    list[i] = loss
  end
  return list
end

--- The total loss of a batch.
local function total_loss(self, y, y_pred, sample_weight, n)
  local state = self._trainer
  local loss
  if state.compile_loss then
    if y == nil and not state.compile_loss.built then
      errors.invalid("compute_loss", "the model was compiled with a loss, but the data hold no targets (y)")
    end
    -- Keras's compiled step does not know the size of a batch here: the losses of several outputs are averaged over batches
    loss = state.compile_loss:compute(y, y_pred, sample_weight, state.run_eagerly and n or 1)
  end
  for _, extra in ipairs(extra_losses(self) or {}) do
    if loss and extra.dtype ~= loss.dtype then extra = cast(extra, loss.dtype) end
    loss = loss and add(loss, extra) or extra
  end
  if not loss then errors.invalid("compute_loss", "no loss to compute; give a `loss` argument to compile") end
  return loss
end

local read_loss = args.signature{name = "compute_loss", {"x", "data", default = None}, {"y", "data", default = None},
  {"y_pred", "data", default = None}, {"sample_weight", "data", default = None}, {"training", "boolean", default = true}}

--- compute_loss(x, y, y_pred, sample_weight, training): may be overridden.
function steps.compute_loss(self, ...)
  local x, y, y_pred, sample_weight = read_loss(...)
  local first = x ~= nil and x or y_pred
  return total_loss(self, y, y_pred, sample_weight, size_of(first))
end

local function update_metrics(self, y, y_pred, sample_weight)
  local compiled = self._trainer.compile_metrics
  if compiled then compiled:update_state(y, y_pred, sample_weight) end
end

local read_metrics = args.signature{name = "compute_metrics", {"x", "data"}, {"y", "data"}, {"y_pred", "data"},
  {"sample_weight", "data", default = None}}

--- compute_metrics(x, y, y_pred, sample_weight): updates the metrics of compile, returns all results; may be overridden.
function steps.compute_metrics(self, ...)
  local _, y, y_pred, sample_weight = read_metrics(...)
  update_metrics(self, y, y_pred, sample_weight)
  return self:get_metrics_result()
end

--- Results of all metrics of the model: a table name -> tensor.
function steps.get_metrics_result(self)
  local results = {}
  for _, metric in ipairs(self.metrics) do
    local result = metric:result()
    if type(result) == "table" and nest.is_dict(result) then
      for name, value in nest.entries(result) do results[name] = value end
    else
      results[metric.name] = result
    end
  end
  return results
end

-- ---- steps

local function loss_of(self, x, y, y_pred, sample_weight, n, training)
  if self.compute_loss == steps.compute_loss then return total_loss(self, y, y_pred, sample_weight, n) end
  return self:compute_loss(x, y, y_pred, sample_weight, training)
end

local function finish(self, x, y, y_pred, sample_weight, want_logs)
  if self.compute_metrics ~= steps.compute_metrics then return self:compute_metrics(x, y, y_pred, sample_weight) end
  update_metrics(self, y, y_pred, sample_weight)
  if want_logs then return self:get_metrics_result() end
end

local function as_gradient(value)
  if type(value) == "table" then return require "moonflow.indexed_slices"(value.values, value.indices, value.dense_shape) end
  return value
end

--- Variables that are trained: asked for once an epoch of fit.
local function trained(self)
  local state = self._trainer
  if not state.trained then state.trained = self.trainable_weights end
  return state.trained
end

--- Forward, backward, update. `want_logs`: whether the metrics' results are needed.
local function train(self, x, y, sample_weight, want_logs)
  local state = self._trainer
  local n = size_of(x)
  local tape <close> = core.tape.open(true)
  local y_pred = forward(self, true, x)
  local loss = loss_of(self, x, y, y_pred, sample_weight, n, true)
  core.tape.close(tape)
  if state.loss_tracker then state.loss_tracker:add_scalar(loss, n) end
  local list = trained(self)
  if #list > 0 then
    if not self.optimizer then errors.invalid("fit", "the model was compiled without an optimizer") end
    local factor = self.optimizer.loss_scale_factor
    local target = factor and get("Mul")(loss, to_tensor(factor, loss.dtype)) or loss
    local grads = core.tape.gradient(tape, {target}, list, nil, true)
    for i = 1, #grads do
      if type(grads[i]) == "table" then grads[i] = as_gradient(grads[i]) end
    end
    -- the tape holds the values of the variables: while it does, an update would copy them
    core.tape.reset(tape)
    self.optimizer:apply(grads, list)
  elseif not state.warned then
    state.warned = true
    io.stderr:write("warning: the model does not have any trainable weights\n")
  end
  return finish(self, x, y, y_pred, sample_weight, want_logs)
end

local function test(self, x, y, sample_weight, want_logs)
  local state = self._trainer
  local n = size_of(x)
  local y_pred = forward(self, false, x)
  local loss = loss_of(self, x, y, y_pred, sample_weight, n, false)
  if state.loss_tracker then state.loss_tracker:add_scalar(loss, n) end
  return finish(self, x, y, y_pred, sample_weight, want_logs)
end

function steps.train_step(self, data)
  local x, y, sample_weight = steps.unpack(data)
  self._trainer.trained = nil
  return train(self, x, y, sample_weight, true)
end

function steps.test_step(self, data)
  local x, y, sample_weight = steps.unpack(data)
  return test(self, x, y, sample_weight, true)
end

function steps.predict_step(self, data)
  local x = steps.unpack(data)
  return forward(self, false, x)
end

--- Runs a model's train_step on a batch; its own when it has one. Logs are nil unless wanted or the step is its own.
function steps.run_train(self, x, y, sample_weight, want_logs)
  if self.train_step == steps.train_step then return train(self, x, y or nil, sample_weight or nil, want_logs) end
  return self:train_step{x, y, sample_weight}
end

function steps.run_test(self, x, y, sample_weight, want_logs)
  if self.test_step == steps.test_step then return test(self, x, y or nil, sample_weight or nil, want_logs) end
  return self:test_step{x, y, sample_weight}
end

--- Forgets what holds for an epoch: the trained variables, whether regularizers add losses.
function steps.prepare(self)
  self._trainer.trained, self._trainer.has_regularizers = nil, nil
end

steps.size_of = size_of

return steps
