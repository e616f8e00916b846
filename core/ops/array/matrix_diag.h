/* matrix_diag.h - where the diagonals of MatrixDiagV3 and MatrixDiagPartV3 lie. Shared by shape rules and kernels.
 *
 * Diagonal d of a matrix has the elements [i, i + d]. Packed diagonals are rows, uppermost first, of the longest one's
 * length; shorter ones are moved to the left or right end as attribute align says.
 */
#ifndef MF_OPS_ARRAY_MATRIX_DIAG_H
#define MF_OPS_ARRAY_MATRIX_DIAG_H

#include "ops/op.h"

typedef struct mfi_diagonals {
  int64_t lower, upper;        /* first and last diagonal */
  int64_t rows, cols;          /* of the matrix */
  int64_t longest;             /* length of a packed row */
  bool left_super, left_sub;   /* alignment of diagonals above and below the main one */
} mfi_diagonals;

/* Reads k (one or two integers). INVALID_ARGUMENT when lower > upper. */
mf_status mfi_diagonals_read(const char *op, mf_attrs attrs, const mf_tensor *k, mfi_diagonals *d) MF_MUST_USE;
/* Sets rows, cols and longest for the diagonals of an existing matrix. */
mf_status mfi_diagonals_of_matrix(const char *op, int64_t rows, int64_t cols, mfi_diagonals *d) MF_MUST_USE;
/* Sets rows and cols (-1: as small as possible) of the matrix that packed diagonals of length `longest` make. */
mf_status mfi_diagonals_to_matrix(const char *op, int64_t rows, int64_t cols, int64_t longest,
                                  mfi_diagonals *d) MF_MUST_USE;
/* Length of diagonal `index`, and where it starts in its packed row. */
void mfi_diagonal_at(const mfi_diagonals *d, int64_t index, int64_t *length, int64_t *offset);

#endif
