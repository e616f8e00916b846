/* rounding.c - whole numbers and classes of floating-point values: Floor, Ceil, Round, Rint, IsNan, IsInf, IsFinite,
 * CheckNumerics. */
#include <stdio.h>

#include "ops/math/gradient.h"
#include "ops/math/type_sets.h"
#include "ops/op_list.h"

const mf_op_def mf_op_Floor = {
    MF_OP_NAME(Floor),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE,
    .infer = mf_infer_same, .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "The largest whole number not above x.",
};

const mf_op_def mf_op_Ceil = {
    MF_OP_NAME(Ceil),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE,
    .infer = mf_infer_same, .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "The smallest whole number not below x.",
};

const mf_op_def mf_op_Round = {
    MF_OP_NAME(Round),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_SIGNED_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE,
    .infer = mf_infer_same, .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "The nearest whole number; halves go to the even one.",
};

const mf_op_def mf_op_Rint = {
    MF_OP_NAME(Rint),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE,
    .infer = mf_infer_same, .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "The nearest whole number; halves go to the even one.",
};

const mf_op_def mf_op_IsNan = {
    MF_OP_NAME(IsNan),
    .inputs = "x: T", .outputs = "y: bool", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_ELEMENTWISE,
    .infer = mf_infer_same, .grad = MF_NO_GRADIENT,
    .doc = "Whether x is NaN.",
};

const mf_op_def mf_op_IsInf = {
    MF_OP_NAME(IsInf),
    .inputs = "x: T", .outputs = "y: bool", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_ELEMENTWISE,
    .infer = mf_infer_same, .grad = MF_NO_GRADIENT,
    .doc = "Whether x is infinite.",
};

const mf_op_def mf_op_IsFinite = {
    MF_OP_NAME(IsFinite),
    .inputs = "x: T", .outputs = "y: bool", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_ELEMENTWISE,
    .infer = mf_infer_same, .grad = MF_NO_GRADIENT,
    .doc = "Whether x is neither NaN nor infinite.",
};

/* The gradient is checked as the value was. */
static mf_status check_numerics_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  char text[256];
  mf_text message = mf_attr_text(a->attrs, "message");
  int n = snprintf(text, sizeof text, "Not a number (NaN) or infinity (Inf) values detected in gradient. %.*s",
                   (int)(message.size < sizeof text ? message.size : sizeof text), message.bytes);
  mf_text whole = {text, n < (int)sizeof text ? (size_t)n : sizeof text - 1};
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], MF_BA(&b, CheckNumerics, MF_INS(a->dy[0]), MF_A_TEXT("message", whole)));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_CheckNumerics = {
    MF_OP_NAME(CheckNumerics),
    .inputs = "tensor: T", .outputs = "output: T", .attrs = MFI_T_FLOAT "; message: string",
    .flags = MF_OP_STATEFUL,
    .infer = mf_infer_same, .grad = check_numerics_grad,
    .doc = "The tensor itself; an error that begins with `message` when it holds NaN or infinities.",
};
