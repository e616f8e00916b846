/* array_move.c - boxes: see array_move.h. */
#include "array_move.h"

#include <string.h>

#include "base/pool.h"

/* ---- element sizes */

typedef struct __attribute__((may_alias)) cell1 { char b[1]; } cell1;
typedef struct __attribute__((may_alias)) cell2 { char b[2]; } cell2;
typedef struct __attribute__((may_alias)) cell4 { char b[4]; } cell4;
typedef struct __attribute__((may_alias)) cell8 { char b[8]; } cell8;
typedef struct __attribute__((may_alias)) cell16 { char b[16]; } cell16;

/* n copies of one element: a first stretch by hand, doubled until it fills a page, then pages. */
static void repeat(char *to, const char *value, size_t size, int64_t n) {
  enum { PAGE = 4096 };
  size_t bytes = (size_t)n * size, have = size;
  if (n == 0) return;
  memcpy(to, value, size);
  while (have < bytes) {
    size_t more = have < PAGE ? have : PAGE;
    if (more > bytes - have) more = bytes - have;
    memcpy(to + have, to, more);
    have += more;
  }
}

#define CELL cell1
#define NAME(x) x##_1
#include "array_move.inc"
#define CELL cell2
#define NAME(x) x##_2
#include "array_move.inc"
#define CELL cell4
#define NAME(x) x##_4
#include "array_move.inc"
#define CELL cell8
#define NAME(x) x##_8
#include "array_move.inc"
#define CELL cell16
#define NAME(x) x##_16
#include "array_move.inc"

/* 4-byte elements in blocks of 4 x 4, turned in registers. */
typedef uint32_t v4 __attribute__((vector_size(16)));
typedef uint64_t v2 __attribute__((vector_size(16)));

static inline v4 load4(const char *p) {
  v4 v;
  memcpy(&v, p, sizeof v);
  return v;
}

static inline void turn_4x4(char *to, const char *from, int64_t to_row, int64_t from_col) {
  v4 a = load4(from), b = load4(from + from_col), c = load4(from + 2 * from_col), d = load4(from + 3 * from_col);
  v2 ab_low = (v2)__builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = (v2)__builtin_shufflevector(a, b, 2, 6, 3, 7);
  v2 cd_low = (v2)__builtin_shufflevector(c, d, 0, 4, 1, 5), cd_high = (v2)__builtin_shufflevector(c, d, 2, 6, 3, 7);
  v2 rows[4] = {__builtin_shufflevector(ab_low, cd_low, 0, 2), __builtin_shufflevector(ab_low, cd_low, 1, 3),
                __builtin_shufflevector(ab_high, cd_high, 0, 2), __builtin_shufflevector(ab_high, cd_high, 1, 3)};
  for (int i = 0; i < 4; i++) memcpy(to + i * to_row, &rows[i], sizeof *rows);
}

static void tile_4x4(char *to, const char *from, int64_t rows, int64_t cols, int64_t to_row, int64_t from_col) {
  int64_t r4 = rows & ~INT64_C(3), c4 = cols & ~INT64_C(3);
  for (int64_t c = 0; c < c4; c += 4) {
    for (int64_t r = 0; r < r4; r += 4)
      turn_4x4(to + r * to_row + 4 * c, from + c * from_col + 4 * r, to_row, from_col);
  }
  if (c4 < cols) tile_4(to + 4 * c4, from + c4 * from_col, rows, cols - c4, to_row, from_col);
  if (r4 < rows) tile_4(to + r4 * to_row, from + 4 * r4, rows - r4, c4, to_row, from_col);
}

typedef void (*row_fn)(char *to, const char *from, int64_t n, int64_t t, int64_t f);
typedef void (*tile_fn)(char *to, const char *from, int64_t rows, int64_t cols, int64_t to_row, int64_t from_col);

static const struct { size_t size; row_fn row; tile_fn tile; } sizes[] = {
    {1, row_1, tile_1}, {2, row_2, tile_2}, {4, row_4, tile_4x4}, {8, row_8, tile_8}, {16, row_16, tile_16},
};

static int size_index(size_t elem) {
  int i = 0;
  while (i < 4 && sizes[i].size != elem) i++;
  return i;
}

/* ---- simplifying */

