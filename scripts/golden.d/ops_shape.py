"""Ops on shapes, and ops that move whole tensors about."""
import numpy as np

from case import COMPLEX, FLOAT, REAL, Case, cases, distinct, f32, i32, i64, of, strings, values

ANY = REAL + COMPLEX + ("bool", "string")
SHORT = ("float64", "int32", "int64", "uint8", "int8", "bool", "complex64", "string", "float16", "bfloat16")


def each(shape, make, kinds=SHORT):
    """One case a dtype: make(array) gives the inputs."""
    for dtype in kinds:
        yield dtype, make(values(dtype, shape, salt="shape"))


@cases("Const")
def const(op):
    for dtype in ANY + ("float16", "bfloat16"):
        yield Case(dtype, [], {"value": values(dtype, (2, 3)), "dtype": dtype}, dtype=dtype)
    yield Case("scalar", [], {"value": f32(2.5), "dtype": "float32"})
    yield Case("empty", [], {"value": i32(np.zeros((0, 2))), "dtype": "int32"})


@cases("Shape", "Rank", "Size")
def shape(op):
    for dtype, inputs in each((2, 3), lambda a: [a]):
        yield Case(dtype, inputs, dtype=dtype)
    for dims in ((), (0,), (1,), (2, 0, 3), (1, 2, 1, 3, 1)):
        yield Case("dims_" + "_".join(map(str, dims)), [np.zeros(dims, "float32")])
        if op != "Rank":
            yield Case("int64_dims_" + "_".join(map(str, dims)), [np.zeros(dims, "float32")], {"out_type": "int64"})


@cases("ShapeN")
def shape_n(op):
    yield Case("three", [[f32([1, 2]), f32([[1]]), f32(3)]])
    yield Case("int64", [[f32([1, 2]), f32([[1]])]], {"out_type": "int64"})


@cases("Reshape")
def reshape(op):
    for dtype, inputs in each((2, 3), lambda a: [a, i32([3, 2])]):
        yield Case(dtype, inputs, dtype=dtype)
    a = values("float32", (2, 3, 4))
    for n, to in enumerate(([24], [-1], [4, -1], [2, 12], [1, 2, 3, 4, 1], [-1, 1, 6], [3, 2, 4])):
        yield Case("to_%d" % n, [a, i32(to)], second=n == 2)
        yield Case("to_%d_int64" % n, [a, i64(to)], grad=False)
    yield Case("to_scalar", [f32([[5]]), i32([])])
    yield Case("from_scalar", [f32(5), i32([1, 1])])
    yield Case("empty", [np.zeros((0, 3), "float32"), i32([2, 0, 5])])
    yield Case("empty_with_unknown", [np.zeros((0, 3), "float32"), i32([-1, 3])])
    yield Case("sizes_differ", [a, i32([5, 5])], fails=True)
    yield Case("not_divisible", [a, i32([-1, 5])], fails=True)
    yield Case("two_unknown", [a, i32([-1, -1])], fails=True)
    yield Case("negative", [a, i32([-2, 12])], fails=True)
    yield Case("shape_is_a_matrix", [a, i32([[24]])], fails=True)


@cases("ExpandDims")
def expand_dims(op):
    for dtype, inputs in each((2, 3), lambda a: [a, i32(1)]):
        yield Case(dtype, inputs, dtype=dtype)
    for axis in (0, 1, 2, -1, -2, -3):
        yield Case("axis_%d" % axis, [values("float32", (2, 3)), i32(axis)])
    yield Case("scalar", [f32(1), i32(0)])
    yield Case("axis_int64", [values("float32", (2,)), i64(-1)])
    yield Case("axis_in_vector", [values("float32", (2,)), i32([1])])
    yield Case("axis_out_of_range", [values("float32", (2, 3)), i32(3)], fails=True)


@cases("Squeeze")
def squeeze(op):
    for dtype, inputs in each((1, 3, 1), lambda a: [a]):
        yield Case(dtype, inputs, dtype=dtype)
    for n, axes in enumerate(([], [0], [2], [-2], [0, 2], [-4, 2])):
        yield Case("axes_%d" % n, [values("float32", (1, 3, 1, 2))], {"squeeze_dims": axes})
    yield Case("to_scalar", [f32([[7]])])
    yield Case("empty", [np.zeros((0, 1), "float32")])
    yield Case("not_one", [values("float32", (1, 3))], {"squeeze_dims": [1]}, fails=True)
    yield Case("axis_out_of_range", [values("float32", (1, 3))], {"squeeze_dims": [2]}, fails=True)


