/* elementwise.h - kernels that apply a function element by element, and their runners.
 *
 * The functions are objects with a device operator(), made from kernels/scalar.h by MFI_UNARY and MFI_BINARY. Two
 * layouts:
 *   dense      operands of the output's shape, or of one element: packs of up to 16 bytes a thread when all is aligned
 *   broadcast  anything else: one output element a thread, offsets from a plan (broadcast.h)
 * Threads walk the output in steps of the grid, whose size depends on the number of elements alone.
 */
#ifndef MF_CUDA_ELEMENTWISE_H
#define MF_CUDA_ELEMENTWISE_H

#include "broadcast.h"
#include "call.h"
#include "scalar.h"
#include "stream.h"

constexpr int MFI_THREADS = 256;
constexpr int64_t MFI_MAX_BLOCKS = 16384;

/* Blocks for `items` pieces of work, one a thread. */
static inline unsigned mfi_blocks(int64_t items) {
  int64_t blocks = (items + MFI_THREADS - 1) / MFI_THREADS;
  return (unsigned)(blocks < 1 ? 1 : blocks > MFI_MAX_BLOCKS ? MFI_MAX_BLOCKS : blocks);
}

/* This thread's first piece of work, and the distance to its next. */
__device__ __forceinline__ int64_t mfi_first() { return (int64_t)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ int64_t mfi_step() { return (int64_t)gridDim.x * blockDim.x; }

template <class T, int N>
struct alignas(sizeof(T) * N) mfi_pack {
  T v[N];
};

/* Elements a pack for kernels whose widest element has `size` bytes. */
constexpr int mfi_pack_size(size_t size) { return size >= 8 ? 2 : 4; }

static inline bool mfi_aligned(const void *p, size_t size) { return ((uintptr_t)p & (size - 1)) == 0; }

/* A scalar.h function of one or two arguments as a function object. */
#define MFI_UNARY(fn)                                    \
  struct mfi_fn_##fn {                                   \
    template <class T>                                   \
    __device__ __forceinline__ auto operator()(T x) const { \
      return mfs_##fn(x);                                \
    }                                                    \
  };
#define MFI_BINARY(fn)                                   \
  struct mfi_fn_##fn {                                   \
    template <class T>                                   \
    __device__ __forceinline__ auto operator()(T a, T b) const { \
      return mfs_##fn(a, b);                             \
    }                                                    \
  };

/* ==== one input ==== */

/* y may be x (in place): elements are read before they are written. */
template <class F, class In, class Out, int N>
__global__ void mfi_unary_k(F f, const In *x, Out *y, int64_t count) {
  int64_t packs = count / N;
  for (int64_t i = mfi_first(); i < packs; i += mfi_step()) {
    mfi_pack<In, N> a = reinterpret_cast<const mfi_pack<In, N> *>(x)[i];
    mfi_pack<Out, N> r;
    for (int j = 0; j < N; j++) r.v[j] = f(a.v[j]);
    reinterpret_cast<mfi_pack<Out, N> *>(y)[i] = r;
  }
  for (int64_t i = packs * N + mfi_first(); i < count; i += mfi_step()) y[i] = f(x[i]);
}

/* y[i] = f(x[i]) over `count` elements. */
template <class F, class In, class Out>
mf_status mfi_unary(mfi_cuda_call *c, F f) {
  constexpr int N = mfi_pack_size(sizeof(In) > sizeof(Out) ? sizeof(In) : sizeof(Out));
  const In *x = mfi_in<In>(c, 0);
  Out *y = mfi_out<Out>(c, 0);
  int64_t count = c->out[0].count;
  if (!count) return NULL;
  if (mfi_aligned(x, N * sizeof(In)) && mfi_aligned(y, N * sizeof(Out)))
    LAUNCH((mfi_unary_k<F, In, Out, N>), mfi_blocks(count / N), MFI_THREADS, 0, c->stream->handle, f, x, y, count);
  else
    LAUNCH((mfi_unary_k<F, In, Out, 1>), mfi_blocks(count), MFI_THREADS, 0, c->stream->handle, f, x, y, count);
  return mfi_cuda_check(c, cudaGetLastError());
}

/* ==== two inputs ==== */

/* `step` 1: an operand of the output's shape; 0: one element for all. */
template <class T>
struct mfi_operand {
  const T *data;
  int step;
};

template <class T, int N>
__device__ __forceinline__ mfi_pack<T, N> mfi_load(mfi_operand<T> a, int64_t i) {
  if (a.step) return reinterpret_cast<const mfi_pack<T, N> *>(a.data)[i];
  mfi_pack<T, N> r;
  for (int j = 0; j < N; j++) r.v[j] = *a.data;
  return r;
}

