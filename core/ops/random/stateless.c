/* stateless.c - random numbers that are a function of their inputs: of a pair of seeds, or of a Philox key and counter
 * (V2). */
#include <inttypes.h>

#include "ops/array/dims.h"
#include "ops/op_list.h"

static mf_status check_seed(const mf_infer *c, int i) {
  mf_shape seed;
  MF_TRY(mf_infer_rank(c, i, 1, &seed));
  if (seed.dims[0] >= 0 && seed.dims[0] != 2)
    return mf_infer_fail(c, "seed must have shape [2], not [%" PRId64 "]", seed.dims[0]);
  return NULL;
}

static mf_status seeded_infer(mf_infer *c) {
  MF_TRY(check_seed(c, 1));
  return mfi_dims_sizes(c, 0, &c->out[0]);
}

#define SEEDED_ATTRS \
  "dtype: {half, bfloat16, float, double} = DT_FLOAT; T: {int32, int64} = DT_INT32; Tseed: {int32, int64} = DT_INT64"

const mf_op_def mf_op_StatelessRandomUniform = {
    MF_OP_NAME(StatelessRandomUniform),
    .inputs = "shape: T; seed: Tseed",
    .outputs = "output: dtype",
    .attrs = SEEDED_ATTRS,
    .infer = seeded_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Uniform numbers in [0, 1) that depend on shape and seed only.",
};

const mf_op_def mf_op_StatelessRandomNormal = {
    MF_OP_NAME(StatelessRandomNormal),
    .inputs = "shape: T; seed: Tseed",
    .outputs = "output: dtype",
    .attrs = SEEDED_ATTRS,
    .infer = seeded_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Normal numbers that depend on shape and seed only.",
};

const mf_op_def mf_op_StatelessTruncatedNormal = {
    MF_OP_NAME(StatelessTruncatedNormal),
    .inputs = "shape: T; seed: Tseed",
    .outputs = "output: dtype",
    .attrs = SEEDED_ATTRS,
    .infer = seeded_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Truncated normal numbers that depend on shape and seed only.",
};

static mf_status seeded_int_infer(mf_infer *c) {
  mf_shape scalar;
  MF_TRY(mf_infer_rank(c, 2, 0, &scalar));
  MF_TRY(mf_infer_rank(c, 3, 0, &scalar));
  return seeded_infer(c);
}

const mf_op_def mf_op_StatelessRandomUniformInt = {
    MF_OP_NAME(StatelessRandomUniformInt),
    .inputs = "shape: T; seed: Tseed; minval: dtype; maxval: dtype",
    .outputs = "output: dtype",
    .attrs = "dtype: {int32, int64}; T: {int32, int64}; Tseed: {int32, int64} = DT_INT64",
    .infer = seeded_int_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Integers in [minval, maxval) that depend on shape and seed only.",
};

const mf_op_def mf_op_StatelessRandomUniformFullInt = {
    MF_OP_NAME(StatelessRandomUniformFullInt),
    .inputs = "shape: T; seed: Tseed",
    .outputs = "output: dtype",
    .attrs = "dtype: {int32, int64, uint32, uint64} = DT_UINT64; T: {int32, int64} = DT_INT32; "
             "Tseed: {int32, int64, uint32, uint64} = DT_INT64",
    .infer = seeded_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Integers of the whole range of dtype that depend on shape and seed only.",
};

/* ---- Philox key [1], counter [2], algorithm */

static mf_status keyed_infer(mf_infer *c) {
  mf_shape vector, scalar;
  MF_TRY(mf_infer_rank(c, 1, 1, &vector));
  if (vector.dims[0] >= 0 && vector.dims[0] != 1)
    return mf_infer_fail(c, "key must have shape [1], not [%" PRId64 "]", vector.dims[0]);
  MF_TRY(mf_infer_rank(c, 2, 1, &vector));
  if (vector.dims[0] >= 0 && vector.dims[0] < 2)
    return mf_infer_fail(c, "counter must be a vector with length at least 2; got shape: [%" PRId64 "]",
                         vector.dims[0]);
  MF_TRY(mf_infer_rank(c, 3, 0, &scalar));
  return mfi_dims_sizes(c, 0, &c->out[0]);
}

#define KEYED_ATTRS "dtype: {half, bfloat16, float, double} = DT_FLOAT; Tshape: {int32, int64} = DT_INT32"

const mf_op_def mf_op_StatelessRandomUniformV2 = {
    MF_OP_NAME(StatelessRandomUniformV2),
    .inputs = "shape: Tshape; key: uint64; counter: uint64; alg: int32",
    .outputs = "output: dtype",
    .attrs = KEYED_ATTRS,
    .infer = keyed_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Uniform numbers in [0, 1) from a generator's key and counter.",
};

