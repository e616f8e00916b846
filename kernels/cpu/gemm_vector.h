/* gemm_vector.h - the widest vector of the level a .simd.c file is compiled for, with fused multiply-add where there
 * is one. */
#ifndef MF_KERNELS_CPU_GEMM_VECTOR_H
#define MF_KERNELS_CPU_GEMM_VECTOR_H

#if defined(__AVX512F__)
#include <immintrin.h>
enum { MFI_VECTOR_BYTES = 64 };
#elif defined(__AVX2__)
#include <immintrin.h>
enum { MFI_VECTOR_BYTES = 32 };
#else
enum { MFI_VECTOR_BYTES = 16 };
#endif

typedef float mfi_vec_f32 __attribute__((vector_size(MFI_VECTOR_BYTES)));
typedef double mfi_vec_f64 __attribute__((vector_size(MFI_VECTOR_BYTES)));
/* The same, at any address. */
typedef float mfi_vecu_f32 __attribute__((vector_size(MFI_VECTOR_BYTES), aligned(4), may_alias));
typedef double mfi_vecu_f64 __attribute__((vector_size(MFI_VECTOR_BYTES), aligned(8), may_alias));

static inline mfi_vec_f32 mfi_vec_fma_f32(mfi_vec_f32 a, mfi_vec_f32 b, mfi_vec_f32 c) {
#if defined(__AVX512F__)
  return (mfi_vec_f32)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__AVX2__)
  return (mfi_vec_f32)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
  return a * b + c;
#endif
}

static inline mfi_vec_f64 mfi_vec_fma_f64(mfi_vec_f64 a, mfi_vec_f64 b, mfi_vec_f64 c) {
#if defined(__AVX512F__)
  return (mfi_vec_f64)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__AVX2__)
  return (mfi_vec_f64)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
  return a * b + c;
#endif
}

#endif
