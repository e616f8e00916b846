/* emu_half.h - __half and __nv_bfloat16 in software: 16 bits of storage, arithmetic in float, rounding to nearest
 * even.
 *
 * CUDA's own arithmetic on these types rounds after every operation as well, so results agree as long as kernels
 * convert to float, compute, and convert back once.
 */
#ifndef MF_CUDA_EMU_HALF_H
#define MF_CUDA_EMU_HALF_H

#include "emu/emu_types.h"

static inline uint32_t cemu_float_bits(float f) {
  uint32_t bits;
  memcpy(&bits, &f, 4);
  return bits;
}

static inline float cemu_bits_float(uint32_t bits) {
  float f;
  memcpy(&f, &bits, 4);
  return f;
}

static inline uint16_t cemu_to_half(float f) {
  uint32_t bits = cemu_float_bits(f), sign = (bits >> 16) & 0x8000, a = bits & 0x7fffffff;
  if (a > 0x7f800000) return (uint16_t)(sign | 0x7e00 | ((a >> 13) & 0x3ff));   /* NaN keeps its payload */
  if (a >= 0x47800000) return (uint16_t)(sign | 0x7c00);
  if (a < 0x33000000) return (uint16_t)sign;
  uint32_t value, rest, half;
  if (a < 0x38800000) {                                                         /* a subnormal half */
    uint32_t mantissa = (a & 0x7fffff) | 0x800000, shift = 126 - (a >> 23);
    value = mantissa >> shift;
    rest = mantissa & ((1u << shift) - 1);
    half = 1u << (shift - 1);
  } else {
    value = (a - 0x38000000) >> 13;
    rest = a & 0x1fff;
    half = 0x1000;
  }
  value += rest > half || (rest == half && (value & 1));                        /* a carry into infinity is right */
  return (uint16_t)(sign | value);
}

static inline float cemu_from_half(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = (h >> 10) & 31u, mantissa = h & 0x3ffu;
  if (exponent == 31) return cemu_bits_float(sign | 0x7f800000 | (mantissa << 13));
  if (exponent) return cemu_bits_float(sign | ((exponent + 112) << 23) | (mantissa << 13));
  float f = (float)mantissa * 5.9604644775390625e-8f;                           /* 2^-24 */
  return sign ? -f : f;
}

static inline uint16_t cemu_to_bfloat(float f) {
  uint32_t bits = cemu_float_bits(f);
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
  return (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

static inline float cemu_from_bfloat(uint16_t b) { return cemu_bits_float((uint32_t)b << 16); }

struct __half {
  uint16_t bits;
};
struct __nv_bfloat16 {
  uint16_t bits;
};

static inline __half __float2half(float f) { return __half{cemu_to_half(f)}; }
static inline float __half2float(__half h) { return cemu_from_half(h.bits); }
static inline __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16{cemu_to_bfloat(f)}; }
static inline float __bfloat162float(__nv_bfloat16 b) { return cemu_from_bfloat(b.bits); }

#endif
