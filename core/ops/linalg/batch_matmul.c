/* batch_matmul.c - BatchMatMul, BatchMatMulV2, BatchMatMulV3: products of stacks of matrices. V2 and V3 broadcast the
 * leading dimensions as numpy does; V3 also names the types apart. adj_* is the conjugate transpose. */
#include "ops/build.h"
#include "ops/infer.h"
#include "ops/op_list.h"

static mf_shape leading(const mf_shape *s) {
  mf_shape lead = *s;
  if (lead.rank >= 0) lead.rank -= 2;
  return lead;
}

static mf_status mismatch(const mf_infer *c, const char *what) {
  char x[MF_SHAPE_TEXT], y[MF_SHAPE_TEXT];
  return mf_infer_fail(c, "%s: In[0]: %s, In[1]: %s (adj_x %s, adj_y %s)", what, mf_shape_text(mf_in_shape(c, 0), x),
                       mf_shape_text(mf_in_shape(c, 1), y), mf_attr_bool(c->attrs, "adj_x") ? "true" : "false",
                       mf_attr_bool(c->attrs, "adj_y") ? "true" : "false");
}

static mf_status product_infer(mf_infer *c, bool broadcast) {
  mf_shape x, y, lx, ly, lead;
  MF_TRY(mf_infer_min_rank(c, 0, 2, &x));
  MF_TRY(mf_infer_min_rank(c, 1, 2, &y));
  int ax = mf_attr_bool(c->attrs, "adj_x"), ay = mf_attr_bool(c->attrs, "adj_y");
  int64_t m = -1, n = -1, k = -1, other = -1;
  if (x.rank >= 0) m = x.dims[x.rank - 2 + ax], k = x.dims[x.rank - 1 - ax];
  if (y.rank >= 0) n = y.dims[y.rank - 1 - ay], other = y.dims[y.rank - 2 + ay];
  if (k >= 0 && other >= 0 && k != other) return mismatch(c, "Matrix size-incompatible");
  lx = leading(&x), ly = leading(&y);
  mf_status status =
      broadcast ? mf_shape_broadcast(&lx, &ly, &lead) : mf_shape_merge(&lx, &ly, c->attrs.op->name, &lead);
  if (status) {
    mf_status_release(status);
    return mismatch(c, broadcast ? "In[0] and In[1] must have compatible batch dimensions"
                                 : "In[0] and In[1] must have the same batch dimensions");
  }
  if (lead.rank < 0) return NULL;
  MF_TRY(mf_shape_append(&lead, m));
  MF_TRY(mf_shape_append(&lead, n));
  c->out[0] = lead;
  return NULL;
}

static mf_status same_batch_infer(mf_infer *c) { return product_infer(c, false); }
static mf_status broadcast_infer(mf_infer *c) { return product_infer(c, true); }

static mf_tensor *product(mf_builder *b, const mf_op_def *op, mf_tensor *x, mf_tensor *y, bool ax, bool ay) {
  mf_named_attr named[] = {MF_A_BOOL("adj_x", ax), MF_A_BOOL("adj_y", ay),
                           MF_A_TYPE("Tout", (mf_dtype)(x ? x->dtype : 0))};
  int n = op == &mf_op_BatchMatMulV3 ? 3 : 2;
  return mf_b_apply(b, op, (mf_tensor *[]){x, y}, 2, named, n);
}

/* As for MatMul; broadcast leading dimensions are summed away at the end. */
static mf_status product_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *x = a->in[0], *y = a->in[1], *dy = a->dy[0];
  const mf_op_def *op = a->attrs.op;
  bool ax = mf_attr_bool(a->attrs, "adj_x"), ay = mf_attr_bool(a->attrs, "adj_y");
  if (dy && a->need[0]) {
    mf_tensor *g = ax ? product(&b, op, y, dy, ay, true) : product(&b, op, dy, y, false, !ay);
    mf_b_give(&b, &dx[0], mf_grad_unbroadcast(&b, g, x));
  }
  if (dy && a->need[1]) {
    mf_tensor *g = ay ? product(&b, op, dy, x, true, ax) : product(&b, op, x, dy, !ax, false);
    mf_b_give(&b, &dx[1], mf_grad_unbroadcast(&b, g, y));
  }
  return mf_builder_close(&b);
}

#define ADJOINTS "adj_x: bool = false; adj_y: bool = false; grad_x: bool = false; grad_y: bool = false"

const mf_op_def mf_op_BatchMatMul = {
    MF_OP_NAME(BatchMatMul),
    .inputs = "x: T; y: T",
    .outputs = "output: T",
    .attrs = "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}; " ADJOINTS,
    .infer = same_batch_infer,
    .grad = product_grad,
    .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .doc = "Products of two stacks of matrices with the same leading dimensions.",
};

const mf_op_def mf_op_BatchMatMulV2 = {
    MF_OP_NAME(BatchMatMulV2),
    .inputs = "x: T; y: T",
    .outputs = "output: T",
    .attrs =
        "T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, "
        "complex128}; " ADJOINTS,
    .infer = broadcast_infer,
    .grad = product_grad,
    .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .doc = "Products of two stacks of matrices; leading dimensions are broadcast.",
};

#define PRODUCT_TYPES "{bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128}"

const mf_op_def mf_op_BatchMatMulV3 = {
    MF_OP_NAME(BatchMatMulV3),
    .inputs = "x: Ta; y: Tb",
    .outputs = "output: Tout",
    .attrs = "Ta: " PRODUCT_TYPES "; Tb: " PRODUCT_TYPES
             "; "
             "Tout: {bfloat16, half, float, double, int16, int32, int64, complex64, complex128}; " ADJOINTS,
    .infer = broadcast_infer,
    .grad = product_grad,
    .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .doc =
        "Products of two stacks of matrices with a type for each factor and the result; leading dimensions are "
        "broadcast.",
};
