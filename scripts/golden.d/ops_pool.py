"""Pooling, batch normalization and resizing, with the ops their gradients are made of."""
import numpy as np

from case import FLOAT, Case, cases, distinct, f32, i32, values

# name, image, window, strides, padding
POOLS = [
    ("two", (1, 4, 6, 2), (2, 2), (2, 2), "VALID"),
    ("two_odd_valid", (1, 5, 7, 1), (2, 2), (2, 2), "VALID"),
    ("two_odd_same", (1, 5, 7, 1), (2, 2), (2, 2), "SAME"),
    ("overlap", (1, 5, 5, 2), (3, 3), (1, 1), "VALID"),
    ("overlap_same", (1, 5, 4, 2), (3, 3), (2, 2), "SAME"),
    ("different_axes", (2, 5, 4, 1), (3, 2), (2, 1), "SAME"),
    ("stride_over_window", (1, 7, 7, 1), (2, 2), (3, 3), "VALID"),
    ("whole", (2, 3, 3, 2), (3, 3), (3, 3), "VALID"),
    ("one", (1, 2, 3, 2), (1, 1), (1, 1), "VALID"),
    ("window_larger_same", (1, 2, 2, 1), (3, 3), (1, 1), "SAME"),
    ("many_channels", (1, 2, 3, 13), (2, 2), (1, 1), "VALID"),
    ("no_images", (0, 4, 4, 2), (2, 2), (2, 2), "VALID"),
]


def settings(window, strides, padding):
    return {"ksize": [1, *window, 1], "strides": [1, *strides, 1], "padding": padding}


