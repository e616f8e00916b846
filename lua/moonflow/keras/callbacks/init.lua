--- tf.keras.callbacks.

local namespace = require "moonflow.keras.namespace"

return namespace.new("tf.keras.callbacks", "moonflow.keras.callbacks", {
  Callback = "callback", CallbackList = "callback_list", CSVLogger = "csv_logger", EarlyStopping = "early_stopping",
  History = "history", LambdaCallback = "lambda_callback", LearningRateScheduler = "learning_rate_scheduler",
  ModelCheckpoint = "model_checkpoint", ProgbarLogger = "progbar_logger", ReduceLROnPlateau = "reduce_lr_on_plateau",
  TerminateOnNaN = "terminate_on_nan",
})
