/* state_update.c - update loops per dtype, and the two ways to spread them over threads: see state_update.h.
 *
 * Integers wrap (they are computed unsigned); half floats are computed in float and rounded once a step.
 */
#include "state_update.h"

#include <complex.h>
#include <string.h>

#include "array_move.h"
#include "base/half.h"
#include "base/pool.h"

#define SAME(v) (v)
#define PLUS(a, b) ((a) + (b))
#define MINUS(a, b) ((a) - (b))
#define TIMES(a, b) ((a) * (b))

#define T float
#define NAME(x) f32_##x
#define LOAD SAME
#define STORE SAME
#define ADD PLUS
#define SUB MINUS
#define MUL TIMES
#include "state_update.inc"

#define T double
#define NAME(x) f64_##x
#define LOAD SAME
#define STORE SAME
#define ADD PLUS
#define SUB MINUS
#define MUL TIMES
#include "state_update.inc"

#define T float _Complex
#define NAME(x) c64_##x
#define LOAD SAME
#define STORE SAME
#define ADD PLUS
#define SUB MINUS
#define MUL TIMES
#include "state_update.inc"

#define T double _Complex
#define NAME(x) c128_##x
#define LOAD SAME
#define STORE SAME
#define ADD PLUS
#define SUB MINUS
#define MUL TIMES
#include "state_update.inc"

#define T uint16_t
#define NAME(x) f16_##x
#define LOAD mf_half_to_float
#define STORE mf_half_from_float
#define ADD PLUS
#define SUB MINUS
#define MUL TIMES
#include "state_update.inc"

#define T uint16_t
#define NAME(x) bf16_##x
#define LOAD mf_bfloat16_to_float
#define STORE mf_bfloat16_from_float
#define ADD PLUS
#define SUB MINUS
#define MUL TIMES
#include "state_update.inc"

#define WIDE(v) ((uint32_t)(v))
#define T uint8_t
#define NAME(x) i8_##x
#define LOAD WIDE
#define STORE (uint8_t)
#define ADD PLUS
#define SUB MINUS
#define MUL TIMES
#include "state_update.inc"

#define T uint16_t
#define NAME(x) i16_##x
#define LOAD WIDE
#define STORE (uint16_t)
#define ADD PLUS
#define SUB MINUS
#define MUL TIMES
#include "state_update.inc"

#define T uint32_t
#define NAME(x) i32_##x
#define LOAD SAME
#define STORE SAME
#define ADD PLUS
#define SUB MINUS
#define MUL TIMES
#include "state_update.inc"

#define T uint64_t
#define NAME(x) i64_##x
#define LOAD SAME
#define STORE SAME
#define ADD PLUS
#define SUB MINUS
#define MUL TIMES
#include "state_update.inc"

static const mfi_update_fn (*const by_type[MF_DTYPE_COUNT])[MFI_UPDATE_KINDS] = {
    [MF_FLOAT32] = f32_rows,   [MF_FLOAT64] = f64_rows,    [MF_INT32] = i32_rows,   [MF_UINT8] = i8_rows,
    [MF_INT16] = i16_rows,     [MF_INT8] = i8_rows,        [MF_INT64] = i64_rows,   [MF_UINT16] = i16_rows,
    [MF_UINT32] = i32_rows,    [MF_UINT64] = i64_rows,     [MF_FLOAT16] = f16_rows, [MF_BFLOAT16] = bf16_rows,
    [MF_COMPLEX64] = c64_rows, [MF_COMPLEX128] = c128_rows};

/* Adding truth values: or. */
static void or_row(void *to, const void *value, int64_t n) {
  bool *a = to;
  const bool *b = value;
  for (int64_t i = 0; i < n; i++) a[i] = a[i] || b[i];
}

