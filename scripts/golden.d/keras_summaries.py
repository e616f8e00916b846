"""model.summary() as text, layer by layer shapes and counts, and the configs of whole models."""
import os

import keras_files
import keras_models

MODELS = ("example_mlp", "example_cnn", "small_norm", "two_inputs", "nested")


def run(name):
    import keras
    keras.utils.clear_session()
    model, lines = getattr(keras_models, name)(), []
    model.summary(print_fn=lines.append, line_length=80)
    rows = []
    for layer in model.layers:
        shape = getattr(layer, "output", None)
        rows.append({"name": layer.name, "class_name": type(layer).__name__, "params": layer.count_params(),
                     "output_shape": keras_files.plain(tuple(shape.shape)) if hasattr(shape, "shape") else None})
    return {"model": name, "summary": "\n".join(lines), "layers": rows, "total_params": model.count_params(),
            "inputs": [keras_files.plain(tuple(i.shape)) for i in model.inputs],
            "outputs": [keras_files.plain(tuple(o.shape)) for o in model.outputs],
            "weights": [{"path": w.path, "shape": list(w.shape),
                         "trainable": bool(w.trainable)} for w in model.weights],
            "get_config": keras_files.plain(model.get_config())}


def write():
    return keras_files.save(os.path.join(keras_files.folder(), "models.json"), {}, "models", [run(n) for n in MODELS])
