/* half.h - bfloat16 and IEEE float16 as 16-bit words: conversion from and to float32, round to nearest even, NaN kept. */
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
  if ((u & 0x7FFFFFFFu) > 0x7F800000u) return (uint16_t)((u >> 16) | 0x40u); /* quiet, sign kept */
  return (uint16_t)((u + 0x7FFFu + ((u >> 16) & 1u)) >> 16);
}

/* Multiplying by 2^112 moves the exponent of a float16, subnormals included, to where float32 has it. */
static inline float mf_half_to_float(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16, rest = (uint32_t)(h & 0x7FFFu) << 13;
  if ((h & 0x7C00u) == 0x7C00u) return mfi_bits_float(sign | 0x7F800000u | (rest & 0x7FFFFFu));
  float scaled = mfi_bits_float(rest) * mfi_bits_float(UINT32_C(239) << 23);
  return mfi_bits_float(mfi_float_bits(scaled) | sign);
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

#ifdef __cplusplus
}
#endif
#endif
