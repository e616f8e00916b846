/* elementwise_unary.c - kernels of element-wise ops with one input. */
#include "kernels/cpu/elementwise.h"
#include "ops/op_list.h"

#define F MF_TYPES_F32_F64
#define C MF_TYPES_COMPLEX
#define I MF_TYPES_INTEGER
#define S MF_TYPES_SIGNED

/* op, formula, types, nanoseconds an element (float32) */
#define UNARY(X)                                                                                                 \
  X(Neg, neg, F | S | C, 0.15) X(Abs, abs, F | S, 0.15) X(Sign, sign, F | S | C, 0.2)                            \
  X(Square, square, F | I | C, 0.15) X(Relu, relu, F | I, 0.15) X(Relu6, relu6, F | I, 0.15)                     \
  X(Round, round, F | S, 0.15) X(Rint, round, F, 0.15) X(Exp, exp, F | C, 0.35) X(Expm1, expm1, F | C, 0.5)      \
  X(Log, log, F | C, 0.4) X(Log1p, log1p, F | C, 0.5) X(Sqrt, sqrt, F | C, 0.3) X(Rsqrt, rsqrt, F | C, 0.4)      \
  X(Reciprocal, reciprocal, F | C, 0.3) X(Inv, reciprocal, F | C, 0.3) X(Sin, sin, F | C, 0.5)                   \
  X(Cos, cos, F | C, 0.5) X(Tan, tan, F | C, 0.8) X(Asin, asin, F | C, 0.6) X(Acos, acos, F | C, 0.6)            \
  X(Atan, atan, F | C, 0.6) X(Sinh, sinh, F | C, 0.8) X(Cosh, cosh, F | C, 0.6) X(Tanh, tanh, F | C, 0.5)        \
  X(Asinh, asinh, F | C, 1) X(Acosh, acosh, F | C, 1) X(Atanh, atanh, F | C, 0.8) X(Erf, erf, F, 0.5)            \
  X(Erfc, erfc, F, 0.8) X(Sigmoid, sigmoid, F | C, 0.4) X(Elu, elu, F, 0.5) X(Selu, selu, F, 0.5)                \
  X(Softplus, softplus, F, 0.9) X(Softsign, softsign, F, 0.3) X(Floor, floor, F, 0.15) X(Ceil, ceil, F, 0.15)    \
  X(IsNan, is_nan, F, 0.15) X(IsInf, is_inf, F, 0.15) X(IsFinite, is_finite, F, 0.15) X(Lgamma, lgamma, F, 25)   \
  X(Digamma, digamma, F, 30) X(Erfinv, erfinv, F, 100) X(Ndtri, ndtri, F, 100) X(Invert, invert, I, 0.15)        \
  X(Conj, conj, C, 0.15)

static mf_status run(mf_call *c, int op, double ns) {
  mf_dtype type = (mf_dtype)c->in[0]->dtype;
  mfi_elementwise_run(c, mfi_loop_of(type, op), 1, ns * (double)mf_dtype_size(type) / 4);
  return NULL;
}

#define RUN(op_, formula_, types_, ns_) \
  static mf_status run_##op_(mf_call *c) { return run(c, MFI_##formula_, ns_); }
UNARY(RUN)

#define ROW(op_, formula_, types_, ns_)                                                                     \
  {.op = &mf_op_##op_, .name = "vector", .device = MF_CPU, .rank = 10, .type_attr = "T", .types = types_, \
   .run = run_##op_},
const mf_kernel_def mf_kernels_elementwise_unary[] = {UNARY(ROW){0}};

/* ---- LogicalNot */
static void not_loop(void *out, const void *const *in, int64_t n, unsigned fixed) {
  bool *o = out;
  const bool *a = in[0];
  (void)fixed;
  for (int64_t i = 0; i < n; i++) o[i] = !a[i];
}

static mf_status run_not(mf_call *c) {
  mfi_elementwise_run(c, not_loop, 1, 0.05);
  return NULL;
}

/* ---- tests of 16-bit floating point, by the bits */
/* Bits above those of infinity, the sign left out, are NaN. Neither asked for: finite. */
static void half_test(mf_call *c, bool nan, bool inf) {
  uint16_t infinity = c->in[0]->dtype == MF_FLOAT16 ? 0x7C00 : 0x7F80;
  const uint16_t *x = mf_data(c->in[0]);
  bool *out = mf_data(c->out[0]);
  for (int64_t i = 0, n = mf_tensor_count(c->out[0]); i < n; i++) {
    uint16_t size = x[i] & 0x7FFF;
    out[i] = (nan && size > infinity) || (inf && size == infinity) || (!nan && !inf && size < infinity);
  }
}

static mf_status run_half_nan(mf_call *c) {
  half_test(c, true, false);
  return NULL;
}

static mf_status run_half_inf(mf_call *c) {
  half_test(c, false, true);
  return NULL;
}

static mf_status run_half_finite(mf_call *c) {
  half_test(c, false, false);
  return NULL;
}

/* ---- LeakyRelu: alpha is a second operand that does not change */
static mf_status run_leaky_relu(mf_call *c) {
  const mf_shape scalar = mf_shape_scalar();
  mf_tensor *x = c->in[0];
  float alpha_f32 = mf_attr_float(c->attrs, "alpha");
  double alpha_f64 = (double)alpha_f32;
  bool wide = x->dtype == MF_FLOAT64;
  size_t size = wide ? sizeof(double) : sizeof(float);
  mfi_walk w;
  mfi_walk_make(&w, &c->out[0]->shape, (const mf_shape *[]){&x->shape, &scalar}, 2);
  mfi_walk_run(&w, mfi_loop_of((mf_dtype)x->dtype, MFI_leaky_relu), mf_data(c->out[0]), size,
               (const void *[]){mf_data(x), wide ? (const void *)&alpha_f64 : (const void *)&alpha_f32},
               (size_t[]){size, size}, 0.15 * (double)size / 4);
  return NULL;
}

const mf_kernel_def mf_kernels_elementwise_unary_more[] = {
    {.op = &mf_op_IsNan, .name = "half", .device = MF_CPU, .rank = 10, .type_attr = "T", .types = MF_TYPES_HALF,
     .run = run_half_nan},
    {.op = &mf_op_IsInf, .name = "half", .device = MF_CPU, .rank = 10, .type_attr = "T", .types = MF_TYPES_HALF,
     .run = run_half_inf},
    {.op = &mf_op_IsFinite, .name = "half", .device = MF_CPU, .rank = 10, .type_attr = "T", .types = MF_TYPES_HALF,
     .run = run_half_finite},
    {.op = &mf_op_LogicalNot, .name = "vector", .device = MF_CPU, .rank = 10, .run = run_not},
    {.op = &mf_op_LeakyRelu, .name = "vector", .device = MF_CPU, .rank = 10, .type_attr = "T", .types = F,
     .run = run_leaky_relu},
    {0}};
