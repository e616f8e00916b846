/* shape.c - partial shapes: see shape.h. */
#include "tensor/shape.h"

#include <inttypes.h>
#include <stdio.h>

mf_shape mf_shape_scalar(void) { return (mf_shape){.rank = 0}; }

mf_shape mf_shape_unknown(void) { return (mf_shape){.rank = MF_UNKNOWN_DIM}; }

mf_shape mf_shape_unknown_dims(int rank) {
  mf_shape s = {.rank = rank};
  for (int i = 0; i < rank; i++) s.dims[i] = MF_UNKNOWN_DIM;
  return s;
}

mf_shape mf_shape_1d(int64_t d0) { return (mf_shape){.rank = 1, .dims = {d0}}; }

mf_shape mf_shape_2d(int64_t d0, int64_t d1) { return (mf_shape){.rank = 2, .dims = {d0, d1}}; }

mf_shape mf_shape_4d(int64_t d0, int64_t d1, int64_t d2, int64_t d3) {
  return (mf_shape){.rank = 4, .dims = {d0, d1, d2, d3}};
}

/* The product of the known dimensions must fit int64 even where a 0 hides the overflow, as TensorFlow demands. */
mf_status mf_shape_make(const int64_t *dims, int64_t rank, mf_shape *out) {
  *out = mf_shape_unknown();
  if (rank < 0 || rank > MF_MAX_RANK)
    return mf_fail(MF_INVALID_ARGUMENT, "Shape: rank must be 0 to %d, received %" PRId64, MF_MAX_RANK, rank);
  int64_t product = 1;
  for (int i = 0; i < rank; i++) {
    if (dims[i] < MF_UNKNOWN_DIM)
      return mf_fail(MF_INVALID_ARGUMENT, "Shape: dimension %d must be -1 (unknown) or more, received %" PRId64, i, dims[i]);
    int64_t factor = dims[i] > 0 ? dims[i] : 1;
    if (__builtin_mul_overflow(product, factor, &product))
      return mf_fail(MF_INVALID_ARGUMENT, "Shape: the number of elements overflows 64 bits at dimension %d (%" PRId64 ")", i,
                     dims[i]);
  }
  out->rank = (int)rank;
  for (int i = 0; i < rank; i++) out->dims[i] = dims[i];
  return NULL;
}

bool mf_shape_is_full(const mf_shape *s) {
  if (s->rank < 0) return false;
  for (int i = 0; i < s->rank; i++)
    if (s->dims[i] < 0) return false;
  return true;
}

bool mf_shape_equal(const mf_shape *a, const mf_shape *b) {
  if (a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; i++)
    if (a->dims[i] != b->dims[i]) return false;
  return true;
}

bool mf_shape_compatible(const mf_shape *a, const mf_shape *b) {
  if (a->rank < 0 || b->rank < 0) return true;
  if (a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; i++)
    if (a->dims[i] >= 0 && b->dims[i] >= 0 && a->dims[i] != b->dims[i]) return false;
  return true;
}

int64_t mf_shape_count(const mf_shape *s) { return s->rank < 0 ? MF_UNKNOWN_DIM : mf_shape_count_range(s, 0, s->rank); }

int64_t mf_shape_count_range(const mf_shape *s, int from, int to) {
  int64_t n = 1;
  for (int i = from; i < to; i++) {
    if (s->dims[i] < 0) return MF_UNKNOWN_DIM;
    n *= s->dims[i];
  }
  return n;
}

mf_status mf_shape_merge(const mf_shape *a, const mf_shape *b, const char *what, mf_shape *out) {
  if (!mf_shape_compatible(a, b)) {
    char ta[MF_SHAPE_TEXT], tb[MF_SHAPE_TEXT];
    *out = mf_shape_unknown();
    return mf_fail(MF_INVALID_ARGUMENT, "%s: shapes %s and %s are incompatible", what, mf_shape_text(a, ta),
                   mf_shape_text(b, tb));
  }
  mf_shape merged = a->rank < 0 ? *b : *a;
  if (a->rank >= 0 && b->rank >= 0)
    for (int i = 0; i < a->rank; i++)
      if (merged.dims[i] < 0) merged.dims[i] = b->dims[i];
  *out = merged;
  return NULL;
}

/* One dimension of a broadcast: 1 gives way; an unknown one may be 1, so only a known one > 1 decides. */
static bool broadcast_dim(int64_t x, int64_t y, int64_t *out) {
  if (x == 1) *out = y;
  else if (y == 1) *out = x;
  else if (x < 0) *out = y;
  else if (y < 0) *out = x;
  else if (x == y) *out = x;
  else return false;
  return true;
}

mf_status mf_shape_broadcast(const mf_shape *a, const mf_shape *b, mf_shape *out) {
  if (a->rank < 0 || b->rank < 0) {
    *out = mf_shape_unknown();
    return NULL;
  }
  int rank = a->rank > b->rank ? a->rank : b->rank;
  mf_shape r = {.rank = rank};
  for (int i = 1; i <= rank; i++) {
    int64_t x = i <= a->rank ? a->dims[a->rank - i] : 1;
    int64_t y = i <= b->rank ? b->dims[b->rank - i] : 1;
    if (!broadcast_dim(x, y, &r.dims[rank - i])) {
      char ta[MF_SHAPE_TEXT], tb[MF_SHAPE_TEXT]; /* written first: `out` may be a or b */
      mf_shape_text(a, ta);
      mf_shape_text(b, tb);
      *out = mf_shape_unknown();
      return mf_fail(MF_INVALID_ARGUMENT, "Incompatible shapes: %s vs. %s", ta, tb);
    }
  }
  *out = r;
  return NULL;
}

mf_status mf_shape_append(mf_shape *s, int64_t dim) {
  if (s->rank < 0) return NULL;
  if (s->rank == MF_MAX_RANK)
    return mf_fail(MF_INVALID_ARGUMENT, "Shape: rank must be at most %d, received %d", MF_MAX_RANK, s->rank + 1);
  s->dims[s->rank++] = dim;
  return NULL;
}

mf_status mf_shape_concat(const mf_shape *a, const mf_shape *b, mf_shape *out) {
  mf_shape r = *a;
  if (a->rank < 0 || b->rank < 0) {
    *out = mf_shape_unknown();
    return NULL;
  }
  for (int i = 0; i < b->rank; i++) MF_TRY(mf_shape_append(&r, b->dims[i]));
  *out = r;
  return NULL;
}

char *mf_shape_text(const mf_shape *s, char text[MF_SHAPE_TEXT]) {
  if (s->rank < 0) {
    snprintf(text, MF_SHAPE_TEXT, "<unknown>");
    return text;
  }
  size_t used = 0;
  text[used++] = '[';
  for (int i = 0; i < s->rank && used + 24 < MF_SHAPE_TEXT; i++) {
    const char *comma = i ? "," : "";
    int n = s->dims[i] < 0 ? snprintf(text + used, MF_SHAPE_TEXT - used, "%s?", comma)
                           : snprintf(text + used, MF_SHAPE_TEXT - used, "%s%" PRId64, comma, s->dims[i]);
    used += (size_t)n;
  }
  text[used++] = ']';
  text[used] = 0;
  return text;
}
