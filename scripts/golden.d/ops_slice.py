"""Joining, cutting and padding."""
import numpy as np

from case import COMPLEX, FLOAT, REAL, Case, cases, f32, i32, i64, of, values

ANY = REAL + COMPLEX + ("bool", "string")
SHORT = ("float64", "int32", "int64", "uint8", "int8", "bool", "complex64", "string", "float16", "bfloat16")


@cases("ConcatV2")
def concat(op):
    for dtype in ANY + ("float16", "bfloat16"):
        yield Case(dtype, [[values(dtype, (2, 1), salt="a"), values(dtype, (2, 2), salt="b")], i32(1)], dtype=dtype,
                   grad=dtype in FLOAT)
    def parts(*shapes):
        return [values("float32", s, salt=str(n)) for n, s in enumerate(shapes)]
    yield Case("axis_0", [parts((1, 3), (2, 3)), i32(0)], second=True)
    yield Case("axis_last", [parts((2, 2, 1), (2, 2, 3)), i32(-1)], second=True)
    yield Case("axis_middle", [parts((2, 1, 3), (2, 4, 3), (2, 2, 3)), i32(1)])
    yield Case("axis_int64", [parts((2,), (3,)), i64(0)])
    yield Case("vectors", [parts((7,), (13,), (1,)), i32(0)])
    yield Case("one", [parts((2, 3), (1, 3)), i32(-2)])
    yield Case("empty_part", [parts((0, 3), (2, 3)), i32(0)])
    yield Case("all_empty", [parts((0, 3), (0, 3)), i32(1)])
    yield Case("sizes_differ", [parts((2, 3), (2, 4)), i32(0)], fails=True)
    yield Case("ranks_differ", [parts((2, 3), (2,)), i32(0)], fails=True)
    yield Case("axis_out_of_range", [parts((2, 3), (2, 3)), i32(2)], fails=True)
    yield Case("scalars", [parts((), ()), i32(0)], fails=True)


@cases("ConcatOffset")
def concat_offset(op):
    for name, axis, shapes in (("rows", 0, [[2, 3], [4, 3], [1, 3]]), ("columns", 1, [[2, 3], [2, 0], [2, 5]]),
                               ("negative", -1, [[1, 2, 3], [1, 2, 4]]), ("one", 0, [[5], [6]])):
        yield Case(name, [i32(axis), [i32(s) for s in shapes]])
    yield Case("shapes_differ", [i32(0), [i32([2, 3]), i32([2, 4])]], fails=True)


@cases("Split")
def split(op):
    for dtype in SHORT:
        yield Case(dtype, [i32(1), values(dtype, (2, 4))], {"num_split": 2}, dtype=dtype, grad=dtype in FLOAT)
    for axis, n in ((0, 2), (1, 3), (2, 2), (-1, 4), (0, 1), (-3, 4)):
        yield Case("axis_%d_by_%d" % (axis, n), [i32(axis), values("float32", (4, 3, 4))], {"num_split": n},
                   second=n == 3)
    yield Case("empty", [i32(0), np.zeros((0, 2), "float32")], {"num_split": 2})
    yield Case("not_divisible", [i32(0), values("float32", (5,))], {"num_split": 2}, fails=True)
    yield Case("axis_out_of_range", [i32(1), values("float32", (4,))], {"num_split": 2}, fails=True)


@cases("SplitV")
def split_v(op):
    for dtype in SHORT:
        yield Case(dtype, [values(dtype, (2, 4)), i32([1, 3]), i32(1)], {"num_split": 2}, dtype=dtype,
                   grad=dtype in FLOAT)
    for n, (sizes, axis) in enumerate([([1, 2, 1], 0), ([-1, 2], 1), ([3], 1), ([0, 4], 2), ([2, -1, 1], -1)]):
        yield Case("sizes_%d" % n, [values("float32", (4, 3, 4)), i32(sizes), i32(axis)], {"num_split": len(sizes)},
                   second=n == 1)
    yield Case("sizes_int64", [values("float32", (4,)), i64([1, 3]), i32(0)], {"num_split": 2})
    yield Case("sizes_do_not_add_up", [values("float32", (4,)), i32([1, 2]), i32(0)], {"num_split": 2}, fails=True)
    yield Case("two_unknown", [values("float32", (4,)), i32([-1, -1]), i32(0)], {"num_split": 2}, fails=True)


