"""Callbacks: when EarlyStopping stops, what ModelCheckpoint saves, what CSVLogger writes, what the console shows."""
import contextlib
import io
import os
import re
import shutil
import tempfile

import numpy as np

import keras_files
import keras_models

LOSSES = [1.0, 0.8, 0.81, 0.79, 0.795, 0.794, 0.7, 0.71, 0.72, 0.73]
ACCURACIES = [0.5, 0.6, 0.6, 0.61, 0.59, 0.58, 0.7, 0.65, 0.66, 0.64]

EARLY = [
    {}, {"patience": 1}, {"patience": 2}, {"patience": 3}, {"patience": 1, "min_delta": 0.05},
    {"patience": 2, "restore_best_weights": True},
    {"patience": 3, "restore_best_weights": True}, {"monitor": "val_accuracy", "patience": 1},
    {"monitor": "val_accuracy", "mode": "max", "patience": 2},
    {"monitor": "val_accuracy", "mode": "min", "patience": 1}, {"patience": 1, "baseline": 0.75},
    {"patience": 2, "start_from_epoch": 4},
    {"monitor": "loss", "mode": "min", "patience": 1}, {"patience": 20, "restore_best_weights": True},
]


def tiny_model():
    import keras
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, use_bias=False)])
    model.compile("sgd", "mse", metrics=["accuracy"])
    model.train_on_batch(np.ones((1, 1)), np.ones((1, 1)))  # callbacks look at the metrics, which exist from then on
    return model


def logs_of(epoch):
    return {"loss": LOSSES[epoch] / 2, "accuracy": ACCURACIES[epoch], "val_loss": LOSSES[epoch],
            "val_accuracy": ACCURACIES[epoch]}


def early_stopping(config):
    """The single weight is the epoch number, so that the restored epoch can be read off."""
    import keras
    model, callback = tiny_model(), keras.callbacks.EarlyStopping(**config)
    callback.set_model(model)
    callback.on_train_begin()
    last = None
    for epoch in range(len(LOSSES)):
        model.layers[0].kernel.assign([[float(epoch)]])
        callback.on_epoch_end(epoch, logs_of(epoch))
        last = epoch
        if model.stop_training:
            break
    callback.on_train_end()
    return {"config": config, "last_epoch": last, "stopped_epoch": callback.stopped_epoch,
            "best_epoch": callback.best_epoch,
            "weight_after": int(model.layers[0].kernel.numpy()[0, 0])}


CHECKPOINTS = [
    ("best.weights.h5", {"save_best_only": True}), ("all.weights.h5", {}),
    ("e{epoch:02d}-{val_loss:.2f}.weights.h5", {}),
    ("e{epoch}.weights.h5", {"save_best_only": True, "monitor": "val_accuracy"}),
    ("min.weights.h5", {"save_best_only": True, "mode": "min", "monitor": "val_accuracy"}),
    ("from.weights.h5", {"save_best_only": True, "initial_value_threshold": 0.75}),
]


def checkpoint(pattern, config):
    """The files after each epoch, with the epoch whose weight they hold."""
    import h5py
    import keras
    folder = tempfile.mkdtemp()
    model = tiny_model()
    callback = keras.callbacks.ModelCheckpoint(os.path.join(folder, pattern), save_weights_only=True, **config)
    callback.set_model(model)
    rows = []
    for epoch in range(len(LOSSES)):
        model.layers[0].kernel.assign([[float(epoch)]])
        callback.on_epoch_end(epoch, logs_of(epoch))
        files = {}
        for name in sorted(os.listdir(folder)):
            with h5py.File(os.path.join(folder, name), "r") as f:
                files[name] = int(f["layers/dense/vars/0"][0, 0])
        rows.append(files)
    shutil.rmtree(folder)
    return {"filepath": pattern, "config": dict(config, save_weights_only=True), "files": rows}


def csv_logger(config):
    import keras
    path = tempfile.mktemp(suffix=".csv")
    callback = keras.callbacks.CSVLogger(path, **config)
    callback.set_model(tiny_model())
    callback.on_train_begin()
    for epoch in range(3):
        callback.on_epoch_end(epoch, logs_of(epoch))
    callback.on_train_end()
    with open(path) as f:
        text = f.read()
    os.remove(path)
    return {"config": config, "text": text}


def console(verbose):
    """What fit and evaluate print, with times as <t>."""
    import keras
    x, y = keras_models.batches((8,), 3, 1, 20, "float32")
    keras.utils.set_random_seed(42)
    model = keras_models.small_mlp()
    model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        model.fit(x[0], y[0], batch_size=10, epochs=2, validation_split=0.25, verbose=verbose)
        model.evaluate(x[0], y[0], verbose=verbose)
    text = re.sub(r"\d+(\.\d+)?(ms|s|us)(?=[ /\x1b])", "<t>", shown.getvalue())
    return re.sub("\x08+", "<backspaces>", text)  # as many as the line was long


def write():
    keras_logs = [logs_of(e) for e in range(len(LOSSES))]
    head = {"logs": keras_logs, "csv_logger": [csv_logger({}), csv_logger({"separator": ";"})],
            "checkpoint": [checkpoint(*c) for c in CHECKPOINTS], "console": {str(v): console(v) for v in (1, 2)}}
    return keras_files.save(os.path.join(keras_files.folder(), "callbacks.json"), head, "early_stopping",
                            [early_stopping(c) for c in EARLY])
