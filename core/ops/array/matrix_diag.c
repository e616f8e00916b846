/* matrix_diag.c - diagonals and bands: MatrixDiagV3, MatrixDiagPartV3, MatrixBandPart, Diag, DiagPart. */
#include "ops/array/matrix_diag.h"

#include <inttypes.h>

#include "ops/array/dims.h"
#include "ops/op_list.h"

/* ---- geometry */

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

mf_status mfi_diagonals_read(const char *op, mf_attrs attrs, const mf_tensor *k, mfi_diagonals *d) {
  int64_t n = mf_tensor_count(k);
  if (k->shape.rank > 1 || n < 1 || n > 2)
    return mf_fail(MF_INVALID_ARGUMENT,
                   "%s: diag_index must be a scalar or vector with one or two elements, received %" PRId64, op, n);
  d->lower = mf_tensor_get_i64(k, 0);
  d->upper = mf_tensor_get_i64(k, n - 1);
  if (d->lower > d->upper)
    return mf_fail(MF_INVALID_ARGUMENT,
                   "%s: lower_diag_index must not be larger than upper_diag_index: %" PRId64 " > %" PRId64, op,
                   d->lower, d->upper);
  d->left_super = mf_attr_is(attrs, "align", "LEFT_LEFT") || mf_attr_is(attrs, "align", "LEFT_RIGHT");
  d->left_sub = mf_attr_is(attrs, "align", "LEFT_LEFT") || mf_attr_is(attrs, "align", "RIGHT_LEFT");
  return NULL;
}

mf_status mfi_diagonals_of_matrix(const char *op, int64_t rows, int64_t cols, mfi_diagonals *d) {
  int64_t both[2] = {d->lower, d->upper};
  for (int i = 0; i < 2; i++)
    if (both[i] != 0 && (both[i] <= -rows || both[i] >= cols))
      return mf_fail(MF_INVALID_ARGUMENT, "%s: %s_diag_index is out of bound: %" PRId64 ". It must be between %" PRId64
                     " and %" PRId64, op, i ? "upper" : "lower", both[i], -rows, cols);
  d->rows = rows;
  d->cols = cols;
  d->longest = least(rows + least(d->upper, 0), cols - most(d->lower, 0));
  return NULL;
}

mf_status mfi_diagonals_to_matrix(const char *op, int64_t rows, int64_t cols, int64_t longest, mfi_diagonals *d) {
  int64_t least_rows = longest - least(d->upper, 0), least_cols = longest + most(d->lower, 0);
  d->longest = longest;
  if (rows == -1 && cols == -1) {
    d->rows = d->cols = most(least_rows, least_cols);
    return NULL;
  }
  d->rows = rows == -1 ? least_rows : rows;
  d->cols = cols == -1 ? least_cols : cols;
  if (d->rows < least_rows)
    return mf_fail(MF_INVALID_ARGUMENT, "%s: The number of rows is too small: %" PRId64 ", at least %" PRId64, op,
                   rows, least_rows);
  if (d->cols < least_cols)
    return mf_fail(MF_INVALID_ARGUMENT, "%s: The number of columns is too small: %" PRId64 ", at least %" PRId64, op,
                   cols, least_cols);
  if (d->rows != least_rows && d->cols != least_cols)
    return mf_fail(MF_INVALID_ARGUMENT,
                   "%s: The number of rows or columns is not consistent with the specified d_lower, d_upper, "
                   "and diagonal.",
                   op);
  return NULL;
}

void mfi_diagonal_at(const mfi_diagonals *d, int64_t index, int64_t *length, int64_t *offset) {
  bool left = (index >= 0 && d->left_super) || (index <= 0 && d->left_sub);
  *length = least(d->rows + least(0, index), d->cols - most(0, index));
  if (*length < 0) *length = 0;
  *offset = left ? 0 : d->longest - *length;
}

/* ---- MatrixDiagV3 */