@cases("Transpose")
def transpose(op):
    for dtype, inputs in each((2, 3), lambda a: [a, i32([1, 0])]):
        yield Case(dtype, inputs, dtype=dtype)
    table = [((2, 3, 4), [2, 1, 0]), ((2, 3, 4), [0, 2, 1]), ((2, 3, 4), [1, 0, 2]), ((2, 3, 4), [2, 0, 1]),
             ((2, 3, 4), [0, 1, 2]),
             ((1, 2, 3, 4), [0, 3, 1, 2]), ((1, 4, 2, 3), [0, 2, 3, 1]), ((2, 1, 3, 1, 2), [4, 3, 2, 1, 0]),
             ((5,), [0]),
             ((13, 7), [1, 0]), ((2, 1, 2, 1, 2, 1), [5, 1, 3, 0, 2, 4]), ((0, 3), [1, 0]), ((65, 3), [1, 0])]
    for n, (dims, order) in enumerate(table):
        yield Case("order_%d" % n, [values("float32", dims), i32(order)], second=n == 0)
    yield Case("order_int64", [values("float32", (2, 3)), i64([1, 0])])
    yield Case("scalar", [f32(1), i32([])])
    yield Case("order_too_short", [values("float32", (2, 3)), i32([0])], fails=True)
    yield Case("order_repeats", [values("float32", (2, 3)), i32([0, 0])], fails=True)
    yield Case("order_out_of_range", [values("float32", (2, 3)), i32([0, 2])], fails=True)


@cases("BroadcastTo")
def broadcast_to(op):
    for dtype, inputs in each((3,), lambda a: [a, i32([2, 3])], SHORT[:-2]):
        yield Case(dtype, inputs, dtype=dtype)
    table = [((), (3,)), ((1,), (4,)), ((3, 1), (3, 5)), ((1, 3), (2, 3)), ((2, 1, 3), (2, 4, 3)), ((3,), (2, 2, 3)),
             ((2, 3), (2, 3)),
             ((1, 1), (0, 3)), ((), ()), ((1, 2, 1, 2), (2, 2, 3, 2)), ((), (2, 0))]
    for n, (a, to) in enumerate(table):
        yield Case("to_%d" % n, [values("float32", a), i32(to)], second=n == 2)
    yield Case("int64_shape", [values("float32", (3,)), i64([2, 3])])
    yield Case("not_possible", [values("float32", (3,)), i32([2])], fails=True)
    yield Case("rank_falls", [values("float32", (1, 3)), i32([3])], fails=True)


@cases("BroadcastArgs", "BroadcastGradientArgs")
def broadcast_args(op):
    for n, (a, b) in enumerate([([2, 3], [3]), ([3, 1], [4]), ([], [5]), ([2, 1, 3], [4, 1]), ([1], [1]),
                                ([2, 3], [2, 3]), ([0, 3], [1, 3]),
                                ([], []), ([1, 1, 2], [3, 1])]):
        yield Case("pair_%d" % n, [i32(a), i32(b)])
        yield Case("pair_%d_int64" % n, [i64(a), i64(b)])
    yield Case("do_not_broadcast", [i32([2, 3]), i32([2])], fails=True)


@cases("Fill")
def fill(op):
    for dtype in ANY + ("float16", "bfloat16"):
        yield Case(dtype, [i32([2, 3]), values(dtype, ())], dtype=dtype)
    yield Case("scalar", [i32([]), f32(1.5)])
    yield Case("empty", [i32([0, 2]), f32(1.5)])
    yield Case("int64_dims", [i64([3]), f32(1.5)])
    yield Case("negative", [i32([-1]), f32(1.5)], fails=True)
    yield Case("value_is_a_vector", [i32([2]), f32([1.5, 2.5])], fails=True)


@cases("Range")
def range_(op):
    for dtype in ("int32", "int64", "float32", "float64", "int8", "uint8", "uint16", "uint32", "uint64", "int16"):
        yield Case(dtype, [of(dtype, 1), of(dtype, 10), of(dtype, 3)], dtype=dtype)
    yield Case("down", [i32(5), i32(-3), i32(-2)])
    yield Case("empty", [i32(3), i32(3), i32(1)])
    yield Case("fraction", [f32(0), f32(1), f32(0.1)])
    yield Case("fraction_float64", [of("float64", 0.5), of("float64", -0.5), of("float64", -0.15)])
    yield Case("zero_step", [i32(0), i32(3), i32(0)], fails=True)
    yield Case("wrong_direction", [i32(0), i32(3), i32(-1)], fails=True)


@cases("LinSpace")
def lin_space(op):
    for dtype in FLOAT:
        for n in (1, 2, 5, 7):
            yield Case("%s_%d" % (dtype, n), [of(dtype, -1), of(dtype, 2), i32(n)], grad=False)
    yield Case("int64_num", [f32(0), f32(1), i64(3)], grad=False)
    yield Case("down", [f32(3), f32(1), i32(4)], grad=False)
    yield Case("none", [f32(0), f32(1), i32(0)], fails=True)


@cases("Pack")
def pack(op):
    for dtype in ANY + ("float16", "bfloat16"):
        yield Case(dtype, [[values(dtype, (2,), salt="0"), values(dtype, (2,), salt="1")]], dtype=dtype,
                   grad=dtype in FLOAT)
    for axis in (0, 1, 2, -1, -3):
        yield Case("axis_%d" % axis, [[values("float32", (2, 3), salt=str(k)) for k in range(3)]], {"axis": axis},
                   second=axis == 1)
    yield Case("scalars", [[f32(1), f32(2), f32(3)]])
    yield Case("one", [[f32([1, 2])]])
    yield Case("empty", [[np.zeros((0, 2), "float32")] * 2], {"axis": 1})
    yield Case("shapes_differ", [[f32([1, 2]), f32([1])]], fails=True)
    yield Case("axis_out_of_range", [[f32([1, 2]), f32([1, 2])]], {"axis": 2}, fails=True)