static void drop(mfi_box *b, int d) {
  b->rank--;
  for (; d < b->rank; d++) {
    b->dims[d] = b->dims[d + 1];
    b->to[d] = b->to[d + 1];
    b->from[d] = b->from[d + 1];
  }
}

/* Removes loops of one turn and joins neighbours that run on evenly on both sides. */
static void simplify(mfi_box *b) {
  for (int d = b->rank - 1; d >= 0; d--)
    if (b->dims[d] == 1) drop(b, d);
  for (int d = b->rank - 2; d >= 0; d--) {
    if (b->to[d] != b->to[d + 1] * b->dims[d + 1] || b->from[d] != b->from[d + 1] * b->dims[d + 1]) continue;
    b->dims[d + 1] *= b->dims[d];
    drop(b, d);
  }
}

/* The inner run of dense elements becomes one wider element where such a size exists. */
static void widen(mfi_box *b, size_t *elem) {
  while (b->rank > 0) {
    int last = b->rank - 1;
    size_t wide = *elem * (size_t)b->dims[last];
    if (b->to[last] != (int64_t)*elem || b->from[last] != (int64_t)*elem) return;
    if (wide > 16 || (wide & (wide - 1))) return;
    *elem = wide;
    b->rank--;
  }
}

/* ---- running */

typedef struct job {
  mfi_box box;             /* outer loops only */
  int64_t outer;           /* number of turns of the outer loops */
  size_t elem;
  char *to;
  const char *from;
  row_fn row;
  tile_fn tile;
  int64_t n, t, f;         /* row: the inner loop */
  int64_t rows, to_row;    /* tile: rows of the destination that lie dense in the source */
  int64_t items, pieces;   /* what is cut, and into how many pieces */
} job;

static void at(const mfi_box *b, int64_t index, int64_t *to, int64_t *from) {
  *to = *from = 0;
  for (int d = b->rank - 1; d >= 0; d--) {
    int64_t i = index % b->dims[d];
    index /= b->dims[d];
    *to += i * b->to[d];
    *from += i * b->from[d];
  }
}

static void run_rows(void *arg, int64_t piece) {
  const job *j = arg;
  int64_t begin, end;
  mf_piece_range(j->items, j->pieces, 1, piece, &begin, &end);
  bool dense = j->t == (int64_t)j->elem && j->f == j->t;
  for (int64_t i = begin; i < end; i++) {
    int64_t to, from;
    at(&j->box, i, &to, &from);
    if (dense) memcpy(j->to + to, j->from + from, (size_t)j->n * j->elem);
    else j->row(j->to + to, j->from + from, j->n, j->t, j->f);
  }
}

enum { DOWN = 256, ACROSS = 64, BLOCK = 1 << 12 };

/* A tile is DOWN elements along the source's dense direction by one cache line of the destination. Rows of the
 * destination that are far apart compete for the same few cache lines: the tile is then put together in a buffer, and
 * whole lines are copied. */
