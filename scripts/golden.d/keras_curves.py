"""Twenty training steps of small models: weights, gradients, loss and optimizer state at every step.

float32 files are for single steps that start from the weights written here; float64 files are for the whole curve
and hold weights and gradients at every tenth step only.
"""
import os

import numpy as np
import tensorflow as tf

import encode
import keras_files
import keras_models

STEPS, BATCH = 20, 8
MODELS = {"mlp": (keras_models.small_mlp, (8,)), "cnn": (keras_models.small_cnn, (6, 6, 1)),
          "norm": (keras_models.small_norm, (8,))}
OPTIMIZERS = {
    "sgd": ("SGD", {"learning_rate": 0.1, "momentum": 0.9}),
    "nesterov": ("SGD", {"learning_rate": 0.1, "momentum": 0.9, "nesterov": True}),
    "adam": ("Adam", {"learning_rate": 0.01}), "rmsprop": ("RMSprop", {"learning_rate": 0.01}),
}


def flat(variables):
    """All variables in one row of numbers: the shapes are in the head of the file."""
    a = [v.numpy().reshape(-1) for v in variables]
    return encode.Raw("[" + ",".join(encode.items(np.concatenate(a))) + "]") if a else []


def run(model_name, optimizer_name, dtype):
    import keras
    keras.utils.clear_session()
    keras.config.set_floatx(dtype)
    keras.utils.set_random_seed(11)
    make, shape = MODELS[model_name]
    model = make()
    class_name, config = OPTIMIZERS[optimizer_name]
    optimizer = getattr(keras.optimizers, class_name)(**config)
    optimizer.build(model.trainable_variables)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    x, y = keras_models.batches(shape, 3, STEPS, BATCH, dtype)
    frozen = [v for v in model.non_trainable_variables if "seed" not in v.name]
    state = [v for v in optimizer.variables if v.name not in ("iteration", "learning_rate")]
    head = {"model": model_name, "optimizer": {"class_name": class_name, "config": config}, "dtype": dtype,
            "trainable": [{"name": v.path.split("/", 1)[-1],
                           "shape": list(v.shape)} for v in model.trainable_variables],
            "non_trainable": [{"name": v.path.split("/", 1)[-1], "shape": list(v.shape)} for v in frozen],
            "state": [{"name": v.name, "shape": list(v.shape)} for v in state]}
    rows = []
    for n in range(STEPS):
        row = {"x": encode.tensor(x[n]), "y": encode.tensor(y[n])}
        whole = dtype == "float32" or n % 10 == 0
        if whole:
            row.update(weights=flat(model.trainable_variables), non_trainable=flat(frozen), state=flat(state))
        with tf.GradientTape() as tape:
            loss = loss_of(y[n], model(x[n], training=True))
        gradients = tape.gradient(loss, [v.value for v in model.trainable_variables])
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        row["loss"] = encode.tensor(loss.numpy())
        if whole:
            row["gradients"] = flat(gradients)
        rows.append(row)
    rows.append({"weights": flat(model.trainable_variables), "non_trainable": flat(frozen), "state": flat(state)})
    keras.config.set_floatx("float32")
    return head, rows


def fit_histories():
    """Whole fits after set_random_seed: History, evaluate and two predictions."""
    import keras
    rows = []
    x, y = keras_models.batches((8,), 3, 1, 60, "float32")
    for optimizer in ("sgd", "adam", "rmsprop"):
        for name, arguments in (("plain", {}), ("validation_split", {"validation_split": 0.2}),
                                ("class_weight", {"class_weight": {0: 1.0, 1: 2.0, 2: 0.5}}),
                                ("sample_weight", {"sample_weight": True})):
            keras.utils.clear_session()
            keras.utils.set_random_seed(42)
            model = keras_models.small_norm()
            class_name, config = OPTIMIZERS[optimizer]
            model.compile(getattr(keras.optimizers, class_name)(**config),
                          keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                          metrics=["accuracy"])
            extra = dict(arguments)
            if extra.pop("sample_weight", None):
                extra["sample_weight"] = np.linspace(0, 2, 60).astype("float32")
            history = model.fit(x[0], y[0], batch_size=16, epochs=4, verbose=0, **extra)
            row = {"optimizer": optimizer, "case": name,
                   "arguments": {k: v for k, v in keras_files.plain(arguments).items()},
                   "history": {k: [float(v) for v in h] for k, h in history.history.items()},
                   "evaluate": [float(v) for v in model.evaluate(x[0], y[0], verbose=0)],
                   "predict": encode.tensor(model.predict(x[0][:2], verbose=0))}
            rows.append(row)
    head = {"model": "norm", "seed": 42, "batch_size": 16, "epochs": 4, "x": encode.tensor(x[0]),
            "y": encode.tensor(y[0])}
    return head, rows


