--- The slots of optimizers as the fused ops take them: one flat list, kind after kind, each in the order of the
-- variables.

local slots = {}

--- Puts lists of slots (one list a kind, each in the order of the optimizer's variables) together.
function slots.join(...)
  local joined = {}
  for i = 1, select("#", ...) do
    local list = select(i, ...)
    table.move(list, 1, #list, #joined + 1, joined)
  end
  return joined
end

--- The slots of `variables`, which may be some of the optimizer's only, out of the joined list of all.
function slots.of(optimizer, joined, variables)
  local all = #optimizer._trainable
  if #variables == all and rawequal(variables[1], optimizer._trainable[1]) then
    local same = true
    for i = 2, all do
      if not rawequal(variables[i], optimizer._trainable[i]) then same = false break end
    end
    if same then return joined end
  end
  local chosen = {}
  for kind = 0, #joined // all - 1 do
    for _, variable in ipairs(variables) do
      chosen[#chosen + 1] = joined[kind * all + optimizer:_get_variable_index(variable)]
    end
  end
  return chosen
end

return slots
