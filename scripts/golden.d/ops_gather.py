"""Picking, scattering, counting and sorting by index."""
import numpy as np

from case import COMPLEX, FLOAT, REAL, Case, cases, distinct, f32, i32, i64, of, strings, values

ANY = REAL + COMPLEX + ("bool", "string")


@cases("GatherV2")
def gather(op):
    for dtype in ANY:
        yield Case(dtype, [values(dtype, (4, 2)), i32([3, 0, 3]), i32(0)], dtype=dtype, grad=dtype in FLOAT)
    a = values("float32", (3, 4, 2))
    for n, (index, axis) in enumerate([([0, 2], 0), ([1, 1, 3], 1), ([[0, 1], [1, 0]], 2), (1, 0), (3, 1), ([1], -1),
                                       ([], 0),
                                       ([[2], [0]], -3)]):
        yield Case("axis_%d" % n, [a, i32(index), i32(axis)], second=n == 1)
        yield Case("axis_%d_int64" % n, [a, i64(index), i64(axis)], grad=False)
    yield Case("vector", [values("float32", (7,)), i32([6, 0, 2]), i32(0)])
    for n, (shape, index, axis, batch) in enumerate([((2, 3), [[0, 2], [1, 1]], 1, 1),
                                                     ((2, 3, 2), [[0, 2], [1, 1]], 1, 1),
                                                     ((2, 3, 4), [[3], [0]], 2, 1),
                                                     ((2, 2, 3), [[[0], [1]], [[2], [0]]], 2, 2),
                                                     ((2, 3), [2, 0], 1, 1)]):
        yield Case("batch_%d" % n, [values("float32", shape), i32(index), i32(axis)], {"batch_dims": batch})
    yield Case("index_out_of_range", [values("float32", (3, 2)), i32([0, 3]), i32(0)], fails=True)
    yield Case("index_negative", [values("float32", (3, 2)), i32([-1]), i32(0)], fails=True)
    yield Case("axis_out_of_range", [values("float32", (3, 2)), i32([0]), i32(2)], fails=True)
    yield Case("empty_params", [np.zeros((0, 2), "float32"), i32([0]), i32(0)], fails=True)


@cases("GatherNd")
def gather_nd(op):
    for dtype in ANY:
        yield Case(dtype, [values(dtype, (3, 2)), i32([[2, 0], [0, 1]])], dtype=dtype, grad=dtype in FLOAT)
    a = values("float32", (2, 3, 4))
    for n, index in enumerate([[[0, 1, 2], [1, 2, 3]], [[1], [0]], [[1, 2], [1, 2]], [[[0, 0]], [[1, 1]]], [1, 2, 3],
                               [[]]]):
        yield Case("index_%d" % n, [a, i32(index)], second=n == 2, grad=index not in ([1, 2, 3], [[]]))
    yield Case("index_int64", [a, i64([[1, 1]])])
    yield Case("no_indices", [a, i32(np.zeros((0, 2)))])
    yield Case("index_out_of_range", [a, i32([[2, 0]])], fails=True)
    yield Case("index_too_deep", [a, i32([[0, 0, 0, 0]])], fails=True)


@cases("ScatterNd")
def scatter_nd(op):
    for dtype in REAL + COMPLEX + ("bool", "string"):
        yield Case(dtype, [i32([[3], [1]]), values(dtype, (2,)), i32([5])], dtype=dtype, grad=dtype in FLOAT)
    yield Case("adds_up", [i32([[1], [1], [0]]), f32([1, 2, 4]), i32([3])], second=True)
    yield Case("rows", [i32([[2], [0]]), values("float32", (2, 3)), i32([4, 3])])
    yield Case("elements", [i32([[0, 1], [2, 2]]), values("float32", (2,)), i32([3, 3])])
    yield Case("nested", [i32([[[0], [1]], [[2], [3]]]), values("float32", (2, 2)), i32([5])])
    yield Case("index_int64", [i64([[1]]), values("float32", (1,)), i64([2])])
    yield Case("nothing", [i32(np.zeros((0, 1))), f32([]), i32([3])])
    yield Case("index_out_of_range", [i32([[5]]), f32([1]), i32([3])], fails=True)
    yield Case("shapes_differ", [i32([[0], [1]]), f32([1]), i32([3])], fails=True)


