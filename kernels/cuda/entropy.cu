/* entropy.cu - the two cross-entropy ops on logits: loss of each row, and its gradient with respect to the logits.
 *
 * loss = sum_j labels_j * (log(sum) - (x_j - largest));   backprop = softmax(x) - labels
 */
#include "softmax.h"

namespace {

/* A [rows, n] operand that may be one row, one column or one element, repeated. */
template <class T>
struct matrix {
  const T *data;
  int64_t row_step, step;
  __device__ __forceinline__ mfi_row<T> row(int64_t r) const { return mfi_row<T>{data + r * row_step, step}; }
};

template <class T>
matrix<T> matrix_of(const mfi_cuda_tensor *t) {
  int64_t rows = t->dims[0], n = t->dims[1];
  return matrix<T>{static_cast<const T *>(t->data), rows == 1 ? 0 : n, n == 1 ? 0 : 1};
}

template <class T>
__global__ void dense_k(matrix<T> x, matrix<T> labels, T *__restrict__ loss, T *__restrict__ backprop, int64_t rows,
                        int64_t n, int size) {
  SHARED_ARRAY(T, scratch, MFI_WARPS);
  mfi_group g = mfi_group_make(size);
  bool active = g.row < rows;
  mfi_row<T> logits = x.row(active ? g.row : 0), wanted = labels.row(active ? g.row : 0);
  mfi_row_sums<T> s = mfi_softmax_sums(g, logits, n, active, scratch);
  T log_sum = mfs_log(s.sum), total = 0;
  if (active) {
    for (int64_t i = g.lane; i < n; i += g.size) {
      T d = logits.at(i) - s.largest, label = wanted.at(i);
      total += label * (log_sum - d);
      backprop[g.row * n + i] = mfs_exp(d) / s.sum - label;
    }
  }
  total = mfi_group_reduce(g, total, scratch, mfi_join_sum());
  if (active && g.lane == 0) loss[g.row] = total;
}

/* A label outside [0, n) makes the row NaN, as TensorFlow's GPU kernel does. */
template <class T, class Label>
__global__ void sparse_k(const T *__restrict__ x, const Label *__restrict__ labels, T *__restrict__ loss,
                         T *__restrict__ backprop, int64_t rows, int64_t n, int size) {
  SHARED_ARRAY(T, scratch, MFI_WARPS);
  T nan = mfi_extremes<T>::nan();
  mfi_group g = mfi_group_make(size);
  bool active = g.row < rows;
  mfi_row<T> logits{x + (active ? g.row * n : 0), 1};
  mfi_row_sums<T> s = mfi_softmax_sums(g, logits, n, active, scratch);
  if (!active) return;
  int64_t label = (int64_t)labels[g.row];
  bool valid = label >= 0 && label < n;
  for (int64_t i = g.lane; i < n; i += g.size) {
    T p = mfs_exp(logits.at(i) - s.largest) / s.sum;
    backprop[g.row * n + i] = valid ? p - (i == label ? (T)1 : (T)0) : nan;
  }
  if (g.lane == 0) loss[g.row] = valid ? mfs_log(s.sum) - (logits.at(label) - s.largest) : nan;
}

template <class T>
mf_status dense_run(mfi_cuda_call *c) {
  int64_t rows = c->out[1].dims[0], n = c->out[1].dims[1];
  if (!rows) return NULL;
  int size = mfi_group_size(n);
  LAUNCH((dense_k<T>), (unsigned)mfi_group_blocks(rows, size), MFI_THREADS, 0, c->stream->handle,
         matrix_of<T>(&c->in[0]), matrix_of<T>(&c->in[1]), mfi_out<T>(c, 0), mfi_out<T>(c, 1), rows, n, size);
  return mfi_cuda_check(c, cudaGetLastError());
}

template <class T, class Label>
mf_status sparse_launch(mfi_cuda_call *c) {
  int64_t rows = c->in[0].dims[0], n = c->in[0].dims[1];
  if (!rows) return NULL;
  int size = mfi_group_size(n);
  LAUNCH((sparse_k<T, Label>), (unsigned)mfi_group_blocks(rows, size), MFI_THREADS, 0, c->stream->handle,
         mfi_in<T>(c, 0), mfi_in<Label>(c, 1), mfi_out<T>(c, 0), mfi_out<T>(c, 1), rows, n, size);
  return mfi_cuda_check(c, cudaGetLastError());
}

template <class T>
mf_status sparse_run(mfi_cuda_call *c) {
  return c->in[1].dtype == MF_INT32 ? sparse_launch<T, int32_t>(c) : sparse_launch<T, int64_t>(c);
}

}  // namespace

#define OP "SoftmaxCrossEntropyWithLogits"
extern "C" const mfi_cuda_row mfi_cuda_entropy_rows[] = {
    MFI_ROW(OP, "T", MF_FLOAT32, dense_run<float>),
    MFI_ROW(OP, "T", MF_FLOAT64, dense_run<double>),
    MFI_ROW("Sparse" OP, "T", MF_FLOAT32, sparse_run<float>),
    MFI_ROW("Sparse" OP, "T", MF_FLOAT64, sparse_run<double>),
    {NULL, NULL, 0, 0, NULL, NULL, NULL}};
