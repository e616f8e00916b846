"""Matrix products, Einsum, biases, softmax and the cross-entropies."""
import numpy as np

from case import COMPLEX, FLOAT, REAL, Case, cases, f32, i32, i64, of, values

INF, NAN = float("inf"), float("nan")


@cases("MatMul")
def mat_mul(op):
    for dtype in FLOAT + ("int32", "int64", "int8", "uint8", "int16", "uint16") + COMPLEX:
        yield Case(dtype, [values(dtype, (3, 4), salt="a"), values(dtype, (4, 2), salt="b")], dtype=dtype,
                   grad=dtype in FLOAT, second=dtype == "float64")
    for ta in (False, True):
        for tb in (False, True):
            a = values("float32", (4, 3) if ta else (3, 4), salt="a")
            b = values("float32", (2, 4) if tb else (4, 2), salt="b")
            yield Case("transpose_%s_%s" % (ta, tb), [a, b], {"transpose_a": ta, "transpose_b": tb})
            yield Case("transpose_%s_%s_float64" % (ta, tb), [a.astype("float64"), b.astype("float64")],
                       {"transpose_a": ta, "transpose_b": tb}, second=True)
    sizes = [("one", 1, 1, 1), ("row", 1, 7, 5), ("column", 7, 5, 1), ("inner_one", 3, 1, 4), ("odd", 7, 13, 5),
             ("deep", 3, 65, 2),
             ("wide", 2, 3, 65), ("tall", 65, 3, 2), ("dot", 1, 65, 1)]
    for name, m, k, n in sizes:
        yield Case("size_" + name, [values("float32", (m, k), salt="a"), values("float32", (k, n), salt="b")])
    yield Case("zero_rows", [np.zeros((0, 3), "float32"), values("float32", (3, 2))])
    yield Case("zero_inner", [np.zeros((2, 0), "float32"), np.zeros((0, 3), "float32")])
    yield Case("zero_columns", [values("float32", (2, 3)), np.zeros((3, 0), "float32")])
    yield Case("nan_and_inf", [f32([[NAN, 0], [INF, 1], [0, 1]]), f32([[0, 1], [1, 0]])], grad=False)
    yield Case("inner_sizes_differ", [values("float32", (2, 3)), values("float32", (2, 3))], fails=True)
    yield Case("not_a_matrix", [values("float32", (2, 3)), values("float32", (3,))], fails=True)
    yield Case("rank3_is_refused", [values("float32", (1, 2, 3)), values("float32", (1, 3, 2))], fails=True)


@cases("BatchMatMulV2", "BatchMatMul")
def batch(op):
    for dtype in FLOAT + ("int32", "int64", "int16") + COMPLEX:
        yield Case(dtype, [values(dtype, (2, 3, 4), salt="a"), values(dtype, (2, 4, 2), salt="b")], dtype=dtype,
                   grad=dtype in FLOAT, second=dtype == "float64")
    for ax in (False, True):
        for ay in (False, True):
            a = values("float32", (2, 4, 3) if ax else (2, 3, 4), salt="a")
            b = values("float32", (2, 2, 4) if ay else (2, 4, 2), salt="b")
            yield Case("adjoint_%s_%s" % (ax, ay), [a, b], {"adj_x": ax, "adj_y": ay})
    a, b = values("complex64", (1, 3, 2), salt="a"), values("complex64", (1, 3, 2), salt="b")
    yield Case("adjoint_complex", [a, b], {"adj_x": True}, grad=False)
    yield Case("matrices", [values("float32", (3, 4)), values("float32", (4, 2))])
    yield Case("rank4", [values("float32", (2, 2, 1, 3)), values("float32", (2, 2, 3, 2))])
    yield Case("odd", [values("float32", (2, 7, 5)), values("float32", (2, 5, 3))])
    yield Case("empty_batch", [np.zeros((0, 2, 3), "float32"), np.zeros((0, 3, 2), "float32")])
    yield Case("zero_inner", [np.zeros((2, 2, 0), "float32"), np.zeros((2, 0, 3), "float32")])
    yield Case("inner_sizes_differ", [values("float32", (2, 2, 3)), values("float32", (2, 2, 3))], fails=True)
    if op == "BatchMatMulV2":
        shapes = [("vector_of_matrices", (3, 2, 4), (4, 3)), ("matrix_first", (2, 4), (3, 4, 2)),
                  ("ones", (1, 2, 3), (4, 3, 2)), ("cross", (2, 1, 2, 3), (3, 3, 2)), ("empty", (0, 2, 3), (1, 3, 2))]
        for name, x, y in shapes:
            yield Case("broadcast_" + name, [values("float32", x), values("float32", y)])
        yield Case("batches_do_not_broadcast", [values("float32", (2, 2, 3)), values("float32", (3, 3, 2))],
                   fails=True)


