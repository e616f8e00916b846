--- ModelCheckpoint: saves the weights during training: after each epoch, after a number of batches, or when they got better.
--
-- The path may name values as Python's format does: "w-{epoch:02d}-{val_loss:.2f}.weights.h5".

local MonitorCallback = require "moonflow.keras.callbacks.monitor_callback"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"

local ModelCheckpoint = MonitorCallback:extend("ModelCheckpoint", {
  args = {
    {"filepath", "string"}, {"monitor", "string", default = "val_loss"}, {"verbose", "integer", default = 0},
    {"save_best_only", "boolean", default = false}, {"save_weights_only", "boolean", default = false},
    {"mode", "string", default = "auto", one_of = {"auto", "min", "max"}}, {"save_freq", "any", default = "epoch"},
    {"initial_value_threshold", "number", default = dicts.None},
    {"baseline", remove = true}, {"min_delta", remove = true},
  },
})

local function ends_with(text, ending)
  return text:sub(-#ending) == ending
end

function ModelCheckpoint:init(a)
  MonitorCallback.init(self, {monitor = a.monitor, mode = a.mode, baseline = a.initial_value_threshold, min_delta = 0})
  if a.save_freq ~= "epoch" and math.type(a.save_freq) ~= "integer" then
    errors.invalid("ModelCheckpoint", "argument 'save_freq': expected 'epoch' or an integer, received %s",
      errors.describe(a.save_freq))
  end
  if not a.save_weights_only then
    if not ends_with(a.filepath, ".keras") and not ends_with(a.filepath, ".h5") then
      errors.invalid("ModelCheckpoint", "the filepath must end in `.keras`, received '%s'", a.filepath)
    end
    errors.unimplemented("ModelCheckpoint", "whole models cannot be saved yet; use save_weights_only=true with a path that " ..
      "ends in .weights.h5 (Model.save_weights)")
  end
  if not ends_with(a.filepath, ".weights.h5") then
    errors.invalid("ModelCheckpoint", "with save_weights_only=true the filepath must end in `.weights.h5`, received '%s'",
      a.filepath)
  end
  for _, name in ipairs{"filepath", "verbose", "save_best_only", "save_weights_only", "save_freq"} do self[name] = a[name] end
  self.batches_since_save = 0
end

--- Fills the names in the path: {epoch}, {epoch:02d}, {val_loss:.4f}.
local function file_path(self, epoch, batch, logs)
  local plain = self.filepath:gsub("{{", "\1"):gsub("}}", "\2")
  local path = plain:gsub("{([%w_]+):?([^{}]*)}", function(name, format)
    local value = logs[name]
    if name == "epoch" then value = epoch + 1 end
    if name == "batch" and value == nil and batch then value = batch + 1 end
    if value == nil then
      errors.invalid("ModelCheckpoint", "failed to format the filepath '%s': the logs have no '%s'", self.filepath, name)
    end
    if format == "" then return tostring(value) end
    local ok, text = pcall(string.format, "%" .. format, value)
    if not ok then
      errors.invalid("ModelCheckpoint", "failed to format the filepath '%s': '%s' is no format for %s", self.filepath,
        format, tostring(value))
    end
    return text
  end)
  if path:find("[{}]") then
    errors.invalid("ModelCheckpoint", "failed to format the filepath '%s': a brace does not belong to a name", self.filepath)
  end
  return (path:gsub("\1", "{"):gsub("\2", "}"))
end

local function say(self, message, ...)
  if self.verbose > 0 then io.stdout:write(message:format(...)) end
end

local function should_save(self, epoch, logs, path)
  if not self.save_best_only then
    say(self, "\nEpoch %d: saving model to %s\n", epoch + 1, path)
    return true
  end
  local current = logs[self.monitor]
  if current == nil then
    io.stderr:write(("warning: can save best model only with %s available\n"):format(self.monitor))
    return true
  end
  local best = self.best and ("%.5f"):format(self.best) or "None"
  if self:is_improvement(current, self.best) then
    say(self, "\nEpoch %d: %s improved from %s to %.5f, saving model to %s\n", epoch + 1, self.monitor, best, current, path)
    self.best = current
    return true
  end
  say(self, "\nEpoch %d: %s did not improve from %s\n", epoch + 1, self.monitor, best)
  return false
end

local function save(self, epoch, batch, logs)
  local path = file_path(self, epoch, batch, logs)
  if not should_save(self, epoch, logs, path) then return end
  require "moonflow.keras.saving.folders".make_parent(path)
  self.model:save_weights(path)
  say(self, "\nEpoch %d: finished saving model to %s\n", epoch + 1, path)
end

function ModelCheckpoint:on_epoch_begin(epoch)
  self.current_epoch = epoch
end

function ModelCheckpoint:on_train_batch_end(batch, logs)
  if self.save_freq == "epoch" then return end
  self:find_direction()
  local last = self.last_batch
  self.batches_since_save = self.batches_since_save + (last and batch > last and batch - last or batch + 1)
  self.last_batch = batch
  if self.batches_since_save < self.save_freq then return end
  self.batches_since_save = 0
  save(self, self.current_epoch, batch, logs)
end

function ModelCheckpoint:on_epoch_end(epoch, logs)
  if self.save_freq ~= "epoch" then return end
  if self.save_best_only then self:find_direction() end
  save(self, epoch, nil, logs)
end

return ModelCheckpoint