@cases("Slice")
def slice_(op):
    for dtype in SHORT:
        yield Case(dtype, [values(dtype, (3, 4)), i32([1, 0]), i32([2, 3])], dtype=dtype, grad=dtype in FLOAT)
    a = values("float32", (3, 4, 5))
    for n, (begin, size) in enumerate([([0, 0, 0], [3, 4, 5]), ([1, 1, 1], [1, 2, 3]), ([0, 1, 0], [-1, -1, -1]),
                                       ([2, 0, 4], [1, 4, 1]),
                                       ([1, 0, 0], [2, 4, 5]), ([0, 0, 0], [0, 2, 2]), ([3, 4, 5], [0, 0, 0])]):
        yield Case("part_%d" % n, [a, i32(begin), i32(size)], second=n == 1)
    yield Case("begin_int64", [values("float32", (7,)), i64([2]), i64([3])])
    yield Case("scalar", [f32(3), i32([]), i32([])])
    yield Case("too_far", [values("float32", (3,)), i32([1]), i32([3])], fails=True)
    yield Case("negative_begin", [values("float32", (3,)), i32([-1]), i32([1])], fails=True)
    yield Case("too_few", [values("float32", (3, 2)), i32([0]), i32([1])], fails=True)


# name, shape, begin, end, strides, masks
STRIDED = [
    ("plain", (5,), [1], [4], [1], {}), ("step", (7,), [0], [7], [3], {}), ("backwards", (5,), [4], [0], [-1], {}),
    ("backwards_step", (7,), [-1], [-7], [-2], {}), ("negative", (5,), [-3], [-1], [1], {}),
    ("clamped", (5,), [-10], [10], [1], {}),
    ("empty", (5,), [3], [1], [1], {}), ("begin_mask", (5,), [3], [4], [1], {"begin_mask": 1}),
    ("end_mask", (5,), [1], [2], [2], {"end_mask": 1}),
    ("both_masks_backwards", (5,), [0], [0], [-1], {"begin_mask": 1, "end_mask": 1}),
    ("index", (3, 4), [1], [2], [1], {"shrink_axis_mask": 1}),
    ("index_negative", (3, 4), [-1], [0], [1], {"shrink_axis_mask": 1}),
    ("index_column", (3, 4), [0, 2], [0, 3], [1, 1], {"begin_mask": 1, "end_mask": 1, "shrink_axis_mask": 2}),
    ("element", (3, 4), [1, 2], [2, 3], [1, 1], {"shrink_axis_mask": 3}),
    ("new_axis_first", (3, 4), [0, 1], [0, 3], [1, 1], {"new_axis_mask": 1}),
    ("new_axis_last", (3,), [0, 0], [3, 0], [1, 1], {"new_axis_mask": 2}),
    ("ellipsis", (2, 3, 4), [0, 1], [0, 3], [1, 1], {"ellipsis_mask": 1}),
    ("ellipsis_middle", (2, 3, 2, 4), [1, 0, 1], [2, 0, 4], [1, 1, 2], {"ellipsis_mask": 2}),
    ("ellipsis_new_axis_index", (2, 3, 4), [0, 0, -1], [0, 0, 0], [1, 1, 1],
     {"ellipsis_mask": 1, "new_axis_mask": 2, "shrink_axis_mask": 4}),
    ("rows_and_columns", (4, 6), [1, 5], [4, 0], [2, -2], {}),
    ("rank3", (2, 3, 4), [0, 1, 0], [2, 3, 4], [1, 1, 3], {}),
    ("fewer_than_rank", (3, 2, 2), [1], [3], [1], {}), ("zero_size_input", (0, 3), [0], [2], [1], {}),
    ("ellipsis_of_nothing", (3,), [1, 0], [2, 0], [1, 1], {"ellipsis_mask": 2}),
    ("all", (2, 3), [0, 0], [2, 3], [1, 1], {}),
]


@cases("StridedSlice")
def strided_slice(op):
    for dtype in SHORT:
        yield Case(dtype, [values(dtype, (5,)), i32([0]), i32([5]), i32([2])], dtype=dtype, grad=dtype in FLOAT)
    for name, dims, begin, end, strides, masks in STRIDED:
        yield Case(name, [values("float32", dims), i32(begin), i32(end), i32(strides)], masks,
                   second=name in ("step", "index"))
    yield Case("begin_int64", [values("float32", (5,)), i64([1]), i64([3]), i64([1])])
    yield Case("index_out_of_range", [values("float32", (3,)), i32([3]), i32([4]), i32([1])], {"shrink_axis_mask": 1},
               fails=True)
    yield Case("zero_stride", [values("float32", (3,)), i32([0]), i32([3]), i32([0])], fails=True)
    yield Case("too_many", [values("float32", (3,)), i32([0, 0]), i32([1, 1]), i32([1, 1])], fails=True)
    yield Case("two_ellipses", [values("float32", (3, 3)), i32([0, 0]), i32([1, 1]), i32([1, 1])],
               {"ellipsis_mask": 3}, fails=True)


