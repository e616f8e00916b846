--- fit, evaluate, predict.

local CallbackList = require "moonflow.keras.callbacks.callback_list"
local Epochs = require "moonflow.keras.training.epochs"
local args = require "moonflow.base.args"
local batches = require "moonflow.keras.training.batches"
local calling = require "moonflow.keras.layers.calling"
local class = require "moonflow.base.class"
local context = require "moonflow.keras.backend.context"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local logs_of = require "moonflow.keras.training.logs"
local nest = require "moonflow.base.nest"
local steps = require "moonflow.keras.training.steps"

local None = dicts.None
local kind_of = core.args.kind

local loops = {}

local function check_self(self, method)
  if type(self) ~= "table" or not self.is_model then
    errors.invalid(method, "expected a model in front, received %s; it is called with a colon: model:%s(...)",
      errors.describe(self), method)
  end
end
loops.check_self = check_self

local function check_compiled(self, method)
  check_self(self, method)
  if not self.compiled then errors.invalid(method, "you must call `compile` before `%s`", method) end
end
loops.check_compiled = check_compiled

--- A model that was never built takes the shapes of the data, with any batch. A subclass is traced; where that fails the first
-- batch builds it, or says what is wrong.
local function build_from(self, x)
  if self.built then return end
  if self._own.layers and kind_of(x) == "tensor" then
    local shape = x.shape:as_list()
    shape[1] = None
    self:build(shape)
  elseif self.class.build == require "moonflow.keras.models.model".build then
    local _ <close> = context.guard()
    context.enter(self.name, self)
    if pcall(calling.trace_like, self, x) then self.built = true end
  end
end

local function make_callbacks(self, callbacks, options)
  if class.isinstance(callbacks, CallbackList) then return callbacks, true end
  return CallbackList(callbacks, options), false
end

-- ---- evaluate

local function run_evaluation(self, epochs, callbacks)
  self.stop_evaluating = false
  callbacks:on_test_begin()
  self:reset_metrics()
  local logs, step = {}, 0
  epochs:close() -- every evaluation starts with the first batch
  epochs:begin()
  local x, y, sample_weight = epochs:batch()
  if x == nil then errors.invalid("evaluate", "the data hold no batch") end
  steps.prepare(self)
  build_from(self, x)
  while x ~= nil do
    callbacks:on_test_batch_begin(step)
    logs = steps.run_test(self, x, y, sample_weight, callbacks:wants_logs("test")) or logs
    callbacks:on_test_batch_end(step, logs)
    step = step + 1
    if self.stop_evaluating then break end
    x, y, sample_weight = epochs:batch()
  end
  logs = logs_of.numbers(logs_of.final(self, logs))
  callbacks:on_test_end(logs)
  return logs
end

local read_evaluate = args.signature{name = "evaluate", {"x", "data", default = None}, {"y", "data", default = None},
  {"batch_size", "integer", default = None}, {"verbose", "any", default = "auto"}, {"sample_weight", "data", default = None},
  {"steps", "integer", default = None}, {"callbacks", "struct", default = None}, {"return_dict", "boolean", default = false}}

--- evaluate(x, y, {...}): the loss, or a list of loss and metrics, or a dict with return_dict.
function loops.evaluate(self, ...)
  check_compiled(self, "evaluate")
  local x, y, batch_size, verbose, sample_weight, step_limit, callbacks, return_dict = read_evaluate(...)
  local _ <close> = context.guard()
  local source = batches.source{op = "evaluate", x = x, y = y, sample_weight = sample_weight, batch_size = batch_size,
    steps = step_limit}
  local epochs <close> = Epochs.new(source, step_limit)
  local list = make_callbacks(self, callbacks, {model = self, add_progbar = true, verbose = verbose, epochs = 1,
    steps = epochs.num_batches})
  local logs = run_evaluation(self, epochs, list)
  if return_dict then return logs end
  return logs_of.in_order(self, logs)
end

-- ---- fit

