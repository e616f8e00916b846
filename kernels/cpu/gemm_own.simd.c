/* gemm_own.simd.c - our own matrix product at three instruction-set levels: see gemm_own.h. */
#include "gemm_own.h"

#include <string.h>

#include "gemm_vector.h"


/* Accumulators are 2 x MICRO_ROWS vectors: 16 of 32 registers with AVX-512, 12 of 16 with AVX2, 8 of 16 below. */
#if defined(__AVX512F__)
#define MICRO_ROWS 8
#elif defined(__AVX2__)
#define MICRO_ROWS 6
#else
#define MICRO_ROWS 4
#endif

#define REAL float
#define VEC mfi_vec_f32
#define VECU mfi_vecu_f32
#define FMA mfi_vec_fma_f32
#define NAME(x) x##_f32
#define GEMM MF_SIMD(mfi_gemm_block_f32)
#define GEMV MF_SIMD(mfi_gemv_f32)
#include "gemm_block.inc"
#undef REAL
#undef VEC
#undef VECU
#undef FMA
#undef NAME
#undef GEMM
#undef GEMV

#define REAL double
#define VEC mfi_vec_f64
#define VECU mfi_vecu_f64
#define FMA mfi_vec_fma_f64
#define NAME(x) x##_f64
#define GEMM MF_SIMD(mfi_gemm_block_f64)
#define GEMV MF_SIMD(mfi_gemv_f64)
#include "gemm_block.inc"
