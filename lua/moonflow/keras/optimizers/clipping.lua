--- The three ways in which optimizers clip gradients.

local core = require "moonflow.core"
local reduction = require "moonflow.keras.losses.reduction"

local clipping = {}

local get = core.op.get
local to_tensor, kind_of = core.tensor.to, core.args.kind

local function dense(grad)
  return kind_of(grad) == "tensor" and grad or to_tensor(grad)
end

local function sum_of_squares(x)
  return get("Sum")(get("Square")(x), reduction.axes_tensor(x))
end

--- x scaled so that its norm is at most `limit`.
local function clip_norm(x, limit)
  local norm = get("Sqrt")(sum_of_squares(x))
  local bound = to_tensor(limit, x.dtype)
  return get("RealDiv")(get("Mul")(x, bound), get("Maximum")(norm, bound))
end

local function clip_global(grads, limit)
  local squares = {}
  for i, grad in ipairs(grads) do
    grads[i] = dense(grad)
    squares[i] = sum_of_squares(grads[i])
  end
  local norm = get("Sqrt")(#squares > 1 and get("AddN")(squares) or squares[1])
  local one, bound = to_tensor(1.0, norm.dtype), to_tensor(limit, norm.dtype)
  local scale = get("Mul")(bound, get("Minimum")(get("RealDiv")(one, norm), get("RealDiv")(one, bound)))
  -- a norm that is not finite makes all gradients NaN, as TensorFlow does
  scale = get("AddV2")(scale, get("Sub")(norm, norm))
  for i, grad in ipairs(grads) do grads[i] = get("Mul")(grad, scale) end
  return grads
end

--- The gradients clipped as the optimizer's arguments say.
function clipping.clip(optimizer, grads)
  local clipnorm, clipvalue, global = optimizer.clipnorm, optimizer.clipvalue, optimizer.global_clipnorm
  if not (clipnorm and clipnorm > 0) and not (clipvalue and clipvalue > 0) and not (global and global > 0) then
    return grads
  end
  local clipped = table.move(grads, 1, #grads, 1, {})
  if global and global > 0 then return clip_global(clipped, global) end
  for i, grad in ipairs(clipped) do
    grad = dense(grad)
    if clipnorm and clipnorm > 0 then
      clipped[i] = clip_norm(grad, clipnorm)
    else
      local bound = to_tensor(clipvalue, grad.dtype)
      clipped[i] = get("Minimum")(get("Maximum")(grad, get("Neg")(bound)), bound)
    end
  end
  return clipped
end

return clipping
