--- The loss functions that tf.keras.metrics offers, too.

return require "moonflow.keras.losses.functions"
