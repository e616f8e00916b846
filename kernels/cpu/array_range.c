/* array_range.c - Range, LinSpace, OneHot. */
#include <string.h>

#include "array_move.h"
#include "base/half.h"
#include "ops/op_list.h"

static void put_double(mf_tensor *t, int64_t i, double v) {
  switch (mf_tensor_dtype(t)) {
    case MF_FLOAT64: MF_DATA(double, t)[i] = v; break;
    case MF_FLOAT16: MF_DATA(uint16_t, t)[i] = mf_half_from_float((float)v); break;
    case MF_BFLOAT16: MF_DATA(uint16_t, t)[i] = mf_bfloat16_from_float((float)v); break;
    default: MF_DATA(float, t)[i] = (float)v;
  }
}

/* start + i * delta, each product and sum rounded to the dtype as TensorFlow's kernel does. */
static void range_halves(mf_tensor *out, double start, double delta) {
  for (int64_t i = 0; i < mf_tensor_count(out); i++) {
    put_double(out, i, (double)i);
    put_double(out, i, mf_tensor_get_f64(out, i) * delta);
    put_double(out, i, start + mf_tensor_get_f64(out, i));
  }
}

static void range_floats(mf_tensor *out, double start, double delta) {
  int64_t n = mf_tensor_count(out);
  float *f = MF_DATA(float, out), start_f = (float)start, delta_f = (float)delta;
  double *d = MF_DATA(double, out);
  if (out->dtype == MF_FLOAT32)
    for (int64_t i = 0; i < n; i++) f[i] = start_f + (float)i * delta_f;
  else if (out->dtype == MF_FLOAT64)
    for (int64_t i = 0; i < n; i++) d[i] = start + (double)i * delta;
  else range_halves(out, start, delta);
}

static void range_ints(mf_tensor *out, uint64_t start, uint64_t delta) {
  int64_t n = mf_tensor_count(out);
  uint32_t *narrow = MF_DATA(uint32_t, out);
  uint64_t *wide = MF_DATA(uint64_t, out);
  switch (mf_dtype_size(mf_tensor_dtype(out))) {
    case 1:
      for (int64_t i = 0; i < n; i++) MF_DATA(uint8_t, out)[i] = (uint8_t)(start + (uint64_t)i * delta);
      break;
    case 2:
      for (int64_t i = 0; i < n; i++) MF_DATA(uint16_t, out)[i] = (uint16_t)(start + (uint64_t)i * delta);
      break;
    case 4:
      for (int64_t i = 0; i < n; i++) narrow[i] = (uint32_t)start + (uint32_t)i * (uint32_t)delta;
      break;
    default:
      for (int64_t i = 0; i < n; i++) wide[i] = start + (uint64_t)i * delta;
  }
}

static mf_status run_range(mf_call *c) {
  if (mf_dtype_is_float(mf_tensor_dtype(c->out[0])))
    range_floats(c->out[0], mf_tensor_get_f64(c->in[0], 0), mf_tensor_get_f64(c->in[2], 0));
  else range_ints(c->out[0], (uint64_t)mf_tensor_get_i64(c->in[0], 0), (uint64_t)mf_tensor_get_i64(c->in[2], 0));
  return NULL;
}

/* ---- LinSpace */

static mf_status run_lin_space(mf_call *c) {
  mf_tensor *out = c->out[0];
  int64_t n = mf_tensor_count(out);
  double start = mf_tensor_get_f64(c->in[0], 0), stop = mf_tensor_get_f64(c->in[1], 0);
  put_double(out, 0, start);
  if (out->dtype == MF_FLOAT64) {
    double step = n > 1 ? (stop - start) / (double)(n - 1) : 0;
    for (int64_t i = 1; i < n - 1; i++) MF_DATA(double, out)[i] = start + step * (double)i;
  } else {
    float step = n > 1 ? ((float)stop - (float)start) / (float)(n - 1) : 0;
    if (out->dtype != MF_FLOAT32) { /* half floats: the step itself is rounded */
      put_double(out, 0, (double)step);
      step = (float)mf_tensor_get_f64(out, 0);
      put_double(out, 0, start);
    }
    for (int64_t i = 1; i < n - 1; i++) put_double(out, i, (double)((float)start + step * (float)i));
  }
  if (n > 1) put_double(out, n - 1, stop); /* exactly: the sum of steps would miss it */
  return NULL;
}

/* ---- OneHot: all off, then one element a (row, index) on */

static void put_cell(char *to, const char *from, size_t elem) {
  if (elem == 4) memcpy(to, from, 4);
  else if (elem == 8) memcpy(to, from, 8);
  else memcpy(to, from, elem);
}

static mf_status move_one_hot(mfi_move *m) {
  const mf_call *c = m->call;
  const mf_tensor *indices = c->in[0];
  const mf_shape *in = &indices->shape;
  int64_t depth = mfi_int_at(c->in[1], 0), axis = mf_attr_int(c->attrs, "axis");
  if (axis < 0) axis = in->rank;
  int64_t outer = mf_shape_count_range(in, 0, (int)axis), inner = mf_shape_count_range(in, (int)axis, in->rank);
  mfi_fill(m->out[0], mf_shape_count(&m->shapes[0]), m->elem, m->in[3]);
  for (int64_t o = 0; o < outer; o++)
    for (int64_t i = 0; i < inner; i++) {
      int64_t at = mfi_int_at(indices, o * inner + i);
      if (at < 0 || at >= depth) continue;
      put_cell(m->out[0] + (size_t)((o * depth + at) * inner + i) * m->elem, m->in[2], m->elem);
    }
  return NULL;
}

static mf_status run_one_hot(mf_call *c) { return mfi_move_run(c, mf_out_type(c, 0), move_one_hot); }

const mf_kernel_def mf_kernels_array_range[] = {
    {.op = &mf_op_Range, .name = "loop", .device = MF_CPU, .rank = 10, .run = run_range},
    {.op = &mf_op_LinSpace, .name = "loop", .device = MF_CPU, .rank = 10, .run = run_lin_space},
    {.op = &mf_op_OneHot, .name = "fill", .device = MF_CPU, .rank = 10, .run = run_one_hot},
    {0}};
