"""The cases of each layer: constructor arguments and inputs."""
import dataclasses

import numpy as np

from case import distinct, f32, i32, values


@dataclasses.dataclass
class L:
    """training: the layer acts differently when it trains; steps: training calls in a row."""
    name: str
    config: dict
    inputs: list
    training: bool = False
    steps: int = 1
    mask: bool = False
    as_list: bool = False


def v(*shape, dtype="float32", salt=""):
    return values(dtype, shape, -2, 2, salt)


def lists(name, config, *inputs):
    return L(name, config, list(inputs), as_list=True)


DENSE = [
    L("plain", {"units": 3}, [v(2, 4)]),
    L("relu", {"units": 3, "activation": "relu"}, [v(2, 4)]),
    L("no_bias", {"units": 2, "use_bias": False}, [v(3, 5)]),
    L("softmax", {"units": 4, "activation": "softmax"}, [v(3, 2)]),
    L("sigmoid", {"units": 1, "activation": "sigmoid"}, [v(5, 3)]),
    L("tanh_float64", {"units": 3, "activation": "tanh", "dtype": "float64"}, [v(2, 4, dtype="float64")]),
    L("rank3", {"units": 3}, [v(2, 3, 4)]),
    L("rank4", {"units": 2, "activation": "elu"}, [v(1, 2, 3, 2)]),
    L("odd", {"units": 13}, [v(7, 5)]),
    L("one", {"units": 1}, [v(1, 1)]),
]
CONV = [
    L("plain", {"filters": 3, "kernel_size": 3}, [v(2, 5, 5, 2)]),
    L("same_relu", {"filters": 2, "kernel_size": (3, 2), "padding": "same", "activation": "relu"}, [v(1, 4, 5, 2)]),
    L("strides", {"filters": 2, "kernel_size": 3, "strides": 2}, [v(1, 7, 6, 1)]),
    L("strides_same", {"filters": 2, "kernel_size": 3, "strides": (2, 1), "padding": "same"}, [v(1, 6, 5, 2)]),
    L("no_bias", {"filters": 4, "kernel_size": 1, "use_bias": False}, [v(1, 3, 3, 3)]),
    L("float64", {"filters": 2, "kernel_size": 2, "dtype": "float64"}, [v(1, 4, 4, 2, dtype="float64")]),
    L("whole", {"filters": 2, "kernel_size": (3, 4)}, [v(2, 3, 4, 1)]),
]
POOL_INPUT = distinct("float32", (2, 5, 6, 2))
POOL = [
    L("plain", {"pool_size": 2}, [distinct("float32", (1, 4, 6, 2))]),
    L("size_3", {"pool_size": 3}, [POOL_INPUT]),
    L("overlap", {"pool_size": 3, "strides": 1}, [POOL_INPUT]),
    L("same", {"pool_size": 2, "strides": 2, "padding": "same"}, [POOL_INPUT]),
    L("sizes_differ", {"pool_size": (2, 3), "strides": (1, 2), "padding": "same"}, [POOL_INPUT]),
    L("float64", {"pool_size": 2, "dtype": "float64"}, [distinct("float64", (1, 4, 4, 1))]),
]
NORM = [
    L("plain", {}, [v(4, 3)], True, 2),
    L("image", {}, [v(2, 3, 2, 3)], True, 2),
    L("momentum", {"momentum": 0.5, "epsilon": 0.01}, [v(5, 2)], True, 3),
    L("no_scale", {"scale": False}, [v(4, 3)], True),
    L("no_center", {"center": False}, [v(4, 3)], True),
    L("bare", {"scale": False, "center": False}, [v(4, 3)], True),
    L("axis_1", {"axis": 1}, [v(2, 3, 4)], True),
    L("sequence", {}, [v(2, 5, 3)], True),
    L("float64", {"dtype": "float64"}, [v(4, 3, dtype="float64")], True, 2),
    L("one_sample", {}, [v(1, 3)], True),
    L("frozen", {"trainable": False}, [v(4, 3)], True),
]
LAYER_NORM = [
    L("plain", {}, [v(3, 4)]),
    L("sequence", {}, [v(2, 3, 5)]),
    L("image", {}, [v(1, 2, 3, 2)]),
    L("axes", {"axis": [1, 2]}, [v(2, 3, 4)]),
    L("axis_1", {"axis": 1}, [v(2, 3, 4)]),
    L("epsilon", {"epsilon": 0.1}, [v(3, 4)]),
    L("no_scale", {"scale": False}, [v(3, 4)]),
    L("no_center", {"center": False}, [v(3, 4)]),
    L("float64", {"dtype": "float64"}, [v(3, 4, dtype="float64")]),
    L("odd", {}, [v(2, 65)]),
    L("constant", {}, [f32(np.full((2, 3), 1.5))]),
]
DROPOUT = [
    L("half", {"rate": 0.5, "seed": 1337}, [v(4, 6)], True, 3),
    L("quarter", {"rate": 0.25, "seed": 42}, [v(3, 5)], True, 2),
    L("zero", {"rate": 0.0, "seed": 1}, [v(2, 3)], True),
    L("noise_shape", {"rate": 0.5, "seed": 7, "noise_shape": [3, 1, 2]}, [v(3, 4, 2)], True),
    L("noise_shape_batch", {"rate": 0.5, "seed": 7, "noise_shape": [None, 1, 2]}, [v(3, 4, 2)], True),
    L("image", {"rate": 0.3, "seed": 9}, [v(2, 3, 3, 2)], True, 2),
    L("float64", {"rate": 0.5, "seed": 3, "dtype": "float64"}, [v(3, 4, dtype="float64")], True),
]
EMBEDDING = [
    L("plain", {"input_dim": 5, "output_dim": 3}, [i32([[0, 4, 2], [1, 1, 0]])]),
    L("vector", {"input_dim": 4, "output_dim": 2}, [i32([3, 0, 3])]),
    L("mask", {"input_dim": 5, "output_dim": 2, "mask_zero": True}, [i32([[1, 2, 0], [3, 0, 0]])], mask=True),
    L("float_input", {"input_dim": 4, "output_dim": 2}, [f32([[1, 3]])]),
    L("float64", {"input_dim": 4, "output_dim": 2, "dtype": "float64"}, [i32([[2, 2]])]),
]
RELU = [
    L("plain", {}, [v(3, 4)]), L("max", {"max_value": 1.0}, [v(3, 4)]), L("slope", {"negative_slope": 0.1}, [v(3, 4)]),
    L("threshold", {"threshold": 0.5}, [v(3, 4)]),
    L("all", {"max_value": 1.5, "negative_slope": 0.2, "threshold": 0.25}, [v(3, 4)]),
    L("float64", {"dtype": "float64"}, [v(3, 4, dtype="float64")]),
]
SOFTMAX = [
    L("plain", {}, [v(3, 4)]), L("axis_1", {"axis": 1}, [v(2, 3, 4)]), L("axes", {"axis": [1, 2]}, [v(2, 3, 4)]),
    L("float64", {"dtype": "float64"}, [v(3, 4, dtype="float64")]), L("vector", {}, [v(5)]),
]
ACTIVATIONS = ("relu sigmoid tanh softmax elu selu softplus softsign leaky_relu gelu silu linear relu6 exponential "
               "hard_sigmoid log_softmax mish hard_silu").split()