static mf_status diag_v3_infer(mf_infer *c) {
  mf_shape in;
  mfi_diagonals d;
  int64_t rows, cols;
  bool known_rows, known_cols;
  MF_TRY(mf_infer_min_rank(c, 0, 1, &in));
  const mf_tensor *k = mf_const_input(c, 1);
  MF_TRY(mf_const_int(c, 2, &rows, &known_rows));
  MF_TRY(mf_const_int(c, 3, &cols, &known_cols));
  if (!k || in.rank < 0) return NULL;
  MF_TRY(mfi_diagonals_read(c->attrs.op->name, c->attrs, k, &d));
  int packed = d.lower == d.upper ? 1 : 2;
  if (in.rank < packed) return mf_infer_fail(c, "Shape must be at least rank %d but is rank %d", packed, in.rank);
  int64_t diagonals = packed == 2 ? in.dims[in.rank - 2] : 1, longest = in.dims[in.rank - 1];
  if (packed == 2 && diagonals >= 0 && diagonals != d.upper - d.lower + 1)
    return mf_infer_fail(
        c,
        "The number of rows of `diagonal` doesn't match the number of diagonals implied from `d_lower` and "
        "`d_upper`.\nd_lower = %" PRId64 ", d_upper = %" PRId64 ", received %" PRId64 " rows",
        d.lower, d.upper, diagonals);
  c->out[0] = in;
  c->out[0].rank = in.rank - packed;
  bool full = known_rows && known_cols && longest >= 0;
  if (full) MF_TRY(mfi_diagonals_to_matrix(c->attrs.op->name, rows, cols, longest, &d));
  MF_TRY(mf_shape_append(&c->out[0], full ? d.rows : known_rows && rows >= 0 ? rows : -1));
  return mf_shape_append(&c->out[0], full ? d.cols : known_cols && cols >= 0 ? cols : -1);
}

static mf_status diag_v3_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *zero = mf_b_scalar(&b, (mf_dtype)a->dy[0]->dtype, 0);
  mf_b_give(&b, &dx[0], MF_BA(&b, MatrixDiagPartV3, MF_INS(a->dy[0], a->in[1], zero), MF_A_COPY(a->attrs, "align")));
  return mf_builder_close(&b);
}

#define ALIGN "align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'"

const mf_op_def mf_op_MatrixDiagV3 = {
    MF_OP_NAME(MatrixDiagV3),
    .inputs = "diagonal: T; k: int32; num_rows: int32; num_cols: int32; padding_value: T",
    .outputs = "output: T",
    .attrs = "T: type; " ALIGN,
    .infer = diag_v3_infer,
    .grad = diag_v3_grad,
    .saves = MF_SAVE_IN(1),
    .doc = "Matrices with the given diagonals, padding_value elsewhere.",
};

/* ---- MatrixDiagPartV3 */

static mf_status diag_part_v3_infer(mf_infer *c) {
  mf_shape in, scalar;
  mfi_diagonals d;
  MF_TRY(mf_infer_min_rank(c, 0, 2, &in));
  MF_TRY(mf_infer_rank(c, 2, 0, &scalar));
  const mf_tensor *k = mf_const_input(c, 1);
  if (!k || in.rank < 0) return NULL;
  MF_TRY(mfi_diagonals_read(c->attrs.op->name, c->attrs, k, &d));
  int64_t rows = in.dims[in.rank - 2], cols = in.dims[in.rank - 1];
  bool full = rows >= 0 && cols >= 0;
  if (full) MF_TRY(mfi_diagonals_of_matrix(c->attrs.op->name, rows, cols, &d));
  c->out[0] = in;
  c->out[0].rank = in.rank - 2;
  if (d.lower != d.upper) MF_TRY(mf_shape_append(&c->out[0], d.upper - d.lower + 1));
  return mf_shape_append(&c->out[0], full ? d.longest : -1);
}

