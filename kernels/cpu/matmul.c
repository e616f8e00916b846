/* matmul.c - kernels of MatMul, BatchMatMul, BatchMatMulV2 and BatchMatMulV3. */
#include "base/pool.h"
#include "gemm.h"
#include "ops/kernel.h"
#include "ops/op_list.h"

/* ---- MatMul */

static mf_status run_matmul(mf_call *c) {
  const mf_tensor *a = c->in[0], *b = c->in[1];
  mf_dtype type = mf_tensor_dtype(a);
  mfi_gemm g = {.ta = mf_attr_bool(c->attrs, "transpose_a"), .tb = mf_attr_bool(c->attrs, "transpose_b")};
  g.m = a->shape.dims[g.ta];
  g.k = a->shape.dims[1 - (int)g.ta];
  g.n = b->shape.dims[1 - (int)g.tb];
  g.a = a->data, g.b = b->data, g.c = c->out[0]->data;
  g.lda = a->shape.dims[1] > 0 ? a->shape.dims[1] : 1;
  g.ldb = b->shape.dims[1] > 0 ? b->shape.dims[1] : 1;
  g.ldc = g.n > 0 ? g.n : 1;
  mfi_gemm_split(&g, mfi_gemm_for(type), mf_dtype_size(type));
  return NULL;
}

/* ---- stacks of matrices */

typedef struct stack {
  mfi_gemm one;              /* sizes; the addresses are those of the first product */
  mfi_gemm_fn fn;
  size_t size;
  int64_t count, pieces;
  int rank;                  /* of the leading dimensions */
  int64_t dims[MF_MAX_RANK], a_step[MF_MAX_RANK], b_step[MF_MAX_RANK], c_step;   /* steps in elements; 0: broadcast */
} stack;

/* Steps through the leading dimensions of `s`, whose matrices hold `matrix` elements, as part of a result of rank
 * `rank`. */
static void leading_steps(const mf_shape *s, int rank, int64_t matrix, int64_t *steps) {
  int lead = s->rank - 2, shift = rank - lead;
  int64_t step = matrix;
  for (int i = rank - 1; i >= 0; i--) {
    int64_t dim = i >= shift ? s->dims[i - shift] : 1;
    steps[i] = dim == 1 ? 0 : step;
    step *= dim;
  }
}

static void run_products(void *arg, int64_t piece) {
  const stack *s = arg;
  int64_t begin, end;
  mf_piece_range(s->count, s->pieces, 1, piece, &begin, &end);
  for (int64_t i = begin; i < end; i++) {
    int64_t left = i, a = 0, b = 0;
    for (int d = s->rank - 1; d >= 0; d--) {
      int64_t at = left % s->dims[d];
      left /= s->dims[d];
      a += at * s->a_step[d];
      b += at * s->b_step[d];
    }
    mfi_gemm g = s->one;
    g.a = (const char *)g.a + (size_t)a * s->size;
    g.b = (const char *)g.b + (size_t)b * s->size;
    g.c = (char *)g.c + (size_t)(i * s->c_step) * s->size;
    s->fn(&g);
  }
}

/* Many rows against one matrix that all of them share are one tall product. */
static bool is_one_product(const stack *s) {
  int64_t tall = s->one.m * s->one.lda;
  if (s->one.ta || s->one.n == 0) return false;
  for (int d = s->rank - 1; d >= 0; d--) {
    if (s->dims[d] == 1) continue;
    if (s->b_step[d] || s->a_step[d] != tall) return false;
    tall *= s->dims[d];
  }
  return true;
}

static void stack_of(const mf_call *c, stack *s) {
  const mf_shape *a = &c->in[0]->shape, *b = &c->in[1]->shape, *out = &c->out[0]->shape;
  mfi_gemm *g = &s->one;
  bool ta = mf_attr_bool(c->attrs, "adj_x"), tb = mf_attr_bool(c->attrs, "adj_y");
  mf_dtype type = mf_tensor_dtype(c->in[0]);
  *g = (mfi_gemm){.ta = ta, .tb = tb, .a = c->in[0]->data, .b = c->in[1]->data, .c = c->out[0]->data};
  g->lda = a->dims[a->rank - 1] > 0 ? a->dims[a->rank - 1] : 1;
  g->ldb = b->dims[b->rank - 1] > 0 ? b->dims[b->rank - 1] : 1;
  g->m = out->dims[out->rank - 2];
  g->n = out->dims[out->rank - 1];
  g->ldc = g->n > 0 ? g->n : 1;
  g->k = a->dims[a->rank - (ta ? 2 : 1)];
  s->fn = mfi_gemm_conjugating(type, ta, tb);
  s->size = mf_dtype_size(type);
  s->rank = out->rank - 2;
  s->count = 1;
  for (int i = 0; i < s->rank; i++) s->count *= s->dims[i] = out->dims[i];
  leading_steps(a, s->rank, a->dims[a->rank - 2] * a->dims[a->rank - 1], s->a_step);
  leading_steps(b, s->rank, b->dims[b->rank - 2] * b->dims[b->rank - 1], s->b_step);
  s->c_step = g->m * g->n;
}

