--- tf.keras.models.

local namespace = require "moonflow.keras.namespace"

return namespace.new("tf.keras.models", "moonflow.keras.models", {
  Model = "model", Sequential = "sequential", Functional = "functional",
})
