/* array_slice.c - Slice, StridedSlice, StridedSliceGrad: views where whole leading rows are taken, boxes elsewhere. */
#include "array_move.h"
#include "ops/array/strided_slice.h"
#include "ops/op_list.h"

/* A box cut out of an input: first element, step and number along each dimension. */
typedef struct cut {
  mf_shape out;
  int rank;
  int64_t begin[MF_MAX_RANK], step[MF_MAX_RANK], count[MF_MAX_RANK];
} cut;

static mf_status make_cut(const mf_call *c, cut *k) {
  const mf_shape *in = &c->in[0]->shape;
  k->rank = k->out.rank = in->rank;
  if (c->attrs.op == &mf_op_Slice) {
    for (int i = 0; i < in->rank; i++) {
      int64_t size = mfi_int_at(c->in[2], i);
      k->begin[i] = mfi_int_at(c->in[1], i);
      k->step[i] = 1;
      k->count[i] = k->out.dims[i] = size < 0 ? in->dims[i] - k->begin[i] : size;
    }
    return NULL;
  }
  mfi_strided spec;
  MF_TRY(mfi_strided_make("StridedSlice", c->attrs, c->in[1], c->in[2], c->in[3], (int)mf_tensor_count(c->in[1]), in,
                          &spec));
  for (int i = 0; i < in->rank; i++)
    k->begin[i] = spec.begin[i], k->step[i] = spec.stride[i], k->count[i] = spec.count[i];
  k->out = spec.final;
  return NULL;
}

static mf_status move_cut(mfi_move *m) {
  cut k;
  mfi_box box = {.rank = 0};
  int64_t from[MF_MAX_RANK], stride = (int64_t)m->elem, to[MF_MAX_RANK], first = 0;
  MF_TRY(make_cut(m->call, &k));
  if (mf_shape_count(&m->shapes[0]) == 0) return NULL;
  mfi_dense_strides(&m->call->in[0]->shape, m->elem, from);
  for (int i = k.rank - 1; i >= 0; i--) to[i] = stride, stride *= k.count[i];
  for (int i = 0; i < k.rank; i++) {
    mfi_box_add(&box, k.count[i], to[i], from[i] * k.step[i]);
    first += k.begin[i] * from[i];
  }
  mfi_box_copy(box, m->elem, m->out[0], m->in[0] + first);
  return NULL;
}

/* Rows [begin, begin+n) of the first axis with all of the others: *rows tells. Only plain dtypes can be such a view.
 */
static bool leading_rows(const mf_tensor *t, const cut *k) {
  if (!(MF_TYPE(t->dtype) & MF_TYPES_PLAIN) || k->rank == 0 || k->step[0] != 1 || k->count[0] == 0) return false;
  for (int i = 1; i < k->rank; i++)
    if (k->begin[i] != 0 || k->step[i] != 1 || k->count[i] != t->shape.dims[i]) return false;
  return true;
}

static mf_status run_cut(mf_call *c) {
  cut k;
  mf_tensor *rows, *view;
  MF_TRY(make_cut(c, &k));
  if (!leading_rows(c->in[0], &k)) return mfi_move_run(c, mf_out_type(c, 0), move_cut);
  MF_TRY(mf_tensor_rows(c->in[0], k.begin[0], k.count[0], &rows));
  mf_status status = mf_tensor_view(rows, &k.out, &view);
  mf_tensor_release(rows);
  if (status) return status;
  mf_out_take(c, 0, view);
  return NULL;
}

/* ---- StridedSliceGrad */

static mf_status move_uncut(mfi_move *m) {
  const mf_call *c = m->call;
  mfi_strided spec;
  mfi_box box = {.rank = 0};
  int64_t to[MF_MAX_RANK], from[MF_MAX_RANK], first = 0;
  MF_TRY(mfi_strided_make("StridedSliceGrad", c->attrs, c->in[1], c->in[2], c->in[3], (int)mf_tensor_count(c->in[1]),
                          &m->shapes[0], &spec));
  mfi_zero(m->out[0], (size_t)mf_shape_count(&m->shapes[0]) * m->elem);
  if (mf_tensor_count(c->in[4]) == 0) return NULL;
  mfi_dense_strides(&m->shapes[0], m->elem, to);
  mfi_dense_strides(&spec.processed, m->elem, from);
  for (int i = 0; i < spec.rank; i++) {
    mfi_box_add(&box, spec.count[i], to[i] * spec.stride[i], from[i]);
    first += spec.begin[i] * to[i];
  }
  mfi_box_copy(box, m->elem, m->out[0] + first, m->in[4]);
  return NULL;
}

static mf_status run_uncut(mf_call *c) { return mfi_move_run(c, mf_out_type(c, 0), move_uncut); }

const mf_kernel_def mf_kernels_array_slice[] = {
    {.op = &mf_op_Slice, .name = "box", .device = MF_CPU, .rank = 10, .run = run_cut},
    {.op = &mf_op_StridedSlice, .name = "box", .device = MF_CPU, .rank = 10, .run = run_cut},
    {.op = &mf_op_StridedSliceGrad, .name = "box", .device = MF_CPU, .rank = 10, .type_attr = "T",
     .types = MF_TYPES_PLAIN, .run = run_uncut},
    {0}};
