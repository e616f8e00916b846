/* matmul_einsum.c - kernel of Einsum: every equation becomes strided sums and one stack of matrix products.
 *
 * Labels of two operands fall into classes: batch (both operands and the result), free (one operand and the result),
 * contracted (both operands only), summed (one operand only). Each operand is brought to [batch, free, contracted]
 * unless it lies so, or transposed, already; the product [batch, free x, free y] is moved to the result unless it is
 * the result. */
#include <string.h>

#include "base/pool.h"
#include "gemm.h"
#include "ops/kernel.h"
#include "ops/linalg/einsum.h"
#include "ops/op_list.h"

/* to[i . to_step] = sum over j of from[i . step + j . sum_step]. Steps in elements. */
typedef struct strided_sum {
  const void *from;
  void *to;
  int n, n_sum;                  /* n is at least 1 */
  int64_t size[MF_EINSUM_LABELS], step[MF_EINSUM_LABELS], to_step[MF_EINSUM_LABELS];
  int64_t sum_size[MF_EINSUM_LABELS], sum_step[MF_EINSUM_LABELS];
  int64_t outer, pieces;
  void (*fn)(const struct strided_sum *s, int64_t begin, int64_t end);
} strided_sum;

#define T float
#define SUM float
#define NAME(x) x##_f32
#include "matmul_einsum.inc"
#define T double
#define SUM double
#define NAME(x) x##_f64
#include "matmul_einsum.inc"
#define T uint8_t
#define SUM uint32_t
#define NAME(x) x##_u8
#include "matmul_einsum.inc"
#define T uint16_t
#define SUM uint32_t
#define NAME(x) x##_u16
#include "matmul_einsum.inc"
#define T uint32_t
#define SUM uint32_t
#define NAME(x) x##_u32
#include "matmul_einsum.inc"
#define T uint64_t
#define SUM uint64_t
#define NAME(x) x##_u64
#include "matmul_einsum.inc"
#define T float _Complex
#define SUM float _Complex
#define NAME(x) x##_c64
#include "matmul_einsum.inc"
#define T double _Complex
#define SUM double _Complex
#define NAME(x) x##_c128
#include "matmul_einsum.inc"

static void (*const by_type[MF_DTYPE_COUNT])(const strided_sum *s, int64_t begin, int64_t end) = {
    [MF_FLOAT32] = strided_f32, [MF_FLOAT64] = strided_f64,   [MF_INT8] = strided_u8,
    [MF_UINT8] = strided_u8,    [MF_INT16] = strided_u16,     [MF_UINT16] = strided_u16,
    [MF_INT32] = strided_u32,   [MF_UINT32] = strided_u32,    [MF_INT64] = strided_u64,
    [MF_UINT64] = strided_u64,  [MF_COMPLEX64] = strided_c64, [MF_COMPLEX128] = strided_c128,
};

static void run_strided_piece(void *arg, int64_t piece) {
  const strided_sum *s = arg;
  int64_t begin, end;
  mf_piece_range(s->outer, s->pieces, 1, piece, &begin, &end);
  s->fn(s, begin, end);
}

static void run_strided(strided_sum *s, mf_dtype type) {
  double cost = 1.5;
  s->fn = by_type[type];
  if (s->n == 0) s->size[0] = s->n = 1, s->step[0] = s->to_step[0] = 0;
  s->outer = 1;
  for (int d = 0; d < s->n - 1; d++) s->outer *= s->size[d];
  for (int d = 0; d < s->n_sum; d++) cost *= (double)s->sum_size[d];
  if (s->outer * s->size[s->n - 1] == 0) return;
  s->pieces = mf_pieces_for(s->outer, cost * (double)s->size[s->n - 1]);
  if (s->pieces < 1) s->pieces = 1;
  if (s->pieces > 1) mf_parallel_for(s->pieces, run_strided_piece, s);
  else s->fn(s, 0, s->outer);
}

/* ---- labels of a tensor: the step of each, 0 where it has none */

