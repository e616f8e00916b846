"""Writes tests/golden/api/<area>.json: what TensorFlow's public functions return for the calls of api_calls.py."""
import os

import numpy as np

import encode
from main import GOLDEN


def as_argument(value):
    """What TensorFlow is given: tensors for arrays; dtypes by name stay text."""
    import tensorflow as tf
    if isinstance(value, np.ndarray):
        return tf.constant(value, shape=value.shape)
    if isinstance(value, (list, tuple)):
        return [as_argument(v) for v in value]
    return value


def argument_row(value):
    if isinstance(value, np.ndarray):
        return encode.tensor(value)
    if isinstance(value, (list, tuple)):
        return [argument_row(v) for v in value]
    if isinstance(value, float):
        return encode.Raw(encode.float_text(np.float64(value)))
    return value


def result_row(value):
    import tensorflow as tf
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, tf.DType):
        return {"as_dtype": value.name}
    if isinstance(value, tf.TensorShape):
        return {"as_shape": value.as_list()}
    if isinstance(value, (list, tuple)):
        return [result_row(v) for v in value]
    return encode.tensor(value.numpy() if tf.is_tensor(value) else np.asarray(value))


def row(name, arguments, keywords):
    import tensorflow as tf
    from run_case import CODES
    function = tf
    for part in name.split(".")[1:]:
        function = getattr(function, part)
    out = {"call": name, "args": [argument_row(a) for a in arguments]}
    if keywords:
        out["kwargs"] = {k: argument_row(v) for k, v in keywords.items()}
    try:
        result = function(*[as_argument(a) for a in arguments], **{k: as_argument(v) for k, v in keywords.items()})
    except tf.errors.OpError as error:
        out["error"] = CODES[error.error_code]
    except (ValueError, TypeError) as error:
        out["error"] = type(error).__name__
    else:
        out["result"] = result_row(result)
    return out


def write(names):
    import tensorflow as tf
    from api_calls import AREAS
    folder = os.path.join(GOLDEN, "api")
    os.makedirs(folder, exist_ok=True)
    count = total = 0
    for area, calls in AREAS.items():
        rows = [row(*call) for call in calls]
        bad = [r["call"] for r in rows if (area == "mistakes") != ("error" in r) and area != "debugging"]
        if bad:
            raise SystemExit("golden: %s: unexpected outcome of %s" % (area, ", ".join(bad)))
        path = os.path.join(folder, area + ".json")
        encode.write_lines(path, {"tensorflow": tf.__version__}, "calls", rows)
        count, total = count + len(rows), total + os.path.getsize(path)
    print("golden: %d calls of public functions, %.1f KB" % (count, total / 1024))
