"""Element-wise ops of two and three arguments, with broadcasting."""
import numpy as np

from case import COMPLEX, FLOAT, INT, REAL, SIGNED, Case, cases, distinct, f32, f64, i32, i64, of, strings, values

INF, NAN = float("inf"), float("nan")

ARITHMETIC = ("AddV2 Add Sub Mul RealDiv Div FloorDiv FloorMod TruncateDiv Mod Pow Maximum Minimum SquaredDifference "
              "DivNoNan MulNoNan Xdivy Xlogy Xlog1py Atan2 TruncateMod").split()
COMPARISON = "Equal NotEqual Less LessEqual Greater GreaterEqual".split()
LOGICAL = "LogicalAnd LogicalOr".split()
BITWISE = "BitwiseAnd BitwiseOr BitwiseXor".split()
DIVISION = ("RealDiv", "Div", "FloorDiv", "FloorMod", "TruncateDiv", "TruncateMod", "Mod")
FLOAT_ONLY = ("Xdivy", "Xlogy", "Xlog1py", "Atan2", "DivNoNan", "MulNoNan", "RealDiv")
# a case for every pair: where the formulas have their corners
SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, INF, -INF, NAN]

BROADCASTS = [
    ("scalars", (), ()), ("scalar_vector", (), (5,)), ("vector_scalar", (5,), ()), ("one_vector", (1,), (5,)),
    ("column_row", (3, 1), (4,)), ("row_column", (4,), (3, 1)), ("matrix_row", (3, 5), (5,)),
    ("row_matrix", (5,), (3, 5)),
    ("matrix_column", (3, 5), (3, 1)), ("column_matrix", (3, 1), (3, 5)), ("middle", (2, 1, 3), (2, 4, 3)),
    ("rank5", (2, 1, 3, 1, 2), (1, 2, 1, 2, 1)), ("rank_2_4", (3, 2), (2, 1, 3, 2)), ("empty_row", (0, 3), (3,)),
    ("empty_scalar", (), (0,)), ("empty_one", (1, 3), (0, 1)), ("both_empty", (2, 0), (2, 0)),
]


def pair(op, dtype, shape_x, shape_y, salt=""):
    """Operands inside the op's domain."""
    x, y = values(dtype, shape_x, salt=op + "x" + salt), values(dtype, shape_y, salt=op + "y" + salt)
    if dtype == "bool" or np.dtype(x.dtype).kind == "c":
        return x, y
    if op in DIVISION:
        y = np.where(y == 0, np.ones_like(y), y)
    if op == "Pow":
        x = np.abs(x) + (0.1 if dtype in FLOAT else 0)
        x, y = x.astype(y.dtype), y if dtype in FLOAT else np.abs(y) % 4
    if op in ("Xlogy", "Xlog1py"):
        y = np.abs(y) + np.asarray(0.1, y.dtype)
    return np.asarray(x), np.asarray(y).astype(x.dtype)


@cases(*(ARITHMETIC + COMPARISON))
def plain(op):
    smooth = op in ARITHMETIC
    kinds = FLOAT if op in FLOAT_ONLY else REAL
    more = () if op in ("Xdivy", "Xlogy", "Xlog1py") else COMPLEX
    for dtype in kinds + more + (("bool",) if op in ("Equal", "NotEqual") else ()):
        x, y = pair(op, dtype, (7,), (7,))
        if dtype in ("complex64", "complex128") and op == "Pow":
            continue
        yield Case(dtype, [x, y], dtype=dtype, grad=dtype in FLOAT, second=smooth and dtype == "float64")
    for name, a, b in BROADCASTS:
        yield Case("broadcast_" + name, list(pair(op, "float32", a, b)),
                   second=smooth and name in ("column_row", "middle"))
    yield Case("broadcast_float64", list(pair(op, "float64", (2, 1, 5), (3, 1))), second=smooth)
    yield Case("long65", list(pair(op, "float32", (65,), (65,))))
    yield Case("long65_scalar", list(pair(op, "float32", (65,), ())))
    yield Case("odd_13x7", list(pair(op, "float32", (13, 7), (7,))))
    for kind in ("int32", "int64"):
        if kind in kinds:
            yield Case("broadcast_" + kind, list(pair(op, kind, (3, 1), (1, 5))))
    if op not in ("Equal", "NotEqual"):
        yield Case("shapes_do_not_broadcast", list(pair(op, "float32", (2, 3), (2,))), fails=True)


@cases(*(ARITHMETIC + COMPARISON))
def special(op):
    """NaN, infinities and signed zeros against each other, in vector bodies and in tails."""
    x, y = np.meshgrid(SPECIAL, SPECIAL)
    grad = op not in ("Pow", "Atan2", "Xdivy", "Xlogy", "Xlog1py", "FloorMod", "Mod", "TruncateMod")
    yield Case("special_values", [f32(x), f32(y)], grad=grad)
    yield Case("special_values_float64", [f64(x), f64(y)], grad=grad)