static void run_tile(const job *j, char *to, const char *from, int64_t rows, int64_t cols) {
  char buffer[DOWN * ACROSS];
  if (j->to_row < 1024 || rows < 16) {
    j->tile(to, from, rows, cols, j->to_row, j->f);
    return;
  }
  j->tile(buffer, from, rows, cols, ACROSS, j->f);
  if (cols * (int64_t)j->elem == ACROSS)
    for (int64_t r = 0; r < rows; r++) memcpy(to + r * j->to_row, buffer + r * ACROSS, ACROSS);
  else
    for (int64_t r = 0; r < rows; r++) memcpy(to + r * j->to_row, buffer + r * ACROSS, (size_t)cols * j->elem);
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static void run_tiles(void *arg, int64_t piece) {
  const job *j = arg;
  int64_t begin, end, line = ACROSS / (int64_t)j->elem;
  mf_piece_range(j->items, j->pieces, 1, piece, &begin, &end);
  int64_t across = (j->n + line - 1) / line, down = (j->rows + DOWN - 1) / DOWN;
  for (int64_t i = begin; i < end; i++) {
    int64_t to, from, r = i % down * DOWN, c = i / down % across * line;
    at(&j->box, i / across / down, &to, &from);
    run_tile(j, j->to + to + r * j->to_row + c * j->t, j->from + from + r * (int64_t)j->elem + c * j->f,
             smaller(j->rows - r, DOWN), smaller(j->n - c, line));
  }
}

static void run_blocks(void *arg, int64_t piece) {
  const job *j = arg;
  int64_t begin, end;
  mf_piece_range(j->items, j->pieces, BLOCK, piece, &begin, &end);
  memcpy(j->to + begin, j->from + begin, (size_t)(end - begin));
}

/* Copies run at 5 to 10 bytes a nanosecond; scattered elements cost about one nanosecond each. */
static void run_cut(job *j, mf_parallel_fn fn, int64_t items, double ns) {
  j->items = items;
  j->pieces = mf_pieces_for(items, ns);
  mf_parallel_for(j->pieces, fn, j);
}

/* The loop, if any, whose neighbours lie dense in the source while the inner loop's do not. */
static int dense_source_loop(const mfi_box *b, size_t elem) {
  int last = b->rank - 1;
  if (b->to[last] != (int64_t)elem || b->from[last] == (int64_t)elem || b->from[last] == 0) return -1;
  for (int d = last - 1; d >= 0; d--)
    if (b->from[d] == (int64_t)elem && b->dims[d] * b->dims[last] >= 16) return d;
  return -1;
}

void mfi_box_copy(mfi_box box, size_t elem, char *to, const char *from) {
  for (int d = 0; d < box.rank; d++)
    if (box.dims[d] <= 0) return;
  simplify(&box);
  widen(&box, &elem);
  if (box.rank == 0) mfi_box_add(&box, 1, (int64_t)elem, (int64_t)elem);
  job j = {.box = box, .outer = 1, .elem = elem, .to = to, .from = from, .row = sizes[size_index(elem)].row,
           .tile = sizes[size_index(elem)].tile};
  int last = box.rank - 1, k = dense_source_loop(&box, elem);
  j.n = box.dims[last], j.t = box.to[last], j.f = box.from[last];
  j.box.rank = last;
  if (k >= 0) {
    j.rows = box.dims[k], j.to_row = box.to[k];
    drop(&j.box, k);
  }
  for (int d = 0; d < j.box.rank; d++) j.outer *= j.box.dims[d];
  bool dense = j.t == (int64_t)elem && j.f == j.t;
  double bytes = (double)j.n * (double)elem;
  int64_t line = ACROSS / (int64_t)elem;
  if (k >= 0)
    run_cut(&j, run_tiles, j.outer * ((j.n + line - 1) / line) * ((j.rows + DOWN - 1) / DOWN),
            20 + 0.7 * (double)(smaller(j.n, line) * smaller(j.rows, DOWN)));
  else if (j.outer == 1 && dense) run_cut(&j, run_blocks, j.n * (int64_t)elem, 0.15);
  else run_cut(&j, run_rows, j.outer, 5 + (dense ? bytes * 0.15 : (double)j.n));
}

/* ---- filling */

typedef struct filling {
  char *to;
  int64_t n, pieces;
  size_t elem;
  const char *value;       /* NULL: zero bytes */
} filling;

static void run_fill(void *arg, int64_t piece) {
  const filling *f = arg;
  int64_t begin, end;
  mf_piece_range(f->n, f->pieces, BLOCK, piece, &begin, &end);
  char *to = f->to + (size_t)begin * f->elem;
  if (!f->value) memset(to, 0, (size_t)(end - begin));
  else sizes[size_index(f->elem)].row(to, f->value, end - begin, (int64_t)f->elem, 0);
}

void mfi_fill(char *to, int64_t n, size_t elem, const void *value) {
  filling f = {to, n, mf_pieces_for(n, 0.1 * (double)elem), elem, value};
  mf_parallel_for(f.pieces, run_fill, &f);
}

void mfi_zero(char *to, size_t bytes) {
  filling f = {to, (int64_t)bytes, mf_pieces_for((int64_t)bytes, 0.05), 1, NULL};
  mf_parallel_for(f.pieces, run_fill, &f);
}

void mfi_dense_strides(const mf_shape *s, size_t elem, int64_t *strides) {
  int64_t stride = (int64_t)elem;
  for (int i = s->rank - 1; i >= 0; i--) {
    strides[i] = stride;
    stride *= s->dims[i];
  }
}
