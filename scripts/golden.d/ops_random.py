"""Random ops: with given seeds the outputs are known to the last bit."""
import numpy as np

from case import Case, cases, f32, i32, i64, of

SEEDS = ((1, 0), (0, 1), (42, 7), (2147483647, 123456789), (2 ** 40 + 3, -5))
SHAPES = ((), (1,), (3, 5), (4,), (7, 13), (257 // 2 * 2 + 1,), (0, 3))


def seeds(pair):
    return {"seed": pair[0], "seed2": pair[1]}


@cases("RandomUniform", "RandomStandardNormal", "TruncatedNormal")
def stateful(op):
    for dtype in ("float32", "float64"):
        for n, pair in enumerate(SEEDS):
            yield Case("%s_seed_%d" % (dtype, n), [i32([5])], dict(seeds(pair), dtype=dtype), calls=2)
        for shape in SHAPES[:5] + ((65,), (0, 3)):
            name = "%s_shape_%s" % (dtype, "x".join(map(str, shape)))
            yield Case(name, [i32(shape)], dict(seeds((3, 4)), dtype=dtype), calls=2)
    yield Case("float16", [i32([9])], dict(seeds((3, 4)), dtype="float16"), calls=2)
    yield Case("bfloat16", [i32([9])], dict(seeds((3, 4)), dtype="bfloat16"), calls=2)
    yield Case("long", [i32([259])], dict(seeds((8, 9)), dtype="float32"), calls=3)
    yield Case("int64_shape", [i64([2, 3])], dict(seeds((3, 4)), dtype="float32"), calls=2)
    yield Case("negative_shape", [i32([-1])], dict(seeds((3, 4)), dtype="float32"), fails=True)


@cases("RandomUniformInt")
def uniform_int(op):
    for dtype in ("int32", "int64"):
        for n, pair in enumerate(SEEDS[:3]):
            yield Case("%s_seed_%d" % (dtype, n), [i32([6]), of(dtype, -3), of(dtype, 10)], seeds(pair), calls=2)
        info = np.iinfo(dtype)
        yield Case(dtype + "_all", [i32([4]), of(dtype, info.min), of(dtype, info.max)], seeds((3, 4)), calls=2)
        yield Case(dtype + "_one", [i32([3]), of(dtype, 5), of(dtype, 6)], seeds((3, 4)), calls=2)
        yield Case(dtype + "_scalar", [i32([]), of(dtype, 0), of(dtype, 100)], seeds((3, 4)), calls=3)
    yield Case("empty_range", [i32([3]), i32(5), i32(5)], seeds((3, 4)), fails=True)


@cases("RandomShuffle")
def shuffle(op):
    for n, pair in enumerate(SEEDS):
        yield Case("seed_%d" % n, [i32(np.arange(10))], seeds(pair), calls=2)
    yield Case("rows", [f32(np.arange(12).reshape(6, 2))], seeds((3, 4)), calls=2)
    yield Case("long", [i32(np.arange(100))], seeds((3, 4)), calls=2)
    yield Case("one", [i32([5])], seeds((3, 4)), calls=2)
    yield Case("scalar", [i32(5)], seeds((3, 4)), calls=2)
    yield Case("empty", [np.zeros((0, 2), "float32")], seeds((3, 4)), calls=2)
    yield Case("strings", [np.array([b"a", b"b", b"c", b"d"], object)], seeds((3, 4)), calls=2)
    yield Case("two_axes_of_one", [f32(np.arange(5).reshape(5, 1))], seeds((1, 2)), calls=2)


@cases("Multinomial")
def multinomial(op):
    logits = f32([[0, 0, 0, 0], [1, 2, 3, 4], [-1e9, 0, -1e9, -1e9]])
    for n, pair in enumerate(SEEDS[:3]):
        yield Case("seed_%d" % n, [logits, i32(6)], seeds(pair), calls=2)
    yield Case("int32_output", [logits, i32(4)], dict(seeds((3, 4)), output_dtype="int32"), calls=2)
    yield Case("float64", [logits.astype("float64"), i32(4)], seeds((3, 4)), calls=2)
    yield Case("one_class", [f32([[0], [1]]), i32(3)], seeds((3, 4)), calls=2)
    yield Case("no_samples", [logits, i32(0)], seeds((3, 4)), calls=2)
    yield Case("logits_are_a_vector", [f32([1, 2]), i32(1)], seeds((3, 4)), fails=True)


STATELESS_SEEDS = ([0, 0], [1, 2], [42, 7], [-1, 2 ** 31 - 1], [2 ** 40 + 3, -5])


@cases("StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal")
def stateless(op):
    for dtype in ("float32", "float64"):
        for n, seed in enumerate(STATELESS_SEEDS):
            yield Case("%s_seed_%d" % (dtype, n), [i32([5]), i64(seed)], {"dtype": dtype})
        for shape in SHAPES[:5] + ((65,), (0, 3)):
            yield Case("%s_shape_%s" % (dtype, "x".join(map(str, shape))), [i32(shape), i64([3, 4])], {"dtype": dtype})
    yield Case("float16", [i32([9]), i64([3, 4])], {"dtype": "float16"})
    yield Case("bfloat16", [i32([9]), i64([3, 4])], {"dtype": "bfloat16"})
    yield Case("int32_seed", [i32([5]), i32([1, 2])], {"dtype": "float32"})
    yield Case("long", [i32([259]), i64([8, 9])], {"dtype": "float32"})
    yield Case("seed_is_too_short", [i32([5]), i64([1])], {"dtype": "float32"}, fails=True)


@cases("StatelessRandomUniformInt")
def stateless_int(op):
    for dtype in ("int32", "int64"):
        for n, seed in enumerate(STATELESS_SEEDS):
            yield Case("%s_seed_%d" % (dtype, n), [i32([6]), i64(seed), of(dtype, -3), of(dtype, 10)])
        info = np.iinfo(dtype)
        yield Case(dtype + "_all", [i32([4]), i64([3, 4]), of(dtype, info.min), of(dtype, info.max)])
    yield Case("matrix", [i32([7, 3]), i32([3, 4]), i32(0), i32(1000)])
    yield Case("empty_range", [i32([3]), i32([3, 4]), i32(5), i32(5)], fails=True)


@cases("StatelessRandomUniformFullInt")
def stateless_full(op):
    for dtype in ("int32", "int64", "uint32", "uint64"):
        for n, seed in enumerate(STATELESS_SEEDS):
            yield Case("%s_seed_%d" % (dtype, n), [i32([5]), i64(seed)], {"dtype": dtype})
        yield Case(dtype + "_matrix", [i32([3, 3]), i64([3, 4])], {"dtype": dtype})


def keyed(alg):
    """Key and counter inputs of the V2 ops; Philox has a counter of two words, Threefry of one."""
    for n, (key, counter) in enumerate([([0], [0, 0]), ([1], [2, 3]), ([2 ** 63 + 11], [2 ** 64 - 1, 5])]):
        yield n, [of("uint64", key), of("uint64", counter), i32(alg)]


@cases("StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2")
def stateless_v2(op):
    for dtype in ("float32", "float64"):
        for alg in (1, 3):
            for n, inputs in keyed(alg):
                yield Case("%s_alg_%d_key_%d" % (dtype, alg, n), [i32([5])] + inputs, {"dtype": dtype})
        yield Case(dtype + "_matrix", [i32([7, 5])] + next(keyed(1))[1], {"dtype": dtype})
    yield Case("threefry_is_refused", [i32([5])] + next(keyed(2))[1], {"dtype": "float32"}, fails=True)


@cases("StatelessRandomUniformIntV2")
def stateless_int_v2(op):
    for dtype in ("int32", "int64"):
        for n, inputs in keyed(1):
            yield Case("%s_key_%d" % (dtype, n), [i32([6])] + inputs + [of(dtype, 1), of(dtype, 100)], dtype=dtype)


@cases("StatelessRandomUniformFullIntV2")
def stateless_full_v2(op):
    for dtype in ("int32", "int64", "uint32", "uint64"):
        for n, inputs in keyed(1):
            yield Case("%s_key_%d" % (dtype, n), [i32([5])] + inputs, {"dtype": dtype})


@cases("StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg")
def key_counter(op):
    for n, seed in enumerate(STATELESS_SEEDS):
        yield Case("seed_%d" % n, [i64(seed)])
    yield Case("int32", [i32([1, 2])])
    yield Case("wrong_length", [i32([1, 2, 3])], fails=True)


@cases("StatelessRandomGetAlg")
def alg(op):
    yield Case("cpu", [])


@cases("StatelessMultinomial")
def stateless_multinomial(op):
    logits = f32([[0, 0, 0, 0], [1, 2, 3, 4], [-1e9, 0, -1e9, -1e9]])
    for n, seed in enumerate(STATELESS_SEEDS):
        yield Case("seed_%d" % n, [logits, i32(6), i64(seed)])
    yield Case("int32_output", [logits, i32(4), i32([1, 2])], {"output_dtype": "int32"})
    yield Case("float64", [logits.astype("float64"), i32(4), i64([3, 4])])
    yield Case("no_samples", [logits, i32(0), i64([3, 4])])
