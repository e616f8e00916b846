/* matmul.c - MatMul: the product of two matrices, each transposed on demand. */
#include "ops/build.h"
#include "ops/infer.h"
#include "ops/op_list.h"

static mf_status matmul_infer(mf_infer *c) {
  mf_shape a, b;
  MF_TRY(mf_infer_rank(c, 0, 2, &a));
  MF_TRY(mf_infer_rank(c, 1, 2, &b));
  int ta = mf_attr_bool(c->attrs, "transpose_a"), tb = mf_attr_bool(c->attrs, "transpose_b");
  int64_t k = a.dims[1 - ta], other = b.dims[tb];
  if (k >= 0 && other >= 0 && k != other) {
    char ax[MF_SHAPE_TEXT], bx[MF_SHAPE_TEXT];
    return mf_infer_fail(c, "Matrix size-incompatible: In[0]: %s%s, In[1]: %s%s", mf_shape_text(&a, ax),
                         ta ? " (transposed)" : "", mf_shape_text(&b, bx), tb ? " (transposed)" : "");
  }
  c->out[0] = mf_shape_2d(a.dims[ta], b.dims[1 - tb]);
  return NULL;
}

/* With op(x) = x or its transpose: d op(a) = dy op(b)', d op(b) = op(a)' dy; the outer transpose of each is taken into
 * the product by exchanging its factors. */
static mf_status matmul_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *x = a->in[0], *y = a->in[1], *dy = a->dy[0];
  bool tx = mf_attr_bool(a->attrs, "transpose_a"), ty = mf_attr_bool(a->attrs, "transpose_b");
  if (mf_dtype_const(mf_tensor_dtype(x))->kind == MF_KIND_COMPLEX) {
    if (a->need[1]) x = MF_B(&b, Conj, x);
    if (a->need[0]) y = MF_B(&b, Conj, y);
  }
  if (dy && a->need[0])
    mf_b_give(&b, &dx[0], tx ? mf_b_matmul(&b, y, dy, ty, true) : mf_b_matmul(&b, dy, y, false, !ty));
  if (dy && a->need[1])
    mf_b_give(&b, &dx[1], ty ? mf_b_matmul(&b, dy, x, true, tx) : mf_b_matmul(&b, x, dy, !tx, false));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_MatMul = {
    MF_OP_NAME(MatMul),
    .inputs = "a: T; b: T",
    .outputs = "product: T",
    .attrs = "transpose_a: bool = false; transpose_b: bool = false; "
             "T: {bfloat16, half, float, double, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}; "
             "grad_a: bool = false; grad_b: bool = false",
    .infer = matmul_infer,
    .grad = matmul_grad,
    .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .doc = "Product of the matrices a [m,k] and b [k,n]; transpose_a and transpose_b take [k,m] and [n,k].",
};
