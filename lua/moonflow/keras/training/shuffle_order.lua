--- The order that tf.random.shuffle gives n items at its first use with a global seed: RandomShuffle's own draws, made anew at
-- every call (the op itself goes on from call to call).

local core = require "moonflow.core"

local draw = core.op.get("StatelessRandomUniformFullIntV2")
local to_tensor = core.tensor.to

--- A list of 0 .. n-1.
return function(seed, n)
  local order = {}
  for i = 1, n do order[i] = i - 1 end
  if n < 2 then return order end
  local key = to_tensor({seed}, "uint64")
  local counter = to_tensor({0, 0}, "uint64")
  local words = draw(to_tensor({n - 1}, "int32"), key, counter, to_tensor(1, "int32"), {dtype = "uint32"}):totable()
  for i = 1, n - 1 do
    local j = i + words[i] % (n - i + 1)
    order[i], order[j] = order[j], order[i]
  end
  return order
end
