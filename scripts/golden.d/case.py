"""What a case of an op is, and the registry that the ops_*.py files fill.

A generator function is registered for one or more ops and yields cases of the op it is called with:

    @cases("AddV2", "Sub")
    def plain(op):
        yield Case("vector", [f32([1, 2]), f32([3, 4])])
"""
import dataclasses
import os
import zlib

import ml_dtypes
import numpy as np

REGISTRY = {}

FLOAT = ("float32", "float64")
SIGNED = ("int32", "int64", "int8", "int16")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INT = SIGNED + UNSIGNED
REAL = FLOAT + INT
COMPLEX = ("complex64", "complex128")


@dataclasses.dataclass
class Case:
    """One call. inputs: arrays, or a list of arrays where the op takes a list.

    attrs: the attributes written in the call (what the inputs imply is derived).
    grad: record the gradient where TensorFlow has one; second: the gradient of the gradient too.
    dtype: set for cases of a dtype loop: dropped when TensorFlow's CPU has no kernel for the dtype.
    fails: TensorFlow must refuse the call. calls: how often a stateful op is called in a row.
    tol: (rtol, atol, reason) where the runner's tolerance for the dtype does not fit.
    dy_of: the outputs that get a dy (all float ones if None). unset: outputs that the kernel leaves unwritten.
    xla: TensorFlow's plain CPU kernels lack the case (dilated gradients): its compiler computes it.
    """
    name: str
    inputs: list
    attrs: dict = dataclasses.field(default_factory=dict)
    grad: bool = True
    second: bool = False
    dtype: str = None
    fails: bool = False
    calls: int = 1
    tol: tuple = None
    xla: bool = False
    dy_of: tuple = None
    unset: tuple = ()


def cases(*names):
    def keep(function):
        for name in names:
            REGISTRY.setdefault(name, []).append(function)
        return function
    return keep


# Other values for the same cases: set by the live comparison, empty for the committed files.
SALT = os.environ.get("MF_GOLDEN_SALT", "")


def seed_of(*words):
    return zlib.crc32((SALT + "/".join(str(w) for w in words)).encode())


def np_type(name):
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def f32(v):
    return np.array(v, "float32")


def f64(v):
    return np.array(v, "float64")


def i32(v):
    return np.array(v, "int32")


def i64(v):
    return np.array(v, "int64")


def of(dtype, v):
    with np.errstate(all="ignore"):
        return np.array(v).astype(np_type(dtype))


def strings(v):
    """An object array of bytes from nested text or bytes."""
    def convert(x):
        if isinstance(x, (list, tuple)):
            return [convert(y) for y in x]
        return x.encode() if isinstance(x, str) else x
    shape, probe = [], v
    while isinstance(probe, (list, tuple)):
        shape.append(len(probe))
        if not probe:
            break
        probe = probe[0]
    a = np.empty(shape, object)
    if a.ndim == 0:
        a[()] = convert(v)
    elif a.size:
        a[...] = np.array(convert(v), object).reshape(shape)
    return a


def values(dtype, shape, lo=-3.0, hi=3.0, salt=""):
    """Pseudo-random values of a dtype, the same for the same arguments; floats have three decimals."""
    rs = np.random.RandomState(seed_of(dtype, list(shape), lo, hi, salt))
    kind = np_type("O" if dtype == "string" else dtype)
    if dtype == "bool":
        return rs.randint(0, 2, shape).astype(bool)
    if dtype == "string":
        words = np.array([b"", b"a", b"moon", b"flow", b"\xce\xbb", b"B2", b"-1.5"], object)
        return words[rs.randint(0, len(words), shape)]
    if kind.kind == "c":
        re, im = rs.uniform(lo, hi, shape), rs.uniform(lo, hi, shape)
        return (np.round(re, 2) + 1j * np.round(im, 2)).astype(kind)
    if kind.kind in "iu":
        low = 0 if kind.kind == "u" else int(np.ceil(lo * 4))
        return rs.randint(low, int(hi * 4) + 1, shape).astype(kind)
    return np.asarray(np.round(rs.uniform(lo, hi, shape), 3)).astype(kind)


def distinct(dtype, shape, salt="", scale=0.25):
    """Values without ties, shuffled, around zero (from zero on for unsigned ones)."""
    n = int(np.prod(shape))
    rs = np.random.RandomState(seed_of(dtype, list(shape), salt))
    order = rs.permutation(n)
    kind = np_type(dtype)
    if kind.kind == "u":
        return order.reshape(shape).astype(kind)
    order = order - n // 2
    return (order.reshape(shape) * (scale if kind.kind in "fV" else 1)).astype(kind)
