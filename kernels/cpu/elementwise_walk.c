/* elementwise_walk.c - broadcasting: see elementwise.h.
 *
 * Bits do not depend on the number of threads: pieces are cut by shape, borders inside a row at multiples of 64
 * elements, else between rows.
 */
#include <string.h>

#include "base/pool.h"
#include "kernels/cpu/elementwise.h"

mfi_loop mfi_loop_of(mf_dtype type, int op) {
  switch (type) {
    case MF_FLOAT32: return MFI_ISA_PICK(mfi_loops_f32)->op[op];
    case MF_FLOAT64: return MFI_ISA_PICK(mfi_loops_f64)->op[op];
    case MF_INT32: return MFI_ISA_PICK(mfi_loops_i32)->op[op];
    case MF_INT64: return MFI_ISA_PICK(mfi_loops_i64)->op[op];
    case MF_BOOL:
    case MF_UINT8: return MFI_ISA_PICK(mfi_loops_u8)->op[op];
    case MF_INT8: return mfi_loops_i8.op[op];
    case MF_INT16: return mfi_loops_i16.op[op];
    case MF_UINT16: return mfi_loops_u16.op[op];
    case MF_UINT32: return mfi_loops_u32.op[op];
    case MF_UINT64: return mfi_loops_u64.op[op];
    case MF_COMPLEX64: return mfi_loops_c64.op[op];
    case MF_COMPLEX128: return mfi_loops_c128.op[op];
    default: return NULL;
  }
}

/* Adds dimension n outside of those that are there; one with the same steps as its inner neighbour continues it. */
static void add_dimension(mfi_walk *w, int64_t n, const int64_t *step) {
  int d = w->rank - 1;
  bool joins = d >= 0;
  for (int i = 0; joins && i < w->n_in; i++) joins = step[i] == w->step[i][d] * w->dims[d];
  if (joins) {
    w->dims[d] *= n;
    return;
  }
  d = w->rank++;
  w->dims[d] = n;
  for (int i = 0; i < w->n_in; i++) w->step[i][d] = step[i];
}

void mfi_walk_make(mfi_walk *w, const mf_shape *out, const mf_shape *const *in, int n_in) {
  int64_t size[MFI_MAX_OPERANDS] = {1, 1, 1}, step[MFI_MAX_OPERANDS];
  w->rank = 0;
  w->n_in = n_in;
  w->count = 1;
  for (int d = 1; d <= out->rank; d++) {
    int64_t n = out->dims[out->rank - d];
    w->count *= n;
    if (n == 1) continue;
    for (int i = 0; i < n_in; i++) {
      int64_t own = d <= in[i]->rank ? in[i]->dims[in[i]->rank - d] : 1;
      step[i] = own == 1 ? 0 : size[i];
      size[i] *= own;
    }
    add_dimension(w, n, step);
  }
  if (w->rank) return;
  w->rank = 1;
  w->dims[0] = 1;
  for (int i = 0; i < n_in; i++) w->step[i][0] = 1;
}

typedef struct walk_call {
  const mfi_walk *w;
  mfi_loop loop;
  char *out;
  size_t size_out;
  const char *in[MFI_MAX_OPERANDS];
  size_t size_in[MFI_MAX_OPERANDS];
  unsigned fixed;         /* along the innermost dimension */
  int64_t rows, pieces;
} walk_call;

/* One row alone: pieces are stretches of it. */
static void run_stretch(void *arg, int64_t piece) {
  const walk_call *c = arg;
  const void *in[MFI_MAX_OPERANDS];
  int64_t begin, end;
  mf_piece_range(c->w->dims[0], c->pieces, 64, piece, &begin, &end);
  if (begin >= end) return;
  for (int i = 0; i < c->w->n_in; i++) in[i] = c->in[i] + (c->fixed >> i & 1 ? 0 : (size_t)begin * c->size_in[i]);
  c->loop(c->out + (size_t)begin * c->size_out, in, end - begin, c->fixed);
}