static mf_status diag_part_v3_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *rows = mfi_b_dim(&b, a->in[0], -2), *cols = mfi_b_dim(&b, a->in[0], -1);
  mf_tensor *zero = mf_b_scalar(&b, (mf_dtype)a->dy[0]->dtype, 0);
  mf_b_give(&b, &dx[0],
            MF_BA(&b, MatrixDiagV3, MF_INS(a->dy[0], a->in[1], rows, cols, zero), MF_A_COPY(a->attrs, "align")));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_MatrixDiagPartV3 = {
    MF_OP_NAME(MatrixDiagPartV3),
    .inputs = "input: T; k: int32; padding_value: T",
    .outputs = "diagonal: T",
    .attrs = "T: type; " ALIGN,
    .infer = diag_part_v3_infer,
    .grad = diag_part_v3_grad,
    .saves = MF_SAVE_IN(1),
    .doc = "Diagonals k (one, or from k[0] to k[1]) of matrices, packed as rows.",
};

/* ---- MatrixBandPart */

static mf_status band_infer(mf_infer *c) {
  static const char *const names[2] = {"num_lower", "num_upper"};
  mf_shape in;
  MF_TRY(mf_infer_min_rank(c, 0, 2, &in));
  for (int i = 0; i < 2; i++) {
    int64_t n;
    bool known;
    MF_TRY(mf_const_int(c, i + 1, &n, &known));
    if (!known || in.rank < 0) continue;
    int64_t dim = in.dims[in.rank - 2 + i];
    if (dim >= 0 && n > dim)
      return mf_infer_fail(c, "%s must be negative or less or equal to number of %s (%" PRId64 ") got: %" PRId64,
                           names[i], i ? "columns" : "rows", dim, n);
  }
  c->out[0] = in;
  return NULL;
}

static mf_status band_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], MF_B(&b, MatrixBandPart, a->dy[0], a->in[1], a->in[2]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_MatrixBandPart = {
    MF_OP_NAME(MatrixBandPart),
    .inputs = "input: T; num_lower: Tindex; num_upper: Tindex",
    .outputs = "band: T",
    .attrs = "T: type; Tindex: {int32, int64} = DT_INT64",
    .infer = band_infer,
    .grad = band_grad,
    .saves = MF_SAVE_IN(1) | MF_SAVE_IN(2),
    .doc =
        "Matrices with zeros outside of a band of num_lower subdiagonals and num_upper superdiagonals (negative: "
        "all).",
};

/* ---- Diag, DiagPart */

static mf_status diag_infer(mf_infer *c) {
  mf_shape in;
  MF_TRY(mf_infer_min_rank(c, 0, 1, &in));
  return in.rank < 0 ? NULL : mf_shape_concat(&in, &in, &c->out[0]);
}

static mf_status diag_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], MF_B(&b, DiagPart, a->dy[0]));
  return mf_builder_close(&b);
}

#define DIAG_TYPES "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}"

const mf_op_def mf_op_Diag = {
    MF_OP_NAME(Diag),
    .inputs = "diagonal: T",
    .outputs = "output: T",
    .attrs = DIAG_TYPES,
    .infer = diag_infer,
    .grad = diag_grad,
    .doc = "output[i..., i...] = diagonal[i...], zeros elsewhere.",
};

static mf_status diag_part_infer(mf_infer *c) {
  const mf_shape *in = mf_in_shape(c, 0);
  char text[MF_SHAPE_TEXT];
  if (in->rank < 0) return NULL;
  if (in->rank == 0 || in->rank % 2)
    return mf_infer_fail(c, "The rank of the tensor should be even and positive, got shape %s",
                         mf_shape_text(in, text));
  mf_shape half = *in;
  half.rank = in->rank / 2;
  for (int i = 0; i < half.rank; i++) {
    int64_t other = in->dims[half.rank + i];
    if (half.dims[i] >= 0 && other >= 0 && half.dims[i] != other)
      return mf_infer_fail(c, "Invalid shape %s: dimensions %d and %d do not match.", mf_shape_text(in, text), i,
                           half.rank + i);
    if (half.dims[i] < 0) half.dims[i] = other;
  }
  c->out[0] = half;
  return NULL;
}

static mf_status diag_part_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], MF_B(&b, Diag, a->dy[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_DiagPart = {
    MF_OP_NAME(DiagPart),
    .inputs = "input: T",
    .outputs = "diagonal: T",
    .attrs = DIAG_TYPES,
    .infer = diag_part_infer,
    .grad = diag_part_grad,
    .doc = "The diagonal of a tensor whose shape is a shape twice over.",
};
