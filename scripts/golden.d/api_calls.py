"""Calls of TensorFlow's public functions as a user writes them: areas of (name, positional arguments, keywords).

Arrays are passed as tensors,
everything else as it stands. Each name should be here once with its defaults and once with
the arguments that change what it does; the ops behind them have their own cases.
"""
import numpy as np

from case import distinct, f32, i32, i64, strings, values

X, Y = values("float32", (2, 3), salt="x"), values("float32", (2, 3), salt="y")
P = values("float32", (2, 3), 0.1, 0.9, "p")
D = distinct("float32", (2, 4))
V, I, B = f32([3, -1, 2]), i32([1, -2, 3]), np.array([[True, False, True], [True, True, True]])
M = values("float32", (3, 2), salt="m")
IMAGE = values("float32", (1, 4, 5, 2), salt="image")


def c(name, *arguments, **keywords):
    return (name, arguments, keywords)


def same(names, *arguments, **keywords):
    return [c(n, *arguments, **keywords) for n in names.split()]


MATH = (
    same("tf.abs tf.acos tf.asin tf.atan tf.atanh tf.cos tf.sin tf.tan tf.cosh tf.sinh tf.tanh tf.exp tf.sqrt "
         "tf.square tf.sign tf.round tf.floor tf.negative tf.sigmoid tf.asinh tf.math.ceil tf.math.rint "
         "tf.math.rsqrt tf.math.log tf.math.log1p tf.math.expm1 tf.math.erf tf.math.erfc tf.math.erfinv "
         "tf.math.lgamma tf.math.digamma tf.math.reciprocal tf.math.is_nan tf.math.is_inf tf.math.is_finite "
         "tf.math.log_sigmoid tf.math.softplus tf.math.ndtri tf.math.reciprocal_no_nan tf.nn.relu tf.nn.relu6 "
         "tf.nn.elu tf.nn.selu tf.nn.softsign tf.nn.gelu tf.nn.silu tf.nn.leaky_relu tf.nn.crelu tf.nn.l2_loss "
         "tf.math.zero_fraction tf.identity tf.stop_gradient", P) +
    same("tf.acosh", f32([1.5, 2, 7])) +
    same("tf.add tf.subtract tf.multiply tf.divide tf.truediv tf.realdiv tf.maximum tf.minimum "
         "tf.math.squared_difference tf.equal tf.not_equal tf.less tf.less_equal tf.greater tf.greater_equal "
         "tf.math.atan2 tf.math.divide_no_nan tf.math.multiply_no_nan tf.math.floordiv tf.math.floormod", X, Y) +
    same("tf.pow tf.math.xlogy tf.math.xlog1py tf.math.xdivy", P,
         Y) + same("tf.truncatediv tf.truncatemod tf.math.floordiv", I, i32([2, 2, -2])) +
    same("tf.add tf.multiply tf.subtract tf.maximum", X,
         2.0) + same("tf.logical_and tf.logical_or tf.math.logical_xor", B, B[::-1]) +
    [c("tf.divide", i32([7, 8]), i32([2, 4])), c("tf.logical_not", B),
     c("tf.math.polygamma", f32([1, 2]), f32([0.5, 3])),
     c("tf.math.zeta", f32([1.5, 2]), f32([0.5, 3])), c("tf.math.polyval", [1.0, -2.0, 3.0], V),
     c("tf.scalar_mul", 3.0, X),
     c("tf.add_n", [X, Y, X]), c("tf.math.accumulate_n", [X, Y]), c("tf.clip_by_value", X, -0.5, 0.5),
     c("tf.clip_by_norm", X, 1.0),
     c("tf.clip_by_norm", X, 1.0, axes=[1]), c("tf.clip_by_global_norm", [X, V], 1.0),
     c("tf.clip_by_global_norm", [X, V], 100.0),
     c("tf.linalg.global_norm", [X, V]), c("tf.nn.leaky_relu", X, alpha=0.1), c("tf.nn.gelu", X, approximate=True),
     c("tf.nn.silu", X, beta=2.0), c("tf.math.cumsum", X), c("tf.math.cumsum", X, axis=1, exclusive=True),
     c("tf.math.cumprod", X, axis=1, reverse=True),
     c("tf.cast", f32([1.7, -1.7]), "int32"), c("tf.saturate_cast", f32([300, -5, 7.9]), "uint8"),
     c("tf.bitcast", f32([1.0]), "int32"),
     c("tf.complex", V, V[::-1].copy()), c("tf.math.real", np.array([1 + 2j], "complex64")),
     c("tf.math.imag", np.array([1 + 2j], "complex64")),
     c("tf.math.conj", np.array([1 + 2j], "complex64")), c("tf.bitwise.bitwise_and", I, i32([3, 3, 3])),
     c("tf.bitwise.bitwise_or", I, i32([4, 4, 4])),
     c("tf.bitwise.bitwise_xor", I, i32([5, 5, 5])), c("tf.bitwise.invert", I),
     c("tf.bitwise.left_shift", I, i32([1, 2, 3])),
     c("tf.bitwise.right_shift", I, i32([1, 1, 1])), c("tf.debugging.check_numerics", X, "message")])

