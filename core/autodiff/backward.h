/* backward.h - the one backward walker: over tapes, traced functions and imported graphs alike. */
#ifndef MF_AUTODIFF_BACKWARD_H
#define MF_AUTODIFF_BACKWARD_H

#include "ops/node.h"

/* Walks `region` backward from targets to sources.
 * target_serials / source_serials: the values as recorded. output_grads: one a target, counted by the caller; NULL = ones of
 * the target's shape (targets[i] gives it). [OUT] dx: one a source (NONE when unconnected).
 * Only nodes that lie between a source and a target are differentiated. Sums of several contributions keep SLICES as long as
 * all are SLICES (concatenated), and are made dense only when mixed. */
mf_status mf_backward(mf_ctx *ctx, const mf_region *region, mf_tensor *const *targets, int n_targets,
                      mf_tensor *const *output_grads, mf_tensor *const *sources, int n_sources, mf_grad *dx) MF_MUST_USE;

/* SLICES -> DENSE: rows added into zeros of dense_shape. [OUT] *out new handle. */
mf_status mf_grad_densify(mf_ctx *ctx, const mf_grad *g, mf_tensor **out) MF_MUST_USE;
/* Sum of two gradients into *sum (takes both). */
mf_status mf_grad_accumulate(mf_ctx *ctx, mf_grad *sum, mf_grad *more) MF_MUST_USE;

#endif
