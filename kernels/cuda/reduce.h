/* reduce.h - reductions over any set of axes.
 *
 * The host sorts the dimensions into kept and reduced ones (neighbours of a kind merged), so that Sum over [N,H,W] of
 * NHWC is [reduced, kept] and BiasAddGrad of NCHW is [reduced, kept, reduced]. Two kernels do the work:
 *     rows      the innermost dimension is reduced: a warp or a block for each output, threads along the row
 *     columns   the innermost dimension is kept: 32 neighbouring outputs side by side, 8 threads deep
 * When that gives too few blocks the reduced range is cut into chunks; partial results go to the workspace and are
 * joined by a third kernel. Chunks depend on the shape alone and joins have a fixed order: the same bits every time.
 *
 * What is computed is a traits class R:
 *     typedef ... In, Acc, Out;
 *     static Acc identity();   static Acc load(In x, int64_t index);   static Acc join(Acc a, Acc b);
 *     static Out finish(Acc a, int64_t count);
 * index: position along the reduced range (for ArgMax). Joins may come in any grouping, always the same one.
 */
#ifndef MF_CUDA_REDUCE_H
#define MF_CUDA_REDUCE_H

#include "group.h"

enum { MFI_REDUCE_RANK = 6, MFI_COLUMNS = 32, MFI_DEPTH = 8 };

/* Positions in one kind of dimensions: a row-major number to an offset in the input. */
struct mfi_walk {
  int rank;                  /* at least 1 */
  int64_t dims[MFI_REDUCE_RANK];
  int64_t strides[MFI_REDUCE_RANK];
};

struct mfi_reduction {
  mfi_walk kept, reduced;
  int64_t outputs;           /* product of the kept dimensions */
  int64_t length;            /* elements joined for each output */
  bool columns;              /* which kernel */
  int64_t chunks;            /* pieces of `length`; 1 = no second step */
  int64_t chunk;             /* elements of a piece */
};

/* Bit d of `axes` = dimension d is reduced. At worst kinds alternate: half of core's largest rank is enough. */
mfi_reduction mfi_reduction_make(const int64_t *dims, int rank, uint32_t axes);
/* Bytes of workspace that any reduction of `count` elements may need, with accumulators of `acc` bytes. */
size_t mfi_reduction_workspace(int64_t count, size_t acc);
/* The axes an op was given in host memory as input 1 (int32 or int64, negative ones count from the end). */
uint32_t mfi_reduction_axes(const mfi_cuda_call *c);

__device__ __forceinline__ int64_t mfi_walk_offset(const mfi_walk &w, int64_t i) {
  int64_t offset = 0;
  for (int d = w.rank - 1; d > 0; d--) {
    int64_t rest = mfi_divide(i, w.dims[d]);
    offset += (i - rest * w.dims[d]) * w.strides[d];
    i = rest;
  }
  return offset + i * w.strides[0];
}

template <class R>
struct mfi_join {
  __device__ __forceinline__ typename R::Acc operator()(typename R::Acc a, typename R::Acc b) const {
    return R::join(a, b);
  }
};

/* Partial results [outputs][chunks], or finished ones. */
template <class R>
struct mfi_reduce_target {
  typename R::Acc *partial;   /* NULL: write `out` */
  typename R::Out *out;
};

template <class R>
__device__ __forceinline__ void mfi_reduce_store(mfi_reduce_target<R> t, const mfi_reduction &p, int64_t o,
                                                 typename R::Acc v) {
  if (t.partial) t.partial[o * p.chunks + blockIdx.y] = v;
  else t.out[o] = R::finish(v, p.length);
}

template <class R>
__global__ void mfi_reduce_rows_k(const typename R::In *__restrict__ x, mfi_reduce_target<R> target, mfi_reduction p,
                                  int size) {
  SHARED_ARRAY(typename R::Acc, scratch, MFI_WARPS);
  mfi_group g = mfi_group_make(size);
  int64_t begin = (int64_t)blockIdx.y * p.chunk, end = begin + p.chunk < p.length ? begin + p.chunk : p.length;
  typename R::Acc v = R::identity();
  if (g.row < p.outputs) {
    const typename R::In *row = x + mfi_walk_offset(p.kept, g.row);
    for (int64_t i = begin + g.lane; i < end; i += size)
      v = R::join(v, R::load(row[mfi_walk_offset(p.reduced, i)], i));
  }
  v = mfi_group_reduce(g, v, scratch, mfi_join<R>());
  if (g.lane == 0 && g.row < p.outputs) mfi_reduce_store<R>(target, p, g.row, v);
}

