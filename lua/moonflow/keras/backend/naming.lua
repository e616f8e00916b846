--- Names of layers, optimizers and metrics: snake_case of the class, made unique by counting; clear_session starts over.

local naming = {}

local counts = {}

--- "Conv2DTranspose" -> "conv2d_transpose", "ReLU" -> "re_lu".
function naming.to_snake_case(name)
  name = name:gsub("[^%w_]+", "")
  name = name:gsub("(.)(%u%l+)", "%1_%2")
  return (name:gsub("(%l)(%u)", "%1_%2"):lower())
end

--- The first call gives `name` itself, the next ones name_1, name_2 ...
function naming.uniquify(name)
  local count = counts[name] or 0
  counts[name] = count + 1
  return count == 0 and name or name .. "_" .. count
end

--- A new name for an object of the class called `class_name`.
function naming.auto_name(class_name)
  return naming.uniquify(naming.to_snake_case(class_name))
end

function naming.reset()
  counts = {}
end

return naming
