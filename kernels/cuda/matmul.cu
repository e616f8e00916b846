/* matmul.cu - MatMul and BatchMatMulV2 over the BLAS table.
 *
 * Batch dimensions broadcast. They are reduced by a broadcast plan: usually one dimension is left, and one batched
 * call does it all; otherwise the last one is batched and the others are walked through on the host.
 */
#include "blas.h"
#include "broadcast.h"

namespace {

mf_status multiply(mfi_cuda_call *c, const mfi_gemm *g) {
  const mfi_blas *const *blas = mfi_blas_list;
  while (*blas && !((*blas)->types >> g->dtype & 1)) blas++;
  if (!*blas) return mfi_cuda_fail(c, MF_INTERNAL, "no BLAS for dtype %d", (int)g->dtype);
  int code = (*blas)->gemm(c->stream, g);
  return code ? mfi_cuda_fail(c, MF_INTERNAL, "BLAS: %s (code %d)", (*blas)->error_text(code), code) : NULL;
}

/* The product of the last two dimensions, for a batch of one. */
mfi_gemm gemm_of(const mfi_cuda_call *c, bool transpose_a, bool transpose_b) {
  const mfi_cuda_tensor *a = &c->in[0], *b = &c->in[1];
  mfi_gemm g = {};
  g.dtype = a->dtype;
  g.transpose_a = transpose_a;
  g.transpose_b = transpose_b;
  g.m = a->dims[a->rank - (transpose_a ? 1 : 2)];
  g.k = a->dims[a->rank - (transpose_a ? 2 : 1)];
  g.n = b->dims[b->rank - (transpose_b ? 2 : 1)];
  g.batch = 1;
  g.a = a->data;
  g.b = b->data;
  g.c = c->out[0].data;
  return g;
}

/* Products over nothing are 0. */
mf_status clear(mfi_cuda_call *c, size_t element) {
  size_t bytes = (size_t)c->out[0].count * element;
  return mfi_cuda_check(c, (int)cudaMemsetAsync(c->out[0].data, 0, bytes, c->stream->handle));
}

template <class T>
mf_status matmul_run(mfi_cuda_call *c) {
  bool ta = mfi_cuda_attr_int(c, "transpose_a", 0) != 0, tb = mfi_cuda_attr_int(c, "transpose_b", 0) != 0;
  mfi_gemm g = gemm_of(c, ta, tb);
  if (!c->out[0].count) return NULL;
  return g.k ? multiply(c, &g) : clear(c, sizeof(T));
}

/* The batch dimensions of a tensor of matrices. */
mfi_cuda_tensor batch_of(const mfi_cuda_tensor *t) {
  mfi_cuda_tensor r = *t;
  r.rank = t->rank - 2;
  r.count = 1;
  for (int d = 0; d < r.rank; d++) r.count *= r.dims[d];
  return r;
}

/* All products of a plan over the batch dimensions; its strides count matrices. */
template <class T>
mf_status multiply_planned(mfi_cuda_call *c, mfi_gemm g, const mfi_broadcast &plan) {
  int last = plan.rank - 1;
  int64_t size_a = g.m * g.k, size_b = g.k * g.n, size_c = g.m * g.n;
  g.batch = plan.dims[last];
  g.stride_a = plan.strides[0][last] * size_a;
  g.stride_b = plan.strides[1][last] * size_b;
  g.stride_c = size_c;
  for (int64_t outer = 0; outer < plan.count / g.batch; outer++) {
    int64_t at_a = 0, at_b = 0, rest = outer;
    for (int d = last - 1; d >= 0; d--) {
      int64_t i = rest % plan.dims[d];
      at_a += i * plan.strides[0][d];
      at_b += i * plan.strides[1][d];
      rest /= plan.dims[d];
    }
    g.a = mfi_in<T>(c, 0) + at_a * size_a;
    g.b = mfi_in<T>(c, 1) + at_b * size_b;
    g.c = mfi_out<T>(c, 0) + outer * g.batch * size_c;
    MF_TRY(multiply(c, &g));
  }
  return NULL;
}

template <class T>
mf_status batch_matmul_run(mfi_cuda_call *c) {
  bool ta = mfi_cuda_attr_int(c, "adj_x", 0) != 0, tb = mfi_cuda_attr_int(c, "adj_y", 0) != 0;
  mfi_gemm g = gemm_of(c, ta, tb);
  if (!c->out[0].count) return NULL;
  if (!g.k) return clear(c, sizeof(T));
  mfi_cuda_tensor out = batch_of(&c->out[0]), in[2] = {batch_of(&c->in[0]), batch_of(&c->in[1])};
  return multiply_planned<T>(c, g, mfi_broadcast_make(&out, in, 2));
}

}  // namespace

#define ROWS(op, run)                                                                              \
  {op, "T", MF_TYPE(MF_FLOAT32), 0, NULL, NULL, mfi_cuda_run<run<float>>},                         \
  {op, "T", MF_TYPE(MF_FLOAT64), 0, NULL, NULL, mfi_cuda_run<run<double>>},                        \
  {op, "T", MF_TYPE(MF_INT32), 0, NULL, NULL, mfi_cuda_run<run<int32_t>>},                         \
  {op, "T", MF_TYPE(MF_INT64), 0, NULL, NULL, mfi_cuda_run<run<int64_t>>}

extern "C" const mfi_cuda_row mfi_cuda_matmul_rows[] = {
    ROWS("MatMul", matmul_run), ROWS("BatchMatMul", batch_matmul_run), ROWS("BatchMatMulV2", batch_matmul_run),
    {NULL, NULL, 0, 0, NULL, NULL, NULL}};
