/* extremes.h - the ends of a type's range for device code (where the C++ library's numeric_limits cannot be called):
 * infinities for floats, the least and greatest value for integers. */
#ifndef MF_CUDA_EXTREMES_H
#define MF_CUDA_EXTREMES_H

#include <math.h>
#include <stdint.h>

#include "launch.h"

template <class T>
struct mfi_extremes;

template <>
struct mfi_extremes<float> {
  static __device__ __forceinline__ float lowest() { return -INFINITY; }
  static __device__ __forceinline__ float highest() { return INFINITY; }
  static __device__ __forceinline__ float nan() { return NAN; }
};
template <>
struct mfi_extremes<double> {
  static __device__ __forceinline__ double lowest() { return -(double)INFINITY; }
  static __device__ __forceinline__ double highest() { return (double)INFINITY; }
  static __device__ __forceinline__ double nan() { return (double)NAN; }
};
template <>
struct mfi_extremes<int32_t> {
  static __device__ __forceinline__ int32_t lowest() { return INT32_MIN; }
  static __device__ __forceinline__ int32_t highest() { return INT32_MAX; }
};
template <>
struct mfi_extremes<int64_t> {
  static __device__ __forceinline__ int64_t lowest() { return INT64_MIN; }
  static __device__ __forceinline__ int64_t highest() { return INT64_MAX; }
};

#endif
