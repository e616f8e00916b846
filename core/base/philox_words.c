/* philox_words.c - ten rounds of Philox 4x32, for one counter and for 16 counters in AVX2 registers: see
 * philox_words.h. */
#include "base/philox_words.h"

#include "base/cpu.h"

enum { ROUNDS = 10, WIDE = 16 };
static const uint32_t multiplier0 = 0xD2511F53u, multiplier1 = 0xCD9E8D57u, weyl0 = 0x9E3779B9u, weyl1 = 0xBB67AE85u;

void mfi_philox_block(const mf_philox *g, uint32_t words[4]) {
  uint32_t c0 = g->counter[0], c1 = g->counter[1], c2 = g->counter[2], c3 = g->counter[3];
  uint32_t k0 = g->key[0], k1 = g->key[1];
  for (int i = 0; i < ROUNDS; i++) {
    uint64_t a = (uint64_t)multiplier0 * c0, b = (uint64_t)multiplier1 * c2;
    c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
    c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
    c1 = (uint32_t)b;
    c3 = (uint32_t)a;
    k0 += weyl0;
    k1 += weyl1;
  }
  words[0] = c0;
  words[1] = c1;
  words[2] = c2;
  words[3] = c3;
}

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2"))) static

/* 32 x 32 bits to 64: the upper and the lower halves of eight products. */
AVX2 inline void multiply(__m256i x, __m256i m, __m256i *high, __m256i *low) {
  __m256i even = _mm256_mul_epu32(x, m), odd = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), m);
  *low = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA);
  *high = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA);
}

AVX2 inline void round8(__m256i c[4], __m256i k0, __m256i k1) {
  __m256i high0, low0, high1, low1;
  multiply(c[0], _mm256_set1_epi32((int)multiplier0), &high0, &low0);
  multiply(c[2], _mm256_set1_epi32((int)multiplier1), &high1, &low1);
  c[0] = _mm256_xor_si256(_mm256_xor_si256(high1, c[1]), k0);
  c[2] = _mm256_xor_si256(_mm256_xor_si256(high0, c[3]), k1);
  c[1] = low1;
  c[3] = low0;
}

/* Word w of eight blocks stands in c[w]; out gets block after block. */
AVX2 inline void store8(const __m256i c[4], uint32_t *out) {
  __m256i a = _mm256_unpacklo_epi32(c[0], c[1]), b = _mm256_unpackhi_epi32(c[0], c[1]);
  __m256i d = _mm256_unpacklo_epi32(c[2], c[3]), e = _mm256_unpackhi_epi32(c[2], c[3]);
  __m256i b04 = _mm256_unpacklo_epi64(a, d), b15 = _mm256_unpackhi_epi64(a, d);
  __m256i b26 = _mm256_unpacklo_epi64(b, e), b37 = _mm256_unpackhi_epi64(b, e);
  _mm256_storeu_si256((__m256i *)(void *)out, _mm256_permute2x128_si256(b04, b15, 0x20));
  _mm256_storeu_si256((__m256i *)(void *)(out + 8), _mm256_permute2x128_si256(b26, b37, 0x20));
  _mm256_storeu_si256((__m256i *)(void *)(out + 16), _mm256_permute2x128_si256(b04, b15, 0x31));
  _mm256_storeu_si256((__m256i *)(void *)(out + 24), _mm256_permute2x128_si256(b26, b37, 0x31));
}

/* 16 blocks whose counters differ in the lowest word only: it does not run over. */
AVX2 void blocks16(const mf_philox *g, uint32_t *words) {
  __m256i x[4], y[4], lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  for (int i = 0; i < 4; i++) x[i] = y[i] = _mm256_set1_epi32((int)g->counter[i]);
  x[0] = _mm256_add_epi32(x[0], lanes);
  y[0] = _mm256_add_epi32(x[0], _mm256_set1_epi32(8));
  __m256i k0 = _mm256_set1_epi32((int)g->key[0]), k1 = _mm256_set1_epi32((int)g->key[1]);
  for (int i = 0; i < ROUNDS; i++) {
    round8(x, k0, k1);
    round8(y, k0, k1);
    k0 = _mm256_add_epi32(k0, _mm256_set1_epi32((int)weyl0));
    k1 = _mm256_add_epi32(k1, _mm256_set1_epi32((int)weyl1));
  }
  store8(x, words);
  store8(y, words + 32);
}
#endif

void mfi_philox_words(const mf_philox *g, uint64_t first, int64_t blocks, uint32_t *words) {
  mf_philox at = *g;
  mf_philox_skip(&at, first);
#if defined(__x86_64__)
  if (mf_cpu_isa() >= MF_ISA_AVX2)
    for (; blocks >= WIDE && at.counter[0] <= UINT32_MAX - WIDE; blocks -= WIDE, words += 4 * WIDE) {
      blocks16(&at, words);
      at.counter[0] += WIDE;
    }
#endif
  for (; blocks > 0; blocks--, words += 4) mf_philox_next(&at, words);
}