typedef struct labelled {
  char *data;
  bool has[MF_EINSUM_LABELS], plain;     /* plain: no label twice, none of size 1 that is broadcast */
  int64_t step[MF_EINSUM_LABELS];
  const mf_einsum_axes *axes;
} labelled;

static labelled label(const mf_tensor *t, const mf_einsum_axes *axes, const int64_t *sizes) {
  labelled l = {.data = t->data, .plain = true, .axes = axes};
  int64_t step = 1;
  for (int i = axes->rank - 1; i >= 0; i--) {
    int k = axes->label[i];
    if (l.has[k]) l.plain = false;
    if (t->shape.dims[i] == sizes[k]) {
      l.has[k] = true;
      l.step[k] += step;
    } else {
      l.plain = false;
    }
    step *= t->shape.dims[i];
  }
  return l;
}

typedef struct label_list {
  int n;
  int8_t label[MF_EINSUM_LABELS];
} label_list;

static void push(label_list *l, int label) { l->label[l->n++] = (int8_t)label; }

static int64_t product(const label_list *l, const int64_t *sizes) {
  int64_t n = 1;
  for (int i = 0; i < l->n; i++) n *= sizes[l->label[i]];
  return n;
}

/* ---- the plan */

typedef struct plan {
  mf_einsum_bound b;
  mf_dtype type;
  size_t size;
  labelled x, y, out;
  label_list batch, rows, columns, inner, sum_x, sum_y;
  bool x_direct, x_transposed, y_direct, y_transposed, out_direct;
  size_t x_bytes, y_bytes, out_bytes;    /* copies in the workspace */
} plan;

static mf_status bind(const mf_call *c, plan *p) {
  mf_einsum e;
  bool known;
  const mf_shape *shapes[2] = {&c->in[0]->shape, c->n_in > 1 ? &c->in[1]->shape : NULL};
  MF_TRY(mf_einsum_parse(mf_attr_text(c->attrs, "equation"), c->n_in, &e));
  MF_TRY(mf_einsum_bind(&e, shapes, &p->b, &known));
  p->type = mf_tensor_dtype(c->in[0]);
  p->size = mf_dtype_size(p->type);
  p->x = label(c->in[0], &p->b.in[0], p->b.size);
  if (c->n_in > 1) p->y = label(c->in[1], &p->b.in[1], p->b.size);
  p->out = label(c->out[0], &p->b.out, p->b.size);
  return NULL;
}

/* Do the axes of `t` read first, second, third? */
static bool reads(const labelled *t, const label_list *first, const label_list *second, const label_list *third) {
  const label_list *lists[] = {first, second, third};
  int at = 0;
  if (!t->plain || t->axes->rank != first->n + second->n + third->n) return false;
  for (int l = 0; l < 3; l++)
    for (int i = 0; i < lists[l]->n; i++)
      if (t->axes->label[at++] != lists[l]->label[i]) return false;
  return true;
}

static size_t round64(size_t n) { return (n + 63) & ~(size_t)63; }

/* Orders: batch and free labels as in the result, contracted ones as in x. */
static void classify(plan *p) {
  bool seen[MF_EINSUM_LABELS] = {false};
  for (int i = 0; i < p->b.out.rank; i++) {
    int k = p->b.out.label[i];
    if (seen[k]) continue;
    seen[k] = true;
    if (p->x.has[k] && p->y.has[k]) push(&p->batch, k);
    else push(p->x.has[k] ? &p->rows : &p->columns, k);
  }
  for (int i = 0; i < p->x.axes->rank; i++) {
    int k = p->x.axes->label[i];
    if (seen[k] || !p->x.has[k]) continue;
    seen[k] = true;
    push(p->y.has[k] ? &p->inner : &p->sum_x, k);
  }
  for (int i = 0; i < p->y.axes->rank; i++) {
    int k = p->y.axes->label[i];
    if (seen[k] || !p->y.has[k]) continue;
    seen[k] = true;
    push(&p->sum_y, k);
  }
}

