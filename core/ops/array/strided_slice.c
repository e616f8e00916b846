/* strided_slice.c - StridedSlice and StridedSliceGrad: see strided_slice.h for the meaning of the masks. */
#include "ops/array/strided_slice.h"

#include <inttypes.h>
#include <string.h>

#include "ops/array/dims.h"
#include "ops/op_list.h"

/* ---- the specification */

/* One entry of the sparse specification spread over input dimensions. */
typedef struct entry {
  int64_t begin, end, stride;
  bool begin_open, end_open, shrink, known;
} entry;

typedef struct masks {
  int64_t begin, end, ellipsis, new_axis, shrink;
} masks;

static bool bit(int64_t mask, int i) { return i < 63 && ((mask >> i) & 1); }

/* Both entries list the five masks one after the other: one search by name instead of five (x[i] is a frequent op). */
static masks read_masks(mf_attrs a) {
  const mf_attr *m = mf_attr_find(a, "begin_mask");
  return (masks){m[0].v.i, m[1].v.i, m[2].v.i, m[3].v.i, m[4].v.i};
}

enum { FROM_NEW_AXIS = -1, FROM_SHRUNK = -2 };

/* Where the dimensions of the output come from: an input dimension, or FROM_*. */
typedef struct gather_list {
  int from[3 * MF_MAX_RANK];
  int n;
} gather_list;

static void put(gather_list *g, int from) {
  if (g->n < (int)(sizeof g->from / sizeof *g->from)) g->from[g->n++] = from;
}

static mf_status spread(const char *op, masks m, const mf_tensor *begin, const mf_tensor *end,
                        const mf_tensor *strides, int n, int rank, entry *dense, gather_list *g) {
  int new_after = 0, full = 0;
  bool ellipsis_seen = false;
  for (int i = 0; i < n; i++)
    new_after += ellipsis_seen && bit(m.new_axis, i), ellipsis_seen = ellipsis_seen || bit(m.ellipsis, i);
  if (m.ellipsis & (m.ellipsis - 1))
    return mf_fail(MF_INVALID_ARGUMENT, "%s: Multiple ellipses in slice spec not allowed", op);
  for (int i = 0; i < n; i++) {
    if (bit(m.ellipsis, i)) {
      int next = rank - (n - i) + 1 + new_after;
      for (int last = next < rank ? next : rank; full < last; full++) {
        dense[full] = (entry){.stride = 1, .begin_open = true, .end_open = true, .known = true};
        put(g, full);
      }
    } else if (bit(m.new_axis, i)) {
      put(g, FROM_NEW_AXIS);
    } else {
      if (full == rank)
        return mf_fail(MF_INVALID_ARGUMENT, "%s: Index out of range using input dim %d; input has only %d dims", op,
                       full, rank);
      dense[full] = (entry){
          .begin = begin ? mf_tensor_get_i64(begin, i) : 0,
          .end = end ? mf_tensor_get_i64(end, i) : 0,
          .stride = strides ? mf_tensor_get_i64(strides, i) : 1,
          .begin_open = bit(m.begin, i),
          .end_open = bit(m.end, i),
          .shrink = bit(m.shrink, i),
          .known = strides && (begin || bit(m.begin, i)) && (end || bit(m.end, i) || bit(m.shrink, i))};
      if (dense[full].shrink) dense[full].known = begin != NULL;
      put(g, dense[full].shrink ? FROM_SHRUNK : full);
      full++;
    }
  }
  for (; full < rank; full++) {
    dense[full] = (entry){.stride = 1, .begin_open = true, .end_open = true, .known = true};
    put(g, full);
  }
  return NULL;
}

static int64_t clamp(int64_t v, int64_t low, int64_t high) { return v < low ? low : v > high ? high : v; }

static mf_status one_index(const char *op, const entry *e, int i, int64_t dim, mfi_strided *out) {
  int64_t at = e->begin < 0 ? e->begin + dim : e->begin;
  if (e->stride <= 0) return mf_fail(MF_INVALID_ARGUMENT, "%s: only stride 1 allowed on non-range indexing.", op);
  if (at < 0 || at >= dim)
    return mf_fail(MF_INVALID_ARGUMENT, "%s: slice index %" PRId64 " of dimension %d out of bounds.", op, e->begin, i);
  out->begin[i] = at;
  return NULL;
}

