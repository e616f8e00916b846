/* reduce.c - kernels of Sum, Mean, Prod, Max, Min, All, Any, EuclideanNorm, L2Loss: see reduce.h.
 *
 * A reduction is a row of passes; a pass turns [outer, n, inner] into [outer, inner]. How a pass is cut depends on its
 * shape alone: by outer indices, by stretches of columns, or along n with partial results that are joined in order.
 */
#include "kernels/cpu/reduce.h"

#include "base/pool.h"
#include "kernels/cpu/cast.h"
#include "ops/op_list.h"

const mfi_reduce_loops *mfi_reduce_loops_of(mf_dtype type) {
  switch (type) {
    case MF_FLOAT32: return MFI_ISA_PICK(mfi_reduce_f32);
    case MF_FLOAT64: return MFI_ISA_PICK(mfi_reduce_f64);
    case MF_INT32: return MFI_ISA_PICK(mfi_reduce_i32);
    case MF_INT64: return MFI_ISA_PICK(mfi_reduce_i64);
    case MF_BOOL:
    case MF_UINT8: return MFI_ISA_PICK(mfi_reduce_u8);
    case MF_INT8: return &mfi_reduce_i8;
    case MF_INT16: return &mfi_reduce_i16;
    case MF_UINT16: return &mfi_reduce_u16;
    case MF_UINT32: return &mfi_reduce_u32;
    case MF_UINT64: return &mfi_reduce_u64;
    case MF_COMPLEX64: return &mfi_reduce_c64;
    case MF_COMPLEX128: return &mfi_reduce_c128;
    default: return NULL;
  }
}

/* ---- the dimensions, collapsed: kept and reduced ones alternate */
typedef struct segments {
  int n;
  int64_t dims[MF_MAX_RANK];
  bool reduced[MF_MAX_RANK];
  int64_t each;               /* input elements that make one output element */
} segments;

static void segments_make(segments *s, const mf_shape *in, const mf_tensor *axes) {
  bool reduced[MF_MAX_RANK] = {false};
  s->n = 0;
  s->each = 1;
  for (int64_t i = 0, n = axes ? mf_tensor_count(axes) : 0; i < n; i++) {
    int64_t axis = mf_tensor_get_i64(axes, i);
    reduced[axis < 0 ? axis + in->rank : axis] = true;
  }
  for (int i = 0; i < in->rank; i++) {
    bool r = reduced[i] || !axes;
    if (r) s->each *= in->dims[i];
    if (in->dims[i] == 1) continue;
    if (s->n && s->reduced[s->n - 1] == r) {
      s->dims[s->n - 1] *= in->dims[i];
    } else {
      s->dims[s->n] = in->dims[i];
      s->reduced[s->n++] = r;
    }
  }
}

/* ---- one pass */
typedef enum cut_kind { CUT_OUTER, CUT_COLUMNS, CUT_ALONG } cut_kind;

typedef struct pass {
  int64_t outer, n, inner;
  cut_kind cut;
  int64_t share;              /* pieces an outer index (CUT_COLUMNS, CUT_ALONG), or in all (CUT_OUTER) */
  size_t size;                /* bytes an element */
  int op;
  const mfi_reduce_loops *loops;
  const char *x;
  char *out, *parts;          /* parts: [outer, share, inner], CUT_ALONG only */
} pass;

/* Takes the innermost reduced segment out of s. Nothing reduced: a pass over n = 1, which only applies the map. */
static void pass_take(segments *s, pass *p) {
  int at = s->n - 1;
  while (at >= 0 && !s->reduced[at]) at--;
  p->outer = p->inner = p->n = 1;
  for (int i = 0; i < at; i++) p->outer *= s->dims[i];
  for (int i = at + 1; i < s->n; i++) p->inner *= s->dims[i];
  if (at < 0) return;
  p->n = s->dims[at];
  if (at > 0 && at + 1 < s->n) {
    s->dims[at - 1] *= s->dims[at + 1];
    s->n = at;
  } else {
    for (int i = at; i + 1 < s->n; i++) {
      s->dims[i] = s->dims[i + 1];
      s->reduced[i] = s->reduced[i + 1];
    }
    s->n--;
  }
}

static bool anything_reduced(const segments *s) {
  for (int i = 0; i < s->n; i++)
    if (s->reduced[i]) return true;
  return false;
}

static void pass_cut(pass *p) {
  enum { WIDE = 512, STRETCH = 4096 };
  double ns = 0.08 * (double)p->size / 4 + (p->inner == 1 && p->n < 64 ? 0.5 : 0);
  int64_t pieces = mf_pieces_for(p->outer * p->n * p->inner, ns), each = (pieces + p->outer - 1) / p->outer;
  p->cut = CUT_OUTER;
  p->share = pieces;
  if (p->outer >= pieces) return;
  int64_t stretches = p->inner / WIDE, along = p->inner == 1 ? p->n / STRETCH : p->n / 64;
  p->cut = stretches >= each || stretches >= along ? CUT_COLUMNS : CUT_ALONG;
  int64_t most = p->cut == CUT_COLUMNS ? stretches : along;
  p->share = each < most ? each : most;
  if (p->share > 1) return;
  p->cut = CUT_OUTER;
  p->share = p->outer < pieces ? p->outer : pieces;
}