/* y may be one of the dense operands: elements are read before they are written. */
template <class F, class T, class Out, int N>
__global__ void mfi_binary_k(F f, mfi_operand<T> a, mfi_operand<T> b, Out *y, int64_t count) {
  int64_t packs = count / N;
  for (int64_t i = mfi_first(); i < packs; i += mfi_step()) {
    mfi_pack<T, N> va = mfi_load<T, N>(a, i), vb = mfi_load<T, N>(b, i);
    mfi_pack<Out, N> r;
    for (int j = 0; j < N; j++) r.v[j] = f(va.v[j], vb.v[j]);
    reinterpret_cast<mfi_pack<Out, N> *>(y)[i] = r;
  }
  for (int64_t i = packs * N + mfi_first(); i < count; i += mfi_step())
    y[i] = f(a.data[i * a.step], b.data[i * b.step]);
}

/* y may be the operand that has its shape. */
template <class F, class T, class Out>
__global__ void mfi_binary_broadcast_k(F f, const T *a, const T *b, Out *y, mfi_broadcast plan) {
  for (int64_t i = mfi_first(); i < plan.count; i += mfi_step()) {
    int64_t at[2];
    mfi_broadcast_offsets<2>(plan, i, at);
    y[i] = f(a[at[0]], b[at[1]]);
  }
}

/* Both operands dense or scalar. */
template <class F, class T, class Out>
mf_status mfi_binary_dense(mfi_cuda_call *c, F f, mfi_operand<T> a, mfi_operand<T> b, int64_t count) {
  constexpr int N = mfi_pack_size(sizeof(T));
  Out *y = mfi_out<Out>(c, 0);
  bool aligned = mfi_aligned(y, N * sizeof(Out)) && (!a.step || mfi_aligned(a.data, N * sizeof(T))) &&
                 (!b.step || mfi_aligned(b.data, N * sizeof(T)));
  if (!count) return NULL;
  if (aligned)
    LAUNCH((mfi_binary_k<F, T, Out, N>), mfi_blocks(count / N), MFI_THREADS, 0, c->stream->handle, f, a, b, y, count);
  else
    LAUNCH((mfi_binary_k<F, T, Out, 1>), mfi_blocks(count), MFI_THREADS, 0, c->stream->handle, f, a, b, y, count);
  return mfi_cuda_check(c, cudaGetLastError());
}

/* With a plan of two operands, whose memory is a and b. */
template <class F, class T, class Out>
mf_status mfi_binary_planned(mfi_cuda_call *c, F f, const T *a, const T *b, const mfi_broadcast *plan) {
  bool a_dense = mfi_broadcast_is_dense(plan, 0), b_dense = mfi_broadcast_is_dense(plan, 1);
  if ((a_dense || mfi_broadcast_is_scalar(plan, 0)) && (b_dense || mfi_broadcast_is_scalar(plan, 1)))
    return mfi_binary_dense<F, T, Out>(c, f, mfi_operand<T>{a, a_dense}, mfi_operand<T>{b, b_dense}, plan->count);
  if (!plan->count) return NULL;
  LAUNCH((mfi_binary_broadcast_k<F, T, Out>), mfi_blocks(plan->count), MFI_THREADS, 0, c->stream->handle, f, a, b,
         mfi_out<Out>(c, 0), *plan);
  return mfi_cuda_check(c, cudaGetLastError());
}

/* z = f(x, y) with broadcasting. */
template <class F, class T, class Out>
mf_status mfi_binary(mfi_cuda_call *c, F f) {
  mfi_broadcast plan = mfi_broadcast_make(&c->out[0], c->in, 2);
  return mfi_binary_planned<F, T, Out>(c, f, mfi_in<T>(c, 0), mfi_in<T>(c, 1), &plan);
}

/* z = f(x, y) of two inputs of the output's shape. */
template <class F, class T, class Out>
mf_status mfi_binary_same(mfi_cuda_call *c, F f) {
  return mfi_binary_dense<F, T, Out>(c, f, mfi_operand<T>{mfi_in<T>(c, 0), 1}, mfi_operand<T>{mfi_in<T>(c, 1), 1},
                                     c->out[0].count);
}

/* Run functions of the rows: without state in the function object. */
template <class F, class T, class Out>
mf_status mfi_unary_run(mfi_cuda_call *c) {
  return mfi_unary<F, T, Out>(c, F());
}
template <class F, class T, class Out>
mf_status mfi_binary_run(mfi_cuda_call *c) {
  return mfi_binary<F, T, Out>(c, F());
}
template <class F, class T, class Out>
mf_status mfi_binary_same_run(mfi_cuda_call *c) {
  return mfi_binary_same<F, T, Out>(c, F());
}

/* {op, type attribute, types, host inputs, supports, workspace, run} without the rarer fields. */
#define MFI_ROW(op, attr, type, ...) {op, attr, MF_TYPE(type), 0, NULL, NULL, mfi_cuda_run<__VA_ARGS__>}

#endif
