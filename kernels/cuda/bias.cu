/* bias.cu - BiasAdd and BiasAddGrad in both layouts: channels are the last dimension, or (NCHW) the second. */
#include "reduce.h"

namespace {

struct add {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const {
    return mfs_add(a, b);
  }
};

template <class T>
struct sum {
  typedef T In;
  typedef T Acc;
  typedef T Out;
  static __device__ __forceinline__ T identity() { return 0; }
  static __device__ __forceinline__ T load(T x, int64_t) { return x; }
  static __device__ __forceinline__ T join(T a, T b) { return mfs_add(a, b); }
  static __device__ __forceinline__ T finish(T v, int64_t) { return v; }
};

int channel_dimension(const mfi_cuda_call *c) {
  return mfi_cuda_attr_is(c, "data_format", "NCHW") ? 1 : c->in[0].rank - 1;
}

template <class T>
mf_status bias_add_run(mfi_cuda_call *c) {
  mfi_cuda_tensor operands[2] = {c->in[0], c->in[1]};
  int64_t dims[MFI_BROADCAST_RANK];
  int channel = channel_dimension(c);
  for (int d = 0; d < c->in[0].rank; d++) dims[d] = d == channel ? c->in[1].count : 1;
  operands[1].dims = dims;
  operands[1].rank = c->in[0].rank;
  mfi_broadcast plan = mfi_broadcast_make(&c->out[0], operands, 2);
  return mfi_binary_planned<add, T, T>(c, add(), mfi_in<T>(c, 0), mfi_in<T>(c, 1), &plan);
}

template <class T>
mf_status bias_add_grad_run(mfi_cuda_call *c) {
  uint32_t all = (UINT32_C(1) << c->in[0].rank) - 1;
  return mfi_reduce<sum<T>>(c, all & ~(UINT32_C(1) << channel_dimension(c)));
}

}  // namespace

#define ROW(op, type, T, run) {op, "T", MF_TYPE(type), 0, NULL, NULL, mfi_cuda_run<run<T>>}
#define GRAD_ROW(op, type, T, run) \
  {op, "T", MF_TYPE(type), 0, NULL, mfi_cuda_workspace<mfi_reduce_workspace<sum<T>>>, mfi_cuda_run<run<T>>}

extern "C" const mfi_cuda_row mfi_cuda_bias_rows[] = {
    ROW("BiasAdd", MF_FLOAT32, float, bias_add_run),
    ROW("BiasAdd", MF_FLOAT64, double, bias_add_run),
    ROW("BiasAdd", MF_INT32, int32_t, bias_add_run),
    ROW("BiasAdd", MF_INT64, int64_t, bias_add_run),
    GRAD_ROW("BiasAddGrad", MF_FLOAT32, float, bias_add_grad_run),
    GRAD_ROW("BiasAddGrad", MF_FLOAT64, double, bias_add_grad_run),
    {NULL, NULL, 0, 0, NULL, NULL, NULL}};
