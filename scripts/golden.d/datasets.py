"""Writes tests/golden/datasets.json: tf.data pipelines with the elements of two passes over each."""
import os

import numpy as np
import tensorflow as tf

import encode
from case import f32, i32, values
from main import GOLDEN

# The functions that map calls, by name; tests/lua/data_test.lua has the same.
FUNCTIONS = {
    "square": lambda x: x * x + 1,
    "halve": lambda x: tf.cast(x, tf.float32) / 2.0,
    "swap": lambda x, y: (y, x),
    "grow": lambda x: (x, tf.fill([3], x)),
}

X, Y = values("float32", (5, 2)), i32([0, 1, 2, 3, 4])

# name, global seed or None, source: ("range", arguments) or ("slices", arrays), steps: (method, keyword arguments)
PIPELINES = [
    ("range", None, ("range", [5]), []),
    ("range_from_to", None, ("range", [2, 11, 3]), []),
    ("range_down", None, ("range", [5, 0, -2]), []),
    ("range_none", None, ("range", [0]), []),
    ("slices", None, ("slices", [X]), []),
    ("slices_pair", None, ("slices", [X, Y]), [("batch", {"batch_size": 2})]),
    ("slices_text", None, ("slices", [np.array([b"a", b"bc", b""], object)]), [("batch", {"batch_size": 2})]),
    ("batch_short", None, ("range", [7]), [("batch", {"batch_size": 3})]),
    ("batch_dropped", None, ("range", [7]), [("batch", {"batch_size": 3, "drop_remainder": True})]),
    ("batch_larger", None, ("range", [2]), [("batch", {"batch_size": 5})]),
    ("batch_larger_dropped", None, ("range", [2]), [("batch", {"batch_size": 5, "drop_remainder": True})]),
    ("batch_of_batches", None, ("range", [10]), [("batch", {"batch_size": 2}), ("batch", {"batch_size": 2})]),
    ("repeated", None, ("range", [3]), [("repeat", {"count": 2}), ("batch", {"batch_size": 4})]),
    ("repeated_none", None, ("range", [3]), [("repeat", {"count": 0})]),
    ("repeated_on", None, ("range", [3]), [("repeat", {}), ("take", {"count": 7})]),
    ("taken", None, ("range", [5]), [("take", {"count": 3})]),
    ("taken_all", None, ("range", [5]), [("take", {"count": -1})]),
    ("taken_more", None, ("range", [5]), [("take", {"count": 9})]),
    ("skipped", None, ("range", [5]), [("skip", {"count": 2})]),
    ("skipped_all", None, ("range", [5]), [("skip", {"count": -1})]),
    ("mapped", None, ("range", [5]), [("map", {"map_func": "square"})]),
    ("mapped_parallel", None, ("range", [50]), [("map", {"map_func": "halve", "num_parallel_calls": 3}),
                                                ("batch", {"batch_size": 8}), ("prefetch", {"buffer_size": 2})]),
    ("mapped_pair", None, ("slices", [X, Y]), [("map", {"map_func": "swap"})]),
    ("mapped_to_pair", None, ("slices", [f32([1, 2])]), [("map", {"map_func": "grow"})]),
    ("shuffled", 42, ("range", [10]), [("shuffle", {"buffer_size": 5, "seed": 7})]),
    ("shuffled_whole", 42, ("range", [10]), [("shuffle", {"buffer_size": 20})]),
    ("shuffled_once", 1, ("range", [20]), [("shuffle", {"buffer_size": 10, "seed": 3, "reshuffle_each_iteration": False})]),
    ("shuffled_one", 1, ("range", [6]), [("shuffle", {"buffer_size": 1, "seed": 3})]),
    ("shuffled_repeated", 5, ("range", [6]), [("shuffle", {"buffer_size": 6, "seed": 1}), ("repeat", {"count": 3})]),
    ("shuffled_batched", 9, ("slices", [X, Y]), [("shuffle", {"buffer_size": 5, "seed": 2}), ("batch", {"batch_size": 2})]),
    ("shuffled_twice", 9, ("range", [12]), [("shuffle", {"buffer_size": 12, "seed": 2}), ("shuffle", {"buffer_size": 4, "seed": 8})]),
]


def build(source, steps):
    kind, arguments = source
    if kind == "range":
        dataset = tf.data.Dataset.range(*arguments)
    else:
        dataset = tf.data.Dataset.from_tensor_slices(arguments[0] if len(arguments) == 1 else tuple(arguments))
    for method, arguments in steps:
        arguments = {k: FUNCTIONS[v] if k == "map_func" else v for k, v in arguments.items()}
        dataset = getattr(dataset, method)(**arguments)
    return dataset


def element(value):
    return [encode.tensor(t.numpy()) for t in (value if isinstance(value, tuple) else (value,))]


def row(name, seed, source, steps):
    if seed is not None:
        tf.random.set_seed(seed)
    dataset = build(source, steps)
    kind, arguments = source
    return {
        "name": name, "seed": seed, kind: arguments if kind == "range" else [encode.tensor(a) for a in arguments],
        "steps": [{"method": m, "arguments": a} for m, a in steps],
        "passes": [[element(e) for e in dataset] for _ in range(2)],
        "cardinality": int(dataset.cardinality().numpy()),
    }


def write(names):
    path = os.path.join(GOLDEN, "datasets.json")
    encode.write_lines(path, {"tensorflow": tf.__version__}, "pipelines", [row(*p) for p in PIPELINES])
    print("golden: %d pipelines, %.1f KB" % (len(PIPELINES), os.path.getsize(path) / 1024))