REDUCE = (
    [c(n, x,
       **k) for n in ("tf.reduce_sum tf.reduce_mean tf.reduce_max tf.reduce_min tf.reduce_prod tf.math.reduce_std "
                            "tf.math.reduce_variance tf.reduce_logsumexp tf.math.reduce_euclidean_norm").split()
     for x, k in ((X, {}), (X, {"axis": 1}), (X, {"axis": [0, 1], "keepdims": True}),
                  (X, {"axis": -1, "keepdims": True}))] +
    [c(n, B, **k) for n in ("tf.reduce_all", "tf.reduce_any") for k in ({}, {"axis": 0},
                                                                        {"axis": 1, "keepdims": True})] +
    [c("tf.argmax", D), c("tf.argmax", D, axis=1), c("tf.argmax", D, axis=-1, output_type="int32"),
     c("tf.argmin", D, axis=1),
     c("tf.math.count_nonzero", i32([[0, 1, 2], [0, 0, 3]])),
     c("tf.math.count_nonzero", i32([[0, 1], [0, 0]]), axis=1, keepdims=True),
     c("tf.math.segment_sum", M, i32([0, 0, 1])), c("tf.math.unsorted_segment_sum", M, i32([1, 0, 1]), 3),
     c("tf.math.unsorted_segment_mean", M, i32([1, 0, 1]), 3), c("tf.math.unsorted_segment_max", M, i32([1, 0, 1]), 2),
     c("tf.math.unsorted_segment_min", M, i32([1, 0, 1]), 2), c("tf.math.unsorted_segment_prod", M, i32([1, 0, 1]), 2),
     c("tf.math.unsorted_segment_sqrt_n", M, i32([1, 0, 1]), 3), c("tf.math.bincount", i32([1, 1, 3])),
     c("tf.math.bincount", i32([1, 1, 3]), minlength=6),
     c("tf.math.bincount", i32([1, 1, 3]), weights=V), c("tf.math.bincount", i32([[1, 1], [0, 2]]), axis=-1,
                                                         binary_output=True),
     c("tf.math.confusion_matrix", i32([0, 1, 2, 2]), i32([0, 2, 2, 1])),
     c("tf.math.confusion_matrix", i32([0, 1]), i32([1, 1]), num_classes=3, weights=f32([2, 3]), dtype="float32"),
     c("tf.math.top_k", D, k=2), c("tf.math.top_k", D), c("tf.math.in_top_k", i32([1, 0]), D, 2), c("tf.sort", D),
     c("tf.sort", D, direction="DESCENDING"),
     c("tf.sort", D, axis=0), c("tf.argsort", D), c("tf.argsort", D, axis=0, direction="DESCENDING"),
     c("tf.searchsorted", f32([1, 3, 5]), f32([0, 3, 9])),
     c("tf.searchsorted", f32([1, 3, 5]), f32([0, 3, 9]), side="right")])

