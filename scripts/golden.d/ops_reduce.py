"""Reductions, positions of extremes, running sums and products."""
import numpy as np

from case import COMPLEX, FLOAT, REAL, Case, cases, distinct, f32, f64, i32, i64, of, values

INF, NAN = float("inf"), float("nan")
NUMERIC = "Sum Mean Max Min Prod EuclideanNorm".split()
DIFFERENTIABLE = "Sum Mean Max Min Prod".split()


def operand(op, dtype, shape):
    if op in ("Max", "Min") and dtype in REAL:
        return distinct(dtype, shape)
    if op == "Prod" and dtype in REAL:
        a = values(dtype, shape, 0.5, 1.5)
        return a if dtype in FLOAT else np.maximum(a % 4, 1).astype(dtype)
    return values(dtype, shape, salt=op)


AXES = [
    ("all", (3, 5), [0, 1]), ("rows", (3, 5), [0]), ("columns", (3, 5), [1]), ("last", (2, 3, 5), [-1]),
    ("first", (2, 3, 5), [0]), ("middle", (2, 3, 5), [1]), ("outer", (2, 3, 5), [0, 2]), ("inner", (2, 3, 5), [1, 2]),
    ("leading", (2, 3, 5), [0, 1]), ("unordered", (2, 3, 5), [2, 0]), ("none", (2, 3), []),
    ("image", (2, 3, 3, 4), [0, 1, 2]),
    ("rank5", (2, 1, 3, 2, 2), [1, 3]), ("single", (1,), [0]), ("long", (65,), [0]), ("odd", (13, 7), [0]),
    ("odd_columns", (7, 13), [1]), ("scalar", (), []),
]


@cases(*NUMERIC)
def reduce(op):
    for dtype in REAL + COMPLEX:
        if dtype in COMPLEX and op in ("Max", "Min"):
            continue
        yield Case(dtype, [operand(op, dtype, (3, 5)), i32([1])], dtype=dtype, grad=dtype in FLOAT,
                   second=dtype == "float64" and op != "EuclideanNorm")
        if dtype in ("float64", "int32", "uint8", "int64"):
            yield Case(dtype + "_all", [operand(op, dtype, (2, 7)), i32([0, 1])], dtype=dtype, grad=dtype in FLOAT)
    for name, shape, axes in AXES:
        a = operand(op, "float32", shape)
        yield Case("axes_" + name, [a, i32(axes)])
        if name in ("rows", "outer", "all", "none", "last"):
            yield Case("keep_dims_" + name, [a, i32(axes)], {"keep_dims": True})
    yield Case("axes_int64", [operand(op, "float32", (3, 4)), i64([-2])])
    yield Case("axis_scalar", [operand(op, "float32", (3, 4)), i32(1)])
    yield Case("axis_out_of_range", [f32([[1, 2]]), i32([2])], fails=True)
    yield Case("axis_twice", [f32([[1, 2]]), i32([0, -2])], fails=True)
    yield Case("empty_result", [np.zeros((0, 3), "float32"), i32([1])])
    yield Case("over_empty", [np.zeros((0, 3), "float32"), i32([0])], grad=False)
    yield Case("all_empty", [np.zeros((0,), "float32"), i32([0])], grad=False)
    yield Case("nan", [f32([[NAN, 1, 2], [1, NAN, 2], [1, 2, 3], [INF, 1, -INF], [INF, INF, 1]]), i32([1])],
               grad=False)


@cases("Max", "Min")
def extremes(op):
    yield Case("ties", [f32([[1, 3, 3], [2, 2, 2], [0, -0.0, 0]]), i32([1])], second=True)
    yield Case("ties_all", [f32([[1, 3], [3, 1]]), i32([0, 1])])
    for dtype in ("int32", "int64", "uint8", "int8"):
        info = np.iinfo(dtype)
        yield Case("limits_" + dtype, [of(dtype, [info.max, info.min, 0]), i32([0])], dtype=dtype)
        yield Case("over_empty_" + dtype, [of(dtype, []), i32([0])], dtype=dtype)


@cases("Prod")
def products(op):
    yield Case("one_zero", [f64([[1, 0, 3], [2, 4, 5]]), i32([1])])
    yield Case("two_zeros", [f64([[0, 0, 3], [2, 4, 5]]), i32([1])])


@cases("Sum", "Mean")
def sums(op):
    yield Case("wrap_int32", [i32([2 ** 31 - 1, 1, 5]), i32([0])])
    yield Case("wrap_uint8", [of("uint8", [200, 100, 7]), i32([0])])
    yield Case("negative_mean_int32", [i32([-3, -4, 2, -2]), i32([0])])
    yield Case("cancellation", [f32([1e8, 1, -1e8, 1]), i32([0])], tol=(0, 8, "order of summation"))


