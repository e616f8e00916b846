--- The structure of a dataset's elements over the flat components that C sees.
--
-- An element is one value or several (Python's tuple); each value is a structure. `parts` is a list of structures whose leaves are
-- the numbers of their components: {1, {image = 2, mask = 3}}.

local nest = require "moonflow.base.nest"

local element = {}

--- Packs a list of components; returns the values of the element. A composite leaf is a tensor of its own here.
function element.unpack(parts, components)
  local values = {}
  for i = 1, #parts do
    local part = parts[i]
    values[i] = type(part) == "number" and components[part]
      or nest.map_structure(function(index) return components[index] end, part)
  end
  return table.unpack(values, 1, #parts)
end

--- True when each part is a lone component, in order: components can be passed on as they are.
function element.is_flat(parts)
  for i = 1, #parts do
    if parts[i] ~= i then return false end
  end
  return true
end

--- The parts of the values (a packed list with n) and the flat list of their leaves. `convert(leaf)` makes tensors.
-- `data`: lists of numbers are leaves.
function element.pack(values, convert, what)
  local parts, flat = {}, {}
  local options = nest.options{what = what, data = true}
  for i = 1, values.n do
    parts[i] = nest.map_structure(function(leaf)
      flat[#flat + 1] = convert(leaf)
      return #flat
    end, values[i], options)
  end
  return parts, flat
end

--- The same parts with every component number moved by `offset`.
function element.shift(parts, offset)
  local moved = {}
  for i = 1, #parts do
    moved[i] = nest.map_structure(function(index) return index + offset end, parts[i])
  end
  return moved
end

return element
