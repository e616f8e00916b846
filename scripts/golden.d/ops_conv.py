"""Convolutions and their gradients."""
from case import FLOAT, Case, cases, i32, values

# name, image [n, h, w, c], filter [h, w, in, out], attributes
CONVOLUTIONS = [
    ("valid", (2, 5, 4, 2), (3, 2, 2, 3), {"padding": "VALID"}),
    ("same", (1, 5, 4, 2), (3, 3, 2, 2), {"padding": "SAME"}),
    ("same_even_filter", (1, 4, 5, 1), (2, 4, 1, 2), {"padding": "SAME"}),
    ("one_by_one", (2, 3, 3, 3), (1, 1, 3, 4), {"padding": "VALID"}),
    ("one_by_one_strided", (1, 5, 5, 3), (1, 1, 3, 2), {"padding": "SAME", "strides": (2, 2)}),
    ("strides_valid", (1, 7, 6, 2), (3, 3, 2, 2), {"padding": "VALID", "strides": (2, 2)}),
    ("strides_same", (1, 7, 6, 2), (3, 3, 2, 2), {"padding": "SAME", "strides": (2, 2)}),
    ("strides_same_3", (1, 7, 7, 1), (2, 2, 1, 2), {"padding": "SAME", "strides": (3, 3)}),
    ("strides_differ", (1, 7, 6, 1), (3, 2, 1, 2), {"padding": "SAME", "strides": (2, 1)}),
    ("dilations_valid", (1, 7, 7, 1), (3, 3, 1, 2), {"padding": "VALID", "dilations": (2, 2)}),
    ("dilations_same", (1, 6, 7, 2), (3, 2, 2, 1), {"padding": "SAME", "dilations": (2, 3)}),
    ("explicit", (1, 4, 5, 2), (3, 3, 2, 2), {"padding": "EXPLICIT", "explicit": (1, 2, 0, 1)}),
    ("explicit_strided", (1, 5, 5, 1), (3, 3, 1, 2), {"padding": "EXPLICIT", "explicit": (2, 0, 1, 1),
                                                      "strides": (2, 2)}),
    ("whole_image", (2, 3, 3, 2), (3, 3, 2, 3), {"padding": "VALID"}),
    ("filter_larger_same", (1, 2, 3, 1), (5, 5, 1, 1), {"padding": "SAME"}),
    ("seven", (1, 7, 7, 1), (7, 7, 1, 2), {"padding": "SAME"}),
    ("row", (1, 1, 13, 2), (1, 3, 2, 2), {"padding": "SAME"}),
    ("many_channels", (1, 3, 3, 13), (2, 2, 13, 4), {"padding": "VALID"}),
    ("no_images", (0, 4, 4, 2), (3, 3, 2, 2), {"padding": "SAME"}),
]


def attributes(settings, channels_first=False):
    def spread(pair):
        return [1, 1] + list(pair) if channels_first else [1] + list(pair) + [1]
    out = {"strides": spread(settings.get("strides", (1, 1))), "padding": settings["padding"]}
    if "dilations" in settings:
        out["dilations"] = spread(settings["dilations"])
    if "explicit" in settings:
        pads = list(settings["explicit"])
        out["explicit_paddings"] = [0] * 4 + pads if channels_first else [0, 0] + pads + [0, 0]
    if channels_first:
        out["data_format"] = "NCHW"
    return out