@cases("TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub")
def tensor_scatter(op):
    kinds = REAL + COMPLEX + (("bool", "string") if op == "TensorScatterUpdate" else ())
    for dtype in kinds:
        yield Case(dtype, [values(dtype, (4,), salt="t"), i32([[3], [1]]), values(dtype, (2,))], dtype=dtype,
                   grad=dtype in FLOAT)
    yield Case("rows", [values("float32", (3, 2), salt="t"), i32([[2], [0]]), values("float32", (2, 2))], second=True)
    yield Case("elements", [values("float32", (2, 3), salt="t"), i32([[0, 1], [1, 2]]), values("float32", (2,))])
    yield Case("index_int64", [values("float32", (3,)), i64([[1]]), f32([9])])
    yield Case("nothing", [values("float32", (3,)), i32(np.zeros((0, 1))), f32([])])
    if op != "TensorScatterUpdate":
        yield Case("adds_up", [values("float32", (3,), salt="t"), i32([[1], [1]]), f32([2, 3])])
    yield Case("index_out_of_range", [values("float32", (3,)), i32([[3]]), f32([1])], fails=True)


@cases("UnsortedSegmentSum", "SegmentSum")
def segment_sum(op):
    unsorted = op == "UnsortedSegmentSum"
    def call(name, data, ids, n, **kw):
        return Case(name, [data, ids] + ([i32(n)] if unsorted else []), **kw)
    for dtype in REAL + COMPLEX:
        yield call(dtype, values(dtype, (4, 2)), i32([2, 0, 2, 0] if unsorted else [0, 0, 2, 2]), 3, dtype=dtype,
                   grad=dtype in FLOAT,
                   second=dtype == "float64")
    yield call("vector", values("float32", (5,)), i32([0, 0, 1, 1, 3]), 4)
    yield call("int64_ids", values("float32", (3, 2)), i64([0, 1, 1]), 2)
    yield call("empty", np.zeros((0, 2), "float32"), i32([]), 2, grad=False)
    yield call("rank3", values("float32", (3, 2, 2)), i32([0, 0, 1]), 2)
    if unsorted:
        yield call("negative_ids_are_dropped", values("float32", (3,)), i32([-1, 0, 1]), 2)
        yield call("matrix_ids", values("float32", (2, 2, 3)), i32([[0, 1], [1, 0]]), 2)
        yield call("id_out_of_range", values("float32", (2,)), i32([0, 2]), 2, fails=True)
    else:
        yield call("not_sorted", values("float32", (2,)), i32([1, 0]), 0, fails=True)


@cases("OneHot")
def one_hot(op):
    for dtype in REAL + ("bool", "complex64"):
        on, off = (True, False) if dtype == "bool" else (1, 0)
        yield Case(dtype, [i32([0, 2, 1]), i32(3), of(dtype, on), of(dtype, off)], dtype=dtype, grad=False)
    for index in ("int32", "int64", "uint8", "int8"):
        yield Case("indices_" + index, [of(index, [1, 0]), i32(2), f32(1), f32(0)], dtype=index, grad=False)
    for axis in (-1, 0, 1, 2):
        yield Case("axis_%d" % axis, [i32([[0, 2, 1], [1, 1, 0]]), i32(3), f32(5), f32(-1)], {"axis": axis},
                   grad=False)
    yield Case("out_of_range_is_off", [i32([-1, 3, 1]), i32(3), f32(1), f32(0)], grad=False)
    yield Case("scalar", [i32(1), i32(3), f32(1), f32(0)], grad=False)
    yield Case("empty", [i32([]), i32(3), f32(1), f32(0)], grad=False)
    yield Case("depth_zero", [i32([0, 1]), i32(0), f32(1), f32(0)], grad=False)
    yield Case("negative_depth", [i32([0]), i32(-1), f32(1), f32(0)], fails=True)


