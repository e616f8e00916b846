/* random.c - random numbers whose generator lives in the op: uniform, normal, truncated normal, integers, shuffling,
 * drawing.
 *
 * Attributes seed and seed2 start a Philox generator, which goes on from call to call; both 0 means seeds from the
 * system.
 */
#include <inttypes.h>

#include "ops/array/dims.h"
#include "ops/op_list.h"

static mf_status shape_input_infer(mf_infer *c) { return mfi_dims_sizes(c, 0, &c->out[0]); }

#define RANDOM_ATTRS "seed: int = 0; seed2: int = 0; dtype: {half, bfloat16, float, double}; T: {int32, int64}"

const mf_op_def mf_op_RandomUniform = {
    MF_OP_NAME(RandomUniform),
    .inputs = "shape: T",
    .outputs = "output: dtype",
    .attrs = RANDOM_ATTRS,
    .flags = MF_OP_STATEFUL | MF_OP_RANDOM,
    .infer = shape_input_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Uniform numbers in [0, 1).",
};

const mf_op_def mf_op_RandomStandardNormal = {
    MF_OP_NAME(RandomStandardNormal),
    .inputs = "shape: T",
    .outputs = "output: dtype",
    .attrs = RANDOM_ATTRS,
    .flags = MF_OP_STATEFUL | MF_OP_RANDOM,
    .infer = shape_input_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Normal numbers of mean 0 and standard deviation 1.",
};

const mf_op_def mf_op_TruncatedNormal = {
    MF_OP_NAME(TruncatedNormal),
    .inputs = "shape: T",
    .outputs = "output: dtype",
    .attrs = RANDOM_ATTRS,
    .flags = MF_OP_STATEFUL | MF_OP_RANDOM,
    .infer = shape_input_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Normal numbers, those further than 2 from 0 drawn again.",
};

/* ---- RandomUniformInt */

static mf_status uniform_int_infer(mf_infer *c) {
  mf_shape scalar;
  MF_TRY(mf_infer_rank(c, 1, 0, &scalar));
  MF_TRY(mf_infer_rank(c, 2, 0, &scalar));
  return mfi_dims_sizes(c, 0, &c->out[0]);
}

const mf_op_def mf_op_RandomUniformInt = {
    MF_OP_NAME(RandomUniformInt),
    .inputs = "shape: T; minval: Tout; maxval: Tout",
    .outputs = "output: Tout",
    .attrs = "seed: int = 0; seed2: int = 0; Tout: {int32, int64}; T: {int32, int64}",
    .flags = MF_OP_STATEFUL | MF_OP_RANDOM,
    .infer = uniform_int_infer,
    .grad = MF_NO_GRADIENT,
    .doc = "Integers in [minval, maxval).",
};

/* ---- RandomShuffle */

const mf_op_def mf_op_RandomShuffle = {
    MF_OP_NAME(RandomShuffle),
    .inputs = "value: T",
    .outputs = "output: T",
    .attrs = "seed: int = 0; seed2: int = 0; T: type",
    .flags = MF_OP_STATEFUL | MF_OP_RANDOM,
    .infer = mf_infer_same,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "The rows of value in random order.",
};

/* ---- Multinomial */

static mf_status multinomial_infer(mf_infer *c) {
  mf_shape logits, scalar;
  int64_t n;
  bool known;
  MF_TRY(mf_infer_rank(c, 0, 2, &logits));
  MF_TRY(mf_infer_rank(c, 1, 0, &scalar));
  MF_TRY(mf_const_int(c, 1, &n, &known));
  if (known && n < 0) return mf_infer_fail(c, "num_samples should be non-negative, got %" PRId64, n);
  if (logits.dims[1] == 0) return mf_infer_fail(c, "num_classes should be positive, got 0");
  c->out[0] = mf_shape_2d(logits.dims[0], known ? n : MF_UNKNOWN_DIM);
  return NULL;
}

const mf_op_def mf_op_Multinomial = {
    MF_OP_NAME(Multinomial),
    .inputs = "logits: T; num_samples: int32",
    .outputs = "output: output_dtype",
    .attrs = "seed: int = 0; seed2: int = 0; T: realnumbertype; output_dtype: {int32, int64} = DT_INT64",
    .flags = MF_OP_STATEFUL | MF_OP_RANDOM,
    .infer = multinomial_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Draws num_samples classes for each row of unnormalised log-probabilities.",
};