static void exchange(plan *p) {
  labelled t = p->x;
  label_list l = p->rows;
  p->x = p->y, p->y = t;
  p->rows = p->columns, p->columns = l;
  l = p->sum_x, p->sum_x = p->sum_y, p->sum_y = l;
}

static mf_status make_plan(const mf_call *c, plan *p) {
  memset(p, 0, sizeof *p);
  MF_TRY(bind(c, p));
  if (c->n_in == 1) return NULL;
  classify(p);
  if (!reads(&p->out, &p->batch, &p->rows, &p->columns) && reads(&p->out, &p->batch, &p->columns, &p->rows))
    exchange(p);
  int64_t batch = product(&p->batch, p->b.size), m = product(&p->rows, p->b.size), n = product(&p->columns, p->b.size);
  int64_t k = product(&p->inner, p->b.size);
  p->x_direct = reads(&p->x, &p->batch, &p->rows, &p->inner);
  p->x_transposed = !p->x_direct && reads(&p->x, &p->batch, &p->inner, &p->rows);
  p->y_direct = reads(&p->y, &p->batch, &p->inner, &p->columns);
  p->y_transposed = !p->y_direct && reads(&p->y, &p->batch, &p->columns, &p->inner);
  p->out_direct = reads(&p->out, &p->batch, &p->rows, &p->columns);
  if (!p->x_direct && !p->x_transposed) p->x_bytes = round64((size_t)(batch * m * k) * p->size);
  if (!p->y_direct && !p->y_transposed) p->y_bytes = round64((size_t)(batch * k * n) * p->size);
  if (!p->out_direct) p->out_bytes = round64((size_t)(batch * m * n) * p->size);
  return NULL;
}

static size_t einsum_workspace(const mf_call *c) {
  plan p;
  mf_status status = make_plan(c, &p);
  mf_status_release(status);
  return status ? 0 : p.x_bytes + p.y_bytes + p.out_bytes;
}

/* ---- running */

static void keep(strided_sum *s, const plan *p, const label_list *l, const labelled *from) {
  for (int i = 0; i < l->n; i++) {
    s->size[s->n] = p->b.size[l->label[i]];
    s->step[s->n++] = from->step[l->label[i]];
  }
}

/* The operand as a dense [batch, second, third], with `sums` summed away. */
static void pack(const plan *p, const labelled *t, const label_list *second, const label_list *third,
                 const label_list *sums, char *to) {
  strided_sum s = {.from = t->data, .to = to};
  keep(&s, p, &p->batch, t);
  keep(&s, p, second, t);
  keep(&s, p, third, t);
  int64_t step = 1;
  for (int i = s.n - 1; i >= 0; i--) {
    s.to_step[i] = step;
    step *= s.size[i];
  }
  for (int i = 0; i < sums->n; i++) {
    s.sum_size[s.n_sum] = p->b.size[sums->label[i]];
    s.sum_step[s.n_sum++] = t->step[sums->label[i]];
  }
  run_strided(&s, p->type);
}

/* From the dense product to the result; places off a repeated label's diagonal are zero. */
static void unpack(const plan *p, const char *from, mf_tensor *out) {
  strided_sum s = {.from = from, .to = out->data};
  const label_list *lists[] = {&p->batch, &p->rows, &p->columns};
  for (int l = 0; l < 3; l++)
    for (int i = 0; i < lists[l]->n; i++) {
      s.size[s.n] = p->b.size[lists[l]->label[i]];
      s.to_step[s.n++] = p->out.step[lists[l]->label[i]];
    }
  int64_t step = 1;
  for (int i = s.n - 1; i >= 0; i--) {
    s.step[i] = step;
    step *= s.size[i];
  }
  if (!p->out.plain) memset(out->data, 0, mf_tensor_bytes(out));
  run_strided(&s, p->type);
}

