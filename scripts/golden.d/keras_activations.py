"""Activation functions on the same values, with gradients."""
import os

import tensorflow as tf

import encode
import keras_files
from case import f32, f64

VALUES = [-30.0, -6.5, -3.0, -1.0, -0.5, -1e-3, 0.0, 1e-3, 0.5, 1.0, 2.9, 3.1, 6.5, 30.0]
NAMES = ("celu elu exponential gelu glu hard_shrink hard_sigmoid hard_silu hard_tanh leaky_relu linear "
         "log_sigmoid log_softmax mish relu relu6 selu sigmoid silu soft_shrink softmax softplus softsign "
         "sparse_plus sparse_sigmoid sparsemax squareplus tanh tanh_shrink threshold").split()
OPTIONS = [("elu", {"alpha": 0.5}), ("gelu", {"approximate": True}), ("leaky_relu", {"negative_slope": 0.3}),
           ("relu", {"negative_slope": 0.1, "max_value": 2.0, "threshold": 0.25}), ("softmax", {"axis": 0})]


def run(name, config, make):
    import keras
    x = tf.constant(make([VALUES, VALUES[::-1]]))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = getattr(keras.activations, name)(x, **config)
        total = tf.reduce_sum(y * y)
    return {"name": name, "config": config, "x": encode.tensor(x.numpy()), "y": encode.tensor(y.numpy()),
            "gradient_of_sum_of_squares": encode.tensor(tape.gradient(total, x).numpy())}


def write():
    rows = []
    for name, config in [(n, {}) for n in NAMES if n != "threshold"] + OPTIONS:
        rows.append(run(name, config, f32))
    for name in ("gelu", "elu", "sigmoid", "softmax", "tanh", "softplus"):
        rows.append(run(name, {}, f64))
    return keras_files.save(os.path.join(keras_files.folder(), "activations.json"), {}, "cases", rows)
