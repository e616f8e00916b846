--- Progbar: Keras's progress bar.
--
-- verbose: 0 nothing; 1 a bar that is drawn over itself on a terminal; 2 one line at the end; "line" one line at the end with
-- `prefix` in front of it.

local args = require "moonflow.base.args"
local class = require "moonflow.base.class"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"

local None = dicts.None
local clock = core.keras.clock

local Progbar = class.Object:extend("Progbar", {
  args = {
    {"target", "integer", default = None, doc = "Number of steps, where it is known."},
    {"width", "integer", default = 20}, {"verbose", "any", default = 1}, {"interval", "number", default = 0.05},
    {"stateful_metrics", "struct", default = None, doc = "Names of values that are shown as they are."},
    {"stateless_metrics", "struct", default = None, doc = "Names of values that are averaged."},
    {"unit_name", "string", default = "step"}, {"prefix", "string", default = ""},
  },
})

local function set_of(names)
  if names == nil then return nil end
  local set = {}
  for _, name in ipairs(names) do set[name] = true end
  return set
end

function Progbar:init(a)
  for _, name in ipairs{"target", "width", "verbose", "interval", "unit_name", "prefix"} do self[name] = a[name] end
  self.stateful, self.stateless = set_of(a.stateful_metrics), set_of(a.stateless_metrics)
  if not self.stateful and not self.stateless then self.stateful = {} end
  self.seen, self.values, self.order = 0, {}, {}
  self.start, self.last_update, self.previous_width = clock(), 0, 0
end

--- Would an update be drawn now?
function Progbar:due()
  return self.verbose == 1 and clock() - self.last_update >= self.interval
end

local function add_values(self, current, values, finalize)
  for _, pair in ipairs(values) do
    local name, value = pair[1], pair[2]
    if not self.values[name] then self.order[#self.order + 1] = name end
    local averaged = self.stateless and self.stateless[name]
    if self.stateful then averaged = not self.stateful[name] end
    local old = self.values[name]
    if averaged and not finalize and type(value) == "number" then
      local steps = math.max(current - self.seen, 1)
      self.values[name] = {(old and old[1] or 0) + value * steps, (old and old[2] or 0) + steps}
    else
      self.values[name] = {value, 1}
    end
  end
  self.seen = current
end

--- Seconds a step takes; the first step, which is slower, does not count.
local function step_duration(self, current, now)
  if current == 0 then return 0 end
  local seconds
  if self.after_first and current > 1 then
    seconds = (now - self.after_first) / (current - 1)
  else
    seconds = (now - self.start) / current
  end
  if current == 1 then self.after_first = now end
  return seconds
end

local function time_text(seconds, unit)
  if seconds >= 1 or seconds == 0 then return (" %.0fs/%s"):format(seconds, unit) end
  if seconds >= 1e-3 then return (" %.0fms/%s"):format(seconds * 1e3, unit) end
  return (" %.0fus/%s"):format(seconds * 1e6, unit)
end

local function values_text(self)
  local parts = {}
  for _, name in ipairs(self.order) do
    local value, count = table.unpack(self.values[name])
    if type(value) == "number" then
      local mean = value / math.max(1, count)
      parts[#parts + 1] = (math.abs(mean) > 1e-3 and " - %s: %.4f" or " - %s: %.4e"):format(name, mean)
    else
      parts[#parts + 1] = (" - %s: %s"):format(name, tostring(value))
    end
  end
  return table.concat(parts)
end

local function eta_text(seconds)
  if seconds > 3600 then
    return ("%d:%02d:%02d"):format(seconds // 3600, (seconds % 3600) // 60, math.floor(seconds % 60))
  end
  if seconds > 60 then return ("%d:%02d"):format(seconds // 60, math.floor(seconds % 60)) end
  return ("%ds"):format(math.floor(seconds))
end

local function counter(self, current)
  local digits = #tostring(self.target)
  return ("%" .. digits .. "d/%d"):format(current, self.target)
end

--- The bar and the number of its characters that take no place.
local function bar_text(self, current)
  if not self.target or self.target <= 0 then return ("%7d/Unknown"):format(current), 0 end
  local filled = math.floor(self.width * current / self.target)
  local text = ("\27[1m%s\27[0m "):format(counter(self, current))
  local hidden = 8
  if filled > 0 then
    text = text .. ("\27[32m%s\27[0m"):format(("━"):rep(filled))
    hidden = hidden + 9
  end
  return text .. ("\27[37m%s\27[0m"):format(("━"):rep(self.width - filled)), hidden + 9
end

local function draw(self, current, now, per_step, finalize)
  local lead = ("\b"):rep(self.previous_width) .. "\r"
  local bar, hidden = bar_text(self, current)
  local time
  if self.target and self.target > 0 and not finalize then
    time = eta_text(per_step * (self.target - current))
  else
    time = ("%.0fs"):format(now - self.start)
  end
  local info = (" \27[1m%s\27[0m%s%s"):format(time, time_text(per_step, self.unit_name), values_text(self))
  local width = utf8.len(bar) + utf8.len(info) - hidden - 8
  local rest = math.max(self.previous_width - width, 0)
  self.previous_width = width
  io.stdout:write(lead, bar, info, (" "):rep(rest), finalize and "\n" or "")
  io.stdout:flush()
end

local read_update = args.signature{name = "Progbar.update", {"current", "integer"}, {"values", "struct", default = None},
  {"finalize", "boolean", default = None}}

--- update(step, {{name, value}, ...}, finalize): shows that `step` steps are done.
function Progbar:update(...)
  local current, values, finalize = read_update(...)
  if finalize == nil then finalize = self.target ~= nil and current >= self.target end
  add_values(self, current, values or {}, finalize)
  local now = clock()
  local per_step = step_duration(self, current, now)
  if self.verbose == 1 then
    if now - self.last_update < self.interval and not finalize then return end
    draw(self, current, now, per_step, finalize)
  elseif (self.verbose == 2 or self.verbose == "line") and finalize and self.target and self.target > 0 then
    io.stdout:write(self.prefix, counter(self, current), (" - %.0fs -"):format(now - self.start),
      time_text(per_step, self.unit_name), values_text(self), "\n")
    io.stdout:flush()
  end
  self.last_update = now
end

--- update for n more steps.
function Progbar:add(n, values)
  self:update(self.seen + n, values)
end

return Progbar
