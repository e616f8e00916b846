"""Writes tests/golden/keras, part by part; what the files hold is told in tests/golden/README.md."""
import importlib
import json
import os

import encode
from main import GOLDEN

FOLDER = os.path.join(GOLDEN, "keras")
PARTS = ("layers", "losses", "metrics", "optimizers", "initializers", "activations", "seeds", "curves", "weights_h5", "small",
         "callbacks", "summaries")


def folder(*names):
    path = os.path.join(FOLDER, *names)
    os.makedirs(path, exist_ok=True)
    return path


def plain(value):
    """A Keras config as JSON values: tuples become lists, dtype policies their config."""
    return json.loads(json.dumps(value, default=lambda v: v.get_config() if hasattr(v, "get_config") else str(v)))


def save(path, head, key, rows):
    import keras
    encode.write_lines(path, dict(head, keras=keras.__version__), key, rows)
    return os.path.getsize(path)


def write(names):
    unknown = [n for n in names if n not in PARTS]
    if unknown:
        raise SystemExit("golden: unknown part of keras: %s; parts are: %s" % (", ".join(unknown), ", ".join(PARTS)))
    for part in names or PARTS:
        size = importlib.import_module("keras_" + part).write()
        print("golden: keras %s, %.1f KB" % (part, size / 1024))
