/* philox.h - Philox 4x32-10 with TensorFlow's conversions: same seeds, same numbers.
 *
 * A generator is a 128-bit counter and a 64-bit key; each counter value gives four 32-bit words. A fill is described
 * by the generator and a range of output elements, so that callers cut a fill into pieces (at any element) and get the
 * same bits. Sources: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011); TensorFlow's
 * philox_random.h, random_distributions.h and the grouping of FillPhiloxRandom in random_op_cpu.h.
 */
#ifndef MF_BASE_PHILOX_H
#define MF_BASE_PHILOX_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mf_philox {
  uint32_t counter[4];     /* least significant word first */
  uint32_t key[2];
} mf_philox;

/* PhiloxRandom(seed, seed2): key = seed, upper half of the counter = seed2. */
mf_philox mf_philox_make(uint64_t seed, uint64_t seed2);
/* From the key (one word) and counter (two words, least first) that stateless ops carry. */
mf_philox mf_philox_from_key_counter(uint64_t key, const uint64_t counter[2]);
/* Moves the counter on by `blocks` blocks of four words. */
void mf_philox_skip(mf_philox *g, uint64_t blocks);
/* The four words at the counter, which then moves on by one. */
void mf_philox_next(mf_philox *g, uint32_t words[4]);

/* Blocks by which a stateful op's generator moves on after a fill of `count` elements, whatever their kind: 256 an
 * element (TensorFlow's ReserveRandomOutputs(count, 256) counts blocks, not words). */
static inline uint64_t mf_philox_reserved_blocks(int64_t count) { return (uint64_t)count * 256; }

/* ---- fills: elements [first, first + count) of the sequence that starts at *g, into out[0 .. count-1]. */
void mf_philox_uniform_f32(const mf_philox *g, int64_t first, int64_t count, float *out);     /* [0, 1), 23 bits */
void mf_philox_uniform_f64(const mf_philox *g, int64_t first, int64_t count, double *out);    /* [0, 1), 52 bits */
void mf_philox_normal_f32(const mf_philox *g, int64_t first, int64_t count, float *out);      /* Box-Muller */
void mf_philox_normal_f64(const mf_philox *g, int64_t first, int64_t count, double *out);
void mf_philox_truncated_f32(const mf_philox *g, int64_t first, int64_t count, float *out);   /* |x| < 2 */
void mf_philox_truncated_f64(const mf_philox *g, int64_t first, int64_t count, double *out);
/* low + word % (high - low): modulo, as TensorFlow (slightly biased). low < high. */
void mf_philox_int_i32(const mf_philox *g, int64_t first, int64_t count, int32_t low, int32_t high, int32_t *out);
void mf_philox_int_i64(const mf_philox *g, int64_t first, int64_t count, int64_t low, int64_t high, int64_t *out);
void mf_philox_full_u32(const mf_philox *g, int64_t first, int64_t count, uint32_t *out);     /* whole range */
void mf_philox_full_u64(const mf_philox *g, int64_t first, int64_t count, uint64_t *out);

#ifdef __cplusplus
}
#endif
#endif
