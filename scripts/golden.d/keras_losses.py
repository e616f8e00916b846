"""Losses: values and gradients by the prediction, for every option."""
import os

import numpy as np
import tensorflow as tf

import encode
import keras_files
from case import f32, f64, i32, i64

PROBABILITIES = [[0.1, 0.7, 0.2], [0.6, 0.3, 0.1], [0.05, 0.05, 0.9], [1.0, 0.0, 0.0]]
LOGITS = [[-1.2, 2.5, 0.3], [0.8, 0.1, -2.0], [3.0, -50.0, 60.0], [0.0, 0.0, 0.0]]
ONE_HOT = [[0, 1, 0], [0, 0, 1], [0, 0, 1], [1, 0, 0]]
CLASSES = [1, 2, 2, 0]
BINARY = [[1, 0], [0, 1], [1, 1], [0, 0]]
BINARY_P = [[0.9, 0.2], [0.4, 0.8], [1.0, 0.0], [0.3, 0.05]]
BINARY_L = [[2.5, -1.0], [0.1, 40.0], [-60.0, 3.0], [0.0, -0.5]]
WEIGHTS = [1.0, 0.5, 0.0, 2.0]


def options():
    """Settings that every loss has."""
    yield "plain", {}, None
    for reduction in ("sum", "none", "mean", "mean_with_sample_weight"):
        yield reduction, {"reduction": reduction}, None
        yield reduction + "_weights", {"reduction": reduction}, f32(WEIGHTS)
    yield "weights", {}, f32(WEIGHTS)
    yield "scalar_weight", {}, f32(0.25)
    yield "zero_weights", {}, f32([0, 0, 0, 0])


def cross_entropies():
    for name, y, p, l, extra in (("CategoricalCrossentropy", f32(ONE_HOT), PROBABILITIES, LOGITS, "label_smoothing"),
                                 ("SparseCategoricalCrossentropy", i64(CLASSES), PROBABILITIES, LOGITS, None),
                                 ("BinaryCrossentropy", f32(BINARY), BINARY_P, BINARY_L, "label_smoothing")):
        for kind, prediction in (("probabilities", p), ("logits", l)):
            base = {"from_logits": kind == "logits"}
            for option, config, weights in options():
                yield name, kind + "_" + option, dict(base, **config), y, f32(prediction), weights
            yield name, kind + "_float64", dict(base, dtype="float64"), y, f64(prediction), None
            if extra:
                yield name, kind + "_smoothing", dict(base, label_smoothing=0.1), y, f32(prediction), None
    table = ("CategoricalCrossentropy", "SparseCategoricalCrossentropy")
    yield table[0], "axis_1", {"axis": 1, "from_logits": True}, f32(ONE_HOT).T[None], f32(LOGITS).T[None], None
    two_logits, two_weights = f32([LOGITS, LOGITS]), f32([WEIGHTS, WEIGHTS])
    yield table[0], "rank3_weights", {"from_logits": True}, f32([ONE_HOT, ONE_HOT]), two_logits, two_weights
    yield table[1], "int32", {"from_logits": True}, i32(CLASSES), f32(LOGITS), None
    yield table[1], "column", {"from_logits": True}, i64(CLASSES)[:, None], f32(LOGITS), None
    yield table[1], "float_classes", {"from_logits": True}, f32(CLASSES), f32(LOGITS), None
    yield table[1], "rank3", {"from_logits": True}, i64([CLASSES, CLASSES]), two_logits, two_weights
    for kind, prediction in (("probabilities", PROBABILITIES), ("logits", LOGITS)):
        base = {"from_logits": kind == "logits", "ignore_class": 2}
        yield table[1], "ignore_class_" + kind, base, i64(CLASSES), f32(prediction), None
        yield table[1], "ignore_class_none_" + kind, dict(base, reduction="none"), i64(CLASSES), f32(prediction), None
    minus_one = {"ignore_class": -1, "from_logits": True}
    yield table[1], "ignore_minus_one", minus_one, i64([1, -1, 2, 0]), f32(LOGITS), None
    yield "BinaryCrossentropy", "vector", {"from_logits": True}, f32([1, 0, 1]), f32([0.3, -2, 1.5]), None
    yield "BinaryCrossentropy", "int_labels", {}, i32(BINARY), f32(BINARY_P), None


