"""What the other Keras files leave out: further losses, metrics, layers and cases of layers; regularizers,
constraints, learning rate schedules."""
import os

import numpy as np
import tensorflow as tf

import encode
import keras_files
import keras_layers
from case import distinct, f32, i32, values
from keras_layer_cases import L, lists, v

TRUTH, GUESS = [[1.0, 0.5], [0.0, 2.0], [3.0, -1.0]], [[0.75, 1.5], [0.25, 2.0], [1.0, 0.5]]
BINARY, P = [[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]], [[0.75, 0.25, 0.5], [0.125, 0.75, 1.0]]
SIGNS, MARGINS = [[1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]], [[0.5, -2.0, -0.25], [0.75, -0.5, 3.0]]
ONE_HOT, SCORES = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], [[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]]

# function, class, y_true, y_pred, keywords
LOSSES = [
    ("mean_absolute_error", "MeanAbsoluteError", TRUTH, GUESS, {}),
    ("mean_absolute_percentage_error", "MeanAbsolutePercentageError", TRUTH, GUESS, {}),
    ("mean_squared_logarithmic_error", "MeanSquaredLogarithmicError", TRUTH, GUESS, {}),
    ("cosine_similarity", "CosineSimilarity", TRUTH, GUESS, {}),
    ("cosine_similarity", "CosineSimilarity", TRUTH, GUESS, {"axis": 0}),
    ("huber", "Huber", TRUTH, GUESS, {}), ("huber", "Huber", TRUTH, GUESS, {"delta": 0.5}),
    ("log_cosh", "LogCosh", TRUTH, GUESS, {}),
    ("hinge", "Hinge", SIGNS, MARGINS, {}), ("hinge", "Hinge", BINARY, MARGINS, {}),
    ("squared_hinge", "SquaredHinge", SIGNS, MARGINS, {}), ("squared_hinge", "SquaredHinge", BINARY, MARGINS, {}),
    ("categorical_hinge", "CategoricalHinge", ONE_HOT, SCORES, {}),
    ("kl_divergence", "KLDivergence", ONE_HOT, SCORES, {}), ("poisson", "Poisson", BINARY, P, {}),
    ("binary_focal_crossentropy", "BinaryFocalCrossentropy", BINARY, P, {}),
    ("binary_focal_crossentropy", "BinaryFocalCrossentropy", BINARY, MARGINS, {"from_logits": True}),
    ("binary_focal_crossentropy", "BinaryFocalCrossentropy", BINARY, P,
     {"apply_class_balancing": True, "gamma": 1.0, "label_smoothing": 0.1}),
    ("categorical_focal_crossentropy", "CategoricalFocalCrossentropy", ONE_HOT, SCORES, {}),
    ("categorical_focal_crossentropy", "CategoricalFocalCrossentropy", ONE_HOT, SCORES,
     {"from_logits": True, "gamma": 1.0, "label_smoothing": 0.1}),
    ("dice", "Dice", BINARY, P, {}), ("dice", "Dice", BINARY, P, {"axis": 1}),
    ("tversky", "Tversky", BINARY, P, {"alpha": 0.25, "beta": 0.75}),
]
METRICS = [
    ("MeanSquaredError", {}, TRUTH, GUESS), ("RootMeanSquaredError", {}, TRUTH, GUESS),
    ("MeanAbsoluteError", {}, TRUTH, GUESS), ("MeanAbsolutePercentageError", {}, TRUTH, GUESS),
    ("MeanSquaredLogarithmicError", {}, TRUTH, GUESS), ("CosineSimilarity", {}, TRUTH, GUESS),
    ("LogCoshError", {}, TRUTH, GUESS), ("Hinge", {}, SIGNS, MARGINS), ("SquaredHinge", {}, SIGNS, MARGINS),
    ("CategoricalHinge", {}, ONE_HOT, SCORES), ("KLDivergence", {}, ONE_HOT, SCORES), ("Poisson", {}, BINARY, P),
    ("BinaryCrossentropy", {}, BINARY, P), ("BinaryCrossentropy", {"from_logits": True}, BINARY, MARGINS),
    ("CategoricalCrossentropy", {}, ONE_HOT, SCORES),
    ("SparseCategoricalCrossentropy", {}, [1, 0], SCORES),
]
WEIGHT = [[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]]
REGULARIZERS = [("L1", {}), ("L2", {"l2": 0.1}), ("L1L2", {"l1": 0.1, "l2": 0.2}), ("L1L2", {"l2": 0.5}),
                ("OrthogonalRegularizer", {}), ("OrthogonalRegularizer", {"mode": "columns", "factor": 0.5})]
