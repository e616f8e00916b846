--- tf.keras.utils.

local namespace = require "moonflow.keras.namespace"

return namespace.new("tf.keras.utils", "moonflow.keras.utils", {
  Progbar = "progbar", set_random_seed = {"functions", "set_random_seed"}, clear_session = {"functions", "clear_session"},
  unpack_x_y_sample_weight = {"functions", "unpack_x_y_sample_weight"},
  pack_x_y_sample_weight = {"functions", "pack_x_y_sample_weight"}, to_categorical = {"functions", "to_categorical"},
  normalize = {"functions", "normalize"},
})