def squared_errors():
    y, p = f32([[1, 2], [3, 4], [0, -1], [2, 2]]), f32([[1.5, 2], [2, 5], [0, 0], [-1, 2]])
    for option, config, weights in options():
        yield "MeanSquaredError", option, config, y, p, weights
    yield "MeanSquaredError", "float64", {"dtype": "float64"}, f64(y), f64(p), None
    yield "MeanSquaredError", "int_labels", {}, i32(y), p, None
    yield "MeanSquaredError", "vector", {}, f32([1, 2, 3]), f32([1, 1, 1]), f32([1, 0, 2])
    steps, ones = np.arange(12).reshape(2, 2, 3) / 4, np.ones((2, 2, 3))
    yield "MeanSquaredError", "rank3", {}, f32(steps), f32(ones), f32([[1, 2], [3, 4]])
    yield "MeanSquaredError", "squeezed_prediction", {}, f32([1, 2, 3]), f32([[1], [1], [1]]), None


def run(name, case, config, y, prediction, weights):
    import keras
    loss = getattr(keras.losses, name)(**config)
    p = tf.constant(prediction)
    with tf.GradientTape() as tape:
        tape.watch(p)
        value = loss(y, p, sample_weight=weights)
    dy = tf.constant(np.round(np.linspace(0.5, 1.5, int(tf.size(value))).reshape(value.shape), 2), value.dtype)
    gradient = tape.gradient(value, p, output_gradients=dy)
    row = {"name": case, "config": config, "y_true": encode.tensor(y), "y_pred": encode.tensor(prediction)}
    if weights is not None:
        row["sample_weight"] = encode.tensor(weights)
    row.update(loss=encode.tensor(value.numpy()), dy=encode.tensor(dy.numpy()),
               y_pred_gradient=encode.tensor(gradient.numpy()))
    return row


def write():
    folder, rows, size = keras_files.folder("losses"), {}, 0
    for name, *rest in list(cross_entropies()) + list(squared_errors()):
        rows.setdefault(name, []).append(run(name, *rest))
    import keras
    for name, found in rows.items():
        config = keras_files.plain(getattr(keras.losses, name)().get_config())
        size += keras_files.save(os.path.join(folder, name + ".json"), {"loss": name, "get_config": config}, "cases",
                                 found)
    return size + functions(folder)


def functions(folder):
    """The losses as functions: one value a sample."""
    import keras
    table = [
        ("categorical_crossentropy", f32(ONE_HOT), f32(PROBABILITIES), {}),
        ("categorical_crossentropy", f32(ONE_HOT), f32(LOGITS), {"from_logits": True}),
        ("sparse_categorical_crossentropy", i64(CLASSES), f32(PROBABILITIES), {}),
        ("sparse_categorical_crossentropy", i64(CLASSES), f32(LOGITS), {"from_logits": True}),
        ("binary_crossentropy", f32(BINARY), f32(BINARY_P), {}),
        ("binary_crossentropy", f32(BINARY), f32(BINARY_L), {"from_logits": True}),
        ("mean_squared_error", f32(BINARY), f32(BINARY_P), {}),
    ]
    rows = []
    for name, y, p, config in table:
        value = getattr(keras.losses, name)(y, p, **config)
        rows.append({"name": name, "config": config, "y_true": encode.tensor(y), "y_pred": encode.tensor(p),
                     "loss": encode.tensor(value.numpy())})
    return keras_files.save(os.path.join(folder, "functions.json"), {}, "cases", rows)