def pooled_shape(image, window, strides, padding):
    def size(n, k, s):
        return -(-n // s) if padding == "SAME" else (n - k) // s + 1
    return (image[0], size(image[1], window[0], strides[0]), size(image[2], window[1], strides[1]), image[3])


@cases("MaxPool", "AvgPool")
def pool(op):
    for name, image, *rest in POOLS:
        yield Case(name, [distinct("float32", image)], settings(*rest))
    for name, image, *rest in POOLS[3:6]:
        yield Case(name + "_float64", [distinct("float64", image)], settings(*rest), second=True)
    if op == "MaxPool":
        for dtype in ("int32", "int64", "uint8", "int8", "int16", "uint16"):
            yield Case(dtype, [values(dtype, (1, 4, 4, 1))], settings((2, 2), (2, 2), "VALID"), dtype=dtype)
        yield Case("ties", [f32(np.ones((1, 4, 4, 1)))], settings((2, 2), (1, 1), "VALID"))
        yield Case("negative_same", [f32(-1 - np.arange(9).reshape(1, 3, 3, 1))], settings((2, 2), (2, 2), "SAME"))
        pads = dict(settings((3, 3), (2, 2), "EXPLICIT"), explicit_paddings=[0, 0, 1, 1, 0, 1, 0, 0])
        yield Case("explicit", [distinct("float32", (1, 5, 4, 2))], pads, grad=False)
        yield Case("minus_infinity", [f32(np.full((1, 2, 2, 1), -np.inf))], settings((2, 2), (1, 1), "SAME"),
                   grad=False)
    yield Case("window_larger_valid", [values("float32", (1, 2, 2, 1))], settings((3, 3), (1, 1), "VALID"))
    yield Case("not_an_image", [values("float32", (4, 4, 1))], settings((2, 2), (2, 2), "VALID"), fails=True)


@cases("MaxPoolGrad", "MaxPoolGradGrad", "AvgPoolGrad")
def pool_grad(op):
    import tensorflow as tf
    for name, image, *rest in POOLS:
        for dtype in FLOAT:
            if dtype == "float64" and name not in ("overlap_same", "two"):
                continue
            attrs = settings(*rest)
            small = values(dtype, pooled_shape(image, *rest), salt="dy")
            if op == "AvgPoolGrad":
                inputs = [i32(image), small]
            else:
                x = distinct(dtype, image)
                y = tf.raw_ops.MaxPool(input=tf.constant(x), **attrs).numpy()
                inputs = [x, y, small if op == "MaxPoolGrad" else values(dtype, image, salt="ddy")]
            yield Case(name + "_" + dtype, inputs, attrs, dtype=dtype)


def norm_inputs(dtype, shape, channels):
    return [values(dtype, shape), values("float32", (channels,), 0.5, 2, "scale"),
            values("float32", (channels,), salt="offset")]


@cases("FusedBatchNormV3")
def batch_norm(op):
    none = f32([])
    for name, shape in (("image", (2, 3, 2, 3)), ("one_channel", (3, 2, 2, 1)), ("odd", (1, 5, 2, 7)),
                        ("row", (4, 1, 1, 5))):
        yield Case("training_" + name, norm_inputs("float32", shape, shape[3]) + [none, none], {"is_training": True},
                   dy_of=(0,),
                   second=name == "image")
        running = [values("float32", (shape[3],), salt="mean"), values("float32", (shape[3],), 0.5, 2, "variance")]
        yield Case("inference_" + name, norm_inputs("float32", shape, shape[3]) + running, {"is_training": False},
                   dy_of=(0,),
                   unset=(3, 4))
        yield Case("average_" + name, norm_inputs("float32", shape, shape[3]) + running,
                   {"is_training": True, "exponential_avg_factor": 0.25}, dy_of=(0,))
    yield Case("epsilon", norm_inputs("float32", (2, 2, 2, 3), 3) + [none, none],
               {"is_training": True, "epsilon": 0.1},
               dy_of=(0,))
    yield Case("constant_channel", [f32(np.full((2, 2, 2, 1), 3)), f32([2]), f32([1]), none, none],
               {"is_training": True},
               dy_of=(0,))
    yield Case("nchw_training", norm_inputs("float32", (2, 3, 2, 2), 3) + [none, none],
               {"is_training": True, "data_format": "NCHW"},
               dtype="nchw", grad=False)
    yield Case("nchw_inference", norm_inputs("float32", (2, 3, 2, 2), 3) + [values("float32", (3,)),
                                                                            values("float32", (3,), 0.5, 2)],
               {"is_training": False, "data_format": "NCHW"}, dtype="nchw", grad=False, unset=(3, 4))
    yield Case("scale_has_wrong_size", [values("float32", (1, 2, 2, 3)), f32([1, 1]), f32([0, 0, 0]), none, none],
               {"is_training": True}, fails=True)


@cases("FusedBatchNormGradV3")
def batch_norm_grad(op):
    import tensorflow as tf
    for name, shape in (("image", (2, 3, 2, 3)), ("one_channel", (3, 2, 2, 1)), ("odd", (1, 5, 2, 7))):
        x, scale, offset = norm_inputs("float32", shape, shape[3])
        for training in (True, False):
            mean, variance = f32([]), f32([])
            if not training:
                mean = values("float32", (shape[3],), salt="mean")
                variance = values("float32", (shape[3],), 0.5, 2, "variance")
            out = tf.raw_ops.FusedBatchNormV3(x=x, scale=scale, offset=offset, mean=mean, variance=variance,
                                              is_training=training)
            saved = [out[3].numpy(), out[4].numpy()] if training else [mean, variance]
            saved.append(out[5].numpy())
            yield Case("%s_training_%s" % (name, training), [values("float32", shape, salt="dy"), x, scale] + saved,
                       {"is_training": training}, grad=training and name == "image")


RESIZES = [("up", (1, 2, 3, 2), (4, 5)), ("down", (1, 7, 5, 1), (3, 2)), ("same", (2, 3, 3, 1), (3, 3)),
           ("one", (1, 1, 1, 3), (3, 2)),
           ("to_one", (1, 4, 5, 2), (1, 1)), ("mixed", (1, 3, 6, 2), (5, 4)), ("double", (1, 3, 2, 1), (6, 4))]
MODES = [("legacy", {}), ("centers", {"half_pixel_centers": True}), ("corners", {"align_corners": True})]


@cases("ResizeBilinear", "ResizeNearestNeighbor")
def resize(op):
    for mode, attrs in MODES:
        for name, image, size in RESIZES:
            yield Case("%s_%s" % (mode, name), [values("float32", image), i32(size)], attrs, second=name == "up")
    for dtype in ("float64", "uint8", "int32", "int64", "int16", "uint16", "int8"):
        yield Case(dtype, [values(dtype, (1, 3, 2, 2)), i32((5, 3))], {"half_pixel_centers": True}, dtype=dtype)
    yield Case("size_zero", [values("float32", (1, 3, 2, 2)), i32((0, 3))], fails=True)
    yield Case("size_has_three", [values("float32", (1, 3, 2, 2)), i32((1, 2, 3))], fails=True)
    yield Case("both_modes", [values("float32", (1, 3, 2, 2)), i32((2, 3))],
               {"align_corners": True, "half_pixel_centers": True},
               fails=True)


@cases("ResizeBilinearGrad", "ResizeNearestNeighborGrad")
def resize_grad(op):
    for mode, attrs in MODES:
        for name, image, size in RESIZES:
            dy = values("float32", (image[0], *size, image[3]), salt="dy")
            second = values("float32", image) if op == "ResizeBilinearGrad" else i32(image[1:3])
            yield Case("%s_%s" % (mode, name), [dy, second], attrs)
    if op == "ResizeBilinearGrad":
        yield Case("float64", [values("float32", (1, 4, 5, 2), salt="dy"), values("float64", (1, 2, 3, 2))],
                   MODES[1][1], grad=False)
    else:
        yield Case("float64", [values("float64", (1, 4, 5, 2), salt="dy"), i32((2, 3))], MODES[1][1])