static mf_status run_single(const plan *p, mf_tensor *out) {
  strided_sum s = {.from = p->x.data, .to = out->data};
  bool kept[MF_EINSUM_LABELS] = {false};
  for (int i = 0; i < p->b.out.rank; i++) {
    int k = p->b.out.label[i];
    if (kept[k]) continue;
    kept[k] = true;
    s.size[s.n] = p->b.size[k];
    s.step[s.n] = p->x.step[k];
    s.to_step[s.n++] = p->out.step[k];
  }
  for (int i = 0; i < p->b.in[0].rank; i++) {
    int k = p->b.in[0].label[i];
    if (kept[k]) continue;
    kept[k] = true;
    s.sum_size[s.n_sum] = p->b.size[k];
    s.sum_step[s.n_sum++] = p->x.step[k];
  }
  if (!p->out.plain) memset(out->data, 0, mf_tensor_bytes(out));
  run_strided(&s, p->type);
  return NULL;
}

typedef struct products {
  mfi_gemm one;
  mfi_gemm_fn fn;
  size_t size;
  int64_t batch, pieces;
} products;

static void run_products(void *arg, int64_t piece) {
  const products *s = arg;
  int64_t begin, end;
  mf_piece_range(s->batch, s->pieces, 1, piece, &begin, &end);
  for (int64_t i = begin; i < end; i++) {
    mfi_gemm g = s->one;
    g.a = (const char *)g.a + (size_t)(i * g.m * g.k) * s->size;
    g.b = (const char *)g.b + (size_t)(i * g.k * g.n) * s->size;
    g.c = (char *)g.c + (size_t)(i * g.m * g.n) * s->size;
    s->fn(&g);
  }
}

static void multiply(products *s) {
  if (s->batch * s->one.m * s->one.n == 0) return;
  if (s->batch == 1) {
    mfi_gemm_split(&s->one, s->fn, s->size);
    return;
  }
  s->pieces = mf_pieces_for(s->batch, mfi_gemm_cost(s->one.m, s->one.n, s->one.k, s->size));
  if (s->pieces < 1) s->pieces = 1;
  if (s->pieces > 1) mf_parallel_for(s->pieces, run_products, s);
  else run_products(s, 0);
}

static int64_t at_least_1(int64_t n) { return n > 0 ? n : 1; }

static mf_status run_einsum(mf_call *c) {
  plan p;
  MF_TRY(make_plan(c, &p));
  if (c->n_in == 1) return run_single(&p, c->out[0]);
  char *copy = c->workspace, *a = p.x.data, *b = p.y.data, *to = c->out[0]->data;
  if (p.x_bytes) pack(&p, &p.x, &p.rows, &p.inner, &p.sum_x, a = copy);
  copy += p.x_bytes;
  if (p.y_bytes) pack(&p, &p.y, &p.inner, &p.columns, &p.sum_y, b = copy);
  copy += p.y_bytes;
  if (p.out_bytes) to = copy;
  products s = {.fn = mfi_gemm_for(p.type), .size = p.size, .batch = product(&p.batch, p.b.size)};
  s.one = (mfi_gemm){.ta = p.x_transposed, .tb = p.y_transposed, .m = product(&p.rows, p.b.size),
                     .n = product(&p.columns, p.b.size), .k = product(&p.inner, p.b.size), .a = a, .b = b, .c = to};
  s.one.lda = at_least_1(p.x_transposed ? s.one.m : s.one.k);
  s.one.ldb = at_least_1(p.y_transposed ? s.one.k : s.one.n);
  s.one.ldc = at_least_1(s.one.n);
  multiply(&s);
  if (!p.out_direct) unpack(&p, to, c->out[0]);
  return NULL;
}

const mf_kernel_def mf_kernels_matmul_einsum[] = {{.op = &mf_op_Einsum,
                                                   .name = "gemm",
                                                   .type_attr = "T",
                                                   .types = MF_TYPES_F32_F64 | MF_TYPES_INTEGER | MF_TYPES_COMPLEX,
                                                   .workspace = einsum_workspace,
                                                   .run = run_einsum},
                                                  {0}};