/* Pieces are ranges of rows; `at` counts the outer dimensions like an odometer. */
static void run_rows(void *arg, int64_t piece) {
  const walk_call *c = arg;
  const mfi_walk *w = c->w;
  int64_t begin, end, at[MF_MAX_RANK] = {0}, offset[MFI_MAX_OPERANDS] = {0, 0, 0};
  mf_piece_range(c->rows, c->pieces, 1, piece, &begin, &end);
  int64_t rest = begin;
  for (int d = 1; d < w->rank; d++) {
    at[d] = rest % w->dims[d];
    rest /= w->dims[d];
    for (int i = 0; i < w->n_in; i++) offset[i] += at[d] * w->step[i][d];
  }
  char *out = c->out + (size_t)(begin * w->dims[0]) * c->size_out;
  for (int64_t r = begin; r < end; r++) {
    const void *in[MFI_MAX_OPERANDS];
    for (int i = 0; i < w->n_in; i++) in[i] = c->in[i] + offset[i] * (int64_t)c->size_in[i];
    c->loop(out, in, w->dims[0], c->fixed);
    out += (size_t)w->dims[0] * c->size_out;
    for (int d = 1; d < w->rank; d++) {
      bool wraps = ++at[d] == w->dims[d];
      if (wraps) at[d] = 0;
      for (int i = 0; i < w->n_in; i++) offset[i] += w->step[i][d] * (wraps ? 1 - w->dims[d] : 1);
      if (!wraps) break;
    }
  }
}

/* ---- short rows. Several of them, `tile`, are done as one long row: operands that do not run along with the output
 * are written out into buffers first. */
enum { TILE_BYTES = 8192, SHORT_ROW = 64, TILE_ROWS = 8 };

typedef struct tile_call {
  walk_call c;
  int64_t tile, tiles;                       /* rows a tile, tiles along dimension 1 */
  bool runs[MFI_MAX_OPERANDS];               /* along dimensions 0 and 1 as the output does */
} tile_call;

/* `rows` rows of n elements of `size` bytes from x, whose steps are 0 or 1 in a row (step0), step1 between rows. */
static void spread(char *out, const char *x, size_t size, int64_t n, int64_t rows, int64_t step0, int64_t step1) {
  if (step0 && !step1) {                     /* one row again and again: doubling */
    size_t done = (size_t)n * size, all = done * (size_t)rows;
    for (memcpy(out, x, done); done < all; done *= 2) memcpy(out + done, out, done < all - done ? done : all - done);
    return;
  }
  for (int64_t r = 0; r < rows; r++) {
    const char *from = x + r * step1 * (int64_t)size;
    if (size == 4) {
      uint32_t v, *o = (uint32_t *)(void *)out + r * n;
      memcpy(&v, from, 4);
      for (int64_t i = 0; i < n; i++) o[i] = v;
    } else {
      for (int64_t i = 0; i < n; i++) memcpy(out + (size_t)(r * n + i) * size, from, size);
    }
  }
}

static void run_tiles(void *arg, int64_t piece) {
  const tile_call *t = arg;
  const walk_call *c = &t->c;
  const mfi_walk *w = c->w;
  _Alignas(64) char buffer[MFI_MAX_OPERANDS][TILE_BYTES];
  int64_t begin, end, n = w->dims[0];
  mf_piece_range(c->rows / w->dims[1] * t->tiles, c->pieces, 1, piece, &begin, &end);
  for (int64_t at = begin; at < end; at++) {
    const void *in[MFI_MAX_OPERANDS];
    int64_t first = at % t->tiles * t->tile, rest = at / t->tiles, row = rest * w->dims[1] + first;
    int64_t offset[MFI_MAX_OPERANDS];
    int64_t rows = w->dims[1] - first < t->tile ? w->dims[1] - first : t->tile;
    for (int i = 0; i < w->n_in; i++) offset[i] = first * w->step[i][1];
    for (int d = 2; d < w->rank; d++) {
      for (int i = 0; i < w->n_in; i++) offset[i] += rest % w->dims[d] * w->step[i][d];
      rest /= w->dims[d];
    }
    for (int i = 0; i < w->n_in; i++) {
      in[i] = c->in[i] + offset[i] * (int64_t)c->size_in[i];
      if (t->runs[i]) continue;
      spread(buffer[i], in[i], c->size_in[i], n, rows, w->step[i][0], w->step[i][1]);
      in[i] = buffer[i];
    }
    c->loop(c->out + (size_t)(row * n) * c->size_out, in, rows * n, 0);
  }
}

