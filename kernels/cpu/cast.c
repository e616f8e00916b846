/* cast.c - kernels of Cast and CheckNumerics. */
#include "kernels/cpu/cast.h"

#include <math.h>
#include <string.h>

#include "base/pool.h"
#include "ops/op_list.h"

typedef struct cast_call {
  mfi_cast_loop loop;
  const char *in;
  char *out;
  size_t size_in, size_out;
  int64_t count, pieces;
  int cut_bits;             /* Truncate: so many low bits of the source are cleared first */
} cast_call;

/* Digits that the target cannot hold are cleared, so that nothing is rounded. */
static void cut_digits(const cast_call *c, char *out, const char *in, int64_t n) {
  enum { CHUNK = 512 };
  uint64_t copy[CHUNK];
  for (int64_t at = 0; at < n; at += CHUNK) {
    int64_t m = n - at < CHUNK ? n - at : CHUNK;
    memcpy(copy, in + (size_t)at * c->size_in, (size_t)m * c->size_in);
    if (c->size_in == 8) {
      for (int64_t i = 0; i < m; i++) copy[i] &= ~UINT64_C(0) << c->cut_bits;
    } else {
      uint32_t *narrow = (uint32_t *)copy;
      for (int64_t i = 0; i < m; i++) narrow[i] &= ~UINT32_C(0) << c->cut_bits;
    }
    c->loop(out + (size_t)at * c->size_out, copy, m);
  }
}

static void run_piece(void *arg, int64_t piece) {
  const cast_call *c = arg;
  int64_t begin, end;
  mf_piece_range(c->count, c->pieces, 64, piece, &begin, &end);
  char *out = c->out + (size_t)begin * c->size_out;
  const char *in = c->in + (size_t)begin * c->size_in;
  if (c->cut_bits) cut_digits(c, out, in, end - begin);
  else c->loop(out, in, end - begin);
}

/* Bits of the fraction that `to` lacks; 0 where Truncate changes nothing. */
static int cut_bits_of(mf_dtype from, mf_dtype to) {
  int narrow = to == MF_FLOAT32 ? 23 : to == MF_FLOAT16 ? 10 : to == MF_BFLOAT16 ? 7 : 0;
  if (!narrow) return 0;
  if (from == MF_FLOAT64) return 52 - narrow;
  return from == MF_FLOAT32 && to != MF_FLOAT32 ? 23 - narrow : 0;
}

static const char *cast_supports(const mf_call *c) {
  mf_dtype to = mf_attr_type(c->attrs, "DstT");
  return MF_TYPE(to) & MF_TYPES_PLAIN ? NULL : "no conversion to this type";
}

static mf_status run_Cast(mf_call *c) {
  mf_dtype from = (mf_dtype)c->in[0]->dtype, to = (mf_dtype)c->out[0]->dtype;
  cast_call k = {.loop = MFI_ISA_PICK(mfi_casts)->to[from][to], .in = c->in[0]->data, .out = c->out[0]->data,
                 .size_in = mf_dtype_size(from), .size_out = mf_dtype_size(to), .count = mf_tensor_count(c->in[0])};
  if (mf_attr_bool(c->attrs, "Truncate")) k.cut_bits = cut_bits_of(from, to);
  k.pieces = mf_pieces_for(k.count, 0.03 * (double)(k.size_in + k.size_out));
  if (k.pieces == 1) run_piece(&k, 0);
  else mf_parallel_for(k.pieces, run_piece, &k);
  return NULL;
}

/* ---- CheckNumerics */
static void count_f32(const float *x, int64_t n, bool *nan, bool *inf) {
  for (int64_t i = 0; i < n; i++) {
    *nan |= x[i] != x[i];
    *inf |= isinf(x[i]) != 0;
  }
}

static void count_f64(const double *x, int64_t n, bool *nan, bool *inf) {
  for (int64_t i = 0; i < n; i++) {
    *nan |= x[i] != x[i];
    *inf |= isinf(x[i]) != 0;
  }
}

static mf_status run_CheckNumerics(mf_call *c) {
  const mf_tensor *x = c->in[0];
  int64_t n = mf_tensor_count(x);
  bool nan = false, inf = false;
  if (x->dtype == MF_FLOAT32) count_f32(mf_data(x), n, &nan, &inf);
  else count_f64(mf_data(x), n, &nan, &inf);
  if (nan || inf) {
    mf_text message = mf_attr_text(c->attrs, "message");
    return mf_fail(MF_INVALID_ARGUMENT, "%.*s : Tensor had %s values", (int)message.size, message.bytes,
                   nan && inf ? "Inf and NaN" : nan ? "NaN" : "Inf");
  }
  memcpy(mf_data(c->out[0]), mf_data(x), mf_tensor_bytes(x));
  return NULL;
}

const mf_kernel_def mf_kernels_cast[] = {
    {.op = &mf_op_Cast, .name = "vector", .device = MF_CPU, .rank = 10, .type_attr = "SrcT", .types = MF_TYPES_PLAIN,
     .supports = cast_supports, .run = run_Cast},
    {.op = &mf_op_CheckNumerics, .name = "vector", .device = MF_CPU, .rank = 10, .type_attr = "T",
     .types = MF_TYPES_F32_F64, .run = run_CheckNumerics},
    {0}};
