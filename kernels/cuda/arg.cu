/* arg.cu - ArgMax and ArgMin: positions of extremes along one axis.
 *
 * Of equal values the first wins; a NaN never wins, and a row of NaNs gives 0.
 */
#include "extremes.h"
#include "reduce.h"

template <class T>
struct mfi_indexed {
  T value;
  int64_t index;
};

template <class T>
__device__ __forceinline__ mfi_indexed<T> mfi_shuffle_xor(mfi_indexed<T> v, int distance) {
  return mfi_indexed<T>{mfi_shuffle_xor(v.value, distance), mfi_shuffle_xor(v.index, distance)};
}

namespace {

/* Index of a value that nothing has beaten yet. */
const int64_t NOBODY = INT64_MAX;

/* SIGN 1: the largest value, -1: the smallest. */
template <class T, class Index, int SIGN>
struct extreme {
  typedef T In;
  typedef mfi_indexed<T> Acc;
  typedef Index Out;
  static __device__ __forceinline__ Acc identity() {
    T worst = SIGN > 0 ? mfi_extremes<T>::lowest() : mfi_extremes<T>::highest();
    return Acc{worst, NOBODY};
  }
  static __device__ __forceinline__ Acc load(T x, int64_t index) { return x == x ? Acc{x, index} : identity(); }
  static __device__ __forceinline__ Acc join(Acc a, Acc b) {
    bool better = SIGN > 0 ? b.value > a.value : b.value < a.value;
    return better || (b.value == a.value && b.index < a.index) ? b : a;
  }
  static __device__ __forceinline__ Index finish(Acc v, int64_t) {
    return v.index == NOBODY ? (Index)0 : (Index)v.index;
  }
};

template <class T, int SIGN>
mf_status arg_run(mfi_cuda_call *c) {
  if (c->out[0].dtype == MF_INT32) return mfi_reduce_run<extreme<T, int32_t, SIGN>>(c);
  return mfi_reduce_run<extreme<T, int64_t, SIGN>>(c);
}

const char *arg_supports(const mfi_cuda_call *c) {
  int64_t type = mfi_cuda_attr_int(c, "output_type", MF_INT64);
  return type == MF_INT32 || type == MF_INT64 ? NULL : "indices are int32 or int64";
}

}  // namespace

/* The axis, input 1, is wanted in host memory. */
#define ROW(op, type, T, SIGN)                                                               \
  {op, "T", MF_TYPE(type), 2, mfi_cuda_supports<arg_supports>,                               \
   mfi_cuda_workspace<mfi_reduce_workspace<extreme<T, int64_t, SIGN>>>, mfi_cuda_run<arg_run<T, SIGN>>}
#define ROWS(op, SIGN)                                                                       \
  ROW(op, MF_FLOAT32, float, SIGN), ROW(op, MF_FLOAT64, double, SIGN), ROW(op, MF_INT32, int32_t, SIGN), \
      ROW(op, MF_INT64, int64_t, SIGN)

extern "C" const mfi_cuda_row mfi_cuda_arg_rows[] = {
    ROWS("ArgMax", 1), ROWS("ArgMin", -1), {NULL, NULL, 0, 0, NULL, NULL, NULL}};
