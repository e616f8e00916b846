#!/usr/bin/env python3
"""Weight files both ways: ours loaded by Keras, Keras's loaded by us; the values and the predictions must agree."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "sides"))

from both_sides import Comparison, moonflow  # noqa: E402

import numpy as np  # noqa: E402
import keras  # noqa: E402

import keras_models  # noqa: E402
from case import values  # noqa: E402

MODELS = {
    "mlp": (keras_models.small_mlp, [(8,)]), "cnn": (keras_models.small_cnn, [(6, 6, 1)]),
    "norm": (keras_models.small_norm, [(8,)]),
    "two_inputs": (keras_models.two_inputs, [(4,), (4,)]), "nested": (keras_models.nested, [(4,)]),
    "example_mlp": (keras_models.example_mlp, [(28, 28, 1)]), "example_cnn": (keras_models.example_cnn, [(28, 28, 1)]),
}


def real_weights(model):
    return [w for w in model.weights if "seed" not in w.name]


def inputs_of(name, shapes):
    if name == "nested":
        return [np.array([[0, 1, 2, 3], [4, 4, 0, 1]], "int32")]
    return [values("float32", (3,) + s, -1, 1, str(n)) for n, s in enumerate(shapes)]


def predictions(model, inputs):
    y = model(inputs if len(inputs) > 1 else inputs[0], training=False)
    return [t.numpy() for t in (y if isinstance(y, (list, tuple)) else [y])]


def compare(check, what, model, inputs, result):
    for n, w in enumerate(real_weights(model)):
        check.close("%s: weight %d (%s)" % (what, n, w.path), result["w%d" % n], w.numpy(), 0, 0)
    for n, y in enumerate(predictions(model, inputs)):
        check.close("%s: output %d" % (what, n), result["y%d" % n], y, 1e-5, 1e-5)


def fill(model):
    """Kernels as small as an initializer makes them: outputs stay of the size of inputs, and float32's noise below the tolerance."""
    for n, w in enumerate(real_weights(model)):
        most = 1 / np.sqrt(np.prod(w.shape[:-1])) if len(w.shape) > 1 else 1
        low, high = (0.5, 2) if "variance" in w.name else (-most, most)
        w.assign(values("float32", w.shape, low, high, "w%d" % n))


def main():
    check = Comparison("weights_h5")
    for name, (make, shapes) in MODELS.items():
        inputs = inputs_of(name, shapes)
        given = check.path(name + ".npz")
        np.savez(given, **{"x%d" % n: a for n, a in enumerate(inputs)})

        keras.utils.clear_session()
        model = make()
        fill(model)
        theirs, result = check.path(name + "_keras.weights.h5"), check.path(name + "_a.npz")
        model.save_weights(theirs)
        moonflow("weights_h5.lua", "load", name, theirs, given, result)
        compare(check, name + ", Keras's file here", model, inputs, np.load(result))

        keras.utils.clear_session()
        model = make()
        ours, result = check.path(name + "_ours.weights.h5"), check.path(name + "_b.npz")
        moonflow("weights_h5.lua", "save", name, ours, given, result)
        model.load_weights(ours)
        compare(check, name + ", our file in Keras", model, inputs, np.load(result))
        print("%s: %d weights, files of %d and %d bytes" % (name, len(real_weights(model)), os.path.getsize(theirs),
                                                            os.path.getsize(ours)))
    check.finish()


if __name__ == "__main__":
    main()
