--- CSVLogger: writes the logs of each epoch to a CSV file.

local Callback = require "moonflow.keras.callbacks.callback"
local errors = require "moonflow.base.errors"
local logs_of = require "moonflow.keras.training.logs"

local CSVLogger = Callback:extend("CSVLogger", {
  args = {
    {"filename", "string"}, {"separator", "string", default = ","},
    {"append", "boolean", default = false, doc = "Whether an existing file is continued."},
  },
})

function CSVLogger:init(a)
  self.filename, self.separator, self.append = a.filename, a.separator, a.append
end

local function close(self)
  if self.file then self.file:close() end
  self.file = nil
end

function CSVLogger:on_train_begin()
  close(self)
  self.needs_header = true
  if self.append then
    local old = io.open(self.filename, "r")
    if old then
      self.needs_header = (old:read("L") or "") == ""
      old:close()
    end
  end
  local file, message = io.open(self.filename, self.append and "a" or "w")
  if not file then errors.raise("NOT_FOUND", "CSVLogger", "CSVLogger: cannot write '%s': %s", self.filename, message) end
  self.file, self.keys = file, nil
end

--- A value as Python's csv module writes it.
local function cell(self, value)
  local text
  if math.type(value) == "float" then
    text = ("%.17g"):format(value)
    for digits = 1, 16 do
      local short = ("%%.%dg"):format(digits):format(value)
      if tonumber(short) == value then
        text = short
        break
      end
    end
    if text:find("^%-?%d+$") then text = text .. ".0" end
  else
    text = tostring(value)
  end
  if text:find('["\r\n' .. self.separator:gsub("%p", "%%%0") .. "]") then text = '"' .. text:gsub('"', '""') .. '"' end
  return text
end

--- Writes a row at once; a full disk is an error.
local function write(self, cells)
  local ok, message = self.file:write(table.concat(cells, self.separator), "\r\n")
  if ok then ok, message = self.file:flush() end
  if not ok then
    close(self)
    errors.raise("RESOURCE_EXHAUSTED", "CSVLogger", "CSVLogger: cannot write '%s': %s", self.filename, message)
  end
end

local function find_keys(logs)
  local keys, has_validation = logs_of.names(logs), false
  for _, key in ipairs(keys) do has_validation = has_validation or key:sub(1, 4) == "val_" end
  if not has_validation then
    for i = 1, #keys do keys[#keys + 1] = "val_" .. keys[i] end
  end
  return keys
end

function CSVLogger:on_epoch_end(epoch, logs)
  if not self.keys then
    self.keys = find_keys(logs)
    if self.needs_header then
      local header = {"epoch"}
      for i, key in ipairs(self.keys) do header[i + 1] = cell(self, key) end
      write(self, header)
    end
  end
  local cells = {tostring(epoch)}
  for _, key in ipairs(self.keys) do
    local value = logs[key]
    if value == nil then value = "NA" end
    cells[#cells + 1] = cell(self, value)
  end
  write(self, cells)
end

function CSVLogger:on_train_end()
  close(self)
end

return CSVLogger
