"""Runs one case with TensorFlow's raw op and returns the row of the golden file.

The row's members are described in tests/golden/README.md.
"""
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import op_def_registry

import encode
from case import seed_of
from raw_names import renames

CODES = {
    1: "CANCELLED", 2: "UNKNOWN", 3: "INVALID_ARGUMENT", 4: "DEADLINE_EXCEEDED", 5: "NOT_FOUND", 6: "ALREADY_EXISTS",
    7: "PERMISSION_DENIED", 8: "RESOURCE_EXHAUSTED", 9: "FAILED_PRECONDITION", 10: "ABORTED", 11: "OUT_OF_RANGE",
    12: "UNIMPLEMENTED", 13: "INTERNAL", 14: "UNAVAILABLE", 15: "DATA_LOSS", 16: "UNAUTHENTICATED",
}
MOST_ELEMENTS = 260


class NoKernel(Exception):
    """TensorFlow's CPU does not support the case's dtype."""


def to_tensor(a):
    return tf.constant(a, shape=np.shape(a))


def compiled(op, kwargs):
    """The call through XLA; integer inputs are shapes, which it wants as constants."""
    floats = {k: v for k, v in kwargs.items() if tf.is_tensor(v) and is_float(v)}
    rest = {k: v.numpy() if tf.is_tensor(v) else v for k, v in kwargs.items() if k not in floats}
    return tf.function(lambda **kw: getattr(tf.raw_ops, op)(**kw, **rest), jit_compile=True)(**floats)


def call(op, definition, inputs, attrs, xla=False):
    """Raw op call; a list with one entry (a tensor, or a list of tensors) for each output argument."""
    kinds = {a.name: a.type for a in definition.attr}
    names = renames(op, definition)
    kwargs = {names.get(a.name, a.name): v for a, v in zip(definition.input_arg, inputs)}
    for name, value in attrs.items():
        if kinds[name] == "type":
            value = tf.as_dtype(value)
        elif kinds[name] == "list(type)":
            value = [tf.as_dtype(v) for v in value]
        elif kinds[name] == "tensor":
            value = tf.make_tensor_proto(value)
        kwargs[names.get(name, name)] = value
    raw = getattr(tf.raw_ops, op)
    if xla:
        result = compiled(op, kwargs)
    elif op == "Const":  # a tensor attribute: graphs only
        result = tf.function(lambda: raw(**kwargs))()
    else:
        result = raw(**kwargs)
    if len(definition.output_arg) == 1:
        return [result]
    return list(result)


def refused(error):
    """Whether the message says that there is no such kernel (as opposed to wrong arguments)."""
    text = str(error)
    return isinstance(error, (tf.errors.NotFoundError, tf.errors.UnimplementedError)) or \
        "is not in the list of allowed values" in text or "Could not find device" in text or \
        "only supports NHWC" in text or "supports the NHWC" in text


def flat(value):
    return value if isinstance(value, (list, tuple)) else [value]


def arrays(value):
    if isinstance(value, (list, tuple)):
        return [arrays(v) for v in value]
    return value.numpy()


def is_float(t):
    return t.dtype in (tf.float32, tf.float64, tf.float16, tf.bfloat16)


def like(structure, leaves):
    """The leaves put back into the shape of a list of tensors and lists of tensors."""
    leaves = list(leaves)
    return [[leaves.pop(0) for _ in s] if isinstance(s, (list, tuple)) else leaves.pop(0) for s in structure]


def weights(words, tensors):
    """A fixed random weight for each float tensor, None for the others."""
    rs = np.random.RandomState(seed_of(*words))
    out = []
    for t in tensors:
        w = np.round(rs.uniform(-1, 1, t.shape), 2)
        out.append(tf.constant(w, t.dtype, shape=t.shape) if is_float(t) else None)
    return out


def dense(gradient):
    if isinstance(gradient, tf.IndexedSlices):
        return tf.convert_to_tensor(gradient)
    return gradient


