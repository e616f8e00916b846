"""The ops that gradients are made of: ReluGrad, TanhGrad, …"""
import numpy as np

from case import FLOAT, REAL, Case, cases, f32, f64, values

NAN, INF = float("nan"), float("inf")

# op -> range of the first argument; the second is dy, except for the Relu family where dy comes first
BY_OUTPUT = {
    "TanhGrad": (-0.95, 0.95), "SigmoidGrad": (0.05, 0.95), "RsqrtGrad": (0.2, 3), "SqrtGrad": (0.2, 3),
    "ReciprocalGrad": (0.3, 3), "InvGrad": (0.3, 3),
}
BY_INPUT = ("ReluGrad", "Relu6Grad", "LeakyReluGrad", "SoftplusGrad", "SoftsignGrad")
BY_RESULT = ("EluGrad", "SeluGrad")


@cases(*BY_OUTPUT)
def by_output(op):
    low, high = BY_OUTPUT[op]
    for dtype in FLOAT:
        yield Case(dtype, [values(dtype, (7,), low, high), values(dtype, (7,), salt="dy")], second=dtype == "float64")
    yield Case("scalar", [values("float32", (), low, high), values("float32", (), salt="dy")])
    yield Case("empty", [np.zeros((0, 2), "float32"), np.zeros((0, 2), "float32")])
    yield Case("long65", [values("float32", (65,), low, high), values("float32", (65,), salt="dy")])
    yield Case("rank3", [values("float32", (2, 3, 2), low, high), values("float32", (2, 3, 2), salt="dy")])


@cases(*(BY_INPUT + BY_RESULT))
def by_input(op):
    kinds = REAL if op in ("ReluGrad", "Relu6Grad") else FLOAT
    for dtype in kinds:
        yield Case(dtype, [values(dtype, (7,), salt="dy"), values(dtype, (7,), -3, 9)], dtype=dtype,
                   grad=dtype in FLOAT, second=dtype == "float64")
    yield Case("scalar", [f32(0.5), f32(-1.5)])
    yield Case("empty", [np.zeros((0, 2), "float32"), np.zeros((0, 2), "float32")])
    yield Case("long65", [values("float32", (65,), salt="dy"), values("float32", (65,), -3, 9)])
    edges = [0.0, -0.0, 6.0, -6.0, 6.5, -1.0, 1e-6, -1e-6, NAN, INF, -INF]
    yield Case("edges", [f32([0.7] * len(edges)), f32(edges)])
    yield Case("edges_float64", [f64([0.7] * len(edges)), f64(edges)])
    yield Case("nan_dy", [f32([NAN, NAN, INF, INF]), f32([1, -1, 2, -2])])
    yield Case("shapes_differ", [f32([1, 2]), f32([1, 2, 3])], fails=True)


@cases("LeakyReluGrad")
def leaky(op):
    for alpha in (0.0, 0.01, 1.0, 2.5):
        yield Case("alpha_%g" % alpha, [values("float32", (9,), salt="dy"), values("float32", (9,))], {"alpha": alpha})
