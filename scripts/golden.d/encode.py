"""Tensors and attributes as JSON: shortest decimals that give the same bits back.

float32 is written with the fewest digits that survive decimal -> double -> float32 (checked here), so
any JSON reader with doubles will do. What JSON cannot say is a string: "nan", "inf", "-inf", integers
beyond 2^53. Complex numbers are pairs in a flat list: re, im, re, im. Bytes that are not plain text are
{"b64": ...}.
"""
import base64
import json

import ml_dtypes
import numpy as np

EXACT_INT = 2 ** 53
FLOATS = ("float16", "float32", "float64", "bfloat16")


class Raw(str):
    """Text that is already JSON."""


def dtype_name(a):
    kind = a.dtype
    if kind == object or kind.kind in "SU":
        return "string"
    return str(kind)


def float_text(x):
    x = x[()] if isinstance(x, np.ndarray) else x
    if np.isnan(x):
        return '"nan"'
    if np.isinf(x):
        return '"inf"' if x > 0 else '"-inf"'
    kind = type(x)
    text = repr(float(x)) if kind in (np.float64, ml_dtypes.bfloat16, np.float16) else short_float32(x)
    return text


def short_float32(x):
    text = np.format_float_scientific(x, unique=True, trim="0", exp_digits=1)
    mantissa, exponent = text.split("e")
    if -5 <= int(exponent) <= 15:
        text = np.format_float_positional(x, unique=True, trim="0")
    else:
        text = mantissa + "e" + str(int(exponent))
    if np.float32(float(text)).tobytes() != np.float32(x).tobytes():
        text = repr(float(x))
    return text


def int_text(x):
    x = int(x)
    return str(x) if -EXACT_INT <= x <= EXACT_INT else '"%d"' % x


def string_value(b):
    if isinstance(b, str):
        b = b.encode()
    try:
        text = b.decode("utf-8")
        if text.isprintable() or text == "":
            return text
    except UnicodeDecodeError:
        pass
    return {"b64": base64.b64encode(b).decode()}


def items(a):
    flat = a.reshape(-1)
    name = dtype_name(a)
    if name == "string":
        return [json.dumps(string_value(v), ensure_ascii=False) for v in flat]
    if name == "bool":
        return ["true" if v else "false" for v in flat]
    if name in FLOATS:
        return [float_text(v) for v in flat]
    if name in ("complex64", "complex128"):
        return [float_text(p) for v in flat for p in (v.real, v.imag)]
    return [int_text(v) for v in flat]


def tensor(a):
    """{"dtype", "shape", "data"} of one array, as text."""
    a = np.asarray(a)
    return Raw('{"dtype":"%s","shape":%s,"data":[%s]}' % (
        dtype_name(a), json.dumps(list(a.shape), separators=(",", ":")), ",".join(items(a))))


def tensors(value):
    """One array, None, or a list of arrays."""
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        return [tensors(v) for v in value]
    return tensor(value)


ATTR_TAGS = {
    "int": "i", "float": "f", "bool": "b", "string": "s", "type": "type", "shape": "shape",
    "list(int)": "list_i", "list(float)": "list_f", "list(bool)": "list_b", "list(string)": "list_s",
    "list(type)": "list_type", "list(shape)": "list_shape", "tensor": "tensor",
}


def attr(kind, value):
    """An attribute value with the tag of its kind, e.g. {"list_i": [1, 2]}; a shape of unknown rank is null."""
    if kind == "float":
        value = Raw(float_text(np.float32(value)))
    elif kind == "list(float)":
        value = [Raw(float_text(np.float32(v))) for v in value]
    elif kind == "int":
        value = Raw(int_text(value))
    elif kind == "tensor":
        value = tensor(value)
    elif kind == "string":
        value = string_value(value)
    elif kind == "list(string)":
        value = [string_value(v) for v in value]
    return {ATTR_TAGS[kind]: value}


def dump(value):
    """JSON text without blanks; Raw parts go in as they are."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(k) + ":" + dump(v) for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(dump(v) for v in value) + "]"
    if isinstance(value, (np.floating, np.integer, np.ndarray)):
        return dump(Raw(items(np.asarray(value))[0]))
    return json.dumps(value, ensure_ascii=False)


def write_lines(path, head, key, rows):
    """A JSON object whose last member is a list with one row a line, so that a change shows as few lines."""
    text = "".join(json.dumps(k) + ":" + dump(v) + "," for k, v in head.items())
    with open(path, "w", encoding="utf-8") as f:
        f.write("{" + text + json.dumps(key) + ":[\n" + ",\n".join(dump(r) for r in rows) + "\n]}\n")
