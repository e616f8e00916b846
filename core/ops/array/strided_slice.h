/* strided_slice.h - what begin, end, strides and the five masks of StridedSlice mean for one shape.
 *
 * The sparse specification (one entry an argument, with ellipsis, new axes and removed axes) becomes a dense one: one
 * (begin, stride, count) for each input dimension, and a list that says where the dimensions of the output come from.
 * Shared by the shape rule and the kernels.
 */
#ifndef MF_OPS_ARRAY_STRIDED_SLICE_H
#define MF_OPS_ARRAY_STRIDED_SLICE_H

#include "ops/op.h"

typedef struct mfi_strided {
  int rank;                         /* of the input */
  int64_t begin[MF_MAX_RANK];       /* first element, >= 0; -1: unknown */
  int64_t stride[MF_MAX_RANK];      /* never 0; 1 where an axis is removed; 0: unknown */
  int64_t count[MF_MAX_RANK];       /* elements taken; -1: unknown */
  mf_shape processed;               /* shape of the box: one dimension an input dimension */
  mf_shape final;                   /* the output: new axes put in, removed axes taken out */
  bool identity;                    /* the whole input */
} mfi_strided;

/* begin, end, strides: concrete integer vectors, or NULL where not known yet; `n`: their length (-1 only with all NULL
 * is not allowed: callers then know nothing). in: rank must be known, dimensions may not. INVALID_ARGUMENT with
 * TensorFlow's text ("slice index 5 of dimension 0 out of bounds."). */
mf_status mfi_strided_make(const char *op, mf_attrs attrs, const mf_tensor *begin, const mf_tensor *end,
                           const mf_tensor *strides, int n, const mf_shape *in, mfi_strided *out) MF_MUST_USE;

#endif
