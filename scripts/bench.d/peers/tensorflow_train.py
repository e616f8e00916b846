"""Training throughput of Keras.

Ways: fit (what a user writes), function (one tf.function step), jit (the same with jit_compile).
"""
from peer_options import parse, report, seconds_per_call

options = parse()

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

tf.config.threading.set_intra_op_parallelism_threads(options.threads)
tf.config.threading.set_inter_op_parallelism_threads(options.threads)
keras, layers, random = tf.keras, tf.keras.layers, np.random.RandomState(0)
BATCH, BATCHES = 64, 64


def mlp(samples):
    model = keras.Sequential([keras.Input((784,)), layers.Dense(128, "relu"), layers.Dense(64, "relu"),
                              layers.Dense(10)])
    return model, random.randn(samples, 784).astype("float32")


def cnn(samples):
    model = keras.Sequential([keras.Input((28, 28, 1)), layers.Conv2D(32, 3, activation="relu"),
                              layers.Conv2D(64, 3, activation="relu"), layers.MaxPooling2D(), layers.Flatten(),
                              layers.Dense(128, "relu"), layers.Dense(10)])
    return model, random.randn(samples, 28, 28, 1).astype("float32")


def run_fit(model, x, y, optimizer, loss):
    """n times one pass over the data: BATCHES steps."""
    model.compile(optimizer, loss)
    return lambda n: model.fit(x, y, batch_size=BATCH, verbose=0, epochs=n)


def run_steps(model, x, y, optimizer, loss, jit):
    batch_x, batch_y = tf.constant(x[:BATCH]), tf.constant(y[:BATCH])
    optimizer.build(model.trainable_variables)

    @tf.function(jit_compile=jit)
    def step(inputs, labels):
        with tf.GradientTape() as tape:
            value = loss(labels, model(inputs, training=True))
        gradients = tape.gradient(value, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return value

    def run(n):
        for _ in range(n):
            value = step(batch_x, batch_y)
        float(value)
    return run


model, x = {"mlp": mlp, "cnn": cnn}[options.bench](BATCH * BATCHES)
y = random.randint(0, 10, (len(x),)).astype("int64")
parts = (model, x, y, keras.optimizers.SGD(1e-6, momentum=0.9),
         keras.losses.SparseCategoricalCrossentropy(from_logits=True))
if options.way == "fit":
    rate = BATCH * BATCHES / seconds_per_call(run_fit(*parts), options)
else:
    rate = BATCH / seconds_per_call(run_steps(*parts, options.way == "jit"), options)
report(round(rate, 1), "samples/s", tf.__version__)
