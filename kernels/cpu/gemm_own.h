/* gemm_own.h - our own matrix product, one thread: what tiny products, float64 and machines without a good library
 * use.
 *
 * Compiled once per instruction-set level; mfi_gemm_own_* picks the level of this processor. Every element of C is one
 * chain of multiply-adds along k in blocks of MFI_GEMM_KC, whatever m and n are: cutting a product by rows or columns
 * does not change a bit of it. No memory is needed beyond 40 KB of stack.
 */
#ifndef MF_KERNELS_CPU_GEMM_OWN_H
#define MF_KERNELS_CPU_GEMM_OWN_H

#include "gemm.h"

enum { MFI_GEMM_KC = 256, MFI_GEMM_MC = 512 };

#define MFI_GEMM_LEVEL(level) \
  void mfi_gemm_block_f32_##level(const mfi_gemm *g); \
  void mfi_gemm_block_f64_##level(const mfi_gemm *g); \
  void mfi_gemv_f32_##level(const mfi_gemm *g); \
  void mfi_gemv_f64_##level(const mfi_gemm *g)
MFI_GEMM_LEVEL(base);
MFI_GEMM_LEVEL(avx2);
MFI_GEMM_LEVEL(avx512);

#endif
