/* philox.c - see philox.h. */
#include "base/philox.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 10, RESERVED_SAMPLES = 256 };

mf_philox mf_philox_make(uint64_t seed, uint64_t seed2) {
  return (mf_philox){.counter = {0, 0, (uint32_t)seed2, (uint32_t)(seed2 >> 32)},
                     .key = {(uint32_t)seed, (uint32_t)(seed >> 32)}};
}

mf_philox mf_philox_from_key_counter(uint64_t key, const uint64_t counter[2]) {
  return (mf_philox){.counter = {(uint32_t)counter[0], (uint32_t)(counter[0] >> 32), (uint32_t)counter[1],
                                 (uint32_t)(counter[1] >> 32)},
                     .key = {(uint32_t)key, (uint32_t)(key >> 32)}};
}

void mf_philox_skip(mf_philox *g, uint64_t blocks) {
  uint64_t low = ((uint64_t)g->counter[1] << 32 | g->counter[0]) + blocks;
  uint64_t high = (uint64_t)g->counter[3] << 32 | g->counter[2];
  if (low < blocks) high++;
  g->counter[0] = (uint32_t)low;
  g->counter[1] = (uint32_t)(low >> 32);
  g->counter[2] = (uint32_t)high;
  g->counter[3] = (uint32_t)(high >> 32);
}

