/* random_stream.c - generators of random kernels, and filling in parallel: see random_stream.h.
 *
 * Pieces are cut at multiples of 64 elements, which are whole groups of every kind; each element depends on its index
 * alone.
 */
#include "random_stream.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/random.h>

#include "base/half.h"
#include "base/memory.h"
#include "base/pool.h"

/* ---- the slot */

typedef struct stream {
  atomic_flag busy;        /* held for a few instructions: calls of one function may run at once */
  mf_philox next;
} stream;

static mf_status system_seeds(uint64_t seeds[2]) {
  for (size_t have = 0; have < 16;) {
    ssize_t n = getrandom((char *)seeds + have, 16 - have, 0);
    if (n <= 0) return mf_fail(MF_UNAVAILABLE, "random seed: the system gives no random bytes");
    have += (size_t)n;
  }
  return NULL;
}

static mf_status stream_new(const mf_call *c, stream **out) {
  uint64_t seeds[2] = {(uint64_t)mf_attr_int(c->attrs, "seed"), (uint64_t)mf_attr_int(c->attrs, "seed2")};
  if (!seeds[0] && !seeds[1]) MF_TRY(system_seeds(seeds));
  stream *s = mf_alloc(sizeof *s);
  if (!s) return mf_fail_oom();
  atomic_flag_clear(&s->busy);
  s->next = mf_philox_make(seeds[0], seeds[1]);
  *out = s;
  return NULL;
}

mf_status mfi_stream_reserve(mf_call *c, uint64_t blocks, mf_philox *out) {
  if (c->ctx->has_element_seed) { /* a dataset's function: see tensor/context.h */
    uint64_t seed = (uint64_t)mf_attr_int(c->attrs, "seed") * 31 + (uint64_t)mf_attr_int(c->attrs, "seed2");
    *out = mf_philox_make(c->ctx->element_seed, seed + (c->ctx->element_draws++ << 32));
    return NULL;
  }
  stream *s = *c->slot;
  if (!s) MF_TRY(stream_new(c, &s));
  *c->slot = s;
  while (atomic_flag_test_and_set_explicit(&s->busy, memory_order_acquire)) {
  }
  *out = s->next;
  mf_philox_skip(&s->next, blocks);
  atomic_flag_clear_explicit(&s->busy, memory_order_release);
  return NULL;
}

void mfi_stream_release(void *slot) { mf_free(slot); }

mf_philox mfi_stream_from_seeds(const mf_tensor *seed) {
  uint64_t pair[2];
  for (int i = 0; i < 2; i++) pair[i] = (uint64_t)mf_tensor_get_i64(seed, i);
  /* The seeds are the counter of a generator with a fixed key: its words make key and counter of the stream. */
  mf_philox scrambler = mf_philox_from_key_counter(UINT64_C(0x02461e293ec8f720), pair);
  uint32_t mix[4];
  mf_philox_next(&scrambler, mix);
  return (mf_philox){.counter = {0, 0, mix[2], mix[3]}, .key = {mix[0], mix[1]}};
}

/* ---- filling */

typedef struct fill {
  const mf_philox *g;
  void *out;
  mfi_random_kind kind;
  mf_dtype type;
  int64_t n, pieces, low, high;
} fill;

/* Half floats, a chunk at a time: uniform ones from the low bits of a word, the others rounded from float. */
static void fill_half(const fill *f, int64_t begin, int64_t end) {
  enum { CHUNK = 256 };
  union { uint32_t words[CHUNK]; float floats[CHUNK]; } chunk;
  uint16_t *out = f->out;
  bool brain = f->type == MF_BFLOAT16;
  for (; begin < end; begin += CHUNK) {
    int64_t n = end - begin < CHUNK ? end - begin : CHUNK;
    if (f->kind == MFI_RANDOM_UNIFORM) mf_philox_full_u32(f->g, begin, n, chunk.words);
    else if (f->kind == MFI_RANDOM_NORMAL) mf_philox_normal_f32(f->g, begin, n, chunk.floats);
    else mf_philox_truncated_f32(f->g, begin, n, chunk.floats);
    for (int64_t i = 0; i < n; i++) {
      float v = chunk.floats[i];
      if (f->kind == MFI_RANDOM_UNIFORM)
        v = brain ? (float)(chunk.words[i] & 0x7F) / 128.0f : (float)(chunk.words[i] & 0x3FF) / 1024.0f;
      out[begin + i] = brain ? mf_bfloat16_from_float(v) : mf_half_from_float(v);
    }
  }
}

static void fill_f32(const fill *f, int64_t begin, int64_t n) {
  float *out = (float *)f->out + begin;
  if (f->kind == MFI_RANDOM_UNIFORM) mf_philox_uniform_f32(f->g, begin, n, out);
  else if (f->kind == MFI_RANDOM_NORMAL) mf_philox_normal_f32(f->g, begin, n, out);
  else mf_philox_truncated_f32(f->g, begin, n, out);
}

static void fill_f64(const fill *f, int64_t begin, int64_t n) {
  double *out = (double *)f->out + begin;
  if (f->kind == MFI_RANDOM_UNIFORM) mf_philox_uniform_f64(f->g, begin, n, out);
  else if (f->kind == MFI_RANDOM_NORMAL) mf_philox_normal_f64(f->g, begin, n, out);
  else mf_philox_truncated_f64(f->g, begin, n, out);
}

static void fill_int(const fill *f, int64_t begin, int64_t n) {
  bool wide = mf_dtype_size(f->type) == 8;
  if (f->kind == MFI_RANDOM_FULL_INT && wide) mf_philox_full_u64(f->g, begin, n, (uint64_t *)f->out + begin);
  else if (f->kind == MFI_RANDOM_FULL_INT) mf_philox_full_u32(f->g, begin, n, (uint32_t *)f->out + begin);
  else if (wide) mf_philox_int_i64(f->g, begin, n, f->low, f->high, (int64_t *)f->out + begin);
  else mf_philox_int_i32(f->g, begin, n, (int32_t)f->low, (int32_t)f->high, (int32_t *)f->out + begin);
}

static void run_fill(void *arg, int64_t piece) {
  const fill *f = arg;
  int64_t begin, end;
  mf_piece_range(f->n, f->pieces, 64, piece, &begin, &end);
  if (f->kind >= MFI_RANDOM_INT) fill_int(f, begin, end - begin);
  else if (f->type == MF_FLOAT32) fill_f32(f, begin, end - begin);
  else if (f->type == MF_FLOAT64) fill_f64(f, begin, end - begin);
  else fill_half(f, begin, end);
}

mf_status mfi_random_fill(const mf_philox *g, mfi_random_kind kind, mf_tensor *t, int64_t low, int64_t high) {
  static const double cost[] = {3, 15, 30, 4, 3};
  fill f = {g, mf_data(t), kind, mf_tensor_dtype(t), mf_tensor_count(t), 1, low, high};
  if (kind == MFI_RANDOM_INT && f.n > 0 && low >= high)
    return mf_fail(MF_INVALID_ARGUMENT, "random integers: Need minval < maxval, got %" PRId64 " >= %" PRId64, low,
                   high);
  f.pieces = mf_pieces_for(f.n, cost[kind]);
  mf_parallel_for(f.pieces, run_fill, &f);
  return NULL;
}