@cases("BatchMatMulV3")
def batch_to(op):
    for dtype in FLOAT + ("int32", "int64"):
        yield Case(dtype, [values(dtype, (2, 3, 4), salt="a"), values(dtype, (2, 4, 2), salt="b")], {"Tout": dtype},
                   dtype=dtype, grad=dtype in FLOAT)
    yield Case("int8_to_int32", [values("int8", (3, 4)), values("int8", (4, 2))], {"Tout": "int32"}, dtype="int8")
    yield Case("broadcast", [values("float32", (2, 1, 2, 3)), values("float32", (3, 3, 2))], {"Tout": "float32"})
    yield Case("adjoint", [values("float32", (2, 4, 3)), values("float32", (2, 2, 4))],
               {"Tout": "float32", "adj_x": True, "adj_y": True})


@cases("Einsum")
def einsum(op):
    table = [
        ("ij,jk->ik", (3, 4), (4, 2)), ("ij,kj->ik", (3, 4), (2, 4)), ("bij,bjk->bik", (2, 3, 4), (2, 4, 2)),
        ("i,i->", (5,), (5,)), ("i,j->ij", (3,), (4,)), ("ij,j->i", (3, 4), (4,)), ("ijk,kl->ijl", (2, 3, 4), (4, 2)),
        ("bhqd,bhkd->bhqk", (1, 2, 3, 4), (1, 2, 2, 4)), ("ij,ij->ij", (2, 3), (2, 3)),
        ("...ij,...jk->...ik", (2, 1, 2, 3), (2, 3, 2)),
        ("abc,cd->abd", (2, 2, 3), (3, 2)), ("ij,kl->ijkl", (2, 2), (2, 3)),
    ]
    for n, (equation, a, b) in enumerate(table):
        yield Case("two_%d" % n, [[values("float32", a, salt="a"), values("float32", b, salt="b")]],
                   {"equation": equation})
    for n, (equation, a) in enumerate([("ij->ji", (2, 3)), ("ii->i", (3, 3)), ("ii->", (3, 3)), ("ij->", (2, 3)),
                                       ("ij->j", (2, 3)),
                                       ("abc->cab", (2, 3, 4)), ("...i->i...", (2, 3, 2)), ("ijk->ik", (2, 3, 2))]):
        yield Case("one_%d" % n, [[values("float32", a)]], {"equation": equation})
    yield Case("float64", [[values("float64", (2, 3)), values("float64", (3, 2))]], {"equation": "ij,jk->ik"},
               second=True)
    yield Case("int32", [[values("int32", (2, 3)), values("int32", (3, 2))]], {"equation": "ij,jk->ik"})
    yield Case("empty", [[np.zeros((0, 3), "float32"), values("float32", (3, 2))]], {"equation": "ij,jk->ik"})
    yield Case("sizes_differ", [[values("float32", (2, 3)), values("float32", (2, 3))]], {"equation": "ij,jk->ik"},
               fails=True)


