/* state_update.h - arrays updated in place, any numeric dtype: variables, scatter and segment ops. */
#ifndef MF_KERNELS_CPU_STATE_UPDATE_H
#define MF_KERNELS_CPU_STATE_UPDATE_H

#include "ops/kernel.h"

typedef enum mfi_update_kind {
  MFI_UPDATE_SET,
  MFI_UPDATE_ADD,
  MFI_UPDATE_SUB,
  MFI_UPDATE_MUL,
  MFI_UPDATE_KINDS
} mfi_update_kind;

/* to[i] = to[i] (op) value[i] for i < n: one short run, on this thread. */
typedef void (*mfi_update_fn)(void *to, const void *value, int64_t n);
/* to[i] = to[i] (op) *value */
typedef mfi_update_fn mfi_update_scalar_fn;

/* NULL: the dtype cannot be computed with. SET moves bytes and exists for every plain dtype. */
mfi_update_fn mfi_update_row(mfi_update_kind kind, mf_dtype type);
mfi_update_scalar_fn mfi_update_row_scalar(mfi_update_kind kind, mf_dtype type);

/* A whole array, in parallel. UNIMPLEMENTED for a dtype without arithmetic. */
mf_status mfi_update(const char *op, mfi_update_kind kind, mf_dtype type, void *to, const void *value,
                     int64_t n) MF_MUST_USE;

/* Row numbers: an integer tensor, or an array. */
typedef struct mfi_rows {
  const mf_tensor *tensor;   /* NULL: use flat */
  const int64_t *flat;
  int64_t n;
} mfi_rows;

/* rows of `to` [rows, inner] updated at at[0..n-1] by rows of value [n, inner] (scalar: by one element). Contributions
 * to one row are applied in the order of the indices, at any number of threads. Indices must have been checked;
 * negative ones are skipped (UnsortedSegmentSum). */
mf_status mfi_update_rows(const char *op, mfi_update_kind kind, mf_dtype type, void *to, int64_t rows, int64_t inner,
                          mfi_rows at, const void *value, bool scalar) MF_MUST_USE;

#endif
