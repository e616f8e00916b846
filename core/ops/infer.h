/* infer.h - what a shape rule may ask, and the rules that many ops share. */
#ifndef MF_OPS_INFER_H
#define MF_OPS_INFER_H

#include "ops/op.h"

static inline const mf_shape *mf_in_shape(const mf_infer *c, int i) { return &c->in[i]->shape; }
static inline mf_dtype mf_in_type(const mf_infer *c, int i) { return (mf_dtype)c->in[i]->dtype; }

/* The value of input i when it is known now: a concrete CPU tensor, or the value of a Const node. Borrowed; NULL: unknown. */
mf_tensor *mf_const_input(const mf_infer *c, int i);
/* Input i (int32 or int64 vector) read as a shape: unknown entries -1; unknown rank when even its length is unknown.
 * INVALID_ARGUMENT when input i cannot be a shape (rank, dtype, a value below -1). */
mf_status mf_const_shape(const mf_infer *c, int i, mf_shape *out) MF_MUST_USE;
/* Input i as one integer: *known says whether it is. Fails when it is not a scalar (or 1-element vector). */
mf_status mf_const_int(const mf_infer *c, int i, int64_t *value, bool *known) MF_MUST_USE;

/* INVALID_ARGUMENT "<op>: <argument> must be rank R, received rank ..." unless the rank is `rank` or unknown.
 * *out gets the shape with that rank (unknown dimensions when the rank was unknown). */
mf_status mf_infer_rank(const mf_infer *c, int i, int rank, mf_shape *out) MF_MUST_USE;
mf_status mf_infer_min_rank(const mf_infer *c, int i, int rank, mf_shape *out) MF_MUST_USE;
/* Fails with `code` and text that names the op and the argument. `format` is printf's. */
mf_status mf_infer_fail(const mf_infer *c, const char *format, ...) MF_PRINTF(2, 3) MF_MUST_USE;
/* axis in [-rank, rank) -> [0, rank); fails naming the op. */
mf_status mf_infer_axis(const mf_infer *c, int64_t axis, int rank, int *out) MF_MUST_USE;

/* Shared rules. */
mf_status mf_infer_same(mf_infer *c);         /* every output has the shape of input 0 */
mf_status mf_infer_broadcast(mf_infer *c);    /* output 0 = numpy broadcast of all inputs */
mf_status mf_infer_scalar(mf_infer *c);       /* every output is a scalar */
mf_status mf_infer_unknown(mf_infer *c);      /* nothing is known */
mf_status mf_infer_none(mf_infer *c);         /* no outputs */
mf_status mf_infer_merge_all(mf_infer *c);    /* all inputs have one shape, and so have the outputs (XxxGrad ops) */

#endif