ACTIVATION = [L(n, {"activation": n}, [v(3, 4)]) for n in ACTIVATIONS]
FLATTEN = [L("image", {}, [v(2, 3, 2, 2)]), L("matrix", {}, [v(2, 3)]), L("vector", {}, [v(3)]),
           L("rank5", {}, [v(1, 2, 1, 3, 1)]),
           L("int", {"dtype": "int32"}, [i32([[[1, 2], [3, 4]]])])]
RESHAPE = [L("plain", {"target_shape": (2, 3)}, [v(2, 6)]), L("unknown", {"target_shape": (-1, 2)}, [v(2, 3, 4)]),
           L("flat", {"target_shape": (-1,)}, [v(2, 3, 2)]), L("image", {"target_shape": (2, 2, 1)}, [v(3, 4)])]
RESCALING = [L("scale", {"scale": 1 / 255}, [f32([[0, 128, 255]])]),
             L("offset", {"scale": 2.0, "offset": -1.0}, [v(2, 3)]),
             L("list", {"scale": [1.0, 2.0, 3.0], "offset": [0.0, 1.0, -1.0]}, [v(2, 3)]),
             L("uint8", {"scale": 0.5}, [np.array([[0, 1, 255]], "uint8")]),
             L("int32", {"scale": 0.5}, [i32([[3, 4]])])]
