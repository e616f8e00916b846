/* reduce.cu - Sum, Mean, Prod, Max, Min, All, Any. */
#include "extremes.h"
#include "reduce.h"

namespace {

/* What the classes below share: the accumulator is the element. */
template <class T>
struct plain {
  typedef T In;
  typedef T Acc;
  typedef T Out;
  static __device__ __forceinline__ T load(T x, int64_t) { return x; }
  static __device__ __forceinline__ T finish(T v, int64_t) { return v; }
};

template <class T>
struct sum : plain<T> {
  static __device__ __forceinline__ T identity() { return 0; }
  static __device__ __forceinline__ T join(T a, T b) { return mfs_add(a, b); }
};
/* Of nothing: 0 / 0, NaN for floats; 0 for integers. */
template <class T>
struct mean : sum<T> {
  static __device__ __forceinline__ T finish(T v, int64_t count) { return mfs_div(v, (T)count); }
};
/* Summed in int64: a mean of int32 does not wrap on the way. */
template <>
struct mean<int32_t> : sum<int64_t> {
  typedef int32_t In;
  typedef int32_t Out;
  static __device__ __forceinline__ int64_t load(int32_t x, int64_t) { return x; }
  static __device__ __forceinline__ int32_t finish(int64_t v, int64_t count) { return (int32_t)mfs_div(v, count); }
};
template <class T>
struct prod : plain<T> {
  static __device__ __forceinline__ T identity() { return 1; }
  static __device__ __forceinline__ T join(T a, T b) { return mfs_mul(a, b); }
};
template <class T>
struct maximum : plain<T> {
  static __device__ __forceinline__ T identity() { return mfi_extremes<T>::lowest(); }
  static __device__ __forceinline__ T join(T a, T b) { return mfs_maximum(a, b); }
};
template <class T>
struct minimum : plain<T> {
  static __device__ __forceinline__ T identity() { return mfi_extremes<T>::highest(); }
  static __device__ __forceinline__ T join(T a, T b) { return mfs_minimum(a, b); }
};
struct every : plain<bool> {
  static __device__ __forceinline__ bool identity() { return true; }
  static __device__ __forceinline__ bool join(bool a, bool b) { return a && b; }
};
struct some : plain<bool> {
  static __device__ __forceinline__ bool identity() { return false; }
  static __device__ __forceinline__ bool join(bool a, bool b) { return a || b; }
};

}  // namespace

/* The axes, input 1, are wanted in host memory. */
#define ROW(op, attr, types, ...) \
  {op, attr, types, 2, NULL, mfi_cuda_workspace<mfi_reduce_workspace<__VA_ARGS__>>, \
   mfi_cuda_run<mfi_reduce_run<__VA_ARGS__>>}
#define ROWS(op, R)                                                                                   \
  ROW(op, "T", MF_TYPE(MF_FLOAT32), R<float>), ROW(op, "T", MF_TYPE(MF_FLOAT64), R<double>),          \
      ROW(op, "T", MF_TYPE(MF_INT32), R<int32_t>), ROW(op, "T", MF_TYPE(MF_INT64), R<int64_t>)

extern "C" const mfi_cuda_row mfi_cuda_reduce_rows[] = {
    ROWS("Sum", sum),
    ROWS("Mean", mean),
    ROWS("Prod", prod),
    ROWS("Max", maximum),
    ROWS("Min", minimum),
    ROW("All", NULL, 0, every),
    ROW("Any", NULL, 0, some),
    {NULL, NULL, 0, 0, NULL, NULL, NULL}};
