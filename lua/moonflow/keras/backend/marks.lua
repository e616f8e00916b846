--- What Keras notes on tensors: the mask that goes with a tensor, and the logits that an activation was computed from.
--
-- Losses use the logits behind a softmax or sigmoid, which is more exact: activations call set_logits(output, input).

local weak = {__mode = "k"}
local masks, logits = setmetatable({}, weak), setmetatable({}, weak)

local marks = {has_masks = false}

function marks.set_mask(tensor, mask)
  marks.has_masks = true
  masks[tensor] = mask
end

--- The mask of a tensor, or nil.
function marks.mask(tensor)
  if not marks.has_masks then return nil end
  return masks[tensor]
end

function marks.set_logits(tensor, value)
  logits[tensor] = value
end

--- What the activation that made this tensor was computed from, or nil.
function marks.logits(tensor)
  return logits[tensor]
end

return marks