CONSTRAINTS = [("MaxNorm", {}), ("MaxNorm", {"max_value": 1.5, "axis": 1}), ("NonNeg", {}), ("UnitNorm", {}),
               ("UnitNorm", {"axis": [0, 1]}), ("MinMaxNorm", {"min_value": 1.2, "max_value": 3.0, "rate": 0.5})]
RATE = {"initial_learning_rate": 0.1, "decay_steps": 10}
SCHEDULES = [
    ("ExponentialDecay", dict(RATE, decay_rate=0.5)), ("ExponentialDecay", dict(RATE, decay_rate=0.5, staircase=True)),
    ("InverseTimeDecay", dict(RATE, decay_rate=0.5)), ("InverseTimeDecay", dict(RATE, decay_rate=0.5, staircase=True)),
    ("PolynomialDecay", dict(RATE, power=2.0)), ("PolynomialDecay", dict(RATE, cycle=True)),
    ("PiecewiseConstantDecay", {"boundaries": [5, 12], "values": [1.0, 0.5, 0.1]}),
    ("CosineDecay", RATE), ("CosineDecay", dict(RATE, alpha=0.1, warmup_target=0.2, warmup_steps=4)),
    ("CosineDecayRestarts", {"initial_learning_rate": 0.1, "first_decay_steps": 4}),
    ("CosineDecayRestarts", {"initial_learning_rate": 0.1, "first_decay_steps": 4, "t_mul": 1.0, "m_mul": 0.5,
                             "alpha": 0.1}),
]
STEPS = [0, 1, 3, 5, 6, 10, 12, 13, 25]
POOL = distinct("float32", (2, 5, 6, 2))
A, B, C = v(2, 3, salt="a"), v(2, 3, salt="b"), v(2, 3, salt="c")
BATCHED = values("float32", (2, 3, 4), -1, 1, "x"), values("float32", (2, 4, 5), -1, 1, "y")
LAYERS = {
    "Subtract": [lists("two", {}, A, B), lists("ranks_differ", {}, v(2, 3, 4), v(2, 4))],
    "Multiply": [lists("three", {}, A, B, C)], "Average": [lists("three", {}, A, B, C)],
    "Maximum": [lists("three", {}, A, B, C)], "Minimum": [lists("three", {}, A, B, C)],
    "Dot": [lists("vectors", {"axes": 1}, A, B), lists("normalized", {"axes": -1, "normalize": True}, A, B),
            lists("matrices", {"axes": [2, 1]}, *BATCHED)],
    "GlobalMaxPooling2D": [L("plain", {}, [POOL]), L("keepdims", {"keepdims": True}, [POOL])],
    "GlobalAveragePooling2D": [L("channels_first", {"data_format": "channels_first"}, [v(2, 3, 4, 3)])],
    "Conv2D": [L("dilated", {"filters": 2, "kernel_size": 2, "dilation_rate": 2, "data_format": "channels_last"},
                 [v(1, 5, 6, 2)]),
               L("constant_bias", {"filters": 2, "kernel_size": [1, 2], "activation": "tanh",
                                   "kernel_initializer": "ones"}, [v(2, 3, 3, 2)])],
    "MaxPooling2D": [L("channels_first", {"pool_size": 2, "data_format": "channels_first"},
                       [distinct("float32", (1, 2, 4, 6))])],
    "AveragePooling2D": [L("channels_first", {"pool_size": [2, 3], "strides": 1, "padding": "same",
                                              "data_format": "channels_first"}, [v(1, 2, 4, 4)])],
    "Flatten": [L("channels_first", {"data_format": "channels_first"}, [v(2, 3, 2, 2)])],
    "BatchNormalization": [L("image_axis_1", {"axis": 1}, [v(2, 3, 2, 2)], True),
                           L("image_float64", {"dtype": "float64"}, [v(2, 3, 2, 2, dtype="float64")], True),
                           L("renorm", {"renorm": True, "momentum": 0.5, "renorm_momentum": 0.75}, [v(4, 3)], True, 3),
                           L("renorm_clipping", {"renorm": True, "scale": False, "renorm_clipping": {
                               "rmax": 1.25, "rmin": 0.5, "dmax": 0.25}}, [v(2, 3, 2, 2)], True, 2),
                           L("image_bare", {"scale": False, "center": False}, [v(2, 3, 2, 2)], True, 2)],
    "LayerNormalization": [L("rms", {"rms_scaling": True}, [v(3, 4)])],
    "Embedding": [L("negative", {"input_dim": 5, "output_dim": 2}, [i32([[-1, 0, -5]])])],
}


