/* cast.cu - Cast between bool, the integers that kernels compute with, and all floats.
 *
 * Floats become integers as in C; numbers outside the range of a narrow integer wrap as on the CPU (they go through
 * int64), which a direct conversion on the GPU would clamp. 16-bit floats go through float, rounding to nearest even.
 */
#include "elementwise.h"

namespace {

/* What a source element is worth before the conversion proper. */
template <class T>
__device__ __forceinline__ T cast_load(T x) {
  return x;
}
__device__ __forceinline__ float cast_load(__half x) { return __half2float(x); }
__device__ __forceinline__ float cast_load(__nv_bfloat16 x) { return __bfloat162float(x); }

template <class Out>
struct cast_to {
  template <class V>
  static __device__ __forceinline__ Out from(V v) {
    return (Out)v;
  }
};
template <class Out>
struct cast_to_narrow {
  template <class V>
  static __device__ __forceinline__ Out from(V v) {
    return (Out)(int64_t)v;
  }
};
template <>
struct cast_to<uint8_t> : cast_to_narrow<uint8_t> {};
template <>
struct cast_to<int8_t> : cast_to_narrow<int8_t> {};
template <>
struct cast_to<bool> {
  template <class V>
  static __device__ __forceinline__ bool from(V v) {
    return v != 0;
  }
};
template <>
struct cast_to<__half> {
  template <class V>
  static __device__ __forceinline__ __half from(V v) {
    return __float2half((float)v);
  }
};
template <>
struct cast_to<__nv_bfloat16> {
  template <class V>
  static __device__ __forceinline__ __nv_bfloat16 from(V v) {
    return __float2bfloat16((float)v);
  }
};

template <class Out>
struct cast {
  template <class In>
  __device__ __forceinline__ Out operator()(In x) const {
    return cast_to<Out>::from(cast_load(x));
  }
};

/* The runner of every destination type of one source type. */
template <class In>
struct cast_table {
  mf_status (*run[MF_DTYPE_COUNT])(mfi_cuda_call *c);
  cast_table() : run() {
    run[MF_BOOL] = mfi_unary_run<cast<bool>, In, bool>;
    run[MF_UINT8] = mfi_unary_run<cast<uint8_t>, In, uint8_t>;
    run[MF_INT8] = mfi_unary_run<cast<int8_t>, In, int8_t>;
    run[MF_INT32] = mfi_unary_run<cast<int32_t>, In, int32_t>;
    run[MF_INT64] = mfi_unary_run<cast<int64_t>, In, int64_t>;
    run[MF_FLOAT32] = mfi_unary_run<cast<float>, In, float>;
    run[MF_FLOAT64] = mfi_unary_run<cast<double>, In, double>;
    run[MF_FLOAT16] = mfi_unary_run<cast<__half>, In, __half>;
    run[MF_BFLOAT16] = mfi_unary_run<cast<__nv_bfloat16>, In, __nv_bfloat16>;
  }
};

const uint32_t CAST_TYPES =
    MF_TYPE(MF_BOOL) | MF_TYPE(MF_UINT8) | MF_TYPE(MF_INT8) | MF_TYPES_I32_I64 | MF_TYPES_FLOAT;

const char *cast_supports(const mfi_cuda_call *c) {
  int64_t to = mfi_cuda_attr_int(c, "DstT", MF_DTYPE_INVALID);
  if (to < 0 || to >= 32 || !((CAST_TYPES >> to) & 1)) return "no CUDA cast to this dtype";
  if (mfi_cuda_attr_int(c, "Truncate", 0) && (MF_TYPE(to) & MF_TYPES_HALF))
    return "truncating casts are not implemented";
  return NULL;
}

template <class In>
mf_status cast_run(mfi_cuda_call *c) {
  static const cast_table<In> table;
  return table.run[c->out[0].dtype](c);
}

}  // namespace

#define ROW(type, In) \
  { "Cast", "SrcT", MF_TYPE(type), 0, mfi_cuda_supports<cast_supports>, NULL, mfi_cuda_run<cast_run<In>> }

extern "C" const mfi_cuda_row mfi_cuda_cast_rows[] = {
    ROW(MF_BOOL, bool),       ROW(MF_UINT8, uint8_t),     ROW(MF_INT8, int8_t),
    ROW(MF_INT32, int32_t),   ROW(MF_INT64, int64_t),     ROW(MF_FLOAT32, float),
    ROW(MF_FLOAT64, double),  ROW(MF_FLOAT16, __half),    ROW(MF_BFLOAT16, __nv_bfloat16),
    {NULL, NULL, 0, 0, NULL, NULL, NULL}};
