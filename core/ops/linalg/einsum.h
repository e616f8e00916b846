/* einsum.h - equations of Einsum, "ab,bc->ac": parsing, and binding labels to the axes of actual shapes.
 *
 * A label is any character but '.', ',' and "->". "..." stands for the axes that have no label; those of several
 * operands are broadcast against each other, aligned at the right. A label that occurs twice in an operand takes its
 * diagonal; twice in the result: the diagonal is filled and the rest is zero. Labels that the result does not have are
 * summed.
 */
#ifndef MF_OPS_LINALG_EINSUM_H
#define MF_OPS_LINALG_EINSUM_H

#include "ops/attr.h"
#include "tensor/shape.h"

enum { MF_EINSUM_LABELS = 3 * MF_MAX_RANK, MF_EINSUM_ELLIPSIS = -1 };

/* One operand or the result as written: label numbers, MF_EINSUM_ELLIPSIS for "...". */
typedef struct mf_einsum_term {
  int n;
  int8_t label[MF_MAX_RANK + 1];
  bool ellipsis;
} mf_einsum_term;

typedef struct mf_einsum {
  int n_in;                      /* 1 or 2 */
  int n_named;                   /* labels 0 .. n_named-1 were written */
  char letter[MF_EINSUM_LABELS];
  mf_einsum_term in[2], out;
} mf_einsum;

/* INVALID_ARGUMENT, naming Einsum, when the equation is malformed or does not have n_in operands. */
mf_status mf_einsum_parse(mf_text equation, int n_in, mf_einsum *out) MF_MUST_USE;

/* Every axis with its label. Axes of an ellipsis have labels n_named + distance from the ellipsis's right end. */
typedef struct mf_einsum_axes {
  int rank;
  int8_t label[MF_MAX_RANK];
} mf_einsum_axes;

typedef struct mf_einsum_bound {
  int n_labels;
  int64_t size[MF_EINSUM_LABELS];    /* of each label; -1 unknown */
  mf_einsum_axes in[2], out;
} mf_einsum_bound;

/* Shapes may be partial, but their ranks must be known where the operand has an ellipsis; [OUT] *known is false when
 * they are not, and nothing else is set then. */
mf_status mf_einsum_bind(const mf_einsum *e, const mf_shape *const *shapes, mf_einsum_bound *out,
                         bool *known) MF_MUST_USE;

#endif