@cases("Unpack")
def unpack(op):
    for dtype, inputs in each((2, 3), lambda a: [a]):
        yield Case(dtype, inputs, {"num": 2}, dtype=dtype)
    for axis, num in ((0, 2), (1, 3), (2, 4), (-1, 4), (-3, 2)):
        yield Case("axis_%d" % axis, [values("float32", (2, 3, 4))], {"num": num, "axis": axis}, second=axis == 1)
    yield Case("to_scalars", [f32([1, 2, 3])], {"num": 3})
    yield Case("empty", [np.zeros((2, 0), "float32")], {"num": 2})
    yield Case("num_is_wrong", [f32([1, 2, 3])], {"num": 2}, fails=True)


@cases("Tile")
def tile(op):
    for dtype, inputs in each((2, 2), lambda a: [a, i32([1, 2])], SHORT[:-2]):
        yield Case(dtype, inputs, dtype=dtype)
    table = [((3,), [2]), ((2, 3), [2, 1]), ((2, 3), [1, 3]), ((2, 1, 3), [2, 3, 2]), ((2, 3), [1, 1]),
             ((2, 3), [0, 2]), ((0, 2), [3, 2]),
             ((), []), ((7,), [3]), ((1, 2, 1, 2), [2, 1, 3, 1])]
    for n, (dims, times) in enumerate(table):
        yield Case("times_%d" % n, [values("float32", dims), i32(times)], second=n == 1)
    yield Case("int64_multiples", [values("float32", (2,)), i64([2])])
    yield Case("too_few_multiples", [values("float32", (2, 3)), i32([2])], fails=True)
    yield Case("negative", [values("float32", (2,)), i32([-1])], fails=True)


@cases("ReverseV2")
def reverse(op):
    for dtype, inputs in each((2, 3), lambda a: [a, i32([1])]):
        yield Case(dtype, inputs, dtype=dtype)
    for n, axes in enumerate(([0], [1], [2], [-1], [0, 2], [0, 1, 2], [])):
        yield Case("axes_%d" % n, [values("float32", (2, 3, 2)), i32(axes)])
    yield Case("axis_int64", [values("float32", (3,)), i64([0])])
    yield Case("empty", [np.zeros((0, 2), "float32"), i32([0])])
    yield Case("axis_twice", [values("float32", (3,)), i32([0, -1])], fails=True)
    yield Case("axis_out_of_range", [values("float32", (3,)), i32([1])], fails=True)


@cases("Roll")
def roll(op):
    for dtype, inputs in each((2, 3), lambda a: [a, i32(1), i32(1)]):
        yield Case(dtype, inputs, dtype=dtype)
    for n, (shift, axis) in enumerate([(1, 0), (-1, 0), (5, 1), ([1, 2], [0, 1]), ([1, 1], [1, 1]), (0, 1), (-7, 1)]):
        yield Case("shift_%d" % n, [values("float32", (3, 4)), i32(shift), i32(axis)])
    yield Case("int64_shift", [values("float32", (5,)), i64(2), i64(-1)])
    yield Case("empty", [np.zeros((0, 2), "float32"), i32(1), i32(1)])
    yield Case("axis_out_of_range", [values("float32", (3,)), i32(1), i32(1)], fails=True)


@cases("InvertPermutation")
def invert(op):
    yield Case("int32", [i32([2, 0, 1, 4, 3])])
    yield Case("int64", [i64([0, 2, 1])])
    yield Case("empty", [i32([])])
    yield Case("repeats", [i32([0, 0])], fails=True)
    yield Case("out_of_range", [i32([0, 2])], fails=True)


@cases("EnsureShape")
def ensure(op):
    for n, to in enumerate(([2, 3], [-1, 3], [-1, -1])):
        yield Case("shape_%d" % n, [values("float32", (2, 3))], {"shape": to})
    yield Case("unknown_rank", [values("float32", (2, 3))], {"shape": None}, dtype="float32")
    yield Case("string", [strings(["a", "b"])], {"shape": [2]})
    yield Case("differs", [values("float32", (2, 3))], {"shape": [2, 4]}, fails=True)
    yield Case("rank_differs", [values("float32", (2, 3))], {"shape": [6]}, fails=True)


@cases("CheckNumerics")
def check(op):
    for dtype in FLOAT:
        yield Case(dtype, [distinct(dtype, (2, 3))], {"message": "here"})
    yield Case("empty", [f32([])], {"message": ""})
    yield Case("nan", [f32([1, np.nan])], {"message": "weights"}, fails=True)
    yield Case("infinity", [f32([1, np.inf])], {"message": "weights"}, fails=True)
    yield Case("minus_infinity", [f32([-np.inf])], {"message": "w"}, fails=True)
