"""Optimizers: the variables after each of five steps from given gradients, dense and sparse."""
import os

import tensorflow as tf

import encode
import keras_files
from case import values

STEPS = 5
COMMON = [
    ("plain", {}), ("learning_rate", {"learning_rate": 0.05}),
    ("weight_decay", {"learning_rate": 0.1, "weight_decay": 0.05}),
    ("clipnorm", {"learning_rate": 0.1, "clipnorm": 0.5}), ("clipvalue", {"learning_rate": 0.1, "clipvalue": 0.25}),
    ("global_clipnorm", {"learning_rate": 0.1, "global_clipnorm": 0.5}),
    ("ema", {"learning_rate": 0.1, "use_ema": True, "ema_momentum": 0.9, "ema_overwrite_frequency": 3}),
    ("accumulation", {"learning_rate": 0.1, "gradient_accumulation_steps": 2}),
]
OWN = {
    "SGD": [("momentum", {"learning_rate": 0.1, "momentum": 0.9}),
            ("nesterov", {"learning_rate": 0.1, "momentum": 0.9, "nesterov": True}),
            ("momentum_decay_clip", {"learning_rate": 0.1, "momentum": 0.5, "weight_decay": 0.01, "clipnorm": 1.0})],
    "Adam": [("amsgrad", {"learning_rate": 0.1, "amsgrad": True}),
             ("betas", {"learning_rate": 0.1, "beta_1": 0.5, "beta_2": 0.9}),
             ("epsilon", {"learning_rate": 0.1, "epsilon": 0.1}),
             ("amsgrad_decay", {"learning_rate": 0.1, "amsgrad": True, "weight_decay": 0.01})],
    "RMSprop": [("momentum", {"learning_rate": 0.1, "momentum": 0.9}),
                ("centered", {"learning_rate": 0.1, "centered": True}),
                ("centered_momentum", {"learning_rate": 0.1, "centered": True, "momentum": 0.5}),
                ("rho", {"learning_rate": 0.1, "rho": 0.5, "epsilon": 0.01})],
}
SHAPES = ((2, 3), (3,), ())


def gradients(dtype, step):
    return [values(dtype, s, -1, 1, "g%d%d" % (step, n)) for n, s in enumerate(SHAPES)]


def state(optimizer):
    return [{"name": v.name, "value": encode.tensor(v.numpy())} for v in optimizer.variables]


def run(name, case, config, dtype):
    import keras
    keras.config.set_floatx(dtype)
    variables = [keras.Variable(values(dtype, s, -1, 1, "v%d" % n), name="v%d" % n) for n, s in enumerate(SHAPES)]
    optimizer = getattr(keras.optimizers, name)(**config)
    row = {"name": case, "config": config, "dtype": dtype, "variables": [encode.tensor(v.numpy()) for v in variables]}
    steps = []
    for n in range(STEPS):
        found = gradients(dtype, n)
        optimizer.apply_gradients(zip([tf.constant(g) for g in found], variables))
        steps.append({"gradients": encode.tensors(found), "variables": [encode.tensor(v.numpy()) for v in variables]})
    row["steps"], row["state"] = steps, state(optimizer)
    if case == "ema":
        optimizer.finalize_variable_values(variables)
        row["finalized"] = [encode.tensor(v.numpy()) for v in variables]
    full = optimizer.get_config()
    row["get_config"] = keras_files.plain(full)
    keras.config.set_floatx("float32")
    return row


def sparse(name, config):
    """Gradients as IndexedSlices: rows 2, 0 and 2 again of five, then others."""
    import keras
    start = values("float32", (5, 2), -1, 1, "sparse")
    variable = keras.Variable(start, name="rows")
    optimizer = getattr(keras.optimizers, name)(**config)
    steps = []
    for n, rows in enumerate(([2, 0, 2], [1, 2], [4, 4, 4], [0], [3, 1])):
        v = values("float32", (len(rows), 2), -1, 1, "s%d" % n)
        slices = tf.IndexedSlices(tf.constant(v), tf.constant(rows, tf.int64), tf.constant([5, 2], tf.int64))
        optimizer.apply_gradients([(slices, variable)])
        steps.append({"values": encode.tensor(v), "indices": rows, "variable": encode.tensor(variable.numpy())})
    return {"config": config, "variable": encode.tensor(start), "steps": steps}


def write():
    folder, size = keras_files.folder("optimizers"), 0
    for name, own in OWN.items():
        rows = [run(name, case, config, "float32") for case, config in COMMON + own]
        rows += [run(name, case + "_float64", config, "float64") for case, config in [("plain", {})] + own[:2]]
        slices = [sparse(name, {"learning_rate": 0.1})] + [sparse(name, c) for _, c in own[:1]]
        size += keras_files.save(os.path.join(folder, name + ".json"), {"optimizer": name, "sparse": slices}, "cases",
                                 rows)
    return size