static mfi_update_fn find(mfi_update_kind kind, mf_dtype type, int scalar) {
  if (by_type[type]) return by_type[type][scalar][kind];
  if (type != MF_BOOL) return NULL;
  return kind == MFI_UPDATE_SET ? i8_rows[scalar][kind] : kind == MFI_UPDATE_ADD && !scalar ? or_row : NULL;
}

mfi_update_fn mfi_update_row(mfi_update_kind kind, mf_dtype type) { return find(kind, type, 0); }
mfi_update_scalar_fn mfi_update_row_scalar(mfi_update_kind kind, mf_dtype type) { return find(kind, type, 1); }

/* ---- whole arrays */

typedef struct whole {
  mfi_update_fn fn;
  char *to;
  const char *value;
  int64_t n, pieces;
  size_t elem;
} whole;

static void run_whole(void *arg, int64_t piece) {
  const whole *w = arg;
  int64_t begin, end;
  mf_piece_range(w->n, w->pieces, 64, piece, &begin, &end);
  w->fn(w->to + (size_t)begin * w->elem, w->value + (size_t)begin * w->elem, end - begin);
}

static mf_status no_arithmetic(const char *op, mf_dtype type) {
  return mf_fail(MF_UNIMPLEMENTED, "%s: dtype %s cannot be computed with", op, mf_dtype_name(type));
}

mf_status mfi_update(const char *op, mfi_update_kind kind, mf_dtype type, void *to, const void *value, int64_t n) {
  whole w = {mfi_update_row(kind, type), to, value, n, 1, mf_dtype_size(type)};
  if (!w.fn) return no_arithmetic(op, type);
  w.pieces = mf_pieces_for(n, 0.1 * (double)w.elem);
  mf_parallel_for(w.pieces, run_whole, &w);
  return NULL;
}

/* ---- rows. A piece owns a band of rows and looks at all indices, or a band of columns when rows are few and long. */

typedef struct scattered {
  mfi_update_fn fn;
  char *to;
  const char *value;
  mfi_rows at;
  int64_t rows, inner, pieces;
  size_t elem;
  bool scalar, by_columns;
} scattered;

static void run_rows(void *arg, int64_t piece) {
  const scattered *s = arg;
  int64_t first = 0, last = s->rows, left = 0, right = s->inner;
  if (s->by_columns) mf_piece_range(s->inner, s->pieces, 64, piece, &left, &right);
  else mf_piece_range(s->rows, s->pieces, 1, piece, &first, &last);
  for (int64_t i = 0; i < s->at.n; i++) {
    int64_t r = s->at.tensor ? mfi_int_at(s->at.tensor, i) : s->at.flat[i];
    if (r < first || r >= last) continue;
    const char *value = s->scalar ? s->value : s->value + (size_t)(i * s->inner + left) * s->elem;
    s->fn(s->to + (size_t)(r * s->inner + left) * s->elem, value, right - left);
  }
}

mf_status mfi_update_rows(const char *op, mfi_update_kind kind, mf_dtype type, void *to, int64_t rows, int64_t inner,
                          mfi_rows at, const void *value, bool scalar) {
  scattered s = {.fn = find(kind, type, scalar), .to = to, .value = value, .at = at, .rows = rows,
                 .inner = inner, .elem = mf_dtype_size(type), .scalar = scalar};
  if (!s.fn) return no_arithmetic(op, type);
  if (inner == 0 || at.n == 0) return NULL;
  s.by_columns = inner >= 1024 || rows < 16;
  int64_t cut = s.by_columns ? (inner + 63) / 64 : rows;
  /* Every piece walks all indices: few pieces for short rows, at most 16. */
  int64_t most = inner < 64 ? 1 + inner / 4 : 16;
  s.pieces = mf_pieces_for(at.n, 3 + 0.3 * (double)inner);
  if (s.pieces > most) s.pieces = most;
  if (s.pieces > cut) s.pieces = cut;
  mf_parallel_for(s.pieces, run_rows, &s);
  return NULL;
}
