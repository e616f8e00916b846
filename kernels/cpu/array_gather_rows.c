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

mf_status mfi_check_indices(const char *op, const mf_tensor *indices, int64_t limit) {
  int64_t n = mf_tensor_count(indices);
  for (int64_t i = 0; i < n; i++) {
    int64_t v = mfi_int_at(indices, i);
    if (v < 0 || v >= limit) return bad_index(op, indices, i, limit);
  }
  return NULL;
}

typedef struct gather {
  char *out;
  const char *params;
  const mf_tensor *indices;
  int64_t per, rows, n, total, pieces;
  size_t row;
} gather;

static void run_gather(void *arg, int64_t piece) {
  const gather *g = arg;
  int64_t begin, end;
  mf_piece_range(g->total, g->pieces, 1, piece, &begin, &end);
  for (int64_t i = begin; i < end; i++) {
    int64_t o = i / g->n, j = i % g->n;
    int64_t index = mfi_int_at(g->indices, o / g->per * g->n + j);
    const char *from = g->params + (size_t)(o * g->rows + index) * g->row;
    char *to = g->out + (size_t)i * g->row;
    if (g->row == 4) memcpy(to, from, 4);
    else if (g->row == 8) memcpy(to, from, 8);
    else memcpy(to, from, g->row);
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
