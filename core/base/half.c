/* half.c - arrays of 16-bit floats: see half.h. Eight at a time with F16C and AVX2 where the processor has them. */
#include "base/half.h"

#include "base/cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define F16C __attribute__((target("avx2,f16c"))) static

/* Each returns how many elements are done: a multiple of 8. */
F16C int64_t half_from_float_wide(const float *in, uint16_t *out, int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m128i h = _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128((__m128i *)(void *)(out + i), h);
  }
  return i;
}

F16C int64_t half_to_float_wide(const uint16_t *in, float *out, int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(in + i))));
  return i;
}

F16C int64_t bfloat16_from_float_wide(const float *in, uint16_t *out, int64_t n) {
  int64_t i = 0;
  __m256i magnitude = _mm256_set1_epi32(0x7FFFFFFF), infinity = _mm256_set1_epi32(0x7F800000);
  __m256i half = _mm256_set1_epi32(0x7FFF), one = _mm256_set1_epi32(1);
  __m256i quiet = _mm256_set1_epi32(0x7FC0);
  for (; i + 8 <= n; i += 8) {
    __m256i u = _mm256_loadu_si256((const __m256i *)(const void *)(in + i));
    __m256i upper = _mm256_srli_epi32(u, 16);
    __m256i odd = _mm256_and_si256(upper, one);
    __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(_mm256_add_epi32(u, half), odd), 16);
    __m256i is_nan = _mm256_cmpgt_epi32(_mm256_and_si256(u, magnitude), infinity);
    __m256i words = _mm256_blendv_epi8(rounded, quiet, is_nan);
    __m128i packed = _mm_packus_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storeu_si128((__m128i *)(void *)(out + i), packed);
  }
  return i;
}

F16C int64_t bfloat16_to_float_wide(const uint16_t *in, float *out, int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m256i u = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(in + i)));
    _mm256_storeu_si256((__m256i *)(void *)(out + i), _mm256_slli_epi32(u, 16));
  }
  return i;
}

#define WIDE(function, in, out, n) (mf_cpu_isa() >= MF_ISA_AVX2 ? function##_wide(in, out, n) : 0)
#else
#define WIDE(function, in, out, n) 0
#endif

void mf_half_array_from_float(const float *in, uint16_t *out, int64_t n) {
  for (int64_t i = WIDE(half_from_float, in, out, n); i < n; i++) out[i] = mf_half_from_float(in[i]);
}

void mf_half_array_to_float(const uint16_t *in, float *out, int64_t n) {
  for (int64_t i = WIDE(half_to_float, in, out, n); i < n; i++) out[i] = mf_half_to_float(in[i]);
}

void mf_bfloat16_array_from_float(const float *in, uint16_t *out, int64_t n) {
  for (int64_t i = WIDE(bfloat16_from_float, in, out, n); i < n; i++) out[i] = mf_bfloat16_from_float(in[i]);
}

void mf_bfloat16_array_to_float(const uint16_t *in, float *out, int64_t n) {
  for (int64_t i = WIDE(bfloat16_to_float, in, out, n); i < n; i++) out[i] = mf_bfloat16_to_float(in[i]);
}
