--- What belongs to the layer calls that are running: the names on the way (paths of variables) and the training phase.
--
-- context.training is what the innermost call with a value for `training` said; layers that are called inside take it over.
-- Entries go by depth, so that a call that failed is undone by going back to its depth.

local context = {
  depth = 0,          -- of name scopes
  calls = 0,          -- layer calls that are running
  inferring = false,  -- a layer's call is traced for its shapes only
  training = nil,     -- true, false or nil (nobody said)
  losses_added = 0,   -- how often add_loss was called
}

local names, callers = {}, {}

--- Opens the name scope of `caller`; does nothing when it is the innermost already. Returns the depth for `leave`.
function context.enter(name, caller)
  local depth = context.depth
  if depth > 0 and rawequal(callers[depth], caller) and names[depth] == name then return depth end
  names[depth + 1], callers[depth + 1] = name, caller
  context.depth = depth + 1
  return depth
end

--- Goes back to `depth`.
function context.leave(depth)
  for i = context.depth, depth + 1, -1 do names[i], callers[i] = nil, nil end
  context.depth = depth
end

local scope_meta = {__close = function(scope) context.leave(scope.depth) end}

--- The same as a to-be-closed value: `local _ <close> = context.scope(name, caller)`.
function context.scope(name, caller)
  return setmetatable({depth = context.enter(name, caller)}, scope_meta)
end

local guard_meta = {__close = function(guard)
  context.leave(math.min(guard.depth, context.depth))
  context.calls, context.training, context.inferring = guard.calls, guard.training, guard.inferring
end}

--- A to-be-closed value that brings everything here back to what it is now: loops of training end with it, however they
-- end.
function context.guard()
  return setmetatable({
    depth = context.depth, calls = context.calls, training = context.training, inferring = context.inferring,
  }, guard_meta)
end

--- "model/dense": the names of the open scopes.
function context.path()
  return table.concat(names, "/", 1, context.depth)
end

return context
