/* select.cu - SelectV2 (all three inputs broadcast) and the older Select (a vector condition picks whole rows).
 *
 * Elements are moved, not computed with: one kernel an element size serves all dtypes of that size.
 */
#include "elementwise.h"

namespace {

template <class T>
__global__ void select_k(const bool *condition, const T *t, const T *e, T *y, mfi_broadcast plan) {
  for (int64_t i = mfi_first(); i < plan.count; i += mfi_step()) {
    int64_t at[3];
    mfi_broadcast_offsets<3>(plan, i, at);
    y[i] = condition[at[0]] ? t[at[1]] : e[at[2]];
  }
}

template <class T>
mf_status select_planned(mfi_cuda_call *c, const mfi_broadcast &plan) {
  if (!plan.count) return NULL;
  LAUNCH((select_k<T>), mfi_blocks(plan.count), MFI_THREADS, 0, c->stream->handle, mfi_in<bool>(c, 0), mfi_in<T>(c, 1),
         mfi_in<T>(c, 2), mfi_out<T>(c, 0), plan);
  return mfi_cuda_check(c, cudaGetLastError());
}

template <class T>
mf_status select_v2_run(mfi_cuda_call *c) {
  return select_planned<T>(c, mfi_broadcast_make(&c->out[0], c->in, 3));
}

template <class T>
mf_status select_run(mfi_cuda_call *c) {
  mfi_cuda_tensor operands[3] = {c->in[0], c->in[1], c->in[2]};
  int64_t dims[MFI_BROADCAST_RANK];
  if (operands[0].rank == 1) {   /* [n] stands for [n,1,...,1] */
    for (int d = 0; d < c->out[0].rank; d++) dims[d] = d ? 1 : operands[0].dims[0];
    operands[0].dims = dims;
    operands[0].rank = c->out[0].rank;
  }
  return select_planned<T>(c, mfi_broadcast_make(&c->out[0], operands, 3));
}

const uint32_t ONE = MF_TYPE(MF_BOOL) | MF_TYPE(MF_UINT8) | MF_TYPE(MF_INT8);
const uint32_t TWO = MF_TYPE(MF_INT16) | MF_TYPE(MF_UINT16) | MF_TYPES_HALF;
const uint32_t FOUR = MF_TYPE(MF_FLOAT32) | MF_TYPE(MF_INT32) | MF_TYPE(MF_UINT32);
const uint32_t EIGHT = MF_TYPE(MF_FLOAT64) | MF_TYPE(MF_INT64) | MF_TYPE(MF_UINT64) | MF_TYPE(MF_COMPLEX64);

}  // namespace

#define ROWS(op, run)                                            \
  {op, "T", ONE, 0, NULL, NULL, mfi_cuda_run<run<uint8_t>>},     \
  {op, "T", TWO, 0, NULL, NULL, mfi_cuda_run<run<uint16_t>>},    \
  {op, "T", FOUR, 0, NULL, NULL, mfi_cuda_run<run<uint32_t>>},   \
  {op, "T", EIGHT, 0, NULL, NULL, mfi_cuda_run<run<uint64_t>>}

extern "C" const mfi_cuda_row mfi_cuda_select_rows[] = {
    ROWS("SelectV2", select_v2_run), ROWS("Select", select_run), {NULL, NULL, 0, 0, NULL, NULL, NULL}};
