/* array_gather.h - copying rows by index: GatherV2, GatherNd, ResourceGather. */
#ifndef MF_KERNELS_CPU_ARRAY_GATHER_H
#define MF_KERNELS_CPU_ARRAY_GATHER_H

#include "array_move.h"

/* out[o, j, :] = params[o, indices[o / per, j], :] for o < outer and j < n.
 * params: [outer, rows, row_bytes]; indices: `n` for each of outer / per batches; per = outer dimensions after the
 * batch ones. INVALID_ARGUMENT "indices[2] = 7 is not in [0, 5)" names the first bad index, with its position in the
 * shape of `indices`. */
mf_status mfi_gather_rows(const char *op, char *out, const char *params, const mf_tensor *indices, int64_t outer,
                          int64_t per, int64_t rows, int64_t n, size_t row_bytes) MF_MUST_USE;
/* The first index outside of [0, limit), as such an error. */
mf_status mfi_check_indices(const char *op, const mf_tensor *indices, int64_t limit) MF_MUST_USE;

/* Index vectors (the last dimension of `indices`) as row numbers of `table` cut behind that many dimensions: at[i],
 * one an index vector. Vectors outside of the table: -1 with `ignore`, else INVALID_ARGUMENT "indices[1] = [3, 0] does
 * not index into ...". */
mf_status mfi_flat_indices(const char *op, const mf_tensor *indices, const mf_shape *table, bool ignore, int64_t *at)
    MF_MUST_USE;

#endif
