"""Writes tests/golden/opdefs.json: TensorFlow's OpDefs of all of tf.raw_ops, one op a line.

Argument: {"name", "type" | "type_attr" | "type_list_attr", "number_attr", "raw_name", "is_ref"}; attribute:
{"name", "kind", "default", "allowed", "minimum"} with defaults tagged as in the op cases.
"""
import os

import encode
from main import GOLDEN, ROOT

def type_name(number):
    import tensorflow as tf
    return tf.as_dtype(number).name


def shape_value(proto):
    return None if proto.unknown_rank else [d.size for d in proto.dim]


def attr_value(kind, value):
    """An AttrValue as a tagged value."""
    if kind.startswith("list("):
        inner = kind[5:-1]
        fields = {"int": "i", "float": "f", "bool": "b", "string": "s", "type": "type", "shape": "shape",
                  "func": "func",
                  "tensor": "tensor"}
        items = list(getattr(value.list, fields[inner]))
        if inner in ("func", "tensor"):
            return {"list_" + inner: []} if not items else None
        if inner == "type":
            items = [type_name(t) for t in items]
        if inner == "shape":
            items = [shape_value(s) for s in items]
        return encode.attr(kind, items)
    if kind == "type":
        return encode.attr(kind, type_name(value.type))
    if kind == "shape":
        return encode.attr(kind, shape_value(value.shape))
    if kind in ("int", "float", "bool", "string"):
        return encode.attr(kind, {"int": value.i, "float": value.f, "bool": value.b, "string": value.s}[kind])
    if kind == "func":
        return {"func": value.func.name}
    return None


def argument(proto, names):
    out = {"name": proto.name}
    if names.get(proto.name):
        out["raw_name"] = names[proto.name]
    if proto.type:
        out["type"] = type_name(proto.type)
    for field in ("type_attr", "number_attr", "type_list_attr"):
        if getattr(proto, field):
            out[field] = getattr(proto, field)
    if proto.is_ref:
        out["is_ref"] = True
    return out


def attribute(proto, names):
    out = {"name": proto.name, "kind": proto.type}
    if names.get(proto.name):
        out["raw_name"] = names[proto.name]
    if proto.HasField("default_value"):
        out["default"] = attr_value(proto.type, proto.default_value)
    if proto.HasField("allowed_values"):
        listed = proto.allowed_values.list
        out["allowed"] = [type_name(t) for t in listed.type] or [s.decode() for s in listed.s]
    if proto.has_minimum:
        out["minimum"] = proto.minimum
    return out


def row(definition):
    import tensorflow as tf
    from raw_names import renames
    names = renames(definition.name, definition) if hasattr(tf.raw_ops, definition.name) else {}
    out = {"name": definition.name, "inputs": [argument(a, names) for a in definition.input_arg],
           "outputs": [argument(a, {}) for a in definition.output_arg],
           "attrs": [attribute(a, names) for a in definition.attr]}
    for flag in ("is_stateful", "is_commutative", "is_aggregate", "allows_uninitialized_input"):
        if getattr(definition, flag):
            out[flag] = True
    return out


def named_ops():
    with open(os.path.join(ROOT, "tests", "api", "ops.tsv"), encoding="utf-8") as f:
        return {line.split("\t")[0] for line in f if not line.startswith("#")}


def write(names):
    import tensorflow as tf
    from tensorflow.core.framework import op_def_pb2
    from tensorflow.python.client import pywrap_tf_session
    listed = op_def_pb2.OpList()
    listed.ParseFromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    rows = [row(d) for d in sorted(listed.op, key=lambda d: d.name) if hasattr(tf.raw_ops, d.name)]
    absent = named_ops() - {r["name"] for r in rows}
    if absent:
        raise SystemExit("golden: ops.tsv names ops that TensorFlow does not have: " + ", ".join(sorted(absent)))
    path = os.path.join(GOLDEN, "opdefs.json")
    encode.write_lines(path, {"tensorflow": tf.__version__}, "ops", rows)
    print("golden: %d OpDefs, %.1f KB" % (len(rows), os.path.getsize(path) / 1024))