ARRAY = [
    c("tf.constant", [1, 2, 3]), c("tf.constant", [1.5, 2.0]), c("tf.constant", [[1, 2], [3, 4]], dtype="float32"),
    c("tf.constant", 7, shape=[2, 2]),
    c("tf.constant", "text"), c("tf.constant", [True, False]), c("tf.convert_to_tensor", [1, 2], dtype="int64"),
    c("tf.zeros", [2, 3]),
    c("tf.zeros", [2], dtype="int32"), c("tf.ones", [2, 2]), c("tf.ones", [], dtype="int64"), c("tf.zeros_like", X),
    c("tf.ones_like", X, dtype="int32"),
    c("tf.fill", [2, 3], 9), c("tf.eye", 3), c("tf.eye", 2, 3, batch_shape=[2], dtype="float64"), c("tf.range", 5),
    c("tf.range", 2, 9, 3),
    c("tf.range", 3, 0, -1), c("tf.range", 0.0, 1.0, 0.25), c("tf.range", 3, dtype="float32"),
    c("tf.linspace", 0.0, 1.0, 5), c("tf.linspace", V, V + 1, 3, axis=-1),
    c("tf.one_hot", i32([0, 2, 1]), 3), c("tf.one_hot", i32([0, 2]), 3, on_value=5.0, off_value=-1.0, axis=0),
    c("tf.one_hot", i32([1]), 2, dtype="int32"),
    c("tf.shape", X), c("tf.shape", X, out_type="int64"), c("tf.size", X), c("tf.rank", X), c("tf.shape_n", [X, V]),
    c("tf.reshape", X, [3, 2]),
    c("tf.reshape", X, [-1]), c("tf.expand_dims", X, 1), c("tf.expand_dims", X, axis=-1),
    c("tf.squeeze", f32([[[1], [2]]])), c("tf.squeeze", f32([[[1], [2]]]), axis=[0]),
    c("tf.transpose", X), c("tf.transpose", IMAGE, perm=[0, 3, 1, 2]), c("tf.concat", [X, Y], 0),
    c("tf.concat", [X, Y], axis=1), c("tf.stack", [X, Y]),
    c("tf.stack", [X, Y], axis=-1), c("tf.unstack", X), c("tf.unstack", X, axis=1), c("tf.split", X, 3, axis=1),
    c("tf.split", X, [1, 2], axis=1), c("tf.split", X, 2),
    c("tf.slice", X, [0, 1], [2, 1]), c("tf.strided_slice", X, [0, 0], [2, 3], [1, 2]),
    c("tf.pad", X, [[1, 0], [0, 2]]), c("tf.pad", X, [[1, 0], [0, 2]], constant_values=9.0),
    c("tf.pad", X, [[1, 1], [0, 0]], mode="REFLECT"), c("tf.pad", X, [[1, 1], [2, 0]], mode="SYMMETRIC"),
    c("tf.tile", X, [2, 1]), c("tf.repeat", V, 2),
    c("tf.repeat", X, [1, 3], axis=0), c("tf.repeat", X, 2, axis=1), c("tf.reverse", X, [1]), c("tf.roll", X, 1, 1),
    c("tf.roll", X, [1, 2], [0, 1]),
    c("tf.broadcast_to", V, [2, 3]),
    c("tf.broadcast_dynamic_shape", i32([2, 1]), i32([1, 3])),
    c("tf.gather", X, i32([1, 0])), c("tf.gather", X, i32([2, 0]), axis=1),
    c("tf.gather", X, i32([[0], [2]]), axis=1, batch_dims=1),
    c("tf.gather_nd", X, i32([[0, 1], [1, 2]])), c("tf.scatter_nd", i32([[1], [3]]), f32([5, 6]), i32([5])),
    c("tf.tensor_scatter_nd_update", V, i32([[1]]), f32([9])),
    c("tf.tensor_scatter_nd_add", V, i32([[1], [1]]), f32([9, 1])),
    c("tf.tensor_scatter_nd_sub", V, i32([[0]]), f32([9])),
    c("tf.tensor_scatter_nd_max", V, i32([[1], [0]]), f32([9, 1])),
    c("tf.tensor_scatter_nd_min", V, i32([[1], [0]]), f32([9, 1])), c("tf.where", B), c("tf.where", B, X, Y),
    c("tf.where", B, X, 0.0), c("tf.boolean_mask", X, B),
    c("tf.boolean_mask", X, np.array([True, False])), c("tf.unique", i32([5, 1, 5])),
    c("tf.unique_with_counts", i32([5, 1, 5])), c("tf.sequence_mask", i32([1, 3, 0])),
    c("tf.sequence_mask", i32([1, 2]), maxlen=4, dtype="int32"), c("tf.unravel_index", i32([5, 1]), i32([2, 3])),
    c("tf.meshgrid", V, f32([1, 2])),
    c("tf.meshgrid", V, f32([1, 2]), indexing="ij"), c("tf.math.invert_permutation", i32([2, 0, 1])),
    c("tf.identity_n", [X, I]), c("tf.tuple", [X, V]),
    c("tf.ensure_shape", X, [None, 3]), c("tf.is_tensor", X),
    c("tf.as_dtype", "float32"), c("tf.executing_eagerly"),
]