static mf_status run_batch_matmul(mf_call *c) {
  stack s;
  stack_of(c, &s);
  if (s.count * s.c_step == 0) return NULL;
  if (is_one_product(&s)) {
    s.one.m *= s.count;
    s.count = 1;
  }
  if (s.count == 1) {
    mfi_gemm_split(&s.one, s.fn, s.size);
    return NULL;
  }
  s.pieces = mf_pieces_for(s.count, mfi_gemm_cost(s.one.m, s.one.n, s.one.k, s.size));
  if (s.pieces > 1) mf_parallel_for(s.pieces, run_products, &s);
  else {
    s.pieces = 1;
    run_products(&s, 0);
  }
  return NULL;
}

/* ---- BatchMatMulV3: one type, or bytes with 32-bit sums */

static const char *one_type(const mf_call *c) {
  mf_dtype t = mf_tensor_dtype(c->in[0]);
  return t == mf_tensor_dtype(c->in[1]) && t == mf_attr_type(c->attrs, "Tout")
             ? NULL
             : "factors and result have different types";
}

static bool is_byte(mf_dtype t) { return t == MF_INT8 || t == MF_UINT8; }

static const char *bytes_to_int32(const mf_call *c) {
  bool bytes = is_byte(mf_tensor_dtype(c->in[0])) && is_byte(mf_tensor_dtype(c->in[1]));
  return bytes && mf_attr_type(c->attrs, "Tout") == MF_INT32 ? NULL
                                                             : "not a product of 8-bit integers with an int32 result";
}

static size_t widened_bytes(const mf_tensor *t) {
  return ((size_t)mf_tensor_count(t) * sizeof(int32_t) + 63) & ~(size_t)63;
}
static size_t widened_workspace(const mf_call *c) { return widened_bytes(c->in[0]) + widened_bytes(c->in[1]); }

/* A borrowed view: type and memory exchanged, everything else as it was. */
static mf_tensor widened(const mf_tensor *t, char *to) {
  int32_t *wide = (int32_t *)(void *)to;
  int64_t n = mf_tensor_count(t);
  mf_tensor view = {.dtype = MF_INT32, .buffer = t->buffer, .data = to, .shape = t->shape};
  if (mf_tensor_dtype(t) == MF_INT8)
    for (int64_t i = 0; i < n; i++) wide[i] = MF_DATA(int8_t, t)[i];
  else
    for (int64_t i = 0; i < n; i++) wide[i] = MF_DATA(uint8_t, t)[i];
  return view;
}

static mf_status run_widened(mf_call *c) {
  char *memory = c->workspace;
  mf_tensor x = widened(c->in[0], memory), y = widened(c->in[1], memory + widened_bytes(c->in[0]));
  mf_tensor *in[] = {&x, &y};
  mf_call call = *c;
  call.in = in;
  return run_batch_matmul(&call);
}

#define PRODUCT_TYPES (MF_TYPES_F32_F64 | MF_TYPES_INTEGER | MF_TYPES_COMPLEX)

const mf_kernel_def mf_kernels_matmul[] = {
    {.op = &mf_op_MatMul, .name = "gemm", .type_attr = "T", .types = PRODUCT_TYPES, .run = run_matmul},
    {.op = &mf_op_BatchMatMul, .name = "gemm", .type_attr = "T", .types = PRODUCT_TYPES, .run = run_batch_matmul},
    {.op = &mf_op_BatchMatMulV2, .name = "gemm", .type_attr = "T", .types = PRODUCT_TYPES, .run = run_batch_matmul},
    {.op = &mf_op_BatchMatMulV3, .name = "gemm", .type_attr = "Ta", .types = PRODUCT_TYPES, .supports = one_type,
     .run = run_batch_matmul},
    {.op = &mf_op_BatchMatMulV3, .name = "widened", .supports = bytes_to_int32, .workspace = widened_workspace,
     .run = run_widened},
    {0}};
