"""Initializers: with an integer seed every bit is known."""
import os

import encode
import keras_files

SHAPES = ((), (3,), (4, 5), (3, 3, 2, 4), (2, 3, 4), (1, 7), (65,))
SEEDED = [
    ("GlorotUniform", {}), ("GlorotNormal", {}), ("HeNormal", {}), ("HeUniform", {}), ("LecunNormal", {}),
    ("LecunUniform", {}),
    ("RandomNormal", {}), ("RandomNormal", {"mean": 1.0, "stddev": 0.5}), ("RandomUniform", {}),
    ("RandomUniform", {"minval": -2.0, "maxval": 3.0}), ("TruncatedNormal", {}),
    ("TruncatedNormal", {"mean": -1.0, "stddev": 2.0}),
    ("VarianceScaling", {}), ("VarianceScaling", {"scale": 2.0, "mode": "fan_out", "distribution": "uniform"}),
    ("VarianceScaling", {"scale": 0.5, "mode": "fan_avg", "distribution": "untruncated_normal"}),
]
FIXED = [("Zeros", {}), ("Ones", {}), ("Constant", {"value": 0.25}), ("Constant", {"value": -3}), ("Identity", {}),
         ("Identity", {"gain": 2.0})]


def value_rows(name, config, seed, shapes, dtypes):
    import keras
    rows = []
    for shape in shapes:
        for dtype in dtypes:
            arguments = dict(config) if seed is None else dict(config, seed=seed)
            value = getattr(keras.initializers, name)(**arguments)(shape, dtype=dtype)
            rows.append({"name": name, "config": arguments, "shape": list(shape), "dtype": dtype,
                         "value": encode.tensor(value.numpy())})
    return rows


def configs():
    import keras
    out = {}
    for name, _ in SEEDED + FIXED:
        arguments = {"value": 0.5} if name == "Constant" else {}
        out[name] = keras_files.plain(getattr(keras.initializers, name)(**arguments).get_config())
    return out


def write():
    rows = []
    for n, (name, config) in enumerate(SEEDED):
        shapes = SHAPES if not config else SHAPES[2:4]
        rows += value_rows(name, config, 42, shapes[1:] if "Uniform" not in name and "Random" not in name else shapes,
                           ("float32",))
        rows += value_rows(name, config, 1337 + n, ((4, 5),), ("float32", "float64"))
    for name, config in FIXED:
        rows += value_rows(name, config, None, ((3, 4), (5, 2)) if name == "Identity" else ((), (3,), (2, 3)),
                           ("float32", "float64"))
    path = os.path.join(keras_files.folder(), "initializers.json")
    return keras_files.save(path, {"configs": configs()}, "cases", rows)