LINALG = [
    c("tf.matmul", X, M), c("tf.matmul", X, Y, transpose_b=True),
    c("tf.matmul", values("float32", (2, 3, 2)), values("float32", (2, 2, 3)), transpose_a=True, transpose_b=True),
    c("tf.linalg.matvec", X, V), c("tf.linalg.matvec", M, V, transpose_a=True), c("tf.tensordot", X, M, 1),
    c("tf.tensordot", X, M, [[1], [0]]), c("tf.tensordot", X, X, 2),
    c("tf.einsum", "ij,jk->ik", X, M), c("tf.einsum", "ij->j", X), c("tf.norm", X), c("tf.norm", X, ord=1, axis=1),
    c("tf.norm", X, axis=0, keepdims=True),
    c("tf.linalg.normalize", X, axis=1), c("tf.math.l2_normalize", X),
    c("tf.math.l2_normalize", X, axis=1, epsilon=0.1), c("tf.linalg.trace", values("float32", (3, 3))),
    c("tf.linalg.diag", V), c("tf.linalg.diag", V, k=1), c("tf.linalg.diag_part", values("float32", (3, 3))),
    c("tf.linalg.tensor_diag", V),
    c("tf.linalg.tensor_diag_part", values("float32", (3, 3))),
    c("tf.linalg.band_part", values("float32", (3, 3)), 1, 0),
    c("tf.linalg.matrix_transpose", values("float32", (2, 3, 2))),
]