local function validation_parts(data)
  if kind_of(data) == "dataset" or kind_of(data) == "tensor" or type(data) == "function" then return {x = data} end
  if type(data) ~= "table" or not nest.is_list(data) or #data > 3 or #data == 0 then
    errors.invalid("fit", "argument 'validation_data': expected {x, y}, {x, y, sample_weight} or a dataset, received %s",
      errors.describe(data))
  end
  local function part(i)
    if data[i] ~= None then return data[i] end
  end
  return {x = part(1), y = part(2), sample_weight = part(3)}
end

local function should_validate(epoch, frequency)
  if type(frequency) == "table" then
    for _, number in ipairs(frequency) do
      if number == epoch + 1 then return true end
    end
    return false
  end
  return (epoch + 1) % frequency == 0
end

local function run_epoch(self, epochs, callbacks)
  local logs, step = nil, 0
  epochs:begin()
  steps.prepare(self)
  local x, y, sample_weight = epochs:batch()
  while x ~= nil do
    if step == 0 then build_from(self, x) end
    callbacks:on_train_batch_begin(step)
    logs = steps.run_train(self, x, y, sample_weight, callbacks:wants_logs("train")) or logs
    callbacks:on_train_batch_end(step, logs)
    step = step + 1
    if self.stop_training then break end
    x, y, sample_weight = epochs:batch()
  end
  if epochs.ran_out and not epochs.warned then
    epochs.warned = true
    io.stderr:write("warning: your input ran out of data; make sure that your dataset can give at least ",
      "`steps_per_epoch * epochs` batches (dataset:repeat_() may help)\n")
  end
  return logs_of.numbers(logs_of.final(self, logs or {})), step
end

local function validate(self, validation, callbacks, epoch_logs)
  local logs = run_evaluation(self, validation, callbacks)
  for name, value in next, logs do epoch_logs["val_" .. name] = value end
end

local function validation_epochs(o, batch_size)
  if not o.validation then return nil end
  local source = batches.source{op = "fit: validation_data", x = o.validation.x, y = o.validation.y,
    sample_weight = o.validation.sample_weight, batch_size = o.validation_batch_size or batch_size,
    steps = o.validation_steps}
  return Epochs.new(source, o.validation_steps)
end

local function train(self, o, epochs, validation, callbacks)
  local last
  for epoch = self._initial_epoch or o.initial_epoch, o.epochs - 1 do
    self:reset_metrics()
    callbacks:on_epoch_begin(epoch)
    local epoch_logs, done = run_epoch(self, epochs, callbacks)
    if done == 0 then errors.invalid("fit", "the data hold no batch") end
    if validation and should_validate(epoch, o.validation_freq) then validate(self, validation, callbacks, epoch_logs) end
    callbacks:on_epoch_end(epoch, epoch_logs)
    last = epoch_logs
    if self.stop_training then break end
  end
  return last
end

local read_fit = args.signature{name = "fit", {"x", "data", default = None}, {"y", "data", default = None},
  {"batch_size", "integer", default = None}, {"epochs", "integer", default = 1}, {"verbose", "any", default = "auto"},
  {"callbacks", "struct", default = None}, {"validation_split", "number", default = 0.0},
  {"validation_data", "struct", default = None}, {"shuffle", "any", default = true}, {"class_weight", "map", default = None},
  {"sample_weight", "data", default = None}, {"initial_epoch", "integer", default = 0},
  {"steps_per_epoch", "integer", default = None}, {"validation_steps", "integer", default = None},
  {"validation_batch_size", "integer", default = None}, {"validation_freq", "any", default = 1}}

--- Numbers of steps: 0 counts as none, as in Keras.
local function check_steps(o)
  for _, name in ipairs{"steps_per_epoch", "validation_steps"} do
    if o[name] == 0 then o[name] = nil end
    if o[name] and o[name] < 0 then
      errors.invalid("fit", "argument '%s': expected an integer of at least 1, received %d", name, o[name])
    end
  end
end

local function check_validation(o)
  local frequency, share = o.validation_freq, o.validation_split
  if type(frequency) ~= "table" and not (math.tointeger(frequency) and frequency >= 1) then
    errors.invalid("fit", "argument 'validation_freq': expected an integer of at least 1 or a list of epochs, received %s",
      errors.describe(frequency))
  end
  if not (share >= 0 and share < 1) then
    errors.invalid("fit", "argument 'validation_split': expected a number from 0 to below 1, received %s", tostring(share))
  end
