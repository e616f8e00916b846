/* apply.h - mf_apply: the only entry through which an op happens.
 *
 * Eager: resolve attributes, infer, allocate, run, record on the active tapes. Tracing (ctx->trace set): add a node and return
 * symbolic outputs. Gradient functions call it too, so they work in both.
 */
#ifndef MF_OPS_APPLY_H
#define MF_OPS_APPLY_H

#include "ops/op.h"

/* Applies `op` to the flat list of inputs.
 * attrs: those the caller gives; the rest is inferred from the inputs or takes the op's default.
 * [OUT] out: at most max_out new handles (all NULL on failure); *n_out (may be NULL): how many there are.
 * Fails with INVALID_ARGUMENT (types, shapes, attributes; nothing has happened then), RESOURCE_EXHAUSTED (memory; nothing has
 * happened), or what the kernel says. The error names the op. */
mf_status mf_apply(mf_ctx *ctx, const mf_op_def *op, mf_tensor *const *in, int n_in, const mf_named_attr *attrs, int n_attrs,
                   mf_tensor **out, int max_out, int *n_out) MF_MUST_USE;

/* How many outputs that call would have. */
mf_status mf_apply_output_count(const mf_op_def *op, mf_tensor *const *in, int n_in, const mf_named_attr *attrs, int n_attrs,
                                int *n_out) MF_MUST_USE;

/* Resolved attributes of one call: values in signature order, plus the storage that inferred lists need. */
typedef struct mf_resolved {
  mf_attr values[MF_MAX_ATTRS];
  mf_dtype *type_lists;       /* owned; NULL when inline storage was enough */
  mf_dtype inline_types[MF_MAX_INLINE];
  int n_out;
} mf_resolved;
mf_status mf_resolve(const mf_op_def *op, mf_tensor *const *in, int n_in, const mf_named_attr *attrs, int n_attrs,
                     mf_resolved *out) MF_MUST_USE;
void mf_resolved_release(mf_resolved *r);
/* Dtype of flat output i. */
mf_dtype mf_resolved_out_type(const mf_op_def *op, const mf_attr *values, int i);

/* Eager run of resolved values, without tape or trace: what graph interpreters call per node. */
mf_status mf_run_eager(mf_ctx *ctx, const mf_op_def *op, const mf_attr *values, mf_tensor *const *in, int n_in,
                       mf_tensor **out, int n_out) MF_MUST_USE;

#endif
