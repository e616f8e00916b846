/* compare.c - comparisons, logic, bits and choice: Equal ... GreaterEqual, LogicalAnd, LogicalOr, LogicalNot,
 * BitwiseAnd, BitwiseOr, BitwiseXor, Invert, SelectV2, Select. */
#include "ops/math/gradient.h"
#include "ops/math/type_sets.h"
#include "ops/op_list.h"

/* Equal and NotEqual of shapes that do not broadcast give one bool when incompatible_shape_error is false. */
static mf_status equal_infer(mf_infer *c) {
  mf_shape s;
  mf_status status = mf_shape_broadcast(mf_in_shape(c, 0), mf_in_shape(c, 1), &s);
  if (!status) {
    bool strict = mf_attr_bool(c->attrs, "incompatible_shape_error");
    bool known = mf_shape_is_full(mf_in_shape(c, 0)) && mf_shape_is_full(mf_in_shape(c, 1));
    c->out[0] = strict || known ? s : mf_shape_unknown();
    return NULL;
  }
  if (mf_attr_bool(c->attrs, "incompatible_shape_error")) return mf_status_prefix(status, "%s", c->attrs.op->name);
  mf_status_release(status);
  c->out[0] = mf_shape_scalar();
  return NULL;
}

const mf_op_def mf_op_Equal = {
    MF_OP_NAME(Equal),
    .inputs = "x: T; y: T", .outputs = "z: bool", .attrs = "T: type; incompatible_shape_error: bool = true",
    .flags = MF_OP_ELEMENTWISE | MF_OP_COMMUTATIVE,
    .infer = equal_infer, .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "x == y, element by element, with broadcasting.",
};

const mf_op_def mf_op_NotEqual = {
    MF_OP_NAME(NotEqual),
    .inputs = "x: T; y: T", .outputs = "z: bool", .attrs = "T: type; incompatible_shape_error: bool = true",
    .flags = MF_OP_ELEMENTWISE | MF_OP_COMMUTATIVE,
    .infer = equal_infer, .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "x != y, element by element, with broadcasting; NaN differs from everything.",
};

const mf_op_def mf_op_Less = {
    MF_OP_NAME(Less),
    .inputs = "x: T; y: T", .outputs = "z: bool", .attrs = MFI_T_REAL,
    .flags = MF_OP_ELEMENTWISE,
    .infer = mf_infer_broadcast, .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "x < y, element by element, with broadcasting.",
};

const mf_op_def mf_op_LessEqual = {
    MF_OP_NAME(LessEqual),
    .inputs = "x: T; y: T", .outputs = "z: bool", .attrs = MFI_T_REAL,
    .flags = MF_OP_ELEMENTWISE,
    .infer = mf_infer_broadcast, .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "x <= y, element by element, with broadcasting.",
};

const mf_op_def mf_op_Greater = {
    MF_OP_NAME(Greater),
    .inputs = "x: T; y: T", .outputs = "z: bool", .attrs = MFI_T_REAL,
    .flags = MF_OP_ELEMENTWISE,
    .infer = mf_infer_broadcast, .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "x > y, element by element, with broadcasting.",
};

const mf_op_def mf_op_GreaterEqual = {
    MF_OP_NAME(GreaterEqual),
    .inputs = "x: T; y: T", .outputs = "z: bool", .attrs = MFI_T_REAL,
    .flags = MF_OP_ELEMENTWISE,
    .infer = mf_infer_broadcast, .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "x >= y, element by element, with broadcasting.",
};

const mf_op_def mf_op_LogicalAnd = {
    MF_OP_NAME(LogicalAnd),
    .inputs = "x: bool; y: bool", .outputs = "z: bool",
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE | MF_OP_COMMUTATIVE,
    .infer = mf_infer_broadcast, .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "x and y, element by element, with broadcasting.",
};

const mf_op_def mf_op_LogicalOr = {
    MF_OP_NAME(LogicalOr),
    .inputs = "x: bool; y: bool", .outputs = "z: bool",
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE | MF_OP_COMMUTATIVE,
    .infer = mf_infer_broadcast, .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "x or y, element by element, with broadcasting.",
};

