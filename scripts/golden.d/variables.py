"""Writes tests/golden/variables.json: sequences of method calls on one tf.Variable, with its value after each."""
import os

import numpy as np
import tensorflow as tf

import encode
from case import f32, f64, i32, i64, values
from main import GOLDEN

M = values("float32", (4, 3))

# name, initial value, calls: (method, arguments)
SEQUENCES = [
    ("assign_float32", M, [("assign", [M * 2]), ("assign_add", [M]), ("assign_sub", [M * 3]), ("read_value", [])]),
    ("assign_scalar", f32(1.5), [("assign", [f32(2)]), ("assign_add", [f32(0.25)]), ("assign_sub", [f32(1)])]),
    ("assign_float64", f64([1, 2]), [("assign_add", [f64([0.1, 0.2])]), ("assign_sub", [f64([1, 1])])]),
    ("assign_int32", i32([1, 2, 3]), [("assign_add", [i32([5, 5, 5])]), ("assign_sub", [i32([1, 0, 2])]),
                                      ("assign", [i32([0, 0, 7])])]),
    ("assign_int64", i64([2 ** 40, 1]), [("assign_add", [i64([1, 1])])]),
    ("assign_bool", np.array([True, False]), [("assign", [np.array([False, False])])]),
    ("assign_empty", np.zeros((0, 3), "float32"), [("assign_add", [np.zeros((0, 3), "float32")])]),
    ("assign_wrong_shape", M, [("assign", [f32([1, 2])]), ("assign_add", [M])]),
    ("scatter_nd", f32([1, 2, 3, 4]), [("scatter_nd_add", [i32([[0], [2], [0]]), f32([10, 20, 30])]),
                                       ("scatter_nd_sub", [i32([[1]]), f32([5])]),
                                       ("scatter_nd_update", [i32([[3], [1]]), f32([7, 8])])]),
    ("scatter_nd_rows", M, [("scatter_nd_update", [i32([[2], [0]]), f32([[1, 1, 1], [2, 2, 2]])]),
                            ("scatter_nd_add", [i32([[0, 1]]), f32([5])])]),
    ("gather", M, [("sparse_read", [i32([3, 0])]), ("gather_nd", [i32([[1, 2], [0, 0]])])]),
    ("gather_out_of_range", M, [("sparse_read", [i32([4])])]),
]

# Methods that take IndexedSlices: name, initial value, calls: (method, values, indices)
SLICED = [
    ("scatter_float32", M, [("scatter_add", f32([[1, 1, 1], [2, 2, 2]]), [1, 1]),
                            ("scatter_sub", f32([[1, 2, 3]]), [0]),
                            ("scatter_update", f32([[9, 9, 9]]), [3]), ("scatter_mul", f32([[2, 2, 2]]), [2]),
                            ("scatter_div", f32([[4, 4, 4]]), [2]),
                            ("scatter_max", f32([[0, 0, 0]]), [2]), ("scatter_min", f32([[0, 0, 0]]), [1])]),
    ("scatter_int32", i32([[1, 2], [3, 4]]), [("scatter_add", i32([[1, 1]]), [0]),
                                              ("scatter_update", i32([[7, 8]]), [1]),
                                              ("scatter_mul", i32([[3, 3]]), [0])]),
    ("scatter_float64", f64([[1, 2], [3, 4]]), [("scatter_add", f64([[0.5, 0.5]]), [1]),
                                                ("scatter_sub", f64([[0.5, 0.5], [1, 1]]), [1, 1])]),
    ("scatter_vector", f32([1, 2, 3]), [("scatter_add", f32([1, 1]), [2, 2]), ("scatter_update", f32([5]), [0])]),
]


def step(variable, method, arguments, row):
    from run_case import CODES
    try:
        result = getattr(variable, method)(*arguments)
    except (ValueError, tf.errors.OpError) as error:
        row["error"] = CODES[error.error_code] if isinstance(error, tf.errors.OpError) else type(error).__name__
        return row
    if method in ("sparse_read", "gather_nd", "read_value"):
        row["result"] = encode.tensor(result.numpy())
    row["value"] = encode.tensor(variable.numpy())
    return row


def sequence(name, initial, calls):
    variable = tf.Variable(initial)
    steps = [step(variable, m, [tf.constant(a) for a in args], {"method": m, "args": encode.tensors(args)}) for m,
             args in calls]
    return {"name": name, "initial": encode.tensor(initial), "steps": steps}


def sliced(name, initial, calls):
    variable, steps = tf.Variable(initial), []
    for method, data, indices in calls:
        slices = tf.IndexedSlices(tf.constant(data), tf.constant(indices, tf.int32),
                                  tf.constant(initial.shape, tf.int32))
        steps.append(step(variable, method, [slices], {"method": method, "values": encode.tensor(data),
                                                       "indices": indices}))
    return {"name": name, "initial": encode.tensor(initial), "steps": steps}


def write(names):
    rows = [sequence(*s) for s in SEQUENCES] + [sliced(*s) for s in SLICED]
    path = os.path.join(GOLDEN, "variables.json")
    encode.write_lines(path, {"tensorflow": tf.__version__}, "sequences", rows)
    print("golden: %d sequences on variables, %.1f KB" % (len(rows), os.path.getsize(path) / 1024))
