/* softmax.h - what softmax and the cross-entropies share: the largest logit of a row, and the sum of
 * exp(logit - largest).
 *
 * One group of threads a row (group.h). A row is read once for each of the two; it then sits in the cache for the last
 * pass.
 */
#ifndef MF_CUDA_SOFTMAX_H
#define MF_CUDA_SOFTMAX_H

#include "group.h"
#include "extremes.h"

struct mfi_join_max {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const {
    return mfs_maximum(a, b);
  }
};
struct mfi_join_sum {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const {
    return a + b;
  }
};

/* Elements of a row lie `step` apart (0: one for all). */
template <class T>
struct mfi_row {
  const T *data;
  int64_t step;
  __device__ __forceinline__ T at(int64_t i) const { return data[i * step]; }
};

template <class T>
struct mfi_row_sums {
  T largest;
  T sum;       /* of exp(x - largest) */
};

/* Called by all lanes of the group; `active` is false for groups beyond the last row. */
template <class T>
__device__ __forceinline__ mfi_row_sums<T> mfi_softmax_sums(mfi_group g, mfi_row<T> x, int64_t n, bool active,
                                                            T *scratch) {
  T largest = mfi_extremes<T>::lowest(), sum = 0;
  if (active)
    for (int64_t i = g.lane; i < n; i += g.size) largest = mfs_maximum(largest, x.at(i));
  largest = mfi_group_reduce(g, largest, scratch, mfi_join_max());
  if (active)
    for (int64_t i = g.lane; i < n; i += g.size) sum += mfs_exp(x.at(i) - largest);
  sum = mfi_group_reduce(g, sum, scratch, mfi_join_sum());
  return mfi_row_sums<T>{largest, sum};
}

#endif
