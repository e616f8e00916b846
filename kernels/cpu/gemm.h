/* gemm.h - matrix products for all kernels: C = op(A) op(B), or C += op(A) op(B).
 *
 * Row-major. op(A) is m x k: A itself with row stride lda, or the transpose of A (k x m). The same for op(B), k x n,
 * and C, m x n. Sizes may be 0: k = 0 makes C zero.
 *
 * Which routine computes: tiny products and thin ones our own kernel; float32 oneDNN, else OpenBLAS, else our own;
 * float64 OpenBLAS where it knows this processor, else our own. The libraries are called with one thread;
 * mfi_gemm_split cuts the result into a grid of pieces, by shape alone, and runs them on the pool.
 */
#ifndef MF_KERNELS_CPU_GEMM_H
#define MF_KERNELS_CPU_GEMM_H

#include <stdbool.h>
#include <stdint.h>

#include "tensor/dtype.h"

typedef struct mfi_gemm {
  bool ta, tb;               /* transposed */
  bool add;                  /* C += instead of C = */
  int64_t m, n, k;
  const void *a, *b;
  void *c;
  int64_t lda, ldb, ldc;     /* elements from one row to the next, as stored */
} mfi_gemm;

typedef void (*mfi_gemm_fn)(const mfi_gemm *g);

/* One product on the calling thread. */
void mfi_gemm_f32(const mfi_gemm *g);
void mfi_gemm_f64(const mfi_gemm *g);
/* Any numeric type by a plain loop in that type (integers wrap); NULL for others. float32 and float64 give the two
 * above. */
mfi_gemm_fn mfi_gemm_for(mf_dtype type);
/* Conjugating factors (complex only): adj_x, adj_y of BatchMatMul. */
mfi_gemm_fn mfi_gemm_conjugating(mf_dtype type, bool conj_a, bool conj_b);

/* The product cut into pieces of the result and run on the pool. `fn`: one of the above, `size`: bytes of an
 * element. */
void mfi_gemm_split(const mfi_gemm *g, mfi_gemm_fn fn, size_t size);

/* Estimated nanoseconds of a product on one thread: what cutting decisions use. Depends on the shape alone. */
double mfi_gemm_cost(int64_t m, int64_t n, int64_t k, size_t size);

/* What computes float32 and float64 products here: "onednn", "openblas", "own". For logs and tests. */
const char *mfi_gemm_backend(mf_dtype type);

#endif