const mf_op_def mf_op_LogicalNot = {
    MF_OP_NAME(LogicalNot),
    .inputs = "x: bool", .outputs = "y: bool",
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE,
    .infer = mf_infer_same, .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "not x.",
};

const mf_op_def mf_op_BitwiseAnd = {
    MF_OP_NAME(BitwiseAnd),
    .inputs = "x: T; y: T", .outputs = "z: T", .attrs = MFI_T_INTEGER,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE | MF_OP_COMMUTATIVE,
    .infer = mf_infer_broadcast, .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "The bits that are set in x and in y.",
};

const mf_op_def mf_op_BitwiseOr = {
    MF_OP_NAME(BitwiseOr),
    .inputs = "x: T; y: T", .outputs = "z: T", .attrs = MFI_T_INTEGER,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE | MF_OP_COMMUTATIVE,
    .infer = mf_infer_broadcast, .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "The bits that are set in x or in y.",
};

const mf_op_def mf_op_BitwiseXor = {
    MF_OP_NAME(BitwiseXor),
    .inputs = "x: T; y: T", .outputs = "z: T", .attrs = MFI_T_INTEGER,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE | MF_OP_COMMUTATIVE,
    .infer = mf_infer_broadcast, .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "The bits in which x and y differ.",
};

const mf_op_def mf_op_Invert = {
    MF_OP_NAME(Invert),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_INTEGER,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE,
    .infer = mf_infer_same, .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "x with every bit flipped.",
};

/* ---- SelectV2: condition ? t : e, with broadcasting of all three */
static mf_status select_v2_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *zero = mf_b_scalar(&b, (mf_dtype)a->dy[0]->dtype, 0);
  if (a->need[1])
    mf_b_give(&b, &dx[1], mf_grad_unbroadcast(&b, mfi_b_where(&b, a->in[0], a->dy[0], zero), a->in[1]));
  if (a->need[2])
    mf_b_give(&b, &dx[2], mf_grad_unbroadcast(&b, mfi_b_where(&b, a->in[0], zero, a->dy[0]), a->in[2]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_SelectV2 = {
    MF_OP_NAME(SelectV2),
    .inputs = "condition: bool; t: T; e: T", .outputs = "output: T", .attrs = "T: type",
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = mf_infer_broadcast, .grad = select_v2_grad,
    .doc = "t where condition holds, e elsewhere, with broadcasting of all three.",
};

/* ---- Select: t and e have one shape; the condition has it too, is a scalar, or is a vector that chooses rows. */
static mf_status select_infer(mf_infer *c) {
  const mf_shape *condition = mf_in_shape(c, 0);
  MF_TRY(mf_shape_merge(mf_in_shape(c, 1), mf_in_shape(c, 2), "Select", &c->out[0]));
  const mf_shape *s = &c->out[0];
  if (condition->rank <= 0 || s->rank < 0 || mf_shape_compatible(condition, s)) return NULL;
  bool rows = condition->rank == 1 && s->rank >= 1 &&
              (condition->dims[0] < 0 || s->dims[0] < 0 || condition->dims[0] == s->dims[0]);
  if (rows) return NULL;
  char got[MF_SHAPE_TEXT], want[MF_SHAPE_TEXT];
  return mf_infer_fail(c, "condition must be a scalar, a vector with one value a row of t, or of the shape of t: "
                          "condition shape %s, t shape %s",
                       mf_shape_text(condition, got), mf_shape_text(s, want));
}

static mf_status select_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *zeros = mf_b_zeros_like(&b, a->dy[0]);
  if (a->need[1]) mf_b_give(&b, &dx[1], MF_B(&b, Select, a->in[0], a->dy[0], zeros));
  if (a->need[2]) mf_b_give(&b, &dx[2], MF_B(&b, Select, a->in[0], zeros, a->dy[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Select = {
    MF_OP_NAME(Select),
    .inputs = "condition: bool; t: T; e: T", .outputs = "output: T", .attrs = "T: type",
    .flags = MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = select_infer, .grad = select_grad,
    .doc = "t where condition holds, e elsewhere; a condition vector chooses whole rows.",
};
