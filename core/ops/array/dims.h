/* dims.h - integer vectors that describe shapes: reading them as far as they are known, building them from dimensions.
 * Internal to core/ops: shape rules and gradients of array ops use it.
 *
 * While tracing, dimensions may be unknown. A "value" here is an mf_shape used as a vector of integers: entry -1 is
 * unknown (or really -1: callers that care ask mfi_dims_exact). A scalar reads as a vector of one entry.
 */
#ifndef MF_OPS_ARRAY_DIMS_H
#define MF_OPS_ARRAY_DIMS_H

#include "ops/build.h"
#include "ops/infer.h"
#include "ops/node.h"

/* The integers that `t` (concrete, Const node, or a node whose entry has `shape_value`) holds. False: nothing is
 * known, not even how many; or more than MF_MAX_RANK. */
bool mfi_dims_value(mf_tensor *t, mf_shape *out);
/* Input i as the shape of an output that is about to be made: mf_const_shape, and a known value must not hold -1. */
mf_status mfi_dims_sizes(const mf_infer *c, int i, mf_shape *out) MF_MUST_USE;
/* The concrete CPU tensor behind `t`: itself, or the value of a Const node. Borrowed; NULL: unknown. */
mf_tensor *mfi_dims_exact(mf_tensor *t);

/* One dimension: axis `axis` of `of` (negative: from the end), or the number `value` where `of` is NULL. */
typedef struct mfi_dim {
  mf_tensor *of;
  int axis;
  int64_t value;
} mfi_dim;

/* An int32 vector of n dimensions: a constant when all are known, else packed from slices of Shape nodes. */
mf_tensor *mfi_b_dims(mf_builder *b, const mfi_dim *dims, int n);
/* The same for a single dimension, as a scalar. */
mf_tensor *mfi_b_dim(mf_builder *b, mf_tensor *of, int axis);
/* Shape of t as a vector of `type` (int32 or int64). */
mf_tensor *mfi_b_dims_as(mf_builder *b, mf_tensor *t, mf_dtype type);
/* Number of elements of t as an int32 vector of one entry. */
mf_tensor *mfi_b_count_of(mf_builder *b, mf_tensor *t);
/* t seen as [-1]. */
mf_tensor *mfi_b_flat(mf_builder *b, mf_tensor *t);
/* An int32 vector from .. to-1. */
mf_tensor *mfi_b_iota(mf_builder *b, int from, int to);

/* Output `output` of `node` depends on dimensions of another partial shape only: the bodies of many `shape_value`s. */
static inline mf_tensor *mfi_node_in(const mf_node *node, int i) { return node->in[i].tensor; }

#endif
