/* philox.c - the generator, its conversions to numbers, and the fills: see philox.h.
 *
 * Kinds that take a fixed number of words an element are made from chunks of words (philox_words.c makes many blocks
 * at once) and converted. Truncated normals reject, so each group of them walks through its own stretch of blocks.
 */
#include "base/philox.h"

#include <math.h>
#include <string.h>

#include "base/philox_words.h"

enum { RESERVED_SAMPLES = 256, CHUNK = 512 };   /* words; a multiple of a block */

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

void mf_philox_next(mf_philox *g, uint32_t words[4]) {
  mfi_philox_block(g, words);
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

/* ---- chunks: `words` words from word `first` of the sequence on */

typedef uint32_t u32x4 __attribute__((vector_size(16)));
typedef float f32x4 __attribute__((vector_size(16)));

typedef union chunk {
  uint32_t u32[CHUNK];
  u32x4 u32_of_block[CHUNK / 4];
  f32x4 f32_of_block[CHUNK / 4];
  uint64_t u64[CHUNK / 2];
  float f32[CHUNK];
  double f64[CHUNK / 2];
} chunk;

/* Turns `words` words into numbers, in place: word pairs for the 64-bit kinds. */
typedef void (*convert_fn)(chunk *c, int64_t words);

static void to_uniform_f32(chunk *c, int64_t words) {
  for (int64_t i = 0; i < words / 4; i++)
    c->f32_of_block[i] = (f32x4)((c->u32_of_block[i] & 0x7FFFFFu) | (UINT32_C(127) << 23)) - 1.0f;
}

static void to_uniform_f64(chunk *c, int64_t words) {
  for (int64_t i = 0; i < words; i += 2) c->f64[i / 2] = double_of(c->u32[i], c->u32[i + 1]);
}

static void to_normal_f32(chunk *c, int64_t words) {
  for (int64_t i = 0; i < words; i += 2) normal_pair_f32(c->u32[i], c->u32[i + 1], &c->f32[i], &c->f32[i + 1]);
}

static void to_normal_f64(chunk *c, int64_t words) {
  for (int64_t i = 0; i < words; i += 4) {
    uint32_t block[4];
    memcpy(block, &c->u32[i], sizeof block);
    normal_pair_f64(block, &c->f64[i / 2], &c->f64[i / 2 + 1]);
  }
}

static void to_u64(chunk *c, int64_t words) {
  for (int64_t i = 0; i < words; i += 2) c->u64[i / 2] = (uint64_t)c->u32[i + 1] << 32 | c->u32[i];
}

/* Elements of `size` bytes (4: one word, 8: two). Whole blocks are made, so that pairs are never torn. */
static void fill(const mf_philox *g, convert_fn convert, size_t size, int64_t first, int64_t count, void *out) {
  int64_t per_block = 16 / (int64_t)size, block = first / per_block, skip = first % per_block;
  char *to = out;
  while (count > 0) {
    chunk c;
    int64_t blocks = (skip + count + per_block - 1) / per_block;
    if (blocks > CHUNK / 4) blocks = CHUNK / 4;
    int64_t take = blocks * per_block - skip;
    if (take > count) take = count;
    mfi_philox_words(g, (uint64_t)block, blocks, c.u32);
    if (convert) convert(&c, 4 * blocks);
    memcpy(to, (const char *)&c + (size_t)skip * size, (size_t)take * size);
    to += (size_t)take * size;
    count -= take;
    block += blocks;
    skip = 0;
  }
}

void mf_philox_uniform_f32(const mf_philox *g, int64_t first, int64_t count, float *out) {
  fill(g, to_uniform_f32, sizeof *out, first, count, out);
}
void mf_philox_uniform_f64(const mf_philox *g, int64_t first, int64_t count, double *out) {
  fill(g, to_uniform_f64, sizeof *out, first, count, out);
}
void mf_philox_normal_f32(const mf_philox *g, int64_t first, int64_t count, float *out) {
  fill(g, to_normal_f32, sizeof *out, first, count, out);
}
void mf_philox_normal_f64(const mf_philox *g, int64_t first, int64_t count, double *out) {
  fill(g, to_normal_f64, sizeof *out, first, count, out);
}
void mf_philox_full_u32(const mf_philox *g, int64_t first, int64_t count, uint32_t *out) {
  fill(g, NULL, sizeof *out, first, count, out);
}
void mf_philox_full_u64(const mf_philox *g, int64_t first, int64_t count, uint64_t *out) {
  fill(g, to_u64, sizeof *out, first, count, out);
}

/* ---- truncated normals: group `index` of 4 floats or 2 doubles has 256 reserved words an element, read one after the
 * other */

static void truncated_f32(const mf_philox *g, int64_t index, float out[4]) {
  mf_philox moved = *g;
  mf_philox_skip(&moved, (uint64_t)index * (4 * RESERVED_SAMPLES / 4));
  for (int n = 0;;) {
    uint32_t w[4];
    float pair[2];
    mf_philox_next(&moved, w);
    for (int k = 0; k < 4; k += 2) {
      normal_pair_f32(w[k], w[k + 1], &pair[0], &pair[1]);
      for (int i = 0; i < 2; i++) {
        if (fabsf(pair[i]) < 2.0f) out[n++] = pair[i];
        if (n == 4) return;
      }
    }
  }
}

static void truncated_f64(const mf_philox *g, int64_t index, double out[2]) {
  mf_philox moved = *g;
  mf_philox_skip(&moved, (uint64_t)index * (2 * RESERVED_SAMPLES / 4));
  for (int n = 0;;) {
    uint32_t w[4];
    double pair[2];
    mf_philox_next(&moved, w);
    normal_pair_f64(w, &pair[0], &pair[1]);
    for (int i = 0; i < 2; i++) {
      if (fabs(pair[i]) < 2.0) out[n++] = pair[i];
      if (n == 2) return;
    }
  }
}

void mf_philox_truncated_f32(const mf_philox *g, int64_t first, int64_t count, float *out) {
  float group[4];
  for (int64_t i = first; i < first + count; i++) {
    if (i == first || i % 4 == 0) truncated_f32(g, i / 4, group);
    out[i - first] = group[i % 4];
  }
}

void mf_philox_truncated_f64(const mf_philox *g, int64_t first, int64_t count, double *out) {
  double group[2];
  for (int64_t i = first; i < first + count; i++) {
    if (i == first || i % 2 == 0) truncated_f64(g, i / 2, group);
    out[i - first] = group[i % 2];
  }
}

/* ---- integers in a range */

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
