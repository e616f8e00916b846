/* blas_cublas.cu - matrix products of float32 and float64 by cuBLAS; built by nvcc only.
 *
 * cuBLAS is column-major: a row-major m x n matrix is its n x m matrix transposed, so C = A B is asked for as C' = B'
 * A'. float32 is computed in float32 (no TF32). The handle belongs to the stream and is made by its first product,
 * because making one takes a good part of a second; a lock keeps two host threads from using it at once.
 */
#include <cublas_v2.h>

#include "blas.h"

namespace {

int blas_open(mfi_cuda_stream *s) {
  if (s->blas) return CUBLAS_STATUS_SUCCESS;
  cublasHandle_t handle = NULL;
  cublasStatus_t status = cublasCreate(&handle);
  if (status == CUBLAS_STATUS_SUCCESS) status = cublasSetStream(handle, s->handle);
  if (status == CUBLAS_STATUS_SUCCESS) s->blas = handle;
  else if (handle) cublasDestroy(handle);
  return status;
}

void blas_close(mfi_cuda_stream *s) {
  if (s->blas) cublasDestroy(static_cast<cublasHandle_t>(s->blas));
  s->blas = NULL;
}

cublasOperation_t operation(bool transpose) { return transpose ? CUBLAS_OP_T : CUBLAS_OP_N; }

/* With the stream's lock. */
int gemm_locked(mfi_cuda_stream *s, const mfi_gemm *g) {
  int status = blas_open(s);
  if (status) return status;
  cublasHandle_t handle = static_cast<cublasHandle_t>(s->blas);
  cublasOperation_t a = operation(g->transpose_a), b = operation(g->transpose_b);
  int64_t lda = g->transpose_a ? g->m : g->k, ldb = g->transpose_b ? g->k : g->n;
  if (g->dtype == MF_FLOAT32) {
    const float one = 1, zero = 0;
    return cublasSgemmStridedBatched_64(handle, b, a, g->n, g->m, g->k, &one, static_cast<const float *>(g->b), ldb,
                                        g->stride_b, static_cast<const float *>(g->a), lda, g->stride_a, &zero,
                                        static_cast<float *>(g->c), g->n, g->stride_c, g->batch);
  }
  const double one = 1, zero = 0;
  return cublasDgemmStridedBatched_64(handle, b, a, g->n, g->m, g->k, &one, static_cast<const double *>(g->b), ldb,
                                      g->stride_b, static_cast<const double *>(g->a), lda, g->stride_a, &zero,
                                      static_cast<double *>(g->c), g->n, g->stride_c, g->batch);
}

int gemm(mfi_cuda_stream *s, const mfi_gemm *g) {
  pthread_mutex_lock(&s->blas_lock);
  int status = gemm_locked(s, g);
  pthread_mutex_unlock(&s->blas_lock);
  return status;
}

const char *error_text(int code) { return cublasGetStatusString(static_cast<cublasStatus_t>(code)); }

}  // namespace

const mfi_blas mfi_blas_cublas = {MF_TYPES_F32_F64, gemm, error_text, blas_close};

const mfi_blas *const mfi_blas_list[] = {&mfi_blas_cublas, &mfi_blas_tiled, NULL};