@cases("Equal", "NotEqual")
def equal_more(op):
    a, b = strings(["a", "b", "", "λ"]), strings(["a", "c", "", "l"])
    yield Case("string", [a, b])
    yield Case("incompatible_gives_scalar", [f32([1, 2, 3]), f32([1, 2])], {"incompatible_shape_error": False})
    yield Case("incompatible_is_error", [f32([1, 2, 3]), f32([1, 2])], {"incompatible_shape_error": True}, fails=True)
    yield Case("compatible_without_error", [f32([[1, 2]]), f32([[1], [3]])], {"incompatible_shape_error": False})


@cases("AddV2", "Add")
def add_more(op):
    if op == "Add":
        yield Case("string", [strings(["a", "b"]), strings(["x", "λ"])])
        yield Case("string_broadcast", [strings("pre-"), strings(["x", ""])])
    yield Case("different_dtypes_are_refused_bool", [np.array([True]), np.array([False])], fails=True)


@cases("AddV2", "Sub", "Mul", "SquaredDifference")
def integer_wrap(op):
    for dtype in INT:
        info = np.iinfo(dtype)
        a = of(dtype, [info.max, info.min, info.max, 3])
        b = of(dtype, [1, 1, info.max, 2])
        yield Case("wrap_" + dtype, [a, b], dtype=dtype)


@cases("FloorDiv", "FloorMod", "TruncateDiv", "TruncateMod", "Mod", "Div")
def integer_division(op):
    for dtype in SIGNED:
        x, y = np.meshgrid([7, -7, 6, 0, -1], [2, -2, 3, -3, 7])
        yield Case("signs_" + dtype, [of(dtype, x), of(dtype, y)], dtype=dtype)
    yield Case("by_zero_int32", [i32([1, 2]), i32([1, 0])], fails=True)
    yield Case("by_zero_int64", [i64([5]), i64(0)], fails=True)


@cases("FloorDiv", "FloorMod", "Mod", "TruncateMod")
def float_division(op):
    x, y = np.meshgrid([7.5, -7.5, 6.0, 0.3, -0.1, 1e6], [2.0, -2.0, 0.1, -3.0])
    yield Case("signs_float32", [f32(x), f32(y)], grad=op == "FloorDiv")
    yield Case("signs_float64", [f64(x), f64(y)], grad=op == "FloorDiv")


@cases("Pow")
def powers(op):
    x, y = np.meshgrid([0.0, 1.0, 2.0, -2.0, 0.5, -1.5], [0.0, 1.0, 2.0, 3.0, -1.0, -2.0, 0.5])
    yield Case("signs", [f32(x), f32(y)])
    yield Case("signs_float64", [f64(x), f64(y)])
    yield Case("integers", [i32([2, -2, 3, 0, 10]), i32([10, 3, 0, 0, 9])])
    yield Case("integers_int64", [i64([2, -3, 7]), i64([40, 5, 0])])
    yield Case("negative_exponent_is_refused", [i32([2, 3]), i32([1, -1])], fails=True)
    yield Case("special_gradient", [f32([0, 0, 2, -2]), f32([0, 2, 3, 2])])


@cases("Maximum", "Minimum")
def ties(op):
    yield Case("ties", [f32([1, 2, 3, 3, 0]), f32([1, 3, 2, 3, -0.0])], second=True)
    for dtype in INT:
        info = np.iinfo(dtype)
        yield Case("limits_" + dtype, [of(dtype, [info.min, info.max, 0]), of(dtype, [info.max, info.min, 1])],
                   dtype=dtype)


@cases("DivNoNan", "MulNoNan", "Xdivy", "Xlogy", "Xlog1py")
def zeros(op):
    yield Case("zeros", [f32([0, 1, 2, 0, -3]), f32([0, 0, 4, 5, 0.5])], second=True)
    yield Case("zeros_float64", [f64([0, 1, 2, 0, -3]), f64([0, 0, 4, 5, 0.5])], second=True)
    if op in ("DivNoNan", "MulNoNan"):
        yield Case("zero_beats_nan", [f32([NAN, INF, 0, 0]), f32([0, 0, NAN, INF])])


@cases(*LOGICAL)
def logical(op):
    x, y = np.meshgrid([True, False], [True, False])
    yield Case("table", [x, y])
    for name, a, b in BROADCASTS:
        yield Case("broadcast_" + name, [values("bool", a, salt="x"), values("bool", b, salt="y")])
    yield Case("shapes_do_not_broadcast", [values("bool", (2, 3)), values("bool", (2,))], fails=True)


@cases("LogicalNot")
def logical_not(op):
    yield Case("vector", [np.array([True, False, True])])
    yield Case("scalar", [np.array(False)])
    yield Case("empty", [np.zeros((0,), bool)])