@cases("BiasAdd")
def bias_add(op):
    for dtype in FLOAT + ("int32", "int64", "uint8"):
        yield Case(dtype, [values(dtype, (3, 5)), values(dtype, (5,), salt="b")], dtype=dtype, grad=dtype in FLOAT,
                   second=dtype == "float64")
    for shape in ((2, 3, 5), (2, 2, 3, 5), (1, 2, 1, 2, 5), (0, 5), (13, 7)):
        yield Case("nhwc_rank%d_%d" % (len(shape), shape[0]),
                   [values("float32", shape), values("float32", shape[-1:], salt="b")])
    for shape in ((2, 3, 4, 2), (2, 3), (2, 3, 4), (1, 3, 2, 2, 2)):
        yield Case("nchw_rank%d" % len(shape), [values("float32", shape), values("float32", (3,), salt="b")],
                   {"data_format": "NCHW"})
    yield Case("bias_has_wrong_size", [values("float32", (2, 3)), values("float32", (2,))], fails=True)
    yield Case("bias_is_not_a_vector", [values("float32", (2, 3)), values("float32", (1, 3))], fails=True)
    yield Case("value_is_a_vector", [values("float32", (3,)), values("float32", (3,))], fails=True)


@cases("BiasAddGrad")
def bias_add_grad(op):
    for dtype in FLOAT:
        yield Case(dtype, [values(dtype, (3, 5))], dtype=dtype, second=dtype == "float64")
    yield Case("rank4", [values("float32", (2, 2, 3, 5))])
    yield Case("nchw", [values("float32", (2, 3, 2, 2))], {"data_format": "NCHW"})
    yield Case("empty", [np.zeros((0, 3), "float32")])


@cases("Softmax", "LogSoftmax")
def softmax(op):
    for dtype in FLOAT:
        yield Case(dtype, [values(dtype, (3, 5))], dtype=dtype, second=dtype == "float64")
        yield Case(dtype + "_big", [of(dtype, [[1000, 1001, 999], [-1000, -1001, 0], [88, 89, 90]])])
    for shape in ((5,), (2, 3, 4), (2, 1, 2, 3), (3, 1), (7, 13), (2, 65), (0, 3)):
        yield Case("shape_" + "x".join(map(str, shape)), [values("float32", shape)])
    yield Case("infinities", [f32([[-INF, 0, 1], [INF, 0, 1], [-INF, -INF, -INF], [NAN, 0, 1]])], grad=False)
    yield Case("scalar", [f32(1)], fails=True)


@cases("SoftmaxCrossEntropyWithLogits")
def cross_entropy(op):
    labels = [[0, 1, 0, 0, 0], [0.2, 0.2, 0.2, 0.2, 0.2], [0.9, 0, 0.1, 0, 0]]
    for dtype in FLOAT:
        yield Case(dtype, [values(dtype, (3, 5)), of(dtype, labels)], dtype=dtype, second=dtype == "float64")
    yield Case("labels_do_not_sum_to_one", [values("float32", (2, 3)), f32([[1, 1, 0], [0, 0, 0]])])
    yield Case("big", [f32([[1000, 0, -1000], [-1000, -1000, 88]]), f32([[1, 0, 0], [0, 1, 0]])])
    yield Case("broadcast_labels", [values("float32", (3, 4)), f32([[0, 0, 1, 0]])])
    yield Case("broadcast_logits", [values("float32", (1, 4)), f32([[0, 0, 1, 0], [1, 0, 0, 0]])])
    yield Case("one_class", [values("float32", (3, 1)), np.ones((3, 1), "float32")])
    yield Case("odd", [values("float32", (7, 13)), of("float32", np.eye(13)[np.arange(7) * 5 % 13])])
    yield Case("empty", [np.zeros((0, 3), "float32"), np.zeros((0, 3), "float32")])
    yield Case("shapes_differ", [values("float32", (2, 3)), values("float32", (2, 4))], fails=True)