def output_size(size, filter_size, axis, settings):
    stride = settings.get("strides", (1, 1))[axis]
    reach = (filter_size - 1) * settings.get("dilations", (1, 1))[axis] + 1
    if settings["padding"] == "SAME":
        return -(-size // stride)
    if settings["padding"] == "EXPLICIT":
        size += sum(settings["explicit"][2 * axis:2 * axis + 2])
    return (size - reach) // stride + 1


def output_shape(image, kernel, settings):
    return (image[0], output_size(image[1], kernel[0], 0, settings), output_size(image[2], kernel[1], 1, settings),
            kernel[3])


@cases("Conv2D")
def conv(op):
    for name, image, kernel, settings in CONVOLUTIONS:
        yield Case(name, [values("float32", image, salt="i"), values("float32", kernel, -1, 1, "k")],
                   attributes(settings),
                   xla="dilations" in settings)
    for name, image, kernel, settings in CONVOLUTIONS[:2] + CONVOLUTIONS[6:7]:
        yield Case(name + "_float64", [values("float64", image, salt="i"), values("float64", kernel, -1, 1, "k")],
                   attributes(settings), second=name == "strides_same")
    small = {"padding": "VALID"}
    yield Case("int32", [values("int32", (1, 3, 3, 2), salt="i"), values("int32", (2, 2, 2, 1), salt="k")],
               attributes(small),
               dtype="int32", grad=False)
    yield Case("channels_do_not_match", [values("float32", (1, 4, 4, 3)), values("float32", (3, 3, 2, 1))],
               attributes(small),
               fails=True)
    yield Case("filter_larger_valid", [values("float32", (1, 2, 2, 1)), values("float32", (3, 3, 1, 1))],
               attributes(small))
    yield Case("image_has_rank_3", [values("float32", (4, 4, 1)), values("float32", (3, 3, 1, 1))], attributes(small),
               fails=True)
    yield Case("strides_over_channels", [values("float32", (1, 4, 4, 1)), values("float32", (3, 3, 1, 1))],
               {"strides": [1, 1, 1, 2], "padding": "VALID"}, fails=True)
    yield Case("grouped", [values("float32", (1, 4, 4, 4)), values("float32", (3, 3, 2, 2))], attributes(small),
               xla=True)


@cases("Conv2DBackpropInput")
def backprop_input(op):
    for name, image, kernel, settings in CONVOLUTIONS:
        dy = values("float32", output_shape(image, kernel, settings), salt="dy")
        yield Case(name, [i32(image), values("float32", kernel, -1, 1, "k"), dy], attributes(settings),
                   grad=name in ("valid", "strides_same", "explicit"), xla="dilations" in settings)
    name, image, kernel, settings = CONVOLUTIONS[6]
    dy = values("float64", output_shape(image, kernel, settings), salt="dy")
    yield Case("float64", [i32(image), values("float64", kernel, -1, 1, "k"), dy], attributes(settings), second=True)
    yield Case("spatial_sizes_only", [i32((5, 4)), values("float32", (3, 2, 2, 3), -1, 1, "k"),
                                      values("float32", (2, 3, 3, 3), salt="dy")],
               {"strides": [1, 1, 1, 1], "padding": "VALID"}, grad=False)
    yield Case("dy_has_wrong_shape", [i32((1, 5, 5, 1)), values("float32", (3, 3, 1, 1)),
                                      values("float32", (1, 4, 4, 1))],
               {"strides": [1, 1, 1, 1], "padding": "VALID"}, fails=True)


@cases("Conv2DBackpropFilter")
def backprop_filter(op):
    for name, image, kernel, settings in CONVOLUTIONS:
        dy = values("float32", output_shape(image, kernel, settings), salt="dy")
        yield Case(name, [values("float32", image, salt="i"), i32(kernel), dy], attributes(settings),
                   grad=name in ("valid", "strides_same", "explicit"), xla="dilations" in settings)
    name, image, kernel, settings = CONVOLUTIONS[6]
    dy = values("float64", output_shape(image, kernel, settings), salt="dy")
    yield Case("float64", [values("float64", image, salt="i"), i32(kernel), dy], attributes(settings), second=True)
    yield Case("dy_has_wrong_shape", [values("float32", (1, 5, 5, 1)), i32((3, 3, 1, 1)),
                                      values("float32", (1, 4, 4, 1))],
               {"strides": [1, 1, 1, 1], "padding": "VALID"}, fails=True)


# name, image, filter [h, w, in, multiplier], attributes
DEPTHWISE = [
    ("valid", (1, 4, 4, 2), (3, 2, 2, 1), {"padding": "VALID"}),
    ("multiplier", (1, 4, 3, 2), (2, 2, 2, 3), {"padding": "SAME"}),
    ("strides", (1, 5, 5, 3), (3, 3, 3, 1), {"padding": "SAME", "strides": (2, 2)}),
    ("dilations", (1, 6, 6, 1), (3, 3, 1, 2), {"padding": "VALID", "dilations": (2, 2)}),
    ("explicit", (1, 4, 4, 2), (3, 3, 2, 1), {"padding": "EXPLICIT", "explicit": (1, 0, 0, 2)}),
    ("odd_channels", (2, 3, 3, 7), (2, 2, 7, 1), {"padding": "SAME"}),
    ("empty", (0, 3, 3, 2), (2, 2, 2, 1), {"padding": "SAME"}),
]


@cases("DepthwiseConv2dNative")
def depthwise(op):
    for name, image, kernel, settings in DEPTHWISE:
        for dtype in FLOAT:
            yield Case(name + "_" + dtype, [values(dtype, image, salt="i"), values(dtype, kernel, -1, 1, "k")],
                       attributes(settings), dtype=dtype, second=name == "multiplier" and dtype == "float64",
                       xla="dilations" in settings)
    yield Case("channels_do_not_match", [values("float32", (1, 4, 4, 3)), values("float32", (3, 3, 2, 1))],
               attributes({"padding": "VALID"}), fails=True)


@cases("DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter")
def depthwise_backprop(op):
    for name, image, kernel, settings in DEPTHWISE:
        if image[0] == 0 and op.endswith("Filter"):
            continue  # the kernel leaves its output unwritten
        shape = output_shape(image, kernel[:3] + (kernel[2] * kernel[3],), settings)
        for dtype in FLOAT:
            dy = values(dtype, shape, salt="dy")
            first = [i32(image), values(dtype, kernel, -1, 1, "k")] if op.endswith("Input") else \
                [values(dtype, image, salt="i"), i32(kernel)]
            yield Case(name + "_" + dtype, first + [dy], attributes(settings), grad=name in ("valid", "multiplier"),
                       xla="dilations" in settings)
    dy = values("float32", (1, 4, 4, 1))
    first = [i32((1, 5, 5, 1)), values("float32", (3, 3, 1, 1))] if op.endswith("Input") else \
        [values("float32", (1, 5, 5, 1)), i32((3, 3, 1, 1))]
    yield Case("dy_has_wrong_shape", first + [dy], attributes({"padding": "VALID"}), fails=True)


@cases("Conv2D", "MaxPool", "AvgPool")
def channels_first(op):
    """NCHW: only where TensorFlow's CPU has it."""
    x = values("float32", (1, 2, 4, 5), salt="nchw")
    if op == "Conv2D":
        attrs = attributes({"padding": "SAME", "strides": (2, 1)}, True)
        yield Case("nchw", [x, values("float32", (3, 2, 2, 3), -1, 1, "k")], attrs, dtype="nchw", grad=False)
    else:
        yield Case("nchw", [x], {"ksize": [1, 1, 2, 3], "strides": [1, 1, 2, 1], "padding": "SAME",
                                 "data_format": "NCHW"},
                   dtype="nchw", grad=False)
