/* elementwise_string.c - kernels of Add (joins), Equal, NotEqual, SelectV2 and Select for strings. */
#include <string.h>

#include "base/memory.h"
#include "kernels/cpu/elementwise.h"
#include "ops/op_list.h"

/* Calls visit(user, at[]) for each output element in order; at[i] is the element of operand i. */
typedef mf_status (*visit_fn)(void *user, const int64_t *at);

static mf_status visit_all(const mf_shape *out, const mf_shape *const *in, int n_in, visit_fn visit, void *user) {
  mfi_walk w;
  int64_t index[MF_MAX_RANK] = {0}, at[MFI_MAX_OPERANDS] = {0};
  mfi_walk_make(&w, out, in, n_in);
  for (int64_t n = 0; n < w.count; n++) {
    MF_TRY(visit(user, at));
    for (int d = 0; d < w.rank; d++) {
      bool wraps = ++index[d] == w.dims[d];
      if (wraps) index[d] = 0;
      for (int i = 0; i < n_in; i++) at[i] += w.step[i][d] * (wraps ? 1 - w.dims[d] : 1);
      if (!wraps) break;
    }
  }
  return NULL;
}

/* ---- equality */
typedef struct equal_call {
  const mf_call *c;
  bool *out;
  bool wanted;
} equal_call;

static mf_status equal_visit(void *user, const int64_t *at) {
  equal_call *e = user;
  size_t na, nb;
  const char *a = mf_string_at(e->c->in[0], at[0], &na), *b = mf_string_at(e->c->in[1], at[1], &nb);
  *e->out++ = (na == nb && (na == 0 || !memcmp(a, b, na))) == e->wanted;
  return NULL;
}

static mf_status run_equality(mf_call *c, bool wanted) {
  const mf_shape *shapes[] = {&c->in[0]->shape, &c->in[1]->shape};
  equal_call e = {.c = c, .out = mf_data(c->out[0]), .wanted = wanted};
  mf_shape s;
  mf_status status = mf_shape_broadcast(shapes[0], shapes[1], &s);
  if (!status) return visit_all(&s, shapes, 2, equal_visit, &e);
  mf_status_release(status);
  *e.out = !wanted;
  return NULL;
}

static mf_status run_Equal(mf_call *c) { return run_equality(c, true); }
static mf_status run_NotEqual(mf_call *c) { return run_equality(c, false); }

/* ---- joining and choosing: the result is built string by string */
typedef struct build_call {
  const mf_call *c;
  mf_string_builder *out;
  char *text;
  size_t capacity;
} build_call;

static mf_status join_visit(void *user, const int64_t *at) {
  build_call *b = user;
  size_t n[2];
  const char *part[2];
  for (int i = 0; i < 2; i++) part[i] = mf_string_at(b->c->in[i], at[i], &n[i]);
  if (!mf_array_reserve((void **)&b->text, &b->capacity, n[0] + n[1] + 1, 1)) return mf_fail_oom();
  if (n[0]) memcpy(b->text, part[0], n[0]);
  if (n[1]) memcpy(b->text + n[0], part[1], n[1]);
  return mf_string_builder_add(b->out, b->text, n[0] + n[1]);
}

static mf_status select_visit(void *user, const int64_t *at) {
  build_call *b = user;
  size_t n;
  int from = MF_DATA(bool, b->c->in[0])[at[0]] ? 1 : 2;
  const char *text = mf_string_at(b->c->in[from], at[from], &n);
  return mf_string_builder_add(b->out, text, n);
}

static mf_status build(mf_call *c, const mf_shape *out, const mf_shape *const *shapes, int n_in, visit_fn visit) {
  build_call b = {.c = c};
  mf_tensor *result = NULL;
  MF_TRY(mf_string_builder_new(out, &b.out));
  mf_status status = visit_all(out, shapes, n_in, visit, &b);
  if (status) mf_string_builder_release(b.out);
  else status = mf_string_builder_take(b.out, &result);
  if (!status) mf_out_take(c, 0, result);
  mf_free(b.text);
  return status;
}

static mf_status run_Add(mf_call *c) {
  const mf_shape *shapes[] = {&c->in[0]->shape, &c->in[1]->shape};
  mf_shape out;
  MF_TRY(mf_shape_broadcast(shapes[0], shapes[1], &out));
  return build(c, &out, shapes, 2, join_visit);
}

static mf_status run_SelectV2(mf_call *c) {
  const mf_shape *shapes[] = {&c->in[0]->shape, &c->in[1]->shape, &c->in[2]->shape};
  mf_shape out;
  MF_TRY(mf_shape_broadcast(shapes[0], shapes[1], &out));
  MF_TRY(mf_shape_broadcast(&out, shapes[2], &out));
  return build(c, &out, shapes, 3, select_visit);
}

static mf_status run_Select(mf_call *c) {
  mf_shape condition = c->in[0]->shape;
  const mf_shape *s = &c->in[1]->shape, *shapes[] = {&condition, s, s};
  if (condition.rank == 1)
    for (; condition.rank < s->rank; condition.rank++) condition.dims[condition.rank] = 1;
  return build(c, s, shapes, 3, select_visit);
}

#define ROW(op_)                                                                           \
  {.op = &mf_op_##op_, .name = "strings", .device = MF_CPU, .rank = 20, .type_attr = "T", \
   .types = MF_TYPE(MF_STRING), .run = run_##op_}
const mf_kernel_def mf_kernels_elementwise_string[] = {ROW(Equal),    ROW(NotEqual), ROW(Add),
                                                       ROW(SelectV2), ROW(Select),   {0}};
