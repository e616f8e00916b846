"""What keras.utils.set_random_seed and tf.random.set_seed decide: initial weights, masks, orders, numbers."""
import hashlib
import os
import random

import numpy as np
import tensorflow as tf

import encode
import keras_files
import keras_models


def digest(a):
    """SHA-256 of the little-endian bytes, row-major."""
    return hashlib.sha256(np.ascontiguousarray(a).astype(a.dtype.newbyteorder("<")).tobytes()).hexdigest()


def weight_rows(model):
    rows = []
    for w in model.weights:
        a = w.numpy()
        if "seed" in w.name:
            continue
        rows.append({"path": w.path.split("/", 1)[-1], "shape": list(a.shape),
                     "first": encode.tensor(a.reshape(-1)[:16]),
                     "sum": encode.Raw(encode.float_text(np.float64(a.astype("float64").sum()))), "sha256": digest(a)})
    return rows


def initial_weights():
    import keras
    rows = []
    for name in ("example_mlp", "example_cnn", "small_norm", "two_inputs", "nested"):
        for seed in (42, 0, 7):
            if seed != 42 and not name.startswith("example"):
                continue
            keras.utils.clear_session()
            keras.utils.set_random_seed(seed)
            rows.append({"model": name, "seed": seed, "weights": weight_rows(getattr(keras_models, name)())})
    return rows


def layer_seeds():
    """The seeds that layers draw: Python's random.randint(1, 10**9) after set_random_seed."""
    import keras
    keras.utils.set_random_seed(42)
    drawn = [random.randint(1, int(1e9)) for _ in range(6)]
    keras.utils.set_random_seed(42)
    dropout = [keras.layers.Dropout(0.5).seed_generator.state.numpy().tolist() for _ in range(3)]
    return {"seed": 42, "randint": drawn, "dropout_states": dropout}


def dropout_masks():
    import keras
    rows = []
    for rate in (0.25, 0.5):
        keras.utils.clear_session()
        keras.utils.set_random_seed(42)
        layer, calls = keras.layers.Dropout(rate), []
        for _ in range(3):
            calls.append(encode.tensor(layer(tf.ones((4, 9)), training=True).numpy()))
        rows.append({"rate": rate, "seed": 42, "input": "ones of shape [4, 9]", "outputs": calls})
    return rows


def watched_model():
    """A model that notes the samples of every batch it is trained on."""
    import keras

    class Watched(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense, self.seen = keras.layers.Dense(1), []

        def call(self, x):
            return self.dense(x)

        def train_step(self, data):
            self.seen.append(data[0].numpy().reshape(-1).astype(int).tolist())
            return super().train_step(data)

    model = Watched()
    model.compile("sgd", "mse", run_eagerly=True)
    return model


def fit_orders():
    import keras
    rows = []
    for samples, batch, epochs, extra in ((100, 32, 3, {}), (10, 3, 2, {}), (10, 4, 2, {"shuffle": False}),
                                          (20, 8, 2, {"validation_split": 0.25})):
        keras.utils.set_random_seed(42)
        model = watched_model()
        x = np.arange(samples, dtype="float32")[:, None]
        model.fit(x, x * 0, batch_size=batch, epochs=epochs, verbose=0, **extra)
        per = len(model.seen) // epochs
        rows.append({"seed": 42, "samples": samples, "batch_size": batch, "epochs": epochs, "arguments": extra,
                     "batches": [model.seen[e * per:(e + 1) * per] for e in range(epochs)]})
    return rows


CALLS = [
    ("uniform", {"shape": [3]}), ("normal", {"shape": [2, 2]}), ("truncated_normal", {"shape": [3]}),
    ("uniform", {"shape": [2], "minval": -1.0, "maxval": 3.0}),
    ("uniform", {"shape": [4], "minval": 0, "maxval": 10, "dtype": "int32"}),
    ("normal", {"shape": [3], "mean": 2.0, "stddev": 0.5, "dtype": "float64"}),
    ("uniform", {"shape": [2], "seed": 5}), ("uniform", {"shape": [2], "seed": 5}),
    ("normal", {"shape": [2], "seed": 6}), ("uniform", {"shape": []}),
]


def tf_random():
    """Calls in a row after tf.random.set_seed: eager, each with its own place in the sequence of op seeds."""
    rows = []
    for seed in (42, 0, 1234567):
        tf.random.set_seed(seed)
        calls = []
        for name, arguments in CALLS:
            kw = {k: getattr(tf, v) if k == "dtype" else v for k, v in arguments.items()}
            calls.append({"call": "tf.random." + name, "arguments": arguments,
                          "value": encode.tensor(getattr(tf.random, name)(**kw).numpy())})
        value = tf.random.shuffle(tf.range(7)).numpy()
        calls.append({"call": "tf.random.shuffle", "arguments": {"value": list(range(7))},
                      "value": encode.tensor(value)})
        rows.append({"seed": seed, "calls": calls})
    return rows


def tf_random_in_functions():
    """The same ops inside one tf.function, called twice: op seeds count from 0."""
    def body():
        several = tf.random.uniform([3]), tf.random.normal([3]), tf.random.shuffle(tf.range(5))
        return several + (tf.random.uniform([2], seed=9),)

    rows = []
    for seed in (42, 7):
        tf.random.set_seed(seed)
        function = tf.function(body)
        rows.append({"seed": seed, "calls": [encode.tensors([t.numpy() for t in function()]) for _ in range(2)]})
    return rows


def keras_random():
    """keras.random with an integer seed, and with a SeedGenerator called twice."""
    import keras
    r, rows = keras.random, []
    table = [("uniform", {"shape": [5]}), ("uniform", {"shape": [3], "minval": -2.0, "maxval": 1.0}),
             ("normal", {"shape": [5]}),
             ("truncated_normal", {"shape": [5]}), ("randint", {"shape": [5], "minval": -3, "maxval": 9})]
    for name, arguments in table:
        for seed in (1337, 0):
            rows.append({"call": name, "arguments": dict(arguments, seed=seed),
                         "value": encode.tensor(getattr(r, name)(seed=seed, **arguments).numpy())})
    generator = r.SeedGenerator(21)
    rows.append({"call": "uniform", "arguments": {"shape": [4], "generator": 21},
                 "values": [encode.tensor(r.uniform([4], seed=generator).numpy()) for _ in range(3)]})
    keras.utils.set_random_seed(42)
    rows.append({"call": "normal", "arguments": {"shape": [4]}, "after_set_random_seed": 42,
                 "values": [encode.tensor(r.normal([4]).numpy()) for _ in range(3)]})
    return rows


def write():
    path = os.path.join(keras_files.folder(), "seeds.json")
    head = {"layer_seeds": layer_seeds(), "dropout": dropout_masks(), "fit_order": fit_orders(),
            "tf_random": tf_random(),
            "tf_random_in_functions": tf_random_in_functions(), "keras_random": keras_random()}
    return keras_files.save(path, head, "initial_weights", initial_weights())
