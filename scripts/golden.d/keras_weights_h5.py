"""Files that real Keras wrote with save_weights, with the values they hold and a prediction to repeat."""
import os

import h5py
import numpy as np

import encode
import keras_files
import keras_models
from case import values

INPUTS = {
    "mlp": (keras_models.small_mlp, [values("float32", (2, 8))]),
    "cnn": (keras_models.small_cnn, [values("float32", (2, 6, 6, 1))]),
    "norm": (keras_models.small_norm, [values("float32", (2, 8))]),
    "two_inputs": (keras_models.two_inputs, [values("float32", (2, 4), salt="a"),
                                             values("float32", (2, 4), salt="b")]),
    "nested": (keras_models.nested, [np.array([[0, 1, 2, 3], [4, 4, 0, 1]], "int32")]),
}


def tree(path):
    """Every dataset of the file by its path."""
    rows = []

    def note(name, item):
        if isinstance(item, h5py.Dataset):
            rows.append({"dataset": name, "value": encode.tensor(item[()])})

    with h5py.File(path, "r") as f:
        f.visititems(note)
    return rows


def row(folder, name, make, inputs, compiled):
    import keras
    keras.utils.clear_session()
    keras.utils.set_random_seed(5)
    model = make()
    for n, w in enumerate(model.weights):
        if "seed" not in w.name:
            low, high = (0.5, 2) if "variance" in w.name else (-1, 1)
            w.assign(values("float32", w.shape, low, high, str(n)))
    if compiled:
        model.compile("adam", "mse")
        model.train_on_batch(inputs[0], np.zeros(model(inputs[0]).shape, "float32"))
    path = os.path.join(folder, name + ".weights.h5")
    if os.path.exists(path):
        os.remove(path)
    model.save_weights(path)
    outputs = model(inputs if len(inputs) > 1 else inputs[0], training=False)
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    return {"file": name + ".weights.h5", "model": name.replace("_compiled", ""), "compiled": compiled,
            "datasets": tree(path),
            "weights": [{"path": w.path, "value": encode.tensor(w.numpy())} for w in model.weights],
            "inputs": encode.tensors(inputs), "outputs": encode.tensors([o.numpy() for o in outputs])}


def write():
    folder, rows = keras_files.folder("h5"), []
    for name, (make, inputs) in INPUTS.items():
        rows.append(row(folder, name, make, inputs, False))
    rows.append(row(folder, "mlp_compiled", *INPUTS["mlp"], True))
    size = keras_files.save(os.path.join(folder, "index.json"), {}, "files", rows)
    return size + sum(os.path.getsize(os.path.join(folder, r["file"])) for r in rows)