end

--- fit(x, y, {epochs = 10, ...}): trains; returns the History.
function loops.fit(self, ...)
  check_compiled(self, "fit")
  local o = read_fit:read_table(...)
  local _ <close> = context.guard()
  check_steps(o)
  check_validation(o)
  if o.validation_data ~= nil then
    o.validation = validation_parts(o.validation_data)
    if o.y ~= nil and o.validation.y == nil and kind_of(o.validation.x) ~= "dataset" and type(o.validation.x) ~= "function" then
      errors.invalid("fit", "argument 'validation_data': expected {x, y}, for there is a y to train on; received no y")
    end
  elseif o.validation_split > 0 then
    local training
    training, o.validation = batches.split(o.x, o.y, o.sample_weight, o.validation_split)
    o.x, o.y, o.sample_weight = training.x, training.y, training.sample_weight
  end
  local source = batches.source{op = "fit", x = o.x, y = o.y, sample_weight = o.sample_weight, batch_size = o.batch_size,
    steps = o.steps_per_epoch, shuffle = o.shuffle, class_weight = o.class_weight}
  local epochs <close> = Epochs.new(source, o.steps_per_epoch)
  local validation <close> = validation_epochs(o, o.batch_size)
  local callbacks = make_callbacks(self, o.callbacks, {model = self, add_history = true, add_progbar = true,
    verbose = o.verbose, epochs = o.epochs, steps = epochs.num_batches})
  self.stop_training = false
  callbacks:on_train_begin()
  local last = train(self, o, epochs, validation, callbacks)
  if self.optimizer and o.epochs > 0 then self.optimizer:finalize_variable_values(self.trainable_weights) end
  callbacks:on_train_end(last)
  return self.history
end

-- ---- predict

local concat = core.op.get("ConcatV2")

--- Batches of outputs joined along the first axis, in the structure of one.
local function join(outputs)
  local first = outputs[1]
  if #outputs == 1 then return first end
  local flats = {}
  for i, output in ipairs(outputs) do flats[i] = nest.flatten(output) end
  local joined = {}
  for j = 1, #flats[1] do
    local parts = {}
    for i = 1, #flats do parts[i] = flats[i][j] end
    joined[j] = concat(parts, 0)
  end
  if kind_of(first) == "tensor" then return joined[1] end
  return nest.pack_sequence_as(first, joined)
end

local read_predict = args.signature{name = "predict", {"x", "data"}, {"batch_size", "integer", default = None},
  {"verbose", "any", default = "auto"}, {"steps", "integer", default = None}, {"callbacks", "struct", default = None}}

--- predict(x, {batch_size = 32}): the outputs for all samples.
function loops.predict(self, ...)
  check_self(self, "predict")
  local x, batch_size, verbose, step_limit, callbacks = read_predict(...)
  local _ <close> = context.guard()
  local source = batches.source{op = "predict", x = x, batch_size = batch_size, steps = step_limit}
  local epochs <close> = Epochs.new(source, step_limit)
  local list = make_callbacks(self, callbacks, {model = self, add_progbar = true, verbose = verbose, epochs = 1,
    steps = epochs.num_batches})
  self.stop_predicting = false
  list:on_predict_begin()
  local outputs, step = {}, 0
  epochs:begin()
  local batch, y, sample_weight = epochs:batch()
  if batch == nil then errors.invalid("predict", "the data hold no batch") end
  build_from(self, batch)
  while batch ~= nil do
    list:on_predict_batch_begin(step)
    outputs[#outputs + 1] = self:predict_step{batch, y, sample_weight}
    list:on_predict_batch_end(step, {outputs = outputs[#outputs]})
    step = step + 1
    if self.stop_predicting then break end
    batch, y, sample_weight = epochs:batch()
  end
  list:on_predict_end()
  return join(outputs)
end

loops.build_from = build_from

return loops
