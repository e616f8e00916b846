--- What Model has of training: compile, the loops, single batches, metrics. The parts are joined here; Model copies them.

local CompileLoss = require "moonflow.keras.training.compile_loss"
local CompileMetrics = require "moonflow.keras.training.compile_metrics"
local args = require "moonflow.base.args"
local batches = require "moonflow.keras.training.batches"
local class = require "moonflow.base.class"
local context = require "moonflow.keras.backend.context"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local logs_of = require "moonflow.keras.training.logs"
local loops = require "moonflow.keras.training.loops"
local nest = require "moonflow.base.nest"
local properties = require "moonflow.keras.layers.properties"
local steps = require "moonflow.keras.training.steps"
local weights = require "moonflow.keras.training.class_weights"

local None = dicts.None

local methods, getters, setters = {}, {}, {}
local trainer = {methods = methods, getters = getters, setters = setters}

--- State of training of a new model: optimizer, compile_loss, compile_metrics, loss_tracker, stop_training ...
function trainer.prepare(self)
  class.set_untracked(self, "_trainer", {compiled = false})
  rawset(self, "stop_training", false)
end

-- ---- compile

local read_compile = args.signature{name = "compile", {"optimizer", "any", default = "rmsprop"},
  {"loss", "struct", default = None}, {"loss_weights", "struct", default = None}, {"metrics", "struct", default = None},
  {"weighted_metrics", "struct", default = None}, {"run_eagerly", "boolean", default = false},
  {"steps_per_execution", "integer", default = 1}, {"jit_compile", "any", default = "auto"},
  {"auto_scale_loss", "boolean", default = true}}

local function check_metrics(value, what)
  if value ~= nil and type(value) ~= "table" or type(value) == "table" and class.of(value) then
    errors.invalid("compile", "expected `%s` to be a list or dict, received %s", what, errors.describe(value))
  end
end

local resolved_by_shapes = {accuracy = true, acc = true, crossentropy = true, ce = true}

--- Names that mean nothing are found here, not when the first batch comes.
local function check_names(structure, namespace)
  if structure == nil then return end
  for _, leaf in ipairs(nest.flatten(structure)) do
    if type(leaf) == "string" and not resolved_by_shapes[leaf:lower()] then
      require("moonflow.keras." .. namespace).get(leaf)
    end
  end
end

--- compile{optimizer = "adam", loss = "mse", metrics = {"accuracy"}}: says how the model is trained.
function methods.compile(self, ...)
  loops.check_self(self, "compile")
  local optimizer, loss, loss_weights, metrics, weighted, run_eagerly, steps_per_execution, jit_compile =
    read_compile(...)
  for _, weight in ipairs(loss_weights ~= nil and nest.flatten(loss_weights) or {}) do
    if type(weight) ~= "number" then
      errors.invalid("compile", "argument 'loss_weights': expected numbers, received %s", errors.describe(weight))
    end
  end
  check_metrics(metrics, "metrics")
  check_metrics(weighted, "weighted_metrics")
  check_names(loss, "losses")
  check_names(metrics, "metrics")
  check_names(weighted, "metrics")
  local state = self._trainer
  local names = self.output_names
  state.optimizer = require "moonflow.keras.optimizers".get(optimizer)
  if state.optimizer ~= nil and not (type(state.optimizer) == "table" and state.optimizer.is_optimizer) then
    errors.invalid("compile", "argument 'optimizer': expected an optimizer or its name, received %s",
      errors.describe(optimizer))
  end
  state.loss = loss
  state.compile_loss = loss ~= nil and CompileLoss(loss, loss_weights, names) or nil
  state.compile_metrics = nil
  if metrics ~= nil or weighted ~= nil then state.compile_metrics = CompileMetrics(metrics, weighted, names) end
  state.loss_tracker = require "moonflow.keras.metrics".Mean{name = "loss"}
  state.run_eagerly, state.steps_per_execution, state.jit_compile = run_eagerly, steps_per_execution, jit_compile
  state.given = {loss = loss, loss_weights = loss_weights, metrics = metrics, weighted = weighted}
  state.compiled = true
  self.stop_training = false
end

--- Losses or metrics as plain data, in their structure.
local function plain(structure, namespace)
  if structure == nil then return None end
  return nest.map_structure(function(leaf) return require("moonflow.keras." .. namespace).serialize(leaf) end, structure)
end

--- How the model was compiled, as plain data; an empty dict when it was not.
function methods.get_compile_config(self)
  local state = self._trainer
  if not state.compiled then return dicts.dict{} end
  local given = state.given
  return dicts.dict{
    {"optimizer", require "moonflow.keras.optimizers".serialize(state.optimizer)}, {"loss", plain(given.loss, "losses")},
    {"loss_weights", given.loss_weights == nil and None or given.loss_weights},
    {"metrics", plain(given.metrics, "metrics")}, {"weighted_metrics", plain(given.weighted, "metrics")},
    {"run_eagerly", state.run_eagerly}, {"steps_per_execution", state.steps_per_execution},
    {"jit_compile", state.jit_compile == true},
  }
