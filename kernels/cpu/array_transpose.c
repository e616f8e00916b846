/* array_transpose.c - Transpose (blocked: array_move.c), InvertPermutation. */
#include <inttypes.h>

#include "array_move.h"
#include "ops/op_list.h"

static mf_status move_transpose(mfi_move *m) {
  const mf_tensor *x = m->call->in[0], *perm = m->call->in[1];
  int64_t to[MF_MAX_RANK], from[MF_MAX_RANK];
  mfi_box box = {.rank = 0};
  mfi_dense_strides(&m->shapes[0], m->elem, to);
  mfi_dense_strides(&x->shape, m->elem, from);
  for (int i = 0; i < x->shape.rank; i++) {
    int64_t p = mfi_int_at(perm, i);
    mfi_box_add(&box, m->shapes[0].dims[i], to[i], from[p < 0 ? p + x->shape.rank : p]);
  }
  mfi_box_copy(box, m->elem, m->out[0], m->in[0]);
  return NULL;
}

static mf_status run_transpose(mf_call *c) { return mfi_move_run(c, mf_out_type(c, 0), move_transpose); }

/* ---- InvertPermutation */

static mf_status run_invert(mf_call *c) {
  int64_t n = mf_tensor_count(c->in[0]);
  bool wide = c->out[0]->dtype == MF_INT64;
  mfi_fill(mf_data(c->out[0]), n, wide ? 8 : 4, &(int64_t){-1});
  for (int64_t i = 0; i < n; i++) {
    int64_t d = mfi_int_at(c->in[0], i);
    if (d < 0 || d >= n)
      return mf_fail(MF_INVALID_ARGUMENT, "InvertPermutation: %" PRId64 " is not between 0 and %" PRId64, d, n);
    if (mfi_int_at(c->out[0], d) != -1)
      return mf_fail(MF_INVALID_ARGUMENT, "InvertPermutation: %" PRId64 " is duplicated in the input.", d);
    if (wide) MF_DATA(int64_t, c->out[0])[d] = i;
    else MF_DATA(int32_t, c->out[0])[d] = (int32_t)i;
  }
  return NULL;
}

const mf_kernel_def mf_kernels_array_transpose[] = {
    {.op = &mf_op_Transpose, .name = "blocked", .device = MF_CPU, .rank = 10, .run = run_transpose},
    {.op = &mf_op_InvertPermutation, .name = "scatter", .device = MF_CPU, .rank = 10, .run = run_invert},
    {0}};