NN = [
    c("tf.nn.softmax", X), c("tf.nn.softmax", X, axis=0), c("tf.nn.log_softmax", X), c("tf.nn.bias_add", X, V),
    c("tf.nn.bias_add", IMAGE, f32([1, 2])),
    c("tf.nn.conv2d", IMAGE, values("float32", (3, 3, 2, 2)), 1, "SAME"),
    c("tf.nn.conv2d", IMAGE, values("float32", (2, 2, 2, 3)), [1, 2, 2, 1], "VALID"),
    c("tf.nn.conv2d", IMAGE, values("float32", (2, 2, 2, 1)), 1, [[0, 0], [1, 1], [0, 2], [0, 0]]),
    c("tf.nn.conv1d", values("float32", (1, 6, 2)), values("float32", (3, 2, 2)), 2, "SAME"),
    c("tf.nn.conv2d_transpose", IMAGE, values("float32", (2, 2, 3, 2)), [1, 8, 10, 3], 2),
    c("tf.nn.depthwise_conv2d", IMAGE, values("float32", (2, 2, 2, 2)), [1, 1, 1, 1], "SAME"),
    c("tf.nn.separable_conv2d", IMAGE, values("float32", (2, 2, 2, 1)), values("float32", (1, 1, 2, 3)), [1, 1, 1, 1],
      "VALID"), c("tf.nn.max_pool2d", IMAGE, 2, 2, "VALID"),
    c("tf.nn.max_pool2d", IMAGE, [2, 3], [1, 2], "SAME"), c("tf.nn.avg_pool2d", IMAGE, 2, 2, "SAME"),
    c("tf.nn.max_pool", IMAGE, 2, 1, "SAME"), c("tf.nn.avg_pool", IMAGE, 2, 2, "VALID"),
    c("tf.nn.max_pool1d", values("float32", (1, 6, 2)), 2, 2, "VALID"),
    c("tf.nn.avg_pool1d", values("float32", (1, 6, 2)), 2, 2, "VALID"), c("tf.nn.moments", X, [0]),
    c("tf.nn.moments", X, [0, 1], keepdims=True), c("tf.nn.batch_normalization", X, V, f32([1, 2, 0.5]),
                                                    f32([0, 1, 2]), f32([1, 2, 3]), 0.001),
    c("tf.nn.sigmoid_cross_entropy_with_logits", labels=P, logits=X),
    c("tf.nn.softmax_cross_entropy_with_logits", labels=f32([[0, 1, 0], [0.5, 0.5, 0]]), logits=X),
    c("tf.nn.sparse_softmax_cross_entropy_with_logits", labels=i64([2, 0]), logits=X),
    c("tf.nn.weighted_cross_entropy_with_logits", labels=P, logits=X, pos_weight=2.0),
    c("tf.nn.log_poisson_loss", P, X), c("tf.nn.log_poisson_loss", P, X, compute_full_loss=True),
    c("tf.nn.compute_average_loss", V), c("tf.nn.compute_average_loss", V, global_batch_size=6),
    c("tf.nn.embedding_lookup", M, i32([2, 0])), c("tf.nn.embedding_lookup", M, i32([2, 0]), max_norm=1.0),
    c("tf.nn.experimental.stateless_dropout", X, 0.5, [1, 2]),
]

RANDOM = (
    [c("tf.random.stateless_" + n, [3], [1, 2]) for n in ("uniform", "normal", "truncated_normal")] +
    [c("tf.random.stateless_uniform", [4], [1, 2], minval=0, maxval=10, dtype="int32"),
     c("tf.random.stateless_uniform", [2], [3, 4], minval=-1.0, maxval=1.0),
     c("tf.random.stateless_uniform", [3], [3, 4], minval=None, maxval=None, dtype="int32"),
     c("tf.random.stateless_normal", [2, 2], [5, 6], mean=1.0, stddev=2.0, dtype="float64"),
     c("tf.random.stateless_categorical", f32([[0, 1, 2]]), 5, [1, 2]), c("tf.random.split", [1, 2]),
     c("tf.random.split", [1, 2], num=3), c("tf.random.fold_in", [1, 2], 5)])

STRINGS = [
    c("tf.strings.join", [strings(["a", "b"]), strings(["c", "d"])]),
    c("tf.strings.join", [strings("a"), strings(["c", "d"])], separator="-"),
    c("tf.strings.length", strings(["", "λx"])), c("tf.strings.length", strings(["λx"]), unit="UTF8_CHAR"),
    c("tf.strings.upper", strings(["aB"])), c("tf.strings.lower", strings(["aB"])),
    c("tf.strings.strip", strings(["  a b "])), c("tf.strings.substr", strings(["abcd"]), 1, 2),
    c("tf.strings.to_number", strings(["1.5", "-2"])),
    c("tf.strings.to_number", strings(["7"]), out_type="int32"), c("tf.strings.as_string", f32([1.5])),
    c("tf.strings.as_string", f32([1.5]), precision=2), c("tf.strings.as_string", i32([5]), width=3, fill="0"),
    c("tf.strings.format", "x {} y {}", [i32([1, 2]), strings("s")]),
    c("tf.strings.regex_replace", strings(["a1b22"]), "[0-9]+", "#"),
    c("tf.strings.regex_full_match", strings(["ab", "b"]), "a.*"),
    c("tf.strings.to_hash_bucket_fast", strings(["a", "hello"]), 1000), c("tf.io.encode_base64", strings(["hi?>"])),
    c("tf.io.encode_base64", strings(["h"]), pad=True), c("tf.io.decode_base64", strings(["aGk_Pg"])),
    c("tf.io.decode_raw", strings(["abcdefgh"]), "uint8"), c("tf.io.decode_raw", strings(["abcdefgh"]), "int32"),
    c("tf.io.decode_raw", strings(["abcdefgh"]), "int16", little_endian=False),
]