static inline void block_of(const mf_philox *g, uint32_t words[4]) {
  uint32_t c0 = g->counter[0], c1 = g->counter[1], c2 = g->counter[2], c3 = g->counter[3];
  uint32_t k0 = g->key[0], k1 = g->key[1];
  for (int i = 0; i < ROUNDS; i++) {
    uint64_t a = (uint64_t)0xD2511F53u * c0, b = (uint64_t)0xCD9E8D57u * c2;
    uint32_t n0 = (uint32_t)(b >> 32) ^ c1 ^ k0, n2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
    c1 = (uint32_t)b;
    c3 = (uint32_t)a;
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  words[0] = c0;
  words[1] = c1;
  words[2] = c2;
  words[3] = c3;
}

void mf_philox_next(mf_philox *g, uint32_t words[4]) {
  block_of(g, words);
  mf_philox_skip(g, 1);
}

/* ---- conversions */

static inline float float_of(uint32_t x) {
  uint32_t bits = (UINT32_C(127) << 23) | (x & 0x7FFFFFu);
  float f;
  memcpy(&f, &bits, sizeof f);
  return f - 1.0f;
}

static inline double double_of(uint32_t x0, uint32_t x1) {
  uint64_t bits = (UINT64_C(1023) << 52) | (uint64_t)(x0 & 0xFFFFFu) << 32 | x1;
  double d;
  memcpy(&d, &bits, sizeof d);
  return d - 1.0;
}

static inline void normal_pair_f32(uint32_t x0, uint32_t x1, float *f0, float *f1) {
  float u1 = float_of(x0);
  if (u1 < 1.0e-7f) u1 = 1.0e-7f;
  float angle = (float)(2.0f * M_PI * (double)float_of(x1)), radius = sqrtf(-2.0f * logf(u1));
  *f0 = sinf(angle) * radius;
  *f1 = cosf(angle) * radius;
}

static inline void normal_pair_f64(const uint32_t x[4], double *d0, double *d1) {
  double u1 = double_of(x[0], x[1]);
  if (u1 < 1.0e-7) u1 = 1.0e-7;
  double angle = 2 * M_PI * double_of(x[2], x[3]), radius = sqrt(-2.0 * log(u1));
  *d0 = sin(angle) * radius;
  *d1 = cos(angle) * radius;
}

/* ---- groups: the outputs that one block of words gives */

typedef union group {
  float f32[4];
  double f64[2];
  uint32_t u32[4];
  uint64_t u64[2];
} group;

typedef void (*group_fn)(const mf_philox *g, int64_t index, group *out);

static mf_philox at(const mf_philox *g, uint64_t blocks) {
  mf_philox moved = *g;
  mf_philox_skip(&moved, blocks);
  return moved;
}

static void words_at(const mf_philox *g, int64_t index, uint32_t words[4]) {
  mf_philox moved = at(g, (uint64_t)index);
  block_of(&moved, words);
}

static void uniform_f32(const mf_philox *g, int64_t index, group *out) {
  uint32_t w[4];
  words_at(g, index, w);
  for (int i = 0; i < 4; i++) out->f32[i] = float_of(w[i]);
}

static void uniform_f64(const mf_philox *g, int64_t index, group *out) {
  uint32_t w[4];
  words_at(g, index, w);
  for (int i = 0; i < 2; i++) out->f64[i] = double_of(w[2 * i], w[2 * i + 1]);
}

static void normal_f32(const mf_philox *g, int64_t index, group *out) {
  uint32_t w[4];
  words_at(g, index, w);
  normal_pair_f32(w[0], w[1], &out->f32[0], &out->f32[1]);
  normal_pair_f32(w[2], w[3], &out->f32[2], &out->f32[3]);
}

static void normal_f64(const mf_philox *g, int64_t index, group *out) {
  uint32_t w[4];
  words_at(g, index, w);
  normal_pair_f64(w, &out->f64[0], &out->f64[1]);
}

static void full_u32(const mf_philox *g, int64_t index, group *out) { words_at(g, index, out->u32); }

static void full_u64(const mf_philox *g, int64_t index, group *out) {
  uint32_t w[4];
  words_at(g, index, w);
  for (int i = 0; i < 2; i++) out->u64[i] = (uint64_t)w[2 * i + 1] << 32 | w[2 * i];
}

/* Rejection: each group of outputs has its own stretch of 256 reserved samples an output, read one word after the other. */
static void truncated_f32(const mf_philox *g, int64_t index, group *out) {
  mf_philox moved = at(g, (uint64_t)index * (4 * RESERVED_SAMPLES / 4));
  for (int n = 0;;) {
    uint32_t w[4];
    float pair[2];
    mf_philox_next(&moved, w);
    for (int k = 0; k < 4; k += 2) {
      normal_pair_f32(w[k], w[k + 1], &pair[0], &pair[1]);
      for (int i = 0; i < 2; i++) {
        if (fabsf(pair[i]) < 2.0f) out->f32[n++] = pair[i];
        if (n == 4) return;
      }
    }
  }
}

static void truncated_f64(const mf_philox *g, int64_t index, group *out) {
  mf_philox moved = at(g, (uint64_t)index * (2 * RESERVED_SAMPLES / 4));
  for (int n = 0;;) {
    uint32_t w[4];
    double pair[2];
    mf_philox_next(&moved, w);
    normal_pair_f64(w, &pair[0], &pair[1]);
    for (int i = 0; i < 2; i++) {
      if (fabs(pair[i]) < 2.0) out->f64[n++] = pair[i];
      if (n == 2) return;
    }
  }
}

/* Elements [first, first+count) out of groups of 16 bytes with `per` elements each. */
static void fill(const mf_philox *g, group_fn fn, int per, int64_t first, int64_t count, void *out) {
  size_t size = sizeof(group) / (size_t)per;
  char *to = out;
  for (int64_t done = 0; done < count;) {
    group values;
    int64_t index = (first + done) / per, offset = (first + done) % per, take = per - offset;
    if (take > count - done) take = count - done;
    fn(g, index, &values);
    memcpy(to + (size_t)done * size, (const char *)&values + (size_t)offset * size, (size_t)take * size);
    done += take;
  }
}

void mf_philox_uniform_f32(const mf_philox *g, int64_t first, int64_t count, float *out) {
  fill(g, uniform_f32, 4, first, count, out);
}
void mf_philox_uniform_f64(const mf_philox *g, int64_t first, int64_t count, double *out) {
  fill(g, uniform_f64, 2, first, count, out);
}
void mf_philox_normal_f32(const mf_philox *g, int64_t first, int64_t count, float *out) {
  fill(g, normal_f32, 4, first, count, out);
}
void mf_philox_normal_f64(const mf_philox *g, int64_t first, int64_t count, double *out) {
  fill(g, normal_f64, 2, first, count, out);
}
void mf_philox_truncated_f32(const mf_philox *g, int64_t first, int64_t count, float *out) {
  fill(g, truncated_f32, 4, first, count, out);
}
void mf_philox_truncated_f64(const mf_philox *g, int64_t first, int64_t count, double *out) {
  fill(g, truncated_f64, 2, first, count, out);
}
void mf_philox_full_u32(const mf_philox *g, int64_t first, int64_t count, uint32_t *out) {
  fill(g, full_u32, 4, first, count, out);
}
void mf_philox_full_u64(const mf_philox *g, int64_t first, int64_t count, uint64_t *out) {
  fill(g, full_u64, 2, first, count, out);
}

void mf_philox_int_i32(const mf_philox *g, int64_t first, int64_t count, int32_t low, int32_t high, int32_t *out) {
  uint32_t span = (uint32_t)high - (uint32_t)low;
  mf_philox_full_u32(g, first, count, (uint32_t *)out);
  for (int64_t i = 0; i < count; i++) out[i] = (int32_t)((uint32_t)low + (uint32_t)out[i] % span);
}

void mf_philox_int_i64(const mf_philox *g, int64_t first, int64_t count, int64_t low, int64_t high, int64_t *out) {
  uint64_t span = (uint64_t)high - (uint64_t)low;
  mf_philox_full_u64(g, first, count, (uint64_t *)out);
  for (int64_t i = 0; i < count; i++) out[i] = (int64_t)((uint64_t)low + (uint64_t)out[i] % span);
}