static size_t pass_parts_size(const pass *p) {
  return p->cut == CUT_ALONG ? (size_t)(p->outer * p->share * p->inner) * p->size : 0;
}

static void reduce_at(const pass *p, char *out, const char *x, int64_t outer, int64_t n, int64_t width, int op) {
  size_t from = (size_t)(n * p->inner) * p->size, to = (size_t)p->inner * p->size;
  if (p->inner == 1) {
    p->loops->rows[op](out, x, outer, n);
    return;
  }
  for (int64_t o = 0; o < outer; o++)
    p->loops->columns[op](out + (size_t)o * to, x + (size_t)o * from, n, width, p->inner);
}

static void run_outer(void *arg, int64_t piece) {
  const pass *p = arg;
  int64_t begin, end;
  mf_piece_range(p->outer, p->share, 1, piece, &begin, &end);
  size_t from = (size_t)(begin * p->n * p->inner) * p->size, to = (size_t)(begin * p->inner) * p->size;
  if (begin < end) reduce_at(p, p->out + to, p->x + from, end - begin, p->n, p->inner, p->op);
}

static void run_columns(void *arg, int64_t piece) {
  const pass *p = arg;
  int64_t outer = piece / p->share, begin, end;
  mf_piece_range(p->inner, p->share, 64, piece % p->share, &begin, &end);
  size_t from = (size_t)(outer * p->n * p->inner + begin) * p->size, to = (size_t)(outer * p->inner + begin) * p->size;
  if (begin < end) p->loops->columns[p->op](p->out + to, p->x + from, p->n, end - begin, p->inner);
}

static void run_along(void *arg, int64_t piece) {
  const pass *p = arg;
  int64_t outer = piece / p->share, begin, end;
  mf_piece_range(p->n, p->share, p->inner == 1 ? 64 : 1, piece % p->share, &begin, &end);
  size_t from = (size_t)((outer * p->n + begin) * p->inner) * p->size;
  reduce_at(p, p->parts + (size_t)(piece * p->inner) * p->size, p->x + from, 1, end - begin, p->inner, p->op);
}

static void pass_run(pass *p) {
  switch (p->cut) {
    case CUT_OUTER:
      if (p->share == 1) run_outer(p, 0);
      else mf_parallel_for(p->share, run_outer, p);
      break;
    case CUT_COLUMNS: mf_parallel_for(p->outer * p->share, run_columns, p); break;
    case CUT_ALONG:
      mf_parallel_for(p->outer * p->share, run_along, p);
      reduce_at(p, p->out, p->parts, p->outer, p->share, p->inner,
                p->op == MFI_REDUCE_SQUARES ? MFI_REDUCE_SUM : p->op);
      break;
  }
}

/* ---- all passes. Workspace: the parts of each pass and the results of all but the last. */
static const mf_tensor *axes_of(const mf_call *c) { return c->n_in > 1 ? c->in[1] : NULL; }

static size_t round64(size_t n) { return (n + 63) & ~(size_t)63; }

static size_t workspace_for(const mf_call *c, size_t size) {
  segments s;
  size_t total = 0;
  if (!mf_tensor_count(c->in[0]) || (axes_of(c) && !axes_of(c)->data)) return 0;
  segments_make(&s, &c->in[0]->shape, axes_of(c));
  do {
    pass p = {.size = size};
    pass_take(&s, &p);
    pass_cut(&p);
    total += round64(pass_parts_size(&p));
    if (anything_reduced(&s)) total += round64((size_t)(p.outer * p.inner) * p.size);
  } while (anything_reduced(&s));
  return total;
}

static size_t workspace(const mf_call *c) { return workspace_for(c, mf_dtype_size((mf_dtype)c->in[0]->dtype)); }

/* x of `type` to out; free_space holds workspace_for(...) bytes. */
static void reduce(int op, const segments *all, mf_dtype type, const char *x, char *out, char *free_space) {
  segments s = *all;
  bool last;
  do {
    pass p = {.size = mf_dtype_size(type), .op = op, .x = x, .loops = mfi_reduce_loops_of(type)};
    pass_take(&s, &p);
    pass_cut(&p);
    p.parts = free_space;
    free_space += round64(pass_parts_size(&p));
    last = !anything_reduced(&s);
    p.out = last ? out : free_space;
    if (!last) free_space += round64((size_t)(p.outer * p.inner) * p.size);
    pass_run(&p);
    x = p.out;
    if (op == MFI_REDUCE_SQUARES) op = MFI_REDUCE_SUM;
  } while (!last);
}

typedef enum finish_kind { FINISH_NONE, FINISH_MEAN, FINISH_ROOT } finish_kind;

