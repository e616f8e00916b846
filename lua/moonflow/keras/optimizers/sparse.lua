--- Gradients that are IndexedSlices: rows of a tensor that is zero elsewhere, some rows perhaps more than once.
--
-- The fused ops take dense gradients. Optimizers that square gradients square the given rows before rows of one index
-- are added, as Keras does: the variables with such gradients are updated one by one.

local core = require "moonflow.core"

local get = core.op.get
local segment_sum, square, cast = get("UnsortedSegmentSum"), get("Square"), get("Cast")
local kind_of, to_tensor = core.args.kind, core.tensor.to

local sparse = {}

--- grads and variables without the pairs that are sparse, which are passed to apply(slices, variable).
function sparse.take_out(grads, variables, apply)
  local any = false
  for i = 1, #grads do any = any or kind_of(grads[i]) ~= "tensor" end
  if not any then return grads, variables end
  local dense_grads, dense_variables = {}, {}
  for i, grad in ipairs(grads) do
    if kind_of(grad) == "tensor" then
      dense_grads[#dense_grads + 1], dense_variables[#dense_variables + 1] = grad, variables[i]
    elseif kind_of(grad) == "composite" then
      apply(grad, variables[i])
    else
      dense_grads[#dense_grads + 1] = to_tensor(grad, variables[i].dtype)
      dense_variables[#dense_variables + 1] = variables[i]
    end
  end
  return dense_grads, dense_variables
end

--- The gradients with slices made dense.
function sparse.densify(grads)
  local result = grads
  for i, grad in ipairs(grads) do
    if kind_of(grad) ~= "tensor" then
      if rawequal(result, grads) then result = table.move(grads, 1, #grads, 1, {}) end
      result[i] = to_tensor(grad)
    end
  end
  return result
end

--- The dense gradient, and the dense sum of the squared rows.
function sparse.sums(slices, variable)
  local rows = to_tensor(variable.shape[1], "int32")
  return segment_sum(slices.values, slices.indices, rows), segment_sum(square(slices.values), slices.indices, rows)
end

--- A number as a scalar of `dtype`, by way of float32 as Keras casts it.
function sparse.by_float(value, dtype)
  return cast(to_tensor(value + 0.0, "float32"), dtype)
end

return sparse