end

for _, name in ipairs{"optimizer", "loss", "run_eagerly", "steps_per_execution", "jit_compile", "history"} do
  getters[name] = function(self) return self._trainer[name] end
  setters[name] = function(self, value) self._trainer[name] = value end
end

function getters.compiled(self) return self._trainer.compiled end

-- ---- metrics

--- All metrics: loss, those of compile, those of the model and its layers.
function getters.metrics(self)
  local state, list = self._trainer, {}
  if state.loss_tracker then list[#list + 1] = state.loss_tracker end
  if state.compile_metrics then list[#list + 1] = state.compile_metrics end
  if state.compile_loss then
    for _, metric in ipairs(state.compile_loss.metrics) do list[#list + 1] = metric end
  end
  for _, metric in ipairs(properties.owned(self).metrics) do list[#list + 1] = metric end
  for _, layer in ipairs(properties.flatten_layers(self)) do
    if not layer.is_model then
      for _, metric in ipairs(properties.owned(layer).metrics) do list[#list + 1] = metric end
    end
  end
  return list
end

function getters.metrics_names(self)
  local names = {}
  for i, metric in ipairs(self.metrics) do names[i] = metric.name end
  return names
end

--- Sets all metrics back to zero.
function methods.reset_metrics(self)
  for _, metric in ipairs(self.metrics) do metric:reset_state() end
end

-- ---- steps and loops

methods.train_step, methods.test_step, methods.predict_step = steps.train_step, steps.test_step, steps.predict_step
methods.compute_loss, methods.compute_metrics = steps.compute_loss, steps.compute_metrics
methods.get_metrics_result = steps.get_metrics_result
methods.fit, methods.evaluate, methods.predict = loops.fit, loops.evaluate, loops.predict

-- ---- single batches

local function convert_batch(x, y, sample_weight, op)
  x = batches.convert(x, op .. ": argument 'x'")
  y = batches.convert(y, op .. ": argument 'y'")
  sample_weight = batches.convert(sample_weight, op .. ": argument 'sample_weight'")
  batches.count_samples({{"x", x}, {"y", y}, {"sample_weight", sample_weight}}, op)
  return x, y, sample_weight
end

local function give(self, logs, return_dict)
  logs = logs_of.numbers(logs)
  if return_dict then return logs end
  return logs_of.in_order(self, logs)
end

local read_train = args.signature{name = "train_on_batch", {"x", "data"}, {"y", "data", default = None},
  {"sample_weight", "data", default = None}, {"class_weight", "map", default = None},
  {"return_dict", "boolean", default = false}}

--- train_on_batch(x, y): one update; the loss, or a list of loss and metrics.
function methods.train_on_batch(self, ...)
  loops.check_compiled(self, "train_on_batch")
  local x, y, sample_weight, class_weight, return_dict = read_train(...)
  local _ <close> = context.guard()
  x, y, sample_weight = convert_batch(x, y, sample_weight, "train_on_batch")
  if class_weight ~= nil then
    if sample_weight ~= nil then
      errors.invalid("train_on_batch", "`sample_weight` and `class_weight` cannot be given at the same time")
    end
    sample_weight = weights.of_targets(y, class_weight, "train_on_batch")
  end
  loops.build_from(self, x)
  self:reset_metrics()
  steps.prepare(self)
  return give(self, steps.run_train(self, x, y, sample_weight, true), return_dict)
end

local read_test = args.signature{name = "test_on_batch", {"x", "data"}, {"y", "data", default = None},
  {"sample_weight", "data", default = None}, {"return_dict", "boolean", default = false}}

--- test_on_batch(x, y): the loss of one batch, or a list of loss and metrics.
function methods.test_on_batch(self, ...)
  loops.check_compiled(self, "test_on_batch")
  local x, y, sample_weight, return_dict = read_test(...)
  local _ <close> = context.guard()
  x, y, sample_weight = convert_batch(x, y, sample_weight, "test_on_batch")
  loops.build_from(self, x)
  self:reset_metrics()
  steps.prepare(self)
  return give(self, steps.run_test(self, x, y, sample_weight, true), return_dict)
end

local read_predict = args.signature{name = "predict_on_batch", {"x", "data"}}

--- predict_on_batch(x): the outputs for one batch.
function methods.predict_on_batch(self, ...)
  local x = batches.convert(read_predict(...), "predict_on_batch: argument 'x'")
  local _ <close> = context.guard()
  return self:predict_step{x}
end

return trainer
