/* array_move.h - moving elements: the engine under all kernels that copy without computing.
 *
 * A box is a nest of loops over bytes strides on both sides; transposes, slices, reversals, broadcasts, tiles,
 * concatenations and paddings all are boxes. The engine merges loops, picks wide copies, and cuts the work by the box
 * alone.
 *
 * mfi_move_run makes one kernel serve every dtype: strings appear as 16-byte cells (address and length) that are moved
 * like any element and become a string tensor afterwards; resources and variants are pointers that are retained
 * afterwards.
 */
#ifndef MF_KERNELS_CPU_ARRAY_MOVE_H
#define MF_KERNELS_CPU_ARRAY_MOVE_H

#include "ops/infer.h"
#include "ops/kernel.h"

/* ---- boxes */

enum { MFI_BOX_RANK = 2 * MF_MAX_RANK };

typedef struct mfi_box {
  int rank;
  int64_t dims[MFI_BOX_RANK];
  int64_t to[MFI_BOX_RANK];     /* bytes between neighbours in the destination */
  int64_t from[MFI_BOX_RANK];   /* ... and in the source: 0 repeats, negative runs backwards */
} mfi_box;

static inline void mfi_box_add(mfi_box *b, int64_t dim, int64_t to, int64_t from) {
  b->dims[b->rank] = dim;
  b->to[b->rank] = to;
  b->from[b->rank++] = from;
}

/* Copies elements of `elem` bytes (1, 2, 4, 8 or 16) from `from` to `to`: both point at the element of index 0. */
void mfi_box_copy(mfi_box box, size_t elem, char *to, const char *from);
/* n elements equal to *value. */
void mfi_fill(char *to, int64_t n, size_t elem, const void *value);
void mfi_zero(char *to, size_t bytes);
/* Strides in bytes of a dense row-major tensor. */
void mfi_dense_strides(const mf_shape *s, size_t elem, int64_t *strides);

/* ---- any dtype */

typedef struct mfi_move {
  mf_call *call;
  size_t elem;             /* bytes an element */
  const char **in; /* one an input: elements of inputs of the moved dtype; the tensor's memory for the others */
  char **out;              /* one an output */
  mf_shape *shapes;        /* of the outputs */
} mfi_move;

typedef mf_status (*mfi_move_fn)(mfi_move *m);

/* Makes the outputs that are missing, runs fn, and turns cells into strings. `type`: the moved dtype. Outputs of other
 * dtypes must be there already or are made as plain tensors. */
mf_status mfi_move_run(mf_call *c, mf_dtype type, mfi_move_fn fn) MF_MUST_USE;

/* The inferred shapes of the outputs, for kernels whose outputs the caller does not make. [OUT] shapes[n_out]. */
mf_status mfi_out_shapes(const mf_call *c, mf_shape *shapes) MF_MUST_USE;

/* Element i of an integer tensor at any integer dtype. */
static inline int64_t mfi_int_at(const mf_tensor *t, int64_t i) {
  return t->dtype == MF_INT32   ? MF_DATA(int32_t, t)[i]
         : t->dtype == MF_INT64 ? MF_DATA(int64_t, t)[i]
                                : mf_tensor_get_i64(t, i);
}

#endif