@cases("SparseSoftmaxCrossEntropyWithLogits")
def sparse_cross_entropy(op):
    for dtype in FLOAT:
        for index in (i32, i64):
            yield Case("%s_%s" % (dtype, index.__name__), [values(dtype, (3, 5)), index([0, 4, 2])], dtype=dtype)
    yield Case("big", [f32([[1000, 0, -1000], [-1000, -1000, 88]]), i64([0, 1])])
    yield Case("odd", [values("float32", (7, 13)), i64(np.arange(7) * 5 % 13)])
    yield Case("one_class", [values("float32", (3, 1)), i32([0, 0, 0])])
    yield Case("empty", [np.zeros((0, 3), "float32"), i64([])])
    yield Case("label_out_of_range", [values("float32", (2, 3)), i64([0, 3])], fails=True)
    yield Case("label_negative", [values("float32", (2, 3)), i64([0, -1])], fails=True)
    yield Case("counts_differ", [values("float32", (2, 3)), i64([0])], fails=True)
    yield Case("labels_have_rank_2", [values("float32", (2, 3)), i64([[0], [1]])], fails=True)


@cases("MatrixBandPart")
def band(op):
    for dtype in REAL + ("bool",):
        yield Case(dtype, [values(dtype, (3, 4)), i64(0), i64(1)], dtype=dtype, grad=dtype in FLOAT)
    for low, high in ((-1, 0), (0, -1), (0, 0), (1, 1), (-1, -1), (2, 0), (3, 3)):
        yield Case("band_%d_%d" % (low, high), [values("float32", (4, 4)), i64(low), i64(high)])
    yield Case("int32_bounds", [values("float32", (3, 3)), i32(1), i32(0)])
    yield Case("batch", [values("float32", (2, 3, 2)), i64(0), i64(-1)])
    yield Case("empty", [np.zeros((0, 2, 2), "float32"), i64(0), i64(0)])
    yield Case("too_wide", [values("float32", (2, 2)), i64(3), i64(0)], fails=True)


@cases("Diag")
def diag(op):
    for dtype in FLOAT + ("int32", "int64") + COMPLEX:
        yield Case(dtype, [values(dtype, (3,))], dtype=dtype, grad=dtype in FLOAT)
    yield Case("rank2", [values("float32", (2, 3))])


@cases("DiagPart")
def diag_part(op):
    for dtype in FLOAT + ("int32", "int64") + COMPLEX:
        yield Case(dtype, [values(dtype, (3, 3))], dtype=dtype, grad=dtype in FLOAT)
    yield Case("rank4", [values("float32", (2, 3, 2, 3))])
    yield Case("not_square", [values("float32", (2, 3))], fails=True)


ALIGN = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


@cases("MatrixDiagV3")
def matrix_diag(op):
    def call(name, diagonal, k, rows=-1, cols=-1, pad=0, attrs=None, **kw):
        return Case(name, [diagonal, i32(k), i32(rows), i32(cols), of(diagonal.dtype, pad)], attrs or {}, **kw)
    for dtype in REAL + ("bool",):
        yield call(dtype, values(dtype, (2, 3)), 0, dtype=dtype, grad=dtype in FLOAT)
    yield call("above", values("float32", (3,)), 1)
    yield call("below", values("float32", (3,)), -2)
    yield call("size", values("float32", (2,)), 0, 2, 4, 9)
    yield call("rows_only", values("float32", (2,)), 1, 2)
    for align in ALIGN:
        yield call("band_" + align, values("float32", (3, 3)), [-1, 1], attrs={"align": align})
        yield call("band_wide_" + align, values("float32", (2, 2, 3)), [0, 1], 3, 4, -1, attrs={"align": align})


@cases("MatrixDiagPartV3")
def matrix_diag_part(op):
    def call(name, matrix, k, pad=0, attrs=None, **kw):
        return Case(name, [matrix, i32(k), of(matrix.dtype, pad)], attrs or {}, **kw)
    for dtype in REAL + ("bool",):
        yield call(dtype, values(dtype, (2, 3, 3)), 0, dtype=dtype, grad=dtype in FLOAT)
    yield call("above", values("float32", (3, 4)), 1)
    yield call("below", values("float32", (3, 4)), -1)
    for align in ALIGN:
        yield call("band_" + align, values("float32", (3, 4)), [-1, 1], 9, {"align": align})
        yield call("band_batch_" + align, values("float32", (2, 4, 3)), [-2, 1], 9, {"align": align})
    yield call("out_of_range", values("float32", (2, 2)), 5, fails=True)
