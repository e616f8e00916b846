"""The models that several parts share: the two of the examples, and small ones for curves and files."""
import numpy as np


def example_mlp():
    """The MLP of examples/mnist_mlp.lua."""
    import keras
    L = keras.layers
    return keras.Sequential([keras.Input((28, 28, 1)), L.Flatten(), L.Dense(128, activation="relu"), L.Dropout(0.3),
                             L.Dense(64, activation="relu"), L.Dense(10)])


def example_cnn():
    """The network of examples/mnist_cnn.lua."""
    import keras
    L = keras.layers
    return keras.Sequential([keras.Input((28, 28, 1)), L.Conv2D(32, 3, activation="relu"),
                             L.Conv2D(64, 3, activation="relu"),
                             L.MaxPooling2D(), L.Dropout(0.25), L.Flatten(), L.Dense(128, activation="relu"),
                             L.Dropout(0.5), L.Dense(10)])


def small_mlp():
    import keras
    L = keras.layers
    return keras.Sequential([keras.Input((8,)), L.Dense(6, activation="relu"), L.Dense(4, activation="relu"),
                             L.Dense(3)], name="mlp")


def small_cnn():
    import keras
    L = keras.layers
    return keras.Sequential([keras.Input((6, 6, 1)), L.Conv2D(3, 3, activation="relu"),
                             L.Conv2D(4, 2, activation="relu"),
                             L.MaxPooling2D(), L.Flatten(), L.Dense(5, activation="relu"), L.Dense(3)], name="cnn")


def small_norm():
    """Normalization and dropout with a seed: layers whose training differs from their inference."""
    import keras
    L = keras.layers
    # A bias in front of a BatchNormalization has a gradient of rounding noise, which Adam would blow up.
    return keras.Sequential([keras.Input((8,)), L.Dense(6, use_bias=False), L.BatchNormalization(momentum=0.9),
                             L.ReLU(), L.Dropout(0.25, seed=7),
                             L.Dense(5, activation="tanh"), L.LayerNormalization(), L.Dense(3)], name="norm")


def two_inputs():
    """Functional: a shared layer, two inputs, two outputs."""
    import keras
    L = keras.layers
    a, b = keras.Input((4,), name="a"), keras.Input((4,), name="b")
    shared = L.Dense(3, activation="relu", name="shared")
    x, y = shared(a), shared(b)
    joined = L.Concatenate(name="joined")([x, y])
    total = L.Add(name="total")([x, y])
    return keras.Model([a, b], [L.Dense(2, name="score")(joined),
                                L.Dense(1, activation="sigmoid", name="flag")(total)], name="two_inputs")


def nested():
    """A model inside a model, layers of the same class side by side, an Embedding."""
    import keras
    L = keras.layers
    inner = keras.Sequential([keras.Input((12,)), L.Dense(2, activation="relu"), L.Dense(2)], name="inner")
    i = keras.Input((4,), dtype="int32", name="tokens")
    x = L.Embedding(5, 3, name="table")(i)
    x = inner(L.Flatten()(L.Reshape((2, 2, 3))(x)))
    return keras.Model(i, L.Dense(2)(x), name="nested")


def batches(shape, classes, count, size, dtype):
    """count batches of pseudo-random inputs with two decimals, and class numbers."""
    rs = np.random.RandomState(20)
    x = np.round(rs.uniform(-1, 1, (count, size) + shape), 2).astype(dtype)
    y = rs.randint(0, classes, (count, size)).astype("int64")
    return x, y