def loss_rows():
    import keras
    rows = []
    for function, name, y, p, config in LOSSES:
        x = tf.constant(f32(p))
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = getattr(keras.losses, name)(**config)(f32(y), x)
        each = getattr(keras.losses, function)(f32(y), f32(p), **config)
        rows.append({"function": function, "class": name, "config": config, "y_true": encode.tensor(f32(y)),
                     "y_pred": encode.tensor(f32(p)), "values": encode.tensor(each.numpy()),
                     "loss": encode.tensor(value.numpy()), "gradient": encode.tensor(tape.gradient(value, x).numpy()),
                     "get_config": keras_files.plain(getattr(keras.losses, name)(**config).get_config())})
    return rows


def metric_rows():
    import keras
    rows = []
    for name, config, y, p in METRICS:
        metric = getattr(keras.metrics, name)(**config)
        results = []
        for weights in (None, f32([1.0, 0.5, 2.0][:len(y)])):
            metric.update_state(np.asarray(y, "float32" if isinstance(y[0], list) else "int64"), f32(p), weights)
            results.append(float(metric.result()))
        rows.append({"class": name, "config": config, "y_true": y, "y_pred": p, "weights": [1.0, 0.5, 2.0][:len(y)],
                     "results": results, "get_config": keras_files.plain(metric.get_config())})
    return rows


def weight_rows():
    import keras
    w, rows = f32(WEIGHT), []
    for name, config in REGULARIZERS:
        value = getattr(keras.regularizers, name)(**config)(tf.constant(w))
        rows.append({"kind": "regularizers", "class": name, "config": config, "value": encode.tensor(value.numpy())})
    for name, config in CONSTRAINTS:
        value = getattr(keras.constraints, name)(**config)(tf.constant(w))
        rows.append({"kind": "constraints", "class": name, "config": config, "value": encode.tensor(value.numpy())})
    for seed, shape in ((3, (3, 5)), (4, (2, 2, 3)), (5, (4, 4))):
        value = keras.initializers.Orthogonal(gain=2.0, seed=seed)(shape)
        rows.append({"kind": "initializers", "class": "Orthogonal", "config": {"gain": 2.0, "seed": seed},
                     "shape": list(shape), "value": encode.tensor(value.numpy())})
    return rows


def schedule_rows():
    import keras
    rows = []
    for name, config in SCHEDULES:
        schedule = getattr(keras.optimizers.schedules, name)(**config)
        rates = [float(schedule(tf.constant(n, tf.int64))) for n in STEPS]
        rows.append({"class": name, "config": config, "steps": STEPS, "rates": rates,
                     "get_config": keras_files.plain(schedule.get_config())})
    return rows


def layer_rows():
    rows = []
    for name, cases in LAYERS.items():
        for case in cases:
            rows.append(dict(keras_layers.run(name, case), layer=name))
    return rows


def write():
    folder, size = keras_files.folder("small"), 0
    for name, rows in (("losses", loss_rows()), ("metrics", metric_rows()), ("weights", weight_rows()),
                       ("schedules", schedule_rows()), ("layers", layer_rows())):
        head = {"of": name, "w": encode.tensor(f32(WEIGHT))}
        size += keras_files.save(os.path.join(folder, name + ".json"), head, "cases", rows)
    return size