static mf_status one_dim(const char *op, const entry *e, int i, int64_t dim, mfi_strided *out) {
  out->stride[i] = e->shrink ? 1 : e->stride;
  out->begin[i] = -1;
  out->count[i] = e->shrink ? 1 : -1;
  if (e->known && e->stride == 0) return mf_fail(MF_INVALID_ARGUMENT, "%s: strides[%d] must be non-zero", op, i);
  if (!e->known) {
    out->stride[i] = 0;
    return NULL;
  }
  if (dim < 0) { /* what can be said without the dimension: [:k] no, [i] one element, all of it stays unknown */
    return NULL;
  }
  if (e->shrink) return one_index(op, e, i, dim, out);
  bool up = e->stride > 0;
  int64_t low = up ? 0 : -1, high = up ? dim : dim - 1;
  int64_t begin = e->begin_open ? (up ? low : high) : clamp(e->begin < 0 ? e->begin + dim : e->begin, low, high);
  int64_t end = e->end_open ? (up ? high : low) : clamp(e->end < 0 ? e->end + dim : e->end, low, high);
  int64_t length = end - begin, step = e->stride;
  out->begin[i] = begin;
  out->count[i] = length == 0 || (length < 0) != (step < 0) ? 0 : length / step + (length % step != 0);
  return NULL;
}

mf_status mfi_strided_make(const char *op, mf_attrs attrs, const mf_tensor *begin, const mf_tensor *end,
                           const mf_tensor *strides, int n, const mf_shape *in, mfi_strided *out) {
  entry dense[MF_MAX_RANK];
  gather_list g = {.n = 0};
  masks m = read_masks(attrs);
  MF_TRY(spread(op, m, begin, end, strides, n, in->rank, dense, &g));
  out->rank = in->rank;
  out->processed.rank = in->rank;
  out->identity = true;
  for (int i = 0; i < in->rank; i++) {
    MF_TRY(one_dim(op, &dense[i], i, in->dims[i], out));
    out->processed.dims[i] = out->count[i];
    out->identity = out->identity && out->stride[i] == 1 && out->begin[i] == 0 && out->count[i] == in->dims[i];
  }
  out->final = mf_shape_scalar();
  for (int k = 0; k < g.n; k++)
    if (g.from[k] != FROM_SHRUNK)
      MF_TRY(mf_shape_append(&out->final, g.from[k] == FROM_NEW_AXIS ? 1 : out->count[g.from[k]]));
  return NULL;
}

/* ---- StridedSlice */

/* Length of the three vectors at inputs first .. first+2; -1: unknown. */
static mf_status spec_length(const mf_infer *c, int first, int *n) {
  *n = -1;
  for (int i = first; i < first + 3; i++) {
    mf_shape vector;
    MF_TRY(mf_infer_rank(c, i, 1, &vector));
    if (vector.dims[0] < 0) continue;
    if (*n >= 0 && vector.dims[0] != *n)
      return mf_infer_fail(
          c, "Expected begin, end, and strides to be 1D equal size tensors, but got sizes %d and %" PRId64, *n,
          vector.dims[0]);
    if (vector.dims[0] > 3 * MF_MAX_RANK) return mf_infer_fail(c, "too many entries in begin");
    *n = (int)vector.dims[0];
  }
  return NULL;
}

static mf_status strided_slice_infer(mf_infer *c) {
  int n;
  mfi_strided spec;
  MF_TRY(spec_length(c, 1, &n));
  const mf_shape *in = mf_in_shape(c, 0);
  if (in->rank < 0 || n < 0) return NULL;
  MF_TRY(mfi_strided_make("StridedSlice", c->attrs, mf_const_input(c, 1), mf_const_input(c, 2), mf_const_input(c, 3),
                          n, in, &spec));
  c->out[0] = spec.final;
  return NULL;
}

