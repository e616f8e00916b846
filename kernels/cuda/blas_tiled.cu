/* blas_tiled.cu - matrix product in tiles of 16 x 16 through shared memory: correct everywhere, fast nowhere.
 *
 * Tiles are numbered along grid.x; grid.y strides over the batch. Elements outside the matrices count as 0.
 */
#include "blas.h"
#include "elementwise.h"

namespace {

constexpr int TILE = 16;

/* The element at (row, column) of a matrix stored with its columns or (transposed) its rows side by side. */
template <class T>
__device__ __forceinline__ T element(const T *p, bool transposed, int64_t row, int64_t column, int64_t rows,
                                     int64_t columns) {
  if (row >= rows || column >= columns) return 0;
  return transposed ? p[column * rows + row] : p[row * columns + column];
}

template <class T>
__global__ void gemm_k(mfi_gemm g) {
  SHARED_TILE(T, tile_a, TILE, TILE + 1);
  SHARED_TILE(T, tile_b, TILE, TILE + 1);
  int64_t across = (g.n + TILE - 1) / TILE;
  int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
  int64_t row = (int64_t)blockIdx.x / across * TILE + ty, column = (int64_t)blockIdx.x % across * TILE + tx;
  for (int64_t i = blockIdx.y; i < g.batch; i += gridDim.y) {
    const T *a = static_cast<const T *>(g.a) + i * g.stride_a;
    const T *b = static_cast<const T *>(g.b) + i * g.stride_b;
    T sum = 0;
    for (int64_t k = 0; k < g.k; k += TILE) {
      tile_a[ty][tx] = element(a, g.transpose_a, row, k + tx, g.m, g.k);
      tile_b[ty][tx] = element(b, g.transpose_b, k + ty, column, g.k, g.n);
      __syncthreads();
      for (int j = 0; j < TILE; j++) sum = mfs_add(sum, mfs_mul(tile_a[ty][j], tile_b[j][tx]));
      __syncthreads();
    }
    if (row < g.m && column < g.n) static_cast<T *>(g.c)[i * g.stride_c + row * g.n + column] = sum;
  }
}

template <class T>
int gemm_launch(mfi_cuda_stream *s, const mfi_gemm *g) {
  int64_t tiles = (g->m + TILE - 1) / TILE * ((g->n + TILE - 1) / TILE);
  dim3 grid((unsigned)tiles, (unsigned)(g->batch < 65535 ? g->batch : 65535));
  LAUNCH((gemm_k<T>), grid, dim3(TILE, TILE), 0, s->handle, *g);
  return (int)cudaGetLastError();
}

int gemm(mfi_cuda_stream *s, const mfi_gemm *g) {
  if (g->dtype == MF_FLOAT32) return gemm_launch<float>(s, g);
  if (g->dtype == MF_FLOAT64) return gemm_launch<double>(s, g);
  if (g->dtype == MF_INT32) return gemm_launch<int32_t>(s, g);
  return gemm_launch<int64_t>(s, g);
}

const char *error_text(int code) { return cudaGetErrorString((cudaError_t)code); }

}  // namespace

const mfi_blas mfi_blas_tiled = {MF_TYPES_F32_F64 | MF_TYPES_I32_I64, gemm, error_text, NULL};

#if !defined(__CUDACC__)
const mfi_blas *const mfi_blas_list[] = {&mfi_blas_tiled, NULL};
#endif