template <class R>
__global__ void mfi_reduce_columns_k(const typename R::In *__restrict__ x, mfi_reduce_target<R> target,
                                     mfi_reduction p) {
  SHARED_TILE(typename R::Acc, tile, MFI_DEPTH, MFI_COLUMNS + 1);
  int64_t o = (int64_t)blockIdx.x * MFI_COLUMNS + threadIdx.x;
  int64_t begin = (int64_t)blockIdx.y * p.chunk, end = begin + p.chunk < p.length ? begin + p.chunk : p.length;
  typename R::Acc v = R::identity();
  if (o < p.outputs) {
    const typename R::In *column = x + mfi_walk_offset(p.kept, o);
    for (int64_t i = begin + threadIdx.y; i < end; i += MFI_DEPTH)
      v = R::join(v, R::load(column[mfi_walk_offset(p.reduced, i)], i));
  }
  tile[threadIdx.y][threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.y == 0 && o < p.outputs) {
    for (int d = 1; d < MFI_DEPTH; d++) v = R::join(v, tile[d][threadIdx.x]);
    mfi_reduce_store<R>(target, p, o, v);
  }
}

/* The second step: chunks of each output lie side by side. */
template <class R>
__global__ void mfi_reduce_chunks_k(const typename R::Acc *__restrict__ partial, typename R::Out *__restrict__ out,
                                    mfi_reduction p, int size) {
  SHARED_ARRAY(typename R::Acc, scratch, MFI_WARPS);
  mfi_group g = mfi_group_make(size);
  typename R::Acc v = R::identity();
  if (g.row < p.outputs)
    for (int64_t i = g.lane; i < p.chunks; i += size) v = R::join(v, partial[g.row * p.chunks + i]);
  v = mfi_group_reduce(g, v, scratch, mfi_join<R>());
  if (g.lane == 0 && g.row < p.outputs) out[g.row] = R::finish(v, p.length);
}

template <class R>
void mfi_reduce_launch(mfi_cuda_call *c, const typename R::In *x, mfi_reduce_target<R> target,
                       const mfi_reduction &p) {
  if (p.columns) {
    dim3 grid((unsigned)((p.outputs + MFI_COLUMNS - 1) / MFI_COLUMNS), (unsigned)p.chunks);
    LAUNCH((mfi_reduce_columns_k<R>), grid, dim3(MFI_COLUMNS, MFI_DEPTH), 0, c->stream->handle, x, target, p);
    return;
  }
  int size = mfi_group_size(p.chunk);
  dim3 grid((unsigned)mfi_group_blocks(p.outputs, size), (unsigned)p.chunks);
  LAUNCH((mfi_reduce_rows_k<R>), grid, MFI_THREADS, 0, c->stream->handle, x, target, p, size);
}

/* Reduces input 0 over `axes` into output 0. */
template <class R>
mf_status mfi_reduce(mfi_cuda_call *c, uint32_t axes) {
  mfi_reduction p = mfi_reduction_make(c->in[0].dims, c->in[0].rank, axes);
  if (!p.outputs) return NULL;
  size_t need = p.chunks > 1 ? (size_t)(p.outputs * p.chunks) * sizeof(typename R::Acc) : 0;
  if (need > c->workspace_size)
    return mfi_cuda_fail(c, MF_INTERNAL, "workspace of %zu bytes expected, received %zu", need, c->workspace_size);
  typename R::Acc *partial = need ? static_cast<typename R::Acc *>(c->workspace) : NULL;
  typename R::Out *out = mfi_out<typename R::Out>(c, 0);
  mfi_reduce_launch<R>(c, mfi_in<typename R::In>(c, 0), mfi_reduce_target<R>{partial, out}, p);
  if (partial) {
    int size = mfi_group_size(p.chunks);
    LAUNCH((mfi_reduce_chunks_k<R>), (unsigned)mfi_group_blocks(p.outputs, size), MFI_THREADS, 0, c->stream->handle,
           partial, out, p, size);
  }
  return mfi_cuda_check(c, cudaGetLastError());
}

/* Row functions. */
template <class R>
mf_status mfi_reduce_run(mfi_cuda_call *c) {
  return mfi_reduce<R>(c, mfi_reduction_axes(c));
}
template <class R>
size_t mfi_reduce_workspace(const mfi_cuda_call *c) {
  return mfi_reduction_workspace(c->in[0].count, sizeof(typename R::Acc));
}

#endif
