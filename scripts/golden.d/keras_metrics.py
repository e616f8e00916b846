"""Metrics: what result() says after each of a row of update_state calls, and after reset_state."""
import os

import numpy as np

import encode
import keras_files
from case import f32, i32, i64, values

P = [values("float32", (4, 5), 0, 1, str(n)) for n in range(3)]
CLASSES = [i64([0, 3, 2, 4]), i64([1, 1, 4, 0]), i64([2, 2, 2, 2])]
ONE_HOT = [np.eye(5, dtype="float32")[c] for c in CLASSES]
B = [values("float32", (4, 2), 0, 1, "b" + str(n)) for n in range(3)]
BINARY = [f32([[1, 0], [0, 1], [1, 1], [0, 0]]), f32([[0, 0], [1, 1], [1, 0], [0, 1]]),
          f32([[1, 1], [1, 1], [0, 0], [0, 0]])]
W = f32([1, 0.5, 0, 2])
TIES = f32([[0.2, 0.2, 0.2, 0.2, 0.2], [0.5, 0.5, 0, 0, 0], [0, 0, 0, 0, 1], [0.4, 0.1, 0.1, 0.4, 0]])

# metric, case, config, updates: (y_true, y_pred, weight)
TABLE = [
    ("Accuracy", "plain", {}, [(i64([1, 2, 3, 4]), i64([0, 2, 3, 4]), None), (i64([1, 1]), i64([1, 0]), None)]),
    ("Accuracy", "weights", {}, [(i64([1, 2, 3, 4]), i64([0, 2, 3, 4]), W), (i64([1, 1]), i64([1, 0]), f32([3, 1]))]),
    ("Accuracy", "rank2", {}, [(f32([[1], [2], [3]]), f32([[1], [0], [3]]), None)]),
    ("BinaryAccuracy", "plain", {}, list(zip(BINARY, B, [None] * 3))),
    ("BinaryAccuracy", "weights", {}, list(zip(BINARY, B, [W] * 3))),
    ("BinaryAccuracy", "threshold", {"threshold": 0.3}, list(zip(BINARY, B, [None] * 3))),
    ("BinaryAccuracy", "at_threshold", {}, [(f32([1, 0]), f32([0.5, 0.5]), None)]),
    ("BinaryAccuracy", "column", {}, [(f32([[1], [0], [1]]), f32([[0.9], [0.8], [0.1]]), f32([1, 2, 3]))]),
    ("CategoricalAccuracy", "plain", {}, list(zip(ONE_HOT, P, [None] * 3))),
    ("CategoricalAccuracy", "weights", {}, list(zip(ONE_HOT, P, [W] * 3))),
    ("CategoricalAccuracy", "ties", {}, [(ONE_HOT[0], TIES, None)]),
    ("SparseCategoricalAccuracy", "plain", {}, list(zip(CLASSES, P, [None] * 3))),
    ("SparseCategoricalAccuracy", "weights", {}, list(zip(CLASSES, P, [W] * 3))),
    ("SparseCategoricalAccuracy", "column", {}, [(CLASSES[0][:, None], P[0], None)]),
    ("SparseCategoricalAccuracy", "sequence", {}, [(np.stack(CLASSES[:2]), np.stack(P[:2]), f32(np.stack([W, W])))]),
    ("SparseCategoricalAccuracy", "int32", {}, [(i32(CLASSES[1]), P[1], None)]),
    ("TopKCategoricalAccuracy", "k_2", {"k": 2}, list(zip(ONE_HOT, P, [None] * 3))),
    ("TopKCategoricalAccuracy", "k_3_weights", {"k": 3}, list(zip(ONE_HOT, P, [W] * 3))),
    ("TopKCategoricalAccuracy", "default", {}, list(zip(ONE_HOT, P, [None] * 3))),
    ("SparseTopKCategoricalAccuracy", "k_2", {"k": 2}, list(zip(CLASSES, P, [None] * 3))),
    ("SparseTopKCategoricalAccuracy", "k_2_weights", {"k": 2}, list(zip(CLASSES, P, [W] * 3))),
    ("SparseTopKCategoricalAccuracy", "ties", {"k": 1}, [(CLASSES[0], TIES, None)]),
]
MEANS = [
    ("Mean", "scalars", {}, [(f32(2), None), (f32(4.5), None), (f32(-1), None)]),
    ("Mean", "vectors", {}, [(f32([1, 2, 3]), None), (f32([10]), None)]),
    ("Mean", "weights", {}, [(f32([1, 2, 3]), f32([0, 1, 3])), (f32([10]), f32([0.5]))]),
    ("Mean", "scalar_weight", {}, [(f32([1, 2, 3]), f32(2)), (f32(7), f32(1))]),
    ("Mean", "zero_weight", {}, [(f32([1, 2]), f32([0, 0]))]),
    ("Mean", "matrix", {}, [(f32([[1, 2], [3, 4]]), f32([1, 3]))]),
    ("Mean", "float64", {"dtype": "float64"}, [(f32([0.1, 0.2]), None)]),
    ("Sum", "plain", {}, [(f32([1, 2, 3]), None), (f32([4]), f32([2]))]),
]


def run(name, case, config, updates):
    import keras
    metric = getattr(keras.metrics, name)(**config)
    steps = []
    for *data, weight in updates:
        metric.update_state(*data, sample_weight=weight)
        steps.append({"values": encode.tensors(list(data)), "sample_weight": encode.tensors(weight),
                      "result": encode.tensor(np.asarray(metric.result()))})
    variables = [{"name": v.name, "value": encode.tensor(v.numpy())} for v in metric.variables]
    metric.reset_state()
    full = metric.get_config()
    return {"name": case, "config": config, "updates": steps, "variables": variables,
            "after_reset": encode.tensor(np.asarray(metric.result())), "get_config": keras_files.plain(full)}


def write():
    folder, rows, size = keras_files.folder("metrics"), {}, 0
    for name, *rest in TABLE + MEANS:
        rows.setdefault(name, []).append(run(name, *rest))
    for name, found in rows.items():
        size += keras_files.save(os.path.join(folder, name + ".json"), {"metric": name}, "cases", found)
    return size
