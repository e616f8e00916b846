/* gemm_plain.c - products of integers and complex numbers by plain loops: see gemm.h. */
#include <complex.h>
#include <stddef.h>
#include <string.h>

#include "gemm.h"

#define SAME(x) (x)

/* Integers: computed without sign, so that overflow wraps. */
#define T uint8_t
#define ACC uint32_t
#define NAME plain_8
#define CONJ_A SAME
#define CONJ_B SAME
#include "gemm_plain.inc"
#undef T
#undef ACC

#define T uint16_t
#define ACC uint32_t
#define NAME plain_16
#define CONJ_A SAME
#define CONJ_B SAME
#include "gemm_plain.inc"
#undef T
#undef ACC

#define T uint32_t
#define ACC uint32_t
#define NAME plain_32
#define CONJ_A SAME
#define CONJ_B SAME
#include "gemm_plain.inc"
#undef T
#undef ACC

#define T uint64_t
#define ACC uint64_t
#define NAME plain_64
#define CONJ_A SAME
#define CONJ_B SAME
#include "gemm_plain.inc"
#undef T
#undef ACC

#define T float complex
#define ACC float complex
#define NAME plain_c64
#define CONJ_A SAME
#define CONJ_B SAME
#include "gemm_plain.inc"
#define NAME plain_c64_conj_a
#define CONJ_A conjf
#define CONJ_B SAME
#include "gemm_plain.inc"
#define NAME plain_c64_conj_b
#define CONJ_A SAME
#define CONJ_B conjf
#include "gemm_plain.inc"
#define NAME plain_c64_conj_both
#define CONJ_A conjf
#define CONJ_B conjf
#include "gemm_plain.inc"
#undef T
#undef ACC

#define T double complex
#define ACC double complex
#define NAME plain_c128
#define CONJ_A SAME
#define CONJ_B SAME
#include "gemm_plain.inc"
#define NAME plain_c128_conj_a
#define CONJ_A conj
#define CONJ_B SAME
#include "gemm_plain.inc"
#define NAME plain_c128_conj_b
#define CONJ_A SAME
#define CONJ_B conj
#include "gemm_plain.inc"
#define NAME plain_c128_conj_both
#define CONJ_A conj
#define CONJ_B conj
#include "gemm_plain.inc"
#undef T
#undef ACC

static const mfi_gemm_fn by_type[MF_DTYPE_COUNT] = {
    [MF_FLOAT32] = mfi_gemm_f32, [MF_FLOAT64] = mfi_gemm_f64, [MF_INT8] = plain_8,       [MF_UINT8] = plain_8,
    [MF_INT16] = plain_16,       [MF_UINT16] = plain_16,      [MF_INT32] = plain_32,     [MF_UINT32] = plain_32,
    [MF_INT64] = plain_64,       [MF_UINT64] = plain_64,      [MF_COMPLEX64] = plain_c64, [MF_COMPLEX128] = plain_c128,
};

mfi_gemm_fn mfi_gemm_for(mf_dtype type) { return (unsigned)type < MF_DTYPE_COUNT ? by_type[type] : NULL; }

mfi_gemm_fn mfi_gemm_conjugating(mf_dtype type, bool conj_a, bool conj_b) {
  static const mfi_gemm_fn c64[] = {plain_c64, plain_c64_conj_a, plain_c64_conj_b, plain_c64_conj_both};
  static const mfi_gemm_fn c128[] = {plain_c128, plain_c128_conj_a, plain_c128_conj_b, plain_c128_conj_both};
  int which = (conj_a ? 1 : 0) + (conj_b ? 2 : 0);
  if (type == MF_COMPLEX64) return c64[which];
  if (type == MF_COMPLEX128) return c128[which];
  return mfi_gemm_for(type);
}