static mf_status run(mf_call *c, int op, finish_kind finish) {
  const mfi_reduce_loops *loops = mfi_reduce_loops_of((mf_dtype)c->in[0]->dtype);
  int64_t n = mf_tensor_count(c->out[0]);
  segments s;
  if (!n) return NULL;
  segments_make(&s, &c->in[0]->shape, axes_of(c));
  if (mf_tensor_count(c->in[0]))
    reduce(op, &s, (mf_dtype)c->in[0]->dtype, c->in[0]->data, c->out[0]->data, c->workspace);
  else loops->nothing(mf_data(c->out[0]), n, op);
  if (finish == FINISH_MEAN) loops->divide(mf_data(c->out[0]), n, s.each);
  if (finish == FINISH_ROOT) loops->root(mf_data(c->out[0]), n);
  return NULL;
}

static mf_status run_Sum(mf_call *c) { return run(c, MFI_REDUCE_SUM, FINISH_NONE); }
static mf_status run_Mean(mf_call *c) { return run(c, MFI_REDUCE_SUM, FINISH_MEAN); }

/* Means of integers narrower than 64 bits are made in int64, so that their sums do not wrap: workspace holds input and
 * sums in that type, then what the reduction needs. */
static size_t wide_workspace(const mf_call *c) {
  size_t in = round64((size_t)mf_tensor_count(c->in[0]) * 8), out = round64((size_t)mf_tensor_count(c->out[0]) * 8);
  return in + out + workspace_for(c, 8);
}

static mf_status run_wide_mean(mf_call *c) {
  const mfi_cast_loop(*casts)[MF_DTYPE_COUNT] = MFI_ISA_PICK(mfi_casts)->to;
  mf_dtype type = (mf_dtype)c->in[0]->dtype;
  int64_t count = mf_tensor_count(c->in[0]), n = mf_tensor_count(c->out[0]);
  char *in = c->workspace, *sums = in + round64((size_t)count * 8), *rest = sums + round64((size_t)n * 8);
  segments s;
  if (!n) return NULL;
  segments_make(&s, &c->in[0]->shape, axes_of(c));
  casts[type][MF_INT64](in, c->in[0]->data, count);
  if (count) reduce(MFI_REDUCE_SUM, &s, MF_INT64, in, sums, rest);
  else mfi_reduce_loops_of(MF_INT64)->nothing(sums, n, MFI_REDUCE_SUM);
  mfi_reduce_loops_of(MF_INT64)->divide(sums, n, s.each);
  casts[MF_INT64][type](c->out[0]->data, sums, n);
  return NULL;
}

static mf_status run_Prod(mf_call *c) { return run(c, MFI_REDUCE_PROD, FINISH_NONE); }
static mf_status run_Max(mf_call *c) { return run(c, MFI_REDUCE_MAX, FINISH_NONE); }
static mf_status run_Min(mf_call *c) { return run(c, MFI_REDUCE_MIN, FINISH_NONE); }
static mf_status run_Any(mf_call *c) { return run(c, MFI_REDUCE_MAX, FINISH_NONE); }
static mf_status run_EuclideanNorm(mf_call *c) { return run(c, MFI_REDUCE_SQUARES, FINISH_ROOT); }

/* Of nothing: the smallest uint8 is not what `true` is. */
static mf_status run_All(mf_call *c) {
  if (mf_tensor_count(c->in[0])) return run(c, MFI_REDUCE_MIN, FINISH_NONE);
  for (int64_t i = 0, n = mf_tensor_count(c->out[0]); i < n; i++) MF_DATA(bool, c->out[0])[i] = true;
  return NULL;
}

/* Half the sum of squares of everything. */
static mf_status run_L2Loss(mf_call *c) {
  mf_status status = run(c, MFI_REDUCE_SQUARES, FINISH_NONE);
  if (c->out[0]->dtype == MF_FLOAT32) *MF_DATA(float, c->out[0]) /= 2;
  else *MF_DATA(double, c->out[0]) /= 2;
  return status;
}

#define ROW(op_, types_)                                                                                    \
  {.op = &mf_op_##op_, .name = "vector", .device = MF_CPU, .rank = 10, .type_attr = "T", .types = types_, \
   .workspace = workspace, .run = run_##op_}
#define REAL (MF_TYPES_F32_F64 | MF_TYPES_INTEGER)
const mf_kernel_def mf_kernels_reduce[] = {
    ROW(Sum, REAL | MF_TYPES_COMPLEX),
    ROW(Mean, MF_TYPES_F32_F64 | MF_TYPE(MF_INT64) | MF_TYPE(MF_UINT64) | MF_TYPES_COMPLEX),
    {.op = &mf_op_Mean, .name = "wide", .device = MF_CPU, .rank = 10, .type_attr = "T", .types = MF_TYPES_INTEGER,
     .workspace = wide_workspace, .run = run_wide_mean},
    ROW(Prod, REAL | MF_TYPES_COMPLEX),
    ROW(Max, REAL),
    ROW(Min, REAL),
    ROW(EuclideanNorm, REAL | MF_TYPES_COMPLEX),
    ROW(L2Loss, MF_TYPES_F32_F64),
    {.op = &mf_op_All, .name = "vector", .device = MF_CPU, .rank = 10, .workspace = workspace, .run = run_All},
    {.op = &mf_op_Any, .name = "vector", .device = MF_CPU, .rank = 10, .workspace = workspace, .run = run_Any},
    {0}};
