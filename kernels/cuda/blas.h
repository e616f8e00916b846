/* blas.h - matrix products through a small table, so that they work with and without cuBLAS.
 *
 * The plug-in for GPUs has both implementations: floating point goes to cuBLAS, integers to the tiled kernel. The
 * emulator has the tiled kernel alone. All matrices are row-major and dense.
 */
#ifndef MF_CUDA_BLAS_H
#define MF_CUDA_BLAS_H

#include "call.h"
#include "stream.h"

/* c[i] = a'[i] b'[i] for i in [0, batch): a' is m x k, b' is k x n, c is m x n. */
struct mfi_gemm {
  mf_dtype dtype;
  int64_t m, n, k, batch;
  bool transpose_a, transpose_b;       /* a is stored k x m, b is stored n x k */
  const void *a, *b;
  void *c;
  int64_t stride_a, stride_b, stride_c;   /* elements between matrices of the batch; 0: the same one */
};

struct mfi_blas {
  uint32_t types;                                              /* MF_TYPE bits it multiplies */
  int (*gemm)(mfi_cuda_stream *s, const mfi_gemm *g); /* 0, or a code for error_text; m, n, k, batch are not 0 */
  const char *(*error_text)(int code);                         /* static */
  void (*close)(mfi_cuda_stream *s);                           /* ends s->blas; NULL: nothing to end */
};

extern const mfi_blas mfi_blas_tiled;
#if defined(__CUDACC__)
extern const mfi_blas mfi_blas_cublas;
#endif

/* The table's rows, best first, ended by NULL. */
extern const mfi_blas *const mfi_blas_list[];

#endif