@cases("All", "Any")
def logical(op):
    a = np.array([[True, True, True], [True, False, True], [False, False, False]])
    for name, axes in (("rows", [0]), ("columns", [1]), ("all", [0, 1]), ("none", []), ("last", [-1])):
        yield Case(name, [a, i32(axes)])
        yield Case("keep_dims_" + name, [a, i32(axes)], {"keep_dims": True})
    yield Case("over_empty", [np.zeros((0, 2), bool), i32([0])])
    yield Case("axes_int64", [a, i64([1])])
    yield Case("scalar", [np.array(True), i32([])])
    yield Case("long65", [values("bool", (65,)), i32([0])])
    yield Case("axis_out_of_range", [a, i32([3])], fails=True)


@cases("ArgMax", "ArgMin")
def positions(op):
    for dtype in REAL:
        yield Case(dtype, [distinct(dtype, (3, 5)), i32(1)], dtype=dtype)
    yield Case("bool", [np.array([[False, True], [False, False]]), i32(1)], dtype="bool")
    for axis in (0, 1, 2, -1, -3):
        yield Case("axis_%d" % axis, [distinct("float32", (2, 3, 4)), i32(axis)])
    yield Case("int32_output", [distinct("float32", (4,)), i32(0)], {"output_type": "int32"})
    yield Case("axis_int64", [distinct("float32", (4, 2)), i64(0)])
    yield Case("ties_take_the_first", [f32([[1, 1, 0], [0, 2, 2], [3, 3, 3]]), i32(1)])
    yield Case("infinities", [f32([[INF, -INF, 0], [-INF, -INF, -INF], [INF, INF, INF]]), i32(1)])
    yield Case("empty_result", [np.zeros((0, 3), "float32"), i32(1)])
    yield Case("over_empty", [np.zeros((2, 0), "float32"), i32(1)], fails=True)
    yield Case("axis_out_of_range", [f32([1, 2]), i32(1)], fails=True)
    yield Case("long65", [distinct("float32", (65,)), i32(0)])


@cases("Cumsum", "Cumprod")
def running(op):
    for dtype in REAL + COMPLEX:
        yield Case(dtype, [operand("Prod" if op == "Cumprod" else op, dtype, (7,)), i32(0)], dtype=dtype,
                   grad=dtype in FLOAT, second=dtype == "float64" and op == "Cumsum")
    for exclusive in (False, True):
        for reverse in (False, True):
            yield Case("exclusive_%s_reverse_%s" % (exclusive, reverse), [values("float32", (3, 4), 0.5, 2), i32(1)],
                       {"exclusive": exclusive, "reverse": reverse})
    for axis in (0, 1, 2, -1, -3):
        yield Case("axis_%d" % axis, [values("float32", (2, 3, 4), 0.5, 2), i32(axis)])
    yield Case("axis_int64", [values("float32", (3,)), i64(-1)])
    yield Case("empty", [np.zeros((0, 3), "float32"), i32(0)])
    yield Case("nan", [f32([1, NAN, 2, INF, 3]), i32(0)], grad=False)
    yield Case("axis_out_of_range", [f32([1, 2]), i32(1)], fails=True)
    yield Case("wrap", [of("int32", [2 ** 31 - 1, 2, 3]), i32(0)])
    if op == "Cumprod":
        yield Case("zero_inside", [f64([2, 0, 3, 4]), i32(0)], grad=False)


@cases("Bincount", "DenseBincount")
def bincount(op):
    values_ = [1, 3, 3, 0, 1, 5, 2]
    if op == "Bincount":
        for dtype in ("float32", "float64", "int32", "int64"):
            yield Case("counts_" + dtype, [i32(values_), i32(6), of(dtype, [])], dtype=dtype, grad=False)
            yield Case("weights_" + dtype, [i32(values_), i32(6), values(dtype, (7,))], dtype=dtype, grad=False)
        yield Case("size_cuts", [i32(values_), i32(3), i32([])])
        yield Case("size_pads", [i32([1]), i32(5), i32([])])
        yield Case("empty", [i32([]), i32(3), i32([])])
        yield Case("negative_value", [i32([1, -1]), i32(3), i32([])], fails=True)
        return
    for index in ("int32", "int64"):
        for dtype in ("float32", "float64", "int32", "int64"):
            yield Case("%s_%s" % (index, dtype), [of(index, values_), of(index, 6), values(dtype, (7,))], dtype=dtype,
                       grad=False)
    yield Case("counts", [i32(values_), i32(6), f32([])], grad=False)
    yield Case("binary", [i32(values_), i32(6), f32([])], {"binary_output": True}, grad=False)
    yield Case("rows", [i32([[1, 1, 0], [2, 2, 2]]), i32(4), f32([])], grad=False)
    yield Case("rows_weights", [i32([[1, 1, 0], [2, 2, 2]]), i32(4), f32([[1, 2, 3], [4, 5, 6]])], grad=False)
    yield Case("rows_binary", [i32([[1, 1, 0], [2, 2, 2]]), i32(4), f32([])], {"binary_output": True}, grad=False)
    yield Case("size_cuts", [i32(values_), i32(3), i32([])])
    yield Case("negative_value", [i32([1, -1]), i32(3), i32([])], fails=True)