IMAGES = [
    c("tf.image.resize", IMAGE, [2, 3]), c("tf.image.resize", IMAGE, [7, 6]),
    c("tf.image.resize", IMAGE, [3, 3], method="nearest"), c("tf.image.resize", IMAGE[0], [2, 2]),
    c("tf.image.resize", values("uint8", (3, 3, 1)), [5, 5]),
    c("tf.image.resize", IMAGE, [6, 6], preserve_aspect_ratio=True),
]

DEBUGGING = (
    [c("tf.debugging.assert_" + n, a, b) for n, a, b in (("equal", I, I), ("equal", I, i32([1, 2, 3])),
                                                         ("none_equal", I, i32([0, 0, 0])),
                                                         ("less", I, i32([5, 5, 5])),
                                                         ("less", I, I), ("less_equal", I, I), ("greater", I, I),
                                                         ("greater_equal", I, I), ("near", V, V + 1e-7),
                                                         ("near", V, V + 1))] +
    [c("tf.debugging.assert_" + n, a) for n, a in (("positive", I), ("positive", i32([1])), ("negative", I),
                                                   ("non_negative", i32([0])), ("non_positive", I), ("integer", I),
                                                   ("integer", V), ("scalar", f32(1)), ("scalar", V))] +
    [c("tf.debugging.assert_rank", X, 2), c("tf.debugging.assert_rank", X, 1),
     c("tf.debugging.assert_rank_at_least", X, 2), c("tf.debugging.assert_rank_at_least", X, 3),
     c("tf.debugging.assert_rank_in", X, [1, 2]), c("tf.debugging.assert_rank_in", X, [0, 3]),
     c("tf.debugging.assert_type", X, "float32"), c("tf.debugging.assert_type", X, "int32"),
     c("tf.debugging.assert_all_finite", X, "m"), c("tf.debugging.assert_all_finite", f32([np.nan]), "m"),
     c("tf.debugging.is_numeric_tensor", X), c("tf.debugging.is_numeric_tensor", strings("a")),
     c("tf.debugging.Assert", np.array(True), [X]), c("tf.debugging.Assert", np.array(False), [X]),
     c("tf.debugging.check_numerics", f32([np.inf]), "m")])

# What users get wrong: TensorFlow refuses each of these.
MISTAKES = [
    c("tf.add", I, V), c("tf.matmul", X, Y), c("tf.reshape", X, [4, 4]), c("tf.concat", [X, V], 0),
    c("tf.constant", [[1, 2], [3]]), c("tf.constant", 1.5, dtype="int32"),
    c("tf.cast", strings("a"), "float32"), c("tf.gather", X, i32([5])), c("tf.split", X, 2, axis=1),
    c("tf.squeeze", X, axis=[0]), c("tf.one_hot", V, 3), c("tf.reduce_sum", X, axis=4),
    c("tf.stack", [X, V]), c("tf.transpose", X, perm=[0]), c("tf.nn.softmax", I), c("tf.zeros", [-1]),
    c("tf.strings.to_number", strings("x")), c("tf.expand_dims", X, 5), c("tf.where", B, V, f32([1, 2])),
    c("tf.nn.conv2d", IMAGE, values("float32", (3, 3, 3, 2)), 1, "SAME"), c("tf.slice", X, [0, 2], [2, 2]),
    c("tf.broadcast_to", X, [3, 2]), c("tf.tile", X, [2]), c("tf.math.top_k", D, k=9),
]

AREAS = {"math": MATH, "reduce": REDUCE, "array": ARRAY, "linalg": LINALG, "nn": NN, "random": RANDOM,
         "strings": STRINGS, "image": IMAGES, "debugging": DEBUGGING, "mistakes": MISTAKES}
