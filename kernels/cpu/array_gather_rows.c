/* array_gather_rows.c - rows by index: see array_gather.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "array_gather.h"
#include "base/pool.h"

enum { PLACE_TEXT = 160 };

/* "[2,0]": element i of a tensor of rank `rank` and the dimensions of s; "" for a scalar. */
static const char *place(const mf_shape *s, int rank, int64_t i, char text[PLACE_TEXT]) {
  int64_t position[MF_MAX_RANK];
  int used = 0;
  for (int d = rank - 1; d >= 0; d--) {
    position[d] = i % s->dims[d];
    i /= s->dims[d];
  }
  text[0] = 0;
  for (int d = 0; d < rank && used < PLACE_TEXT - 24; d++)
    used += snprintf(text + used, PLACE_TEXT - (size_t)used, "%s%" PRId64 "%s", d ? "," : "[", position[d],
                     d == rank - 1 ? "]" : "");
  return text;
}

static mf_status bad_index(const char *op, const mf_tensor *indices, int64_t i, int64_t limit) {
  char at[PLACE_TEXT];
  return mf_fail(MF_INVALID_ARGUMENT, "%s: indices%s = %" PRId64 " is not in [0, %" PRId64 ")", op,
                 place(&indices->shape, indices->shape.rank, i, at), mfi_int_at(indices, i), limit);
}

static mf_status bad_vector(const char *op, const mf_tensor *indices, int64_t i, int64_t depth,
                            const mf_shape *table) {
  char at[PLACE_TEXT], shape[MF_SHAPE_TEXT], vector[PLACE_TEXT] = "";
  int used = 0;
  for (int64_t k = 0; k < depth && used < PLACE_TEXT - 24; k++)
    used += snprintf(vector + used, PLACE_TEXT - (size_t)used, "%s%" PRId64, k ? ", " : "",
                     mfi_int_at(indices, i * depth + k));
  return mf_fail(MF_INVALID_ARGUMENT, "%s: indices%s = [%s] does not index into shape %s", op,
                 place(&indices->shape, indices->shape.rank - 1, i, at), vector, mf_shape_text(table, shape));
}

mf_status mfi_flat_indices(const char *op, const mf_tensor *indices, const mf_shape *table, bool ignore, int64_t *at) {
  const mf_shape *s = &indices->shape;
  int64_t depth = s->dims[s->rank - 1], n = mf_shape_count_range(s, 0, s->rank - 1);
  for (int64_t i = 0; i < n; i++) {
    bool inside = true;
    at[i] = 0;
    for (int64_t k = 0; k < depth; k++) {
      int64_t v = mfi_int_at(indices, i * depth + k);
      inside = inside && v >= 0 && v < table->dims[k];
      at[i] = at[i] * table->dims[k] + v;
    }
    if (!inside && !ignore) return bad_vector(op, indices, i, depth, table);
    if (!inside) at[i] = -1;
  }
  return NULL;
}

/* The first index outside of [0, limit), or -1. */
static int64_t first_bad(const mf_tensor *indices, int64_t limit) {
  int64_t n = mf_tensor_count(indices), bad = 0;
  const int32_t *narrow = MF_DATA(int32_t, indices);
  const int64_t *wide = MF_DATA(int64_t, indices);
  if (indices->dtype == MF_INT32)
    for (int64_t i = 0; i < n; i++) bad |= (narrow[i] < 0) | (narrow[i] >= limit);
  else if (indices->dtype == MF_INT64)
    for (int64_t i = 0; i < n; i++) bad |= (wide[i] < 0) | (wide[i] >= limit);
  else bad = 1;
  for (int64_t i = 0; bad && i < n; i++) {
    int64_t v = mfi_int_at(indices, i);
    if (v < 0 || v >= limit) return i;
  }
  return -1;
}

mf_status mfi_check_indices(const char *op, const mf_tensor *indices, int64_t limit) {
  int64_t bad = first_bad(indices, limit);
  return bad < 0 ? NULL : bad_index(op, indices, bad, limit);
}

typedef struct gather {
  char *out;
  const char *params;
  const mf_tensor *indices;
  int64_t per, rows, n, total, pieces;
  size_t row;
} gather;

/* Rows j = from .. to-1 of one table. Rows of 4 and 8 bytes are scalars: their copies must not be calls. */
static void gather_run(const gather *g, char *out, const char *table, int64_t first, int64_t from, int64_t to) {
  size_t row = g->row;
  if (row == 4)
    for (int64_t j = from; j < to; j++) memcpy(out + 4 * j, table + 4 * mfi_int_at(g->indices, first + j), 4);
  else if (row == 8)
    for (int64_t j = from; j < to; j++) memcpy(out + 8 * j, table + 8 * mfi_int_at(g->indices, first + j), 8);
  else
    for (int64_t j = from; j < to; j++)
      memcpy(out + (size_t)j * row, table + (size_t)mfi_int_at(g->indices, first + j) * row, row);
}

static void run_gather(void *arg, int64_t piece) {
  const gather *g = arg;
  int64_t begin, end;
  mf_piece_range(g->total, g->pieces, 1, piece, &begin, &end);
  while (begin < end) {
    int64_t o = begin / g->n, j = begin % g->n, stop = end - o * g->n < g->n ? end - o * g->n : g->n;
    gather_run(g, g->out + (size_t)(o * g->n) * g->row, g->params + (size_t)(o * g->rows) * g->row, o / g->per * g->n,
               j, stop);
    begin = o * g->n + stop;
  }
}

mf_status mfi_gather_rows(const char *op, char *out, const char *params, const mf_tensor *indices, int64_t outer,
                          int64_t per, int64_t rows, int64_t n, size_t row_bytes) {
  gather g = {out, params, indices, per, rows, n, outer * n, 1, row_bytes};
  MF_TRY(mfi_check_indices(op, indices, rows));
  if (g.total == 0 || row_bytes == 0) return NULL;
  g.pieces = mf_pieces_for(g.total, 4 + 0.15 * (double)row_bytes);
  mf_parallel_for(g.pieces, run_gather, &g);
  return NULL;
}
