"""Element-wise ops of one argument."""
import numpy as np

from case import COMPLEX, FLOAT, INT, REAL, Case, cases, f32, f64, of, values

INF, NAN = float("inf"), float("nan")

# op -> (lowest, highest) of ordinary values
DOMAIN = {
    "Log": (0.05, 9), "Log1p": (-0.9, 5), "Sqrt": (0.05, 9), "Rsqrt": (0.05, 9), "Asin": (-0.95, 0.95),
    "Acos": (-0.95, 0.95), "Acosh": (1.05, 6), "Atanh": (-0.95, 0.95), "Lgamma": (0.1, 6), "Digamma": (0.1, 6),
    "Tan": (-1.4, 1.4), "Exp": (-4, 4), "Expm1": (-2, 2), "Sinh": (-3, 3), "Cosh": (-3, 3), "Relu6": (-3, 9),
    "Erf": (-2.5, 2.5), "Erfc": (-2.5, 2.5), "Erfinv": (-0.95, 0.95), "Ndtri": (0.05, 0.95),
}
SMOOTH = ("Neg Exp Log Log1p Expm1 Sqrt Rsqrt Square Reciprocal Inv Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh "
          "Acosh Atanh Sigmoid Elu Selu Softplus Softsign Erf Erfc Lgamma Digamma Erfinv Ndtri").split()
OTHERS = "Abs Sign Relu Relu6 LeakyRelu Floor Ceil Round Rint".split()
TESTS = "IsNan IsInf IsFinite".split()
COPIES = "Identity StopGradient PreventGradient ZerosLike OnesLike".split()
# values around which formulas change
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 1e-6, -1e-6, 6.0, 20.0, -20.0, 90.0, -90.0, INF, -INF,
         NAN]


def ordinary(op, dtype, shape):
    low, high = DOMAIN.get(op, (-3, 3))
    a = values(dtype, shape, low, high, op)
    if op in ("Reciprocal", "Inv"):
        a = np.where(a == 0, np.ones_like(a), a)
    return a


@cases(*(SMOOTH + OTHERS))
def element_wise(op):
    second = op in SMOOTH or op in ("Abs", "Relu", "LeakyRelu", "Relu6")
    for dtype in REAL + COMPLEX:
        if op == "Inv" and dtype not in FLOAT:
            continue
        yield Case(dtype, [ordinary(op, dtype, (7,))], dtype=dtype, second=second and dtype == "float64",
                   grad=dtype in FLOAT)
    yield Case("scalar", [ordinary(op, "float32", ())])
    yield Case("empty", [np.zeros((0, 3), "float32")])
    yield Case("rank3", [ordinary(op, "float32", (2, 1, 3))])
    yield Case("long65", [ordinary(op, "float32", (65,))])
    yield Case("odd13_float64", [ordinary(op, "float64", (13,))])
    yield Case("edges", [f32(EDGES)])
    yield Case("edges_float64", [f64(EDGES)])


@cases("Abs", "Neg", "Sign", "Square")
def extreme_integers(op):
    for dtype in INT:
        info = np.iinfo(dtype)
        yield Case("limits_" + dtype, [of(dtype, [0, 1, info.max, info.min])], dtype=dtype)


@cases("Exp", "Log", "Expm1", "Log1p", "Sigmoid", "Tanh", "Softplus", "Erf", "Erfc", "Sqrt", "Rsqrt", "Atan", "Asinh",
       "Sinh", "Cosh", "Elu", "Selu", "Lgamma", "Digamma")
def wide_range(op):
    """Overflow, underflow and the places where a naive formula loses its digits."""
    wide = [-104, -103, -88, -87.5, -50, -17.5, -10, -9, -5, -3.5, -1e-3, -1e-5, -1e-20, 1e-20, 1e-5, 1e-3, 3.5, 5, 9,
            10,
            17.5, 50, 87.5, 88.5, 89, 1e10, 3e38]
    if op in ("Lgamma", "Digamma"):
        wide = [-4.5, -3.25, -2.5, -1.75, -0.5, -0.1, 1e-3, 1e-5, 1, 2, 3.5, 10, 20.5, 1e3, 1e6]
    yield Case("wide", [f32(wide)])
    yield Case("wide_float64", [f64(wide + [700.5, -700.5, 710, -745.2])])


@cases("Sin", "Cos", "Tan")
def large_angles(op):
    angles = [3.14159274, 6.2831855, 100, -1000.5, 12345.678, 1e5, -1e5, 1.5707964]
    yield Case("large_angles", [f32(angles)], tol=(2e-5, 2e-5, "argument reduction of single precision"))
    yield Case("large_angles_float64", [f64(angles)])