# name, batches of a dataset (0: arrays), repeated, arguments of fit
STEPPED = [
    ("arrays_more", 0, False, {"batch_size": 16, "steps_per_epoch": 100, "epochs": 2}),
    ("arrays_fewer", 0, False, {"batch_size": 16, "steps_per_epoch": 3, "epochs": 4}),
    ("arrays_half", 0, False, {"batch_size": 16, "steps_per_epoch": 2, "epochs": 3}),
    ("arrays_without_size", 0, False, {"steps_per_epoch": 4, "epochs": 2}),
    ("dataset_more", 4, False, {"steps_per_epoch": 7, "epochs": 3}),
    ("dataset_fewer", 4, False, {"steps_per_epoch": 3, "epochs": 3}),
    ("dataset_repeated", 4, True, {"steps_per_epoch": 3, "epochs": 3}),
    ("initial_epoch", 0, False, {"batch_size": 16, "initial_epoch": 1, "epochs": 3}),
    ("validation_steps", 0, False, {"batch_size": 16, "validation_split": 0.5, "validation_batch_size": 4, "validation_steps": 3,
                                    "epochs": 2}),
    ("validation_freq", 0, False, {"batch_size": 16, "validation_split": 0.5, "validation_freq": 2, "epochs": 5}),
]


def stepped_histories():
    """Histories of fits that count steps, and of a model with two outputs whose last batch is short."""
    import keras
    rows = []
    x, y = keras_models.batches((8,), 3, 1, 60, "float32")
    for name, batches, repeated, arguments in STEPPED:
        keras.utils.clear_session()
        keras.utils.set_random_seed(42)
        model = keras_models.small_mlp()
        model.compile(keras.optimizers.SGD(0.1), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        if batches:
            dataset = tf.data.Dataset.from_tensor_slices((x[0], y[0])).batch(60 // batches)
            history = model.fit(dataset.repeat() if repeated else dataset, verbose=0, **arguments)
        else:
            history = model.fit(x[0], y[0], shuffle=False, verbose=0, **arguments)
        rows.append({"case": name, "batches": batches, "repeated": repeated, "arguments": arguments,
                     "history": {k: [float(v) for v in h] for k, h in history.history.items()}})
    for eager in (False, True):
        keras.utils.clear_session()
        keras.utils.set_random_seed(42)
        model = keras_models.two_inputs()
        model.compile(keras.optimizers.SGD(0.1), ["mse", "mse"], run_eagerly=eager)
        history = model.fit([x[0][:, :4], x[0][:, 4:]], [x[0][:, :2], x[0][:, :1]], batch_size=16, epochs=2, shuffle=False,
                            verbose=0)
        rows.append({"case": "two_outputs_eager" if eager else "two_outputs", "eager": eager,
                     "history": {k: [float(v) for v in h] for k, h in history.history.items()}})
    return {"seed": 42, "x": encode.tensor(x[0]), "y": encode.tensor(y[0])}, rows


def write():
    folder, size = keras_files.folder("curves"), 0
    for model in MODELS:
        for optimizer in OPTIMIZERS:
            if model == "norm" and optimizer == "nesterov":
                continue
            for dtype in ("float32", "float64"):
                head, rows = run(model, optimizer, dtype)
                size += keras_files.save(os.path.join(folder, "%s_%s_%s.json" % (model, optimizer, dtype)), head,
                                         "steps", rows)
    head, rows = fit_histories()
    size += keras_files.save(os.path.join(folder, "fit.json"), head, "cases", rows)
    head, rows = stepped_histories()
    return size + keras_files.save(os.path.join(folder, "fit_steps.json"), head, "cases", rows)
