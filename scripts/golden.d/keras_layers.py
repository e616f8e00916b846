"""Runs each layer of keras_layer_cases.py: outputs, gradients, changed state, config, shapes."""
import os

import numpy as np
import tensorflow as tf

import encode
import keras_files
from case import seed_of, values
from keras_layer_cases import LAYERS


def is_float(t):
    return t.dtype.is_floating


def weighted_tape(layer, inputs, training, words):
    """(output, dy, gradients by the inputs, gradients by the trainable weights); slices become dense."""
    flat = tf.nest.flatten(inputs)
    with tf.GradientTape() as tape:
        tape.watch([t for t in flat if is_float(t)])
        y = layer(inputs, training=training) if training is not None else layer(inputs)
    dy = tf.constant(np.round(np.random.RandomState(seed_of(*words)).uniform(-1, 1, y.shape), 2), y.dtype)
    variables = [w.value for w in layer.trainable_weights]
    sources = [t for t in flat if is_float(t)] + variables
    found = tape.gradient(y, sources, output_gradients=dy) if is_float(y) else [None] * len(sources)
    sparse = [isinstance(g, tf.IndexedSlices) for g in found]
    dense = [None if g is None else tf.convert_to_tensor(g).numpy() for g in found]
    by_input, n = [], 0
    for t in flat:
        by_input.append(dense[n] if is_float(t) else None)
        n += is_float(t)
    return y, dy, by_input, dense[n:], sparse[n:]


def one_pass(layer, inputs, training, words):
    y, dy, by_input, by_weight, sparse = weighted_tape(layer, inputs, training, words)
    row = {"output": encode.tensor(y.numpy()), "dy": encode.tensor(dy.numpy()),
           "input_gradients": encode.tensors(by_input), "weight_gradients": encode.tensors(by_weight)}
    if any(sparse):
        row["sparse_weight_gradients"] = sparse
    return y.numpy(), row


def weight_rows(layer):
    rows = []
    for w in layer.weights:
        rows.append({"name": w.name, "trainable": bool(w.trainable), "value": encode.tensor(w.numpy())})
    return rows


def fill_weights(layer, case):
    new = []
    for n, w in enumerate(layer.weights):
        if "seed" in w.name:
            new.append(w.numpy())
        elif "variance" in w.name:
            new.append(values(w.dtype, w.shape, 0.5, 2, str(n)))
        else:
            new.append(values(w.dtype, w.shape, -1, 1, str(n)))
    layer.set_weights(new)


def static_shapes(layer, inputs):
    """compute_output_shape with the batch unknown."""
    def free(t):
        return (None,) + tuple(t.shape[1:])
    shape = [free(t) for t in inputs] if isinstance(inputs, list) else free(inputs)
    return {"input": keras_files.plain(shape), "output": keras_files.plain(layer.compute_output_shape(shape))}


def run(class_name, case):
    import keras
    keras.utils.clear_session()
    config = dict(case.config)
    layer = getattr(keras.layers, class_name)(**config)
    inputs = [tf.constant(a) for a in case.inputs]
    inputs = inputs if case.as_list else inputs[0]
    layer.build([tuple(t.shape) for t in inputs] if case.as_list else tuple(inputs.shape))
    fill_weights(layer, case)
    row = {"name": case.name, "config": keras_files.plain(config), "inputs": encode.tensors(case.inputs)}
    if layer.weights:
        row["weights"] = weight_rows(layer)
    row["count_params"] = layer.count_params()
    plain_y, row["inference"] = one_pass(layer, inputs, False if case.training else None, (class_name, case.name))
    if case.training:
        before = [w.numpy() for w in layer.weights]
        steps = []
        for _ in range(case.steps):
            y, step = one_pass(layer, inputs, True, (class_name, case.name))
            changed = [w for w, b in zip(layer.weights, before) if not w.trainable and not np.array_equal(w.numpy(),
                                                                                                          b)]
            step["changed_weights"] = {w.name: encode.tensor(w.numpy()) for w in changed}
            steps.append(step)
        row["training"] = steps
    if case.mask:
        mask = layer.compute_mask(inputs)
        row["mask"] = encode.tensors(mask.numpy() if mask is not None else None)
    row["shapes"] = static_shapes(layer, inputs)
    full = layer.get_config()
    full.pop("name")
    row["get_config"] = keras_files.plain(full)
    return row


def errors(class_name, pairs):
    """Calls that Keras refuses: only that they are errors counts, the text is for the reader."""
    import keras
    rows = []
    for name, config, inputs in pairs:
        try:
            layer = getattr(keras.layers, class_name)(**config)
            layer([tf.constant(a) for a in inputs] if len(inputs) > 1 else tf.constant(inputs[0]))
        except (ValueError, TypeError, tf.errors.OpError) as error:
            rows.append({"name": name, "config": keras_files.plain(config), "inputs": encode.tensors(inputs),
                         "message": str(error).split("\n")[0]})
            continue
        raise SystemExit("%s/%s: Keras did not refuse the call" % (class_name, name))
    return rows


def write():
    folder = keras_files.folder("layers")
    size = 0
    for class_name, (cases, refused) in LAYERS.items():
        head = {"layer": class_name, "errors": errors(class_name, refused)}
        size += keras_files.save(os.path.join(folder, class_name + ".json"), head, "cases",
                                 [run(class_name, c) for c in cases])
    return size
