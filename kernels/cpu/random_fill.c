/* random_fill.c - kernels that fill a tensor with random numbers, stateful and stateless. */
#include <inttypes.h>

#include "ops/op_list.h"
#include "random_stream.h"

/* ---- which numbers an op makes */

static mfi_random_kind kind_of(const mf_op_def *op) {
  if (op == &mf_op_RandomUniform || op == &mf_op_StatelessRandomUniform || op == &mf_op_StatelessRandomUniformV2)
    return MFI_RANDOM_UNIFORM;
  if (op == &mf_op_RandomStandardNormal || op == &mf_op_StatelessRandomNormal || op == &mf_op_StatelessRandomNormalV2)
    return MFI_RANDOM_NORMAL;
  if (op == &mf_op_TruncatedNormal || op == &mf_op_StatelessTruncatedNormal || op == &mf_op_StatelessTruncatedNormalV2)
    return MFI_RANDOM_TRUNCATED;
  if (op == &mf_op_StatelessRandomUniformFullInt || op == &mf_op_StatelessRandomUniformFullIntV2)
    return MFI_RANDOM_FULL_INT;
  return MFI_RANDOM_INT;
}

static mf_status fill(mf_call *c, const mf_philox *g, int bounds_at) {
  int64_t low = 0, high = 0;
  if (bounds_at) {
    low = mf_tensor_get_i64(c->in[bounds_at], 0);
    high = mf_tensor_get_i64(c->in[bounds_at + 1], 0);
  }
  return mfi_random_fill(g, kind_of(c->attrs.op), c->out[0], low, high);
}

/* ---- stateful */

static mf_status run_stateful(mf_call *c) {
  mf_philox g;
  int64_t n = mf_tensor_count(c->out[0]);
  bool ints = c->attrs.op == &mf_op_RandomUniformInt;
  if (ints && mf_tensor_get_i64(c->in[1], 0) >= mf_tensor_get_i64(c->in[2], 0))
    return mf_fail(MF_INVALID_ARGUMENT, "RandomUniformInt: Need minval < maxval, got %" PRId64 " >= %" PRId64,
                   mf_tensor_get_i64(c->in[1], 0), mf_tensor_get_i64(c->in[2], 0));
  MF_TRY(mfi_stream_reserve(c, mf_philox_reserved_blocks(n), &g));
  return fill(c, &g, ints ? 1 : 0);
}

/* ---- stateless */

static mf_status run_seeded(mf_call *c) {
  mf_philox g = mfi_stream_from_seeds(c->in[1]);
  return fill(c, &g, c->n_in == 4 ? 2 : 0);
}

enum { ALG_PHILOX = 1, ALG_AUTO = 3 };

static mf_status run_keyed(mf_call *c) {
  int64_t alg = mf_tensor_get_i64(c->in[3], 0);
  if (alg != ALG_PHILOX && alg != ALG_AUTO)
    return mf_fail(MF_INVALID_ARGUMENT, "%s: Unsupported algorithm id: %" PRId64, c->attrs.op->name, alg);
  mf_philox g = mf_philox_from_key_counter(*MF_DATA(uint64_t, c->in[1]), MF_DATA(uint64_t, c->in[2]));
  return fill(c, &g, c->n_in == 6 ? 4 : 0);
}

static mf_status run_key(mf_call *c) {
  mf_philox g = mfi_stream_from_seeds(c->in[0]);
  *MF_DATA(uint64_t, c->out[0]) = g.key[0] | (uint64_t)g.key[1] << 32;
  for (int i = 0; i < 2; i++)
    MF_DATA(uint64_t, c->out[1])[i] = g.counter[2 * i] | (uint64_t)g.counter[2 * i + 1] << 32;
  if (c->n_out == 3) *MF_DATA(int32_t, c->out[2]) = ALG_PHILOX;
  return NULL;
}

static mf_status run_alg(mf_call *c) {
  *MF_DATA(int32_t, c->out[0]) = ALG_PHILOX;
  return NULL;
}

#define STATEFUL(op_)                                                                        \
  {                                                                                          \
    .op = &mf_op_##op_, .name = "philox", .device = MF_CPU, .rank = 10, .run = run_stateful, \
    .slot_release = mfi_stream_release                                                       \
  }
#define SEEDED(op_) {.op = &mf_op_##op_, .name = "philox", .device = MF_CPU, .rank = 10, .run = run_seeded}
#define KEYED(op_) {.op = &mf_op_##op_, .name = "philox", .device = MF_CPU, .rank = 10, .run = run_keyed}

const mf_kernel_def mf_kernels_random_fill[] = {
    STATEFUL(RandomUniform),
    STATEFUL(RandomStandardNormal),
    STATEFUL(TruncatedNormal),
    STATEFUL(RandomUniformInt),
    SEEDED(StatelessRandomUniform),
    SEEDED(StatelessRandomNormal),
    SEEDED(StatelessTruncatedNormal),
    SEEDED(StatelessRandomUniformInt),
    SEEDED(StatelessRandomUniformFullInt),
    KEYED(StatelessRandomUniformV2),
    KEYED(StatelessRandomNormalV2),
    KEYED(StatelessTruncatedNormalV2),
    KEYED(StatelessRandomUniformFullIntV2),
    {.op = &mf_op_StatelessRandomUniformIntV2, .name = "philox", .device = MF_CPU, .rank = 10, .type_attr = "dtype",
     .types = MF_TYPES_I32_I64, .run = run_keyed},
    {.op = &mf_op_StatelessRandomGetKeyCounter, .name = "philox", .device = MF_CPU, .rank = 10, .run = run_key},
    {.op = &mf_op_StatelessRandomGetKeyCounterAlg, .name = "philox", .device = MF_CPU, .rank = 10, .run = run_key},
    {.op = &mf_op_StatelessRandomGetAlg, .name = "philox", .device = MF_CPU, .rank = 10, .run = run_alg},
    {0}};