ADD = [lists("two", {}, v(2, 3, salt="a"), v(2, 3, salt="b")),
       lists("three", {}, v(2, 3, salt="a"), v(2, 3, salt="b"), v(2, 3, salt="c")),
       lists("broadcast", {}, v(2, 3, 4, salt="a"), v(2, 1, 4, salt="b")),
       lists("ranks_differ", {}, v(2, 3, 4, salt="a"), v(2, 4, salt="b")),
       lists("float64", {"dtype": "float64"}, v(2, 2, dtype="float64", salt="a"), v(2, 2, dtype="float64", salt="b"))]
CONCAT = [lists("plain", {}, v(2, 3, salt="a"), v(2, 1, salt="b")),
          lists("axis_1", {"axis": 1}, v(2, 1, 3, salt="a"), v(2, 2, 3, salt="b")),
          lists("three", {"axis": -1}, v(2, 1, salt="a"), v(2, 2, salt="b"), v(2, 3, salt="c")),
          lists("images", {"axis": 3}, v(1, 2, 2, 1, salt="a"), v(1, 2, 2, 3, salt="b"))]
GLOBAL = [L("plain", {}, [v(2, 3, 4, 3)]), L("keepdims", {"keepdims": True}, [v(2, 2, 2, 2)]),
          L("float64", {"dtype": "float64"}, [v(1, 3, 2, 2, dtype="float64")])]

# layer -> (cases, calls that Keras refuses: name, config, inputs)
LAYERS = {
    "Dense": (DENSE, [("units_zero", {"units": 0}, [v(2, 3)]), ("scalar_input", {"units": 1}, [f32(1)])]),
    "Conv2D": (CONV, [("rank3", {"filters": 1, "kernel_size": 2}, [v(3, 3, 1)]),
                      ("filters_zero", {"filters": 0, "kernel_size": 2}, [v(1, 3, 3, 1)]),
                      ("too_small", {"filters": 1, "kernel_size": 4}, [v(1, 3, 3, 1)]),
                      ("strides_and_dilation", {"filters": 1, "kernel_size": 2, "strides": 2, "dilation_rate": 2},
                       [v(1, 5, 5, 1)])]),
    "MaxPooling2D": (POOL + [L("defaults", {}, [POOL_INPUT])], [("rank3", {}, [v(4, 4, 1)])]),
    "AveragePooling2D": (POOL, [("rank3", {"pool_size": 2}, [v(4, 4, 1)])]),
    "GlobalAveragePooling2D": (GLOBAL, [("rank3", {}, [v(4, 4, 1)])]),
    "Flatten": (FLATTEN, []),
    "Reshape": (RESHAPE, [("sizes_differ", {"target_shape": (4,)}, [v(2, 6)])]),
    "Dropout": (DROPOUT, [("rate", {"rate": 1.5}, [v(2, 2)])]),
    "BatchNormalization": (NORM, []),
    "LayerNormalization": (LAYER_NORM, []),
    "Activation": (ACTIVATION, [("unknown", {"activation": "no_such"}, [v(2, 2)])]),
    "ReLU": (RELU, [("negative_slope", {"negative_slope": -1.0}, [v(2, 2)])]),
    "Softmax": (SOFTMAX, []),
    "Add": (ADD, [("do_not_broadcast", {}, [v(2, 3), v(2, 4)])]),
    "Concatenate": (CONCAT, [("sizes_differ", {"axis": 1}, [v(2, 3, 4), v(2, 3, 5)])]),
    "Rescaling": (RESCALING, []),
    "Embedding": (EMBEDDING, []),
}