@cases("LeakyRelu")
def leaky(op):
    for alpha in (0.0, 0.01, 1.0, 2.5):
        yield Case("alpha_%g" % alpha, [values("float32", (9,))], {"alpha": alpha})


@cases("Round", "Rint")
def halves(op):
    a = [-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 0.49999997, 8388609.0, -8388607.5, 2.6, -2.4]
    yield Case("halves", [f32(a)])
    yield Case("halves_float64", [f64(a + [0.49999999999999994, 4503599627370497.5])])


@cases(*TESTS)
def tests(op):
    for dtype in FLOAT + ("float16", "bfloat16"):
        yield Case(dtype, [of(dtype, [0, 1, -2.5, INF, -INF, NAN, 3, 7, 9])], dtype=dtype)
    yield Case("scalar", [f32(NAN)])
    yield Case("empty", [np.zeros((2, 0), "float64")])
    yield Case("rank2", [f32([[INF, 1], [NAN, 2], [3, -INF]])])


@cases(*COPIES)
def copies(op):
    allowed = REAL + COMPLEX + ("bool", "float16", "bfloat16", "string")
    for dtype in allowed:
        if dtype == "string" and op == "OnesLike":
            continue
        yield Case(dtype, [values(dtype, (2, 3), salt=op)], dtype=dtype, grad=dtype in FLOAT)
    yield Case("scalar", [f32(2.5)])
    yield Case("empty", [np.zeros((3, 0), "int64")])
    yield Case("nan", [f32([NAN, INF, -0.0])], grad=op != "PreventGradient")


@cases("Conj")
def conj(op):
    for dtype in COMPLEX:
        yield Case(dtype, [values(dtype, (2, 3))])
    yield Case("scalar", [of("complex64", 1 - 2j)])
    yield Case("empty", [of("complex64", [])])


@cases("IdentityN")
def identity_n(op):
    yield Case("mixed", [[f32([1, 2]), np.array([[True]]), i_list(3), values("string", (2,))]])
    yield Case("two_floats", [[values("float32", (2, 2)), values("float64", (3,))]])


def i_list(n):
    return np.arange(n, dtype="int64")


@cases("Cast")
def cast(op):
    kinds = REAL + ("bool", "float16", "bfloat16", "complex64", "complex128")
    plain = {"bool": [True, False, True], "complex64": [1.5 - 2j, 0, -3 + 1j], "complex128": [1.5 - 2j, 0, -3 + 1j]}
    for source in kinds:
        a = plain.get(source, [0, 1, 2, 100] if source.startswith("u") else [0, 1.75, -2.25, 100, -1.5])
        for target in kinds:
            if target.startswith("u") and not source.startswith("u") and source != "bool":
                data = [v for v in np.array(a).real if v >= 0]
            else:
                data = a
            yield Case("%s_to_%s" % (source, target), [of(source, data)], {"DstT": target}, dtype=source,
                       grad=source in FLOAT and target in FLOAT)
    yield Case("wrap_int64_to_int32", [of("int64", [2 ** 31, -2 ** 31 - 1, 2 ** 40 + 5])], {"DstT": "int32"})
    yield Case("wrap_int32_to_uint8", [of("int32", [255, 256, 257, -1, -255])], {"DstT": "uint8"})
    yield Case("wrap_int32_to_int8", [of("int32", [127, 128, 255, -129])], {"DstT": "int8"})
    yield Case("float64_to_float32_rounding", [f64([0.1, 1e300, -1e300, 1e-300, 1 + 2 ** -24, 1 + 3 * 2 ** -25])],
               {"DstT": "float32"})
    yield Case("int64_to_float32_rounding", [of("int64", [2 ** 24 + 1, 2 ** 53 + 1, -2 ** 62 - 1])],
               {"DstT": "float32"})
    edge = [65504, 65519, 65520, 1e-8, 6e-8, 5.9604645e-08, 2049, 2051, NAN, INF, -INF, -0.0]
    yield Case("float32_to_float16_edges", [f32(edge)], {"DstT": "float16"})
    yield Case("float32_to_bfloat16_edges", [f32(edge + [1.00390625, 1.01171875, 3.3961775e38])], {"DstT": "bfloat16"})
    yield Case("nan_to_bool", [f32([NAN, INF, 0.0, -0.0, 1e-30])], {"DstT": "bool"})
    yield Case("scalar", [f32(3.99)], {"DstT": "int32"})
    yield Case("empty", [np.zeros((0, 2), "float32")], {"DstT": "int64"})
    yield Case("truncate", [f32([3.0]), ], {"DstT": "int32", "Truncate": True})
