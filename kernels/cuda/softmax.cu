/* softmax.cu - Softmax and LogSoftmax over the last dimension. */
#include "softmax.h"

namespace {

/* y may be x. */
template <class T, bool LOG>
__global__ void softmax_k(const T *x, T *y, int64_t rows, int64_t n, int size) {
  SHARED_ARRAY(T, scratch, MFI_WARPS);
  mfi_group g = mfi_group_make(size);
  bool active = g.row < rows;
  mfi_row<T> row{x + (active ? g.row * n : 0), 1};
  mfi_row_sums<T> s = mfi_softmax_sums(g, row, n, active, scratch);
  if (!active) return;
  T *out = y + g.row * n;
  T log_sum = LOG ? mfs_log(s.sum) : 0;
  for (int64_t i = g.lane; i < n; i += g.size) {
    T d = row.at(i) - s.largest;
    out[i] = LOG ? d - log_sum : mfs_exp(d) / s.sum;
  }
}

template <class T, bool LOG>
mf_status softmax_run(mfi_cuda_call *c) {
  const mfi_cuda_tensor *x = &c->in[0];
  if (!x->count) return NULL;
  int64_t n = x->rank ? x->dims[x->rank - 1] : 1, rows = x->count / n;
  int size = mfi_group_size(n);
  LAUNCH((softmax_k<T, LOG>), (unsigned)mfi_group_blocks(rows, size), MFI_THREADS, 0, c->stream->handle,
         mfi_in<T>(c, 0), mfi_out<T>(c, 0), rows, n, size);
  return mfi_cuda_check(c, cudaGetLastError());
}

}  // namespace

extern "C" const mfi_cuda_row mfi_cuda_softmax_rows[] = {
    MFI_ROW("Softmax", "T", MF_FLOAT32, softmax_run<float, false>),
    MFI_ROW("Softmax", "T", MF_FLOAT64, softmax_run<double, false>),
    MFI_ROW("LogSoftmax", "T", MF_FLOAT32, softmax_run<float, true>),
    MFI_ROW("LogSoftmax", "T", MF_FLOAT64, softmax_run<double, true>),
    {NULL, NULL, 0, 0, NULL, NULL, NULL}};
