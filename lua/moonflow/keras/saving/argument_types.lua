--- The types of arguments that stand for Keras's objects: "initializer", "regularizer", "constraint", "activation", "loss",
-- "metric", "optimizer". A name becomes an object, an object becomes a config, and back; the namespaces know how.

require "moonflow.keras.dtype_policies"
local types = require "moonflow.base.types"

local kinds = {
  initializer = "initializers", regularizer = "regularizers", constraint = "constraints", activation = "activations",
  loss = "losses", metric = "metrics", optimizer = "optimizers",
}

for kind, namespace in next, kinds do
  local module = "moonflow.keras." .. namespace
  types.define(kind, {
    kind = "scalar", luacats = "string|tf.keras." .. namespace,
    convert = function(value) return require(module).get(value) end,
    to_config = function(value) return require(module).serialize(value) end,
    from_config = function(value) return require(module).get(value) end,
  })
end

return kinds