/* A piece of a shape vector: x.shape[1:], tf.shape(x)[0]. */
static bool strided_slice_value(const mf_node *node, int output, mf_shape *out) {
  (void)output;
  mf_shape whole;
  mfi_strided spec;
  mf_tensor *v[3];
  for (int i = 0; i < 3; i++) {
    v[i] = mfi_dims_exact(mfi_node_in(node, i + 1));
    if (!v[i] || mf_tensor_count(v[i]) != 1) return false;
  }
  if (mfi_node_in(node, 0)->shape.rank != 1 || !mfi_dims_value(mfi_node_in(node, 0), &whole)) return false;
  mf_shape vector = mf_shape_1d(whole.rank);
  mf_status status = mfi_strided_make("StridedSlice", mf_node_attrs(node), v[0], v[1], v[2], 1, &vector, &spec);
  if (status) {
    mf_status_release(status);
    return false;
  }
  if (spec.final.rank > 1) return false;
  out->rank = (int)spec.count[0];
  for (int i = 0; i < out->rank; i++) out->dims[i] = whole.dims[spec.begin[0] + i * spec.stride[0]];
  return true;
}

#define MASKS(attrs_)                                                                              \
  MF_A_COPY(attrs_, "begin_mask"), MF_A_COPY(attrs_, "end_mask"), MF_A_COPY(attrs_, "ellipsis_mask"), \
      MF_A_COPY(attrs_, "new_axis_mask"), MF_A_COPY(attrs_, "shrink_axis_mask")

static mf_status strided_slice_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *v[3];
  for (int i = 0; i < 3; i++)
    v[i] = a->in[i + 1]->dtype == MF_INT16 ? mf_b_cast(&b, a->in[i + 1], MF_INT32) : a->in[i + 1];
  if (!b.status) {
    mf_tensor *dims = mfi_b_dims_as(&b, a->in[0], (mf_dtype)v[0]->dtype);
    mf_b_give(&b, &dx[0], MF_BA(&b, StridedSliceGrad, MF_INS(dims, v[0], v[1], v[2], a->dy[0]), MASKS(a->attrs)));
  }
  return mf_builder_close(&b);
}

const mf_op_def mf_op_StridedSlice = {
    MF_OP_NAME(StridedSlice),
    .inputs = "input: T; begin: Index; end: Index; strides: Index",
    .outputs = "output: T",
    .attrs = "T: type; Index: {int16, int32, int64}; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; "
             "new_axis_mask: int = 0; shrink_axis_mask: int = 0",
    .flags = MF_OP_VIEW,
    .infer = strided_slice_infer,
    .grad = strided_slice_grad,
    .saves = MF_SAVE_IN(1) | MF_SAVE_IN(2) | MF_SAVE_IN(3),
    .shape_value = strided_slice_value,
    .doc = "x[begin:end:stride, ...]: mask bits mark open ends, ellipsis, new and removed axes. Whole leading rows "
           "share memory.",
};

/* ---- StridedSliceGrad */

static mf_status strided_slice_grad_infer(mf_infer *c) {
  int n;
  mfi_strided spec;
  mf_shape box;
  MF_TRY(mf_const_shape(c, 0, &c->out[0]));
  MF_TRY(spec_length(c, 1, &n));
  const mf_shape *in = &c->out[0];
  if (in->rank < 0 || n < 0) return NULL;
  MF_TRY(mfi_strided_make("StridedSliceGrad", c->attrs, mf_const_input(c, 1), mf_const_input(c, 2),
                          mf_const_input(c, 3), n, in, &spec));
  return mf_shape_merge(&spec.final, mf_in_shape(c, 4), "StridedSliceGrad: shape of dy", &box);
}

static mf_status strided_slice_grad_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[4] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[4],
            MF_BA(&b, StridedSlice, MF_INS(a->dy[0], a->in[1], a->in[2], a->in[3]), MASKS(a->attrs)));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_StridedSliceGrad = {
    MF_OP_NAME(StridedSliceGrad),
    .inputs = "shape: Index; begin: Index; end: Index; strides: Index; dy: T",
    .outputs = "output: T",
    .attrs = "T: type; Index: {int32, int64}; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; "
             "new_axis_mask: int = 0; shrink_axis_mask: int = 0",
    .infer = strided_slice_grad_infer,
    .grad = strided_slice_grad_grad,
    .saves = MF_SAVE_IN(1) | MF_SAVE_IN(2) | MF_SAVE_IN(3),
    .doc = "Zeros of shape with dy written where the strided slice was taken from.",
};