const mf_op_def mf_op_StatelessRandomNormalV2 = {
    MF_OP_NAME(StatelessRandomNormalV2),
    .inputs = "shape: Tshape; key: uint64; counter: uint64; alg: int32",
    .outputs = "output: dtype",
    .attrs = KEYED_ATTRS,
    .infer = keyed_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Normal numbers from a generator's key and counter.",
};

const mf_op_def mf_op_StatelessTruncatedNormalV2 = {
    MF_OP_NAME(StatelessTruncatedNormalV2),
    .inputs = "shape: Tshape; key: uint64; counter: uint64; alg: int32",
    .outputs = "output: dtype",
    .attrs = KEYED_ATTRS,
    .infer = keyed_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Truncated normal numbers from a generator's key and counter.",
};

static mf_status keyed_int_infer(mf_infer *c) {
  mf_shape scalar;
  MF_TRY(mf_infer_rank(c, 4, 0, &scalar));
  MF_TRY(mf_infer_rank(c, 5, 0, &scalar));
  return keyed_infer(c);
}

const mf_op_def mf_op_StatelessRandomUniformIntV2 = {
    MF_OP_NAME(StatelessRandomUniformIntV2),
    .inputs = "shape: Tshape; key: uint64; counter: uint64; alg: int32; minval: dtype; maxval: dtype",
    .outputs = "output: dtype",
    .attrs = "dtype: {int32, int64, uint32, uint64}; Tshape: {int32, int64} = DT_INT32",
    .infer = keyed_int_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Integers in [minval, maxval) from a generator's key and counter.",
};

const mf_op_def mf_op_StatelessRandomUniformFullIntV2 = {
    MF_OP_NAME(StatelessRandomUniformFullIntV2),
    .inputs = "shape: Tshape; key: uint64; counter: uint64; alg: int32",
    .outputs = "output: dtype",
    .attrs = "dtype: {int32, int64, uint32, uint64} = DT_UINT64; Tshape: {int32, int64} = DT_INT32",
    .infer = keyed_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Integers of the whole range of dtype from a generator's key and counter.",
};

/* ---- from seeds to keys */

static mf_status key_infer(mf_infer *c) {
  MF_TRY(check_seed(c, 0));
  c->out[0] = mf_shape_1d(1);
  c->out[1] = mf_shape_1d(2);
  if (c->n_out == 3) c->out[2] = mf_shape_scalar();
  return NULL;
}

const mf_op_def mf_op_StatelessRandomGetKeyCounter = {
    MF_OP_NAME(StatelessRandomGetKeyCounter),
    .inputs = "seed: Tseed",
    .outputs = "key: uint64; counter: uint64",
    .attrs = "Tseed: {int32, int64} = DT_INT64",
    .infer = key_infer,
    .grad = MF_NO_GRADIENT,
    .doc = "Scrambles a pair of seeds into a Philox key and counter.",
};

const mf_op_def mf_op_StatelessRandomGetKeyCounterAlg = {
    MF_OP_NAME(StatelessRandomGetKeyCounterAlg),
    .inputs = "seed: Tseed",
    .outputs = "key: uint64; counter: uint64; alg: int32",
    .attrs = "Tseed: {int32, int64} = DT_INT64",
    .infer = key_infer,
    .grad = MF_NO_GRADIENT,
    .doc = "Key and counter for a pair of seeds, and the algorithm they are for: 1, Philox.",
};

const mf_op_def mf_op_StatelessRandomGetAlg = {
    MF_OP_NAME(StatelessRandomGetAlg),
    .outputs = "alg: int32",
    .flags = MF_OP_STATEFUL,
    .infer = mf_infer_scalar,
    .grad = MF_NO_GRADIENT,
    .doc = "The algorithm of stateless random numbers here: 1, Philox.",
};

/* ---- StatelessMultinomial */

static mf_status multinomial_infer(mf_infer *c) {
  mf_shape logits, scalar;
  int64_t n;
  bool known;
  MF_TRY(mf_infer_rank(c, 0, 2, &logits));
  MF_TRY(mf_infer_rank(c, 1, 0, &scalar));
  MF_TRY(check_seed(c, 2));
  MF_TRY(mf_const_int(c, 1, &n, &known));
  if (known && n < 0) return mf_infer_fail(c, "num_samples should be non-negative, got %" PRId64, n);
  if (logits.dims[1] == 0) return mf_infer_fail(c, "num_classes should be positive, got 0");
  c->out[0] = mf_shape_2d(logits.dims[0], known ? n : MF_UNKNOWN_DIM);
  return NULL;
}

const mf_op_def mf_op_StatelessMultinomial = {
    MF_OP_NAME(StatelessMultinomial),
    .inputs = "logits: T; num_samples: int32; seed: Tseed",
    .outputs = "output: output_dtype",
    .attrs = "T: realnumbertype; Tseed: {int32, int64} = DT_INT64; output_dtype: {int32, int64} = DT_INT64",
    .infer = multinomial_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Draws classes for each row of unnormalised log-probabilities, as a function of seed.",
};
