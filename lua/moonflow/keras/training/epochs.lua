--- Epochs: walks over a source of batches epoch by epoch. With a number of steps an epoch may end before the source does;
-- the next one goes on where it stopped.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local Epochs = {}
Epochs.__index = Epochs

--- `source` is one of batches.lua; `steps` batches an epoch, or nil: until the source ends.
function Epochs.new(source, steps)
  return setmetatable({
    source = source, steps = steps, num_batches = steps or source.num_batches, next = nil, closing = nil, seen = 0,
  }, Epochs)
end

local function open(self)
  self:close()
  self.next, self.closing = self.source.epoch()
  self.seen = 0
end

--- Ends the iterator that is open: threads of datasets stop.
function Epochs:close()
  local closing = self.closing
  self.next, self.closing = nil, nil
  if closing ~= nil then
    local meta = getmetatable(closing)
    if meta and meta.__close then meta.__close(closing, nil) end
  end
end

Epochs.__close = Epochs.close

--- Starts an epoch.
function Epochs:begin()
  if self.next == nil or self.steps == nil then open(self) end
  self.step, self.ran_out = 0, false
end

--- The next batch of this epoch: x, y, sample_weight; nothing at its end. `self.step` counts the batches.
function Epochs:batch()
  local all = self.source.num_batches
  local at_end = self.steps and all and self.seen >= all
  if self.steps and self.step >= self.steps then
    if at_end then self:close() end
    return nil
  end
  local x, y, sample_weight
  if not at_end then x, y, sample_weight = self.next() end
  if x == nil then
    self.ran_out = self.steps ~= nil
    if self.steps and not all then self.source.num_batches = self.seen end
    if self.steps or self.source.endless then self:close() end
    return nil
  end
  self.step, self.seen = self.step + 1, self.seen + 1
  return x, y, sample_weight
end

return Epochs