/* True when the rows are short and many enough for tiles to be worth while. */
static bool tile_make(tile_call *t) {
  const mfi_walk *w = t->c.w;
  size_t widest = 1;
  if (w->rank < 2 || w->dims[0] >= SHORT_ROW || w->dims[1] < TILE_ROWS) return false;
  for (int i = 0; i < w->n_in; i++) {
    t->runs[i] = w->step[i][0] == 1 && w->step[i][1] == w->dims[0];
    if (t->c.size_in[i] > widest) widest = t->c.size_in[i];
  }
  t->tile = (int64_t)(TILE_BYTES / widest / 2) / w->dims[0];
  t->tiles = (w->dims[1] + t->tile - 1) / t->tile;
  return true;
}

static void run_tiled(tile_call *t, double ns) {
  const mfi_walk *w = t->c.w;
  int64_t all = t->c.rows / w->dims[1] * t->tiles;
  t->c.pieces = mf_pieces_for(all, (ns + 0.1) * (double)(t->tile * w->dims[0]) + 10);
  if (t->c.pieces == 1) run_tiles(t, 0);
  else mf_parallel_for(t->c.pieces, run_tiles, t);
}

void mfi_walk_run(const mfi_walk *w, mfi_loop loop, void *out, size_t size_out, const void *const *in,
                  const size_t *size_in, double ns) {
  tile_call t = {.c = {.w = w, .loop = loop, .out = out, .size_out = size_out, .rows = 1}};
  walk_call *c = &t.c;
  if (w->count == 0) return;
  for (int i = 0; i < w->n_in; i++) {
    c->in[i] = in[i];
    c->size_in[i] = size_in[i];
    if (w->step[i][0] == 0) c->fixed |= 1u << i;
  }
  c->rows = w->count / w->dims[0];
  if (tile_make(&t)) {
    run_tiled(&t, ns);
    return;
  }
  c->pieces = c->rows == 1 ? mf_pieces_for(w->dims[0], ns) : mf_pieces_for(c->rows, ns * (double)w->dims[0] + 3);
  mf_parallel_fn run = c->rows == 1 ? run_stretch : run_rows;
  if (c->pieces == 1) run(c, 0);
  else mf_parallel_for(c->pieces, run, c);
}

static bool same_dims(const mf_shape *a, const mf_shape *b) {
  if (a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; i++)
    if (a->dims[i] != b->dims[i]) return false;
  return true;
}

void mfi_elementwise_run(mf_call *c, mfi_loop loop, int n_in, double ns) {
  mf_tensor *out = c->out[0];
  const void *in[MFI_MAX_OPERANDS];
  bool same = true;
  for (int i = 0; i < n_in; i++) {
    in[i] = mf_data(c->in[i]);
    same = same && same_dims(&c->in[i]->shape, &out->shape);
  }
  int64_t n = mf_tensor_count(out);
  if (same && (double)n * ns < MF_PIECE_NS) { /* small and plain: no plan, no pool */
    if (n) loop(mf_data(out), in, n, 0);
    return;
  }
  const mf_shape *shapes[MFI_MAX_OPERANDS];
  size_t sizes[MFI_MAX_OPERANDS];
  for (int i = 0; i < n_in; i++) {
    shapes[i] = &c->in[i]->shape;
    sizes[i] = mf_dtype_size((mf_dtype)c->in[i]->dtype);
  }
  mfi_walk w;
  mfi_walk_make(&w, &out->shape, shapes, n_in);
  mfi_walk_run(&w, loop, mf_data(out), mf_dtype_size((mf_dtype)out->dtype), in, sizes, ns);
}
