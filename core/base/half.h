/* half.h - bfloat16 and IEEE float16 as 16-bit words: conversion from and to float32.
 *
 *            sign  exponent  fraction  largest      smallest normal
 *   float16    1       5        10     65504        2^-14 = 6.1e-5    (subnormals down to 2^-24 = 6.0e-8)
 *   bfloat16   1       8         7     3.39e38      2^-126            (the upper half of a float32)
 *
 * To 16 bits: round to nearest, ties to even; what is too large becomes infinity. To float32: exact. NaN stays NaN, in
 * the bits of TensorFlow: float16 keeps sign and upper fraction and becomes quiet both ways, bfloat16 makes every NaN
 * 0x7FC0. No function depends on the flush-to-zero mode of the processor.
 */
#ifndef MF_BASE_HALF_H
#define MF_BASE_HALF_H

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline uint32_t mfi_float_bits(float f) {
  uint32_t u;
  memcpy(&u, &f, sizeof u);
  return u;
}

static inline float mfi_bits_float(uint32_t u) {
  float f;
  memcpy(&f, &u, sizeof f);
  return f;
}

static inline float mf_bfloat16_to_float(uint16_t h) { return mfi_bits_float((uint32_t)h << 16); }

static inline uint16_t mf_bfloat16_from_float(float f) {
  uint32_t u = mfi_float_bits(f);
  if ((u & 0x7FFFFFFFu) > 0x7F800000u) return 0x7FC0u;
  return (uint16_t)((u + 0x7FFFu + ((u >> 16) & 1u)) >> 16);
}

/* The exponent is moved from bias 15 to bias 127. A subnormal is read as the fraction of a number in [0.5, 1), where
 * one unit of the last place of a float16 stands at 2^-24, and the 0.5 is taken away again. */
static inline float mf_half_to_float(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16, rest = h & 0x7FFFu;
  if (rest < 0x0400u) {
    float tiny = mfi_bits_float(0x3F000000u | rest) - 0.5f;
    return mfi_bits_float(mfi_float_bits(tiny) | sign);
  }
  if (rest > 0x7C00u) return mfi_bits_float(sign | 0x7FC00000u | ((rest & 0x3FFu) << 13));
  if (rest == 0x7C00u) return mfi_bits_float(sign | 0x7F800000u);
  return mfi_bits_float(sign | ((rest << 13) + (UINT32_C(112) << 23)));
}

static inline uint16_t mf_half_from_float(float f) {
  uint32_t u = mfi_float_bits(f), sign = (u >> 16) & 0x8000u, a = u & 0x7FFFFFFFu;
  if (a > 0x7F800000u) return (uint16_t)(sign | 0x7E00u | ((a >> 13) & 0x3FFu));
  if (a >= 0x477FF000u) return (uint16_t)(sign | 0x7C00u);       /* rounds to 65520 and more: infinity */
  if (a < 0x38800000u) {                                         /* subnormal: the float adder rounds at 2^-24 */
    float r = mfi_bits_float(a) + 0.5f;
    return (uint16_t)(sign | (mfi_float_bits(r) - 0x3F000000u));
  }
  uint32_t rounded = a + 0xFFFu + ((a >> 13) & 1u);
  return (uint16_t)(sign | ((rounded - 0x38000000u) >> 13));
}

/* ---- arrays of n: the same bits as the functions above, by vector instructions where there are some. In and out may
 * not overlap. */
void mf_bfloat16_array_to_float(const uint16_t *in, float *out, int64_t n);
void mf_bfloat16_array_from_float(const float *in, uint16_t *out, int64_t n);
void mf_half_array_to_float(const uint16_t *in, float *out, int64_t n);
void mf_half_array_from_float(const float *in, uint16_t *out, int64_t n);

#ifdef __cplusplus
}
#endif
#endif
