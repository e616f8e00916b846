--- tf.keras: layers, models, training. Everything is loaded when it is first asked for.

local namespace = require "moonflow.keras.namespace"

return namespace.new("tf.keras", "moonflow.keras", {
  layers = "layers", models = "models", losses = "losses", metrics = "metrics", optimizers = "optimizers",
  initializers = "initializers", activations = "activations", regularizers = "regularizers", constraints = "constraints",
  callbacks = "callbacks", utils = "utils", random = "random", ops = "ops", backend = "backend",
  config = "backend.config", dtype_policies = "dtype_policies", saving = "saving",
  Model = "models.model", Sequential = "models.sequential",
  Layer = "layers.layer", Input = {"layers.input_layer", "Input"}, InputSpec = "layers.input_spec",
  Loss = "losses.loss", Metric = "metrics.metric", Optimizer = "optimizers.optimizer",
  Initializer = "initializers.initializer", KerasTensor = "backend.keras_tensor",
  DTypePolicy = {"dtype_policies", "DTypePolicy"}, Variable = {"backend.keras_variable", "Variable"},
  name_scope = {"backend", "name_scope"},
})