@cases("Where")
def where(op):
    for dtype in REAL + COMPLEX + ("bool",):
        a = values(dtype, (2, 3))
        yield Case(dtype, [np.where(a == a.flat[1], np.zeros_like(a), a)], dtype=dtype)
    yield Case("vector", [np.array([True, False, True, True])])
    yield Case("rank3", [values("bool", (2, 2, 3))])
    yield Case("nothing", [np.array([False, False])])
    yield Case("empty", [np.zeros((0, 2), bool)])
    yield Case("scalar", [np.array(True)], fails=True)
    yield Case("nan_counts", [f32([0, np.nan, -0.0, 1])])


@cases("Unique")
def unique(op):
    for dtype in REAL + ("string",):
        data = strings(["b", "a", "b", "c"]) if dtype == "string" else of(dtype, [3, 1, 3, 2, 1])
        yield Case(dtype, [data], dtype=dtype, grad=False)
    yield Case("int64_index", [i32([5, 5, 7])], {"out_idx": "int64"})
    yield Case("empty", [i32([])])
    yield Case("nan", [f32([np.nan, 1, np.nan])], grad=False)
    yield Case("matrix", [i32([[1, 2]])], fails=True)


@cases("TopKV2")
def top_k(op):
    for dtype in REAL:
        yield Case(dtype, [distinct(dtype, (2, 5)), i32(3)], dtype=dtype, grad=dtype in FLOAT)
    yield Case("all", [distinct("float32", (7,)), i32(7)])
    yield Case("none", [distinct("float32", (2, 3)), i32(0)], grad=False)
    yield Case("one", [distinct("float32", (3, 4)), i32(1)])
    yield Case("ties_by_index", [f32([1, 3, 3, 2, 3, 1]), i32(4)], grad=False)
    yield Case("unsorted_set", [distinct("float32", (6,)), i32(6)], {"sorted": True})
    yield Case("rank3", [distinct("float32", (2, 2, 3)), i32(2)])
    yield Case("int16_k", [distinct("float32", (4,)), of("int16", 2)], dtype="int16")
    yield Case("int64_k", [distinct("float32", (4,)), i64(2)], dtype="int64")
    yield Case("int64_index", [distinct("float32", (4,)), i32(2)], {"index_type": "int64"}, dtype="int64", grad=False)
    yield Case("k_too_large", [distinct("float32", (3,)), i32(4)], fails=True)
    yield Case("k_negative", [distinct("float32", (3,)), i32(-1)], fails=True)
    yield Case("scalar", [f32(1), i32(1)], fails=True)


@cases("InTopKV2")
def in_top_k(op):
    predictions = f32([[0.1, 0.5, 0.3, 0.1], [0.2, 0.2, 0.2, 0.4], [0.9, 0.05, 0.03, 0.02]])
    for k in (1, 2, 3, 4):
        yield Case("k_%d" % k, [predictions, i32([2, 0, 0]), i32(k)])
    yield Case("int64", [predictions, i64([1, 3, 3]), i64(2)])
    yield Case("ties", [f32([[1, 1, 1], [0, 1, 1]]), i32([2, 1]), i32(1)])
    yield Case("not_finite", [f32([[np.nan, 1], [np.inf, 1], [np.inf, 1], [0, np.nan]]), i32([1, 0, 1, 0]), i32(1)])
    yield Case("target_out_of_range", [predictions, i32([4, -1, 0]), i32(2)])
    yield Case("empty", [np.zeros((0, 3), "float32"), i32([]), i32(1)])