def gradients(op, definition, case, inputs, row):
    """Adds "gradients" (and "second") to the row: dx for a fixed random dy."""
    xs = [t for v in inputs for t in flat(v)]
    watched = [t for t in xs if is_float(t)]
    if not watched:
        return
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(watched)
        with tf.GradientTape() as inner:
            inner.watch(watched)
            outputs = call(op, definition, inputs, case.attrs, case.xla)
        ys = [t for v in outputs for t in flat(v)]
        dys = weights((op, case.name, "dy"), ys)
        if case.dy_of is not None:
            dys = [d if n in case.dy_of else None for n, d in enumerate(dys)]
        if not any(d is not None for d in dys):
            return
        used = [d for d in dys if d is not None]
        outer.watch(used)
        pairs = [(y, d) for y, d in zip(ys, dys) if d is not None]
        try:
            found = inner.gradient([p[0] for p in pairs], watched, output_gradients=[p[1] for p in pairs])
        except LookupError:
            row["gradients"] = None
            return
        sliced = [isinstance(g, tf.IndexedSlices) for g in found]
        found = [dense(g) for g in found]
        if all(tf.size(d) == 0 for d in used):
            # Nothing flows back, so the gradient is zero; some kernels leave it unwritten.
            found = [None if g is None else tf.zeros_like(g) for g in found]
        weighted = None
        if case.second:
            vs = [v if g is not None else None for g, v in zip(found, weights((op, case.name, "v"), watched))]
            terms = [tf.reduce_sum(g * v) for g, v in zip(found, vs) if g is not None]
            weighted = tf.add_n(terms) if terms else None
    by_input = dict(zip([id(t) for t in watched], zip(found, sliced)))
    spread = [by_input.get(id(t), (None, False)) for t in xs]
    row["gradients"] = {
        "dy": encode.tensors(like(outputs, [None if d is None else d.numpy() for d in dys])),
        "dx": encode.tensors(like(inputs, [None if g is None else g.numpy() for g, _ in spread])),
    }
    if any(sliced):
        row["gradients"]["slices"] = like(inputs, [s for _, s in spread])
    if weighted is not None:
        second(outer, weighted, vs, watched, used, xs, dys, inputs, outputs, row)


def second(outer, weighted, vs, watched, used, xs, dys, inputs, outputs, row):
    """sum(dx * v) differentiated once more, by the inputs and by dy."""
    try:
        found = outer.gradient(weighted, watched + used)
    except LookupError:
        return
    found = [None if g is None else dense(g).numpy() for g in found]
    by_id = dict(zip([id(t) for t in watched + used], found))
    by_v = dict(zip([id(t) for t in watched], vs))
    v_rows = [by_v.get(id(t)) for t in xs]
    row["second"] = {
        "v": encode.tensors(like(inputs, [None if v is None else v.numpy() for v in v_rows])),
        "dx": encode.tensors(like(inputs, [by_id.get(id(t)) for t in xs])),
        "ddy": encode.tensors(like(outputs, [None if d is None else by_id.get(id(d)) for d in dys])),
    }


def implied(definition, case):
    """The attributes that the inputs decide: {"T": "float32"}, {"N": 3}."""
    def name(a):
        return encode.dtype_name(np.asarray(a))
    out = {}
    for argument, value in zip(definition.input_arg, case.inputs):
        if argument.type_attr and not (argument.number_attr and not value):
            out[argument.type_attr] = ("type", name(value[0] if argument.number_attr else value))
        if argument.number_attr:
            out[argument.number_attr] = ("int", len(value))
        if argument.type_list_attr:
            out[argument.type_list_attr] = ("list(type)", [name(v) for v in value])
    return {k: encode.attr(*v) for k, v in out.items() if k not in case.attrs}


def check_size(op, case, row_arrays):
    for value in row_arrays:
        for a in flat(value):
            if np.size(a) > MOST_ELEMENTS:
                raise SystemExit("%s/%s: a tensor of %d elements is too big to commit" % (op, case.name, np.size(a)))


def run(op, case):
    """The row of one case; NoKernel when the case belongs to a dtype loop and TensorFlow has no kernel."""
    definition = op_def_registry.get(op)
    kinds = {a.name: a.type for a in definition.attr}
    row = {"name": case.name}
    if case.attrs:
        row["attrs"] = {k: encode.attr(kinds[k], v) for k, v in case.attrs.items()}
    derived = implied(definition, case)
    if derived:
        row["implied"] = derived
    row["inputs"] = encode.tensors(case.inputs)
    if case.tol:
        row["tol"] = {"rtol": case.tol[0], "atol": case.tol[1], "reason": case.tol[2]}
    tf.random.set_seed(0)
    try:
        inputs = [[to_tensor(a) for a in v] if isinstance(v, list) else to_tensor(v) for v in case.inputs]
        results = [arrays(call(op, definition, inputs, case.attrs, case.xla)) for _ in range(case.calls)]
    except tf.errors.OpError as error:
        if not case.fails:
            if case.dtype and refused(error):
                raise NoKernel() from None
            raise SystemExit("%s/%s: %s" % (op, case.name, error))
        text = error.message.split(" [Op:")[0].replace("{{function_node __wrapped__", "")
        text = text.split("}} ")[-1]
        row["error"] = {"code": CODES[error.error_code], "message": text}
        return row
    if case.fails:
        raise SystemExit("%s/%s: TensorFlow did not refuse the call" % (op, case.name))
    check_size(op, case, case.inputs + results[0])
    row["outputs"] = encode.tensors([None if n in case.unset else r for n, r in enumerate(results[0])])
    if case.calls > 1:
        row["next_outputs"] = [encode.tensors(r) for r in results[1:]]
    if case.grad and case.calls == 1:
        gradients(op, definition, case, inputs, row)
    return row