@cases("StridedSliceGrad")
def strided_slice_grad(op):
    import tensorflow as tf
    for name, dims, begin, end, strides, masks in STRIDED:
        y = tf.raw_ops.StridedSlice(input=np.zeros(dims, "float32"), begin=begin, end=end, strides=strides, **masks)
        yield Case(name, [i32(dims), i32(begin), i32(end), i32(strides),
                          values("float32", tuple(y.shape), salt="dy")], masks)
    yield Case("float64", [i32([5]), i32([1]), i32([4]), i32([2]), values("float64", (2,))], second=True)
    yield Case("int64", [i64([5]), i64([1]), i64([4]), i64([2]), values("int32", (2,))])
    yield Case("dy_has_wrong_shape", [i32([5]), i32([1]), i32([4]), i32([2]), values("float32", (3,))], fails=True)


PADS = [("vector", (3,), [[1, 2]]), ("matrix", (2, 3), [[1, 0], [0, 2]]), ("none", (2, 3), [[0, 0], [0, 0]]),
        ("image", (1, 2, 3, 2), [[0, 0], [1, 1], [2, 0], [0, 0]]),
        ("rank5", (1, 2, 1, 2, 1), [[0, 1], [0, 0], [1, 0], [1, 1], [0, 0]]),
        ("empty", (0, 2), [[1, 0], [0, 1]]), ("scalar", (), np.zeros((0, 2)))]


@cases("Pad", "PadV2")
def pad(op):
    extra = lambda dtype, v: [of(dtype, v)] if op == "PadV2" else []
    for dtype in SHORT[:6] + ("complex64",):
        fill = True if dtype == "bool" else 5
        yield Case(dtype, [values(dtype, (2, 2)), i32([[1, 0], [0, 1]])] + extra(dtype, fill), dtype=dtype,
                   grad=dtype in FLOAT)
    for name, dims, pads in PADS:
        yield Case("pads_" + name, [values("float32", dims), i32(pads)] + extra("float32", -1.5),
                   second=name == "matrix")
    yield Case("pads_int64", [values("float32", (2,)), i64([[1, 1]])] + extra("float32", 9))
    yield Case("negative", [values("float32", (2,)), i32([[-1, 0]])] + extra("float32", 0), fails=True)
    yield Case("wrong_rank", [values("float32", (2, 2)), i32([[1, 0]])] + extra("float32", 0), fails=True)


@cases("MirrorPad")
def mirror_pad(op):
    for mode in ("REFLECT", "SYMMETRIC"):
        for dtype in ("float64", "int32", "uint8", "int64", "bool", "string"):
            yield Case("%s_%s" % (mode, dtype), [values(dtype, (3, 2)), i32([[1, 2], [0, 1]])], {"mode": mode},
                       dtype=dtype,
                       grad=dtype in FLOAT)
        yield Case(mode + "_vector", [values("float32", (4,)), i32([[2, 3]])], {"mode": mode})
        yield Case(mode + "_image", [values("float32", (1, 3, 4, 2)), i32([[0, 0], [2, 1], [1, 2], [0, 0]])],
                   {"mode": mode})
        yield Case(mode + "_none", [values("float32", (2,)), i32([[0, 0]])], {"mode": mode})
    yield Case("REFLECT_too_far", [values("float32", (3,)), i32([[3, 0]])], {"mode": "REFLECT"}, fails=True)
    yield Case("SYMMETRIC_full", [values("float32", (3,)), i32([[3, 3]])], {"mode": "SYMMETRIC"})
    yield Case("SYMMETRIC_too_far", [values("float32", (3,)), i32([[4, 0]])], {"mode": "SYMMETRIC"}, fails=True)


@cases("MirrorPadGrad")
def mirror_pad_grad(op):
    for mode in ("REFLECT", "SYMMETRIC"):
        for dtype in FLOAT + ("int32",):
            yield Case("%s_%s" % (mode, dtype), [values(dtype, (6, 3)), i32([[1, 2], [0, 1]])], {"mode": mode},
                       dtype=dtype,
                       grad=dtype in FLOAT)
        yield Case(mode + "_vector", [values("float32", (9,)), i32([[2, 3]])], {"mode": mode})
        yield Case(mode + "_image", [values("float32", (1, 6, 7, 2)), i32([[0, 0], [2, 1], [1, 2], [0, 0]])],
                   {"mode": mode})
    yield Case("wrong_rank", [values("float32", (6, 3)), i32([[1, 2]])], {"mode": "REFLECT"}, fails=True)