@cases(*BITWISE)
def bitwise(op):
    for dtype in INT:
        info = np.iinfo(dtype)
        yield Case(dtype, [of(dtype, [0, 1, 5, info.max, info.min, 12]),
                           of(dtype, [1, 3, 12, info.max, info.max, 10])],
                   dtype=dtype)
    for name, a, b in BROADCASTS[:9]:
        yield Case("broadcast_" + name, [values("int32", a, salt="x"), values("int32", b, salt="y")])


@cases("Invert")
def invert(op):
    for dtype in INT:
        info = np.iinfo(dtype)
        yield Case(dtype, [of(dtype, [0, 1, 5, info.max, info.min])], dtype=dtype)
    yield Case("scalar", [i32(-1)])


@cases("SelectV2")
def select_v2(op):
    for dtype in REAL + COMPLEX + ("bool", "string"):
        yield Case(dtype, [values("bool", (5,)), values(dtype, (5,), salt="t"), values(dtype, (5,), salt="e")],
                   dtype=dtype, grad=dtype in FLOAT, second=dtype == "float64")
    shapes = [((), (), ()), ((), (3,), (3,)), ((3, 1), (4,), ()), ((4,), (3, 1), (1, 4)), ((2, 1, 3), (3,), (2, 2, 1)),
              ((0,), (1,), ()), ((2, 3), (), (2, 3)), ((1, 3), (0, 1), (1, 1))]
    for n, (c, t, e) in enumerate(shapes):
        yield Case("broadcast_%d" % n, [values("bool", c), values("float32", t, salt="t"),
                                        values("float32", e, salt="e")])
    yield Case("nan_not_taken", [np.array([True, False]), f32([1, NAN]), f32([NAN, 2])])
    yield Case("shapes_do_not_broadcast", [values("bool", (2,)), f32([1, 2, 3]), f32([1, 2, 3])], fails=True)


@cases("Select")
def select(op):
    for dtype in REAL + ("bool", "string"):
        yield Case(dtype, [values("bool", (2, 3)), values(dtype, (2, 3), salt="t"), values(dtype, (2, 3), salt="e")],
                   dtype=dtype, grad=dtype in FLOAT)
    yield Case("rows", [np.array([True, False, True]), values("float32", (3, 2), salt="t"),
                        values("float32", (3, 2), salt="e")])
    yield Case("scalar_condition", [np.array(False), values("float32", (3,), salt="t"),
                                    values("float32", (3,), salt="e")])
    yield Case("empty", [np.zeros((0,), bool), f32([]), f32([])])
    yield Case("shapes_differ", [values("bool", (2,)), f32([1, 2, 3]), f32([1, 2])], fails=True)


@cases("ClipByValue")
def clip(op):
    for dtype in REAL:
        low, high = (-1, 2) if not dtype.startswith("u") else (2, 6)
        yield Case(dtype, [values(dtype, (7,)), of(dtype, low), of(dtype, high)], dtype=dtype, grad=dtype in FLOAT)
    yield Case("tensor_bounds", [values("float32", (2, 3)), values("float32", (2, 3), -2, -0.5),
                                 values("float32", (2, 3), 0, 1)])
    yield Case("nan", [f32([NAN, INF, -INF, 0]), f32(-1), f32(1)])
    yield Case("at_bounds", [f32([-1, 1, 0, -1.5]), f32(-1), f32(1)])
    yield Case("empty", [f32([]), f32(0), f32(1)])


@cases("AddN")
def add_n(op):
    for dtype in REAL + COMPLEX:
        yield Case(dtype, [[values(dtype, (2, 3), salt=str(k)) for k in range(3)]], dtype=dtype, grad=dtype in FLOAT)
    for n in (1, 2, 9):
        yield Case("count_%d" % n, [[values("float32", (5,), salt=str(k)) for k in range(n)]])
    yield Case("scalars", [[f32(1.5), f32(2.5)]])
    yield Case("empty", [[np.zeros((0, 2), "float32")] * 2])
    yield Case("shapes_differ", [[f32([1, 2]), f32([1])]], fails=True)


@cases("Polygamma", "Zeta")
def polygamma_and_zeta(op):
    first = [1, 2, 3, 0, 5] if op == "Polygamma" else [1.5, 2, 3, 7.25, 12]
    for dtype in FLOAT:
        yield Case(dtype, [of(dtype, first), of(dtype, [0.5, 1.25, 3, 2.5, 9])])
    yield Case("broadcast", [of("float32", first)[:, None], f32([0.75, 2, 20])])
    yield Case("empty", [f32([]), f32([])])


@cases("L2Loss")
def l2_loss(op):
    for dtype in FLOAT:
        yield Case(dtype, [values(dtype, (3, 5))], dtype=dtype, second=dtype == "float64")
    yield Case("scalar", [f32(-3)])
    yield Case("empty", [np.zeros((0,), "float32")])
    yield Case("ordered", [distinct("float32", (13,))])
