/* elementwise_binary.c - kernels of element-wise ops with two inputs that broadcast. */
#include "kernels/cpu/elementwise.h"
#include "ops/op_list.h"

#define F MF_TYPES_F32_F64
#define C MF_TYPES_COMPLEX
#define I MF_TYPES_INTEGER
#define B MF_TYPE(MF_BOOL)

/* op, formula, types, nanoseconds an element (float32) */
#define PLAIN(X)                                                                                                 \
  X(AddV2, add, F | I | C, 0.2) X(Add, add, F | I | C, 0.2) X(Sub, sub, F | I | C, 0.2)                          \
  X(Mul, mul, F | I | C, 0.2) X(RealDiv, div, F | C, 0.3) X(Maximum, maximum, F | I, 0.2)                        \
  X(Minimum, minimum, F | I, 0.2) X(SquaredDifference, squared_difference, F | I | C, 0.2)                       \
  X(DivNoNan, div_no_nan, F | C, 0.3) X(MulNoNan, mul_no_nan, F | C, 0.2) X(Xdivy, xdivy, F, 0.3)                \
  X(Xlogy, xlogy, F, 0.5) X(Xlog1py, xlog1py, F, 0.6) X(Atan2, atan2, F, 1) X(Less, less, F | I, 0.2)            \
  X(LessEqual, less_equal, F | I, 0.2) X(Greater, greater, F | I, 0.2)                                           \
  X(GreaterEqual, greater_equal, F | I, 0.2) X(BitwiseAnd, bitwise_and, I, 0.2)                                  \
  X(BitwiseOr, bitwise_or, I, 0.2) X(BitwiseXor, bitwise_xor, I, 0.2) X(LogicalAnd, bitwise_and, B, 0.05)        \
  X(LogicalOr, bitwise_or, B, 0.05) X(ReluGrad, relu_grad, F | I, 0.2) X(Relu6Grad, relu6_grad, F | I, 0.2)      \
  X(EluGrad, elu_grad, F, 0.2) X(SeluGrad, selu_grad, F, 0.2) X(SoftplusGrad, softplus_grad, F, 0.5)             \
  X(SoftsignGrad, softsign_grad, F, 0.3) X(TanhGrad, tanh_grad, F | C, 0.2)                                      \
  X(SigmoidGrad, sigmoid_grad, F | C, 0.2) X(SqrtGrad, sqrt_grad, F | C, 0.3)                                    \
  X(RsqrtGrad, rsqrt_grad, F | C, 0.2) X(ReciprocalGrad, reciprocal_grad, F | C, 0.2)                            \
  X(InvGrad, reciprocal_grad, F | C, 0.2) X(Polygamma, polygamma, F, 200) X(Zeta, zeta, F, 200)

/* The same, where integers must not be divided by 0. */
#define DIVISION(X)                                                                                    \
  X(Div, div, div, F | I | C, 1) X(FloorDiv, floor_div, floor_div, F | I, 1)                           \
  X(TruncateDiv, truncate_div, div, F | I, 1) X(FloorMod, floor_mod, floor_mod, F | I, 5)              \
  X(Mod, truncate_mod, truncate_mod, F | I, 5) X(TruncateMod, truncate_mod, truncate_mod, F | I, 5)

static double cost(const mf_call *c, double ns) { return ns * (double)mf_dtype_size((mf_dtype)c->in[0]->dtype) / 4; }

static mf_status run(mf_call *c, int op, double ns) {
  mfi_elementwise_run(c, mfi_loop_of((mf_dtype)c->in[0]->dtype, op), 2, cost(c, ns));
  return NULL;
}

/* Is an element 0 (any type of `size` bytes)? */
static bool has_zero(const void *data, int64_t n, size_t size) {
  const uint8_t *a = data;
  const uint16_t *b = data;
  const uint32_t *c = data;
  const uint64_t *d = data;
  bool found = false;
  switch (size) {
    case 1: for (int64_t i = 0; i < n; i++) found |= a[i] == 0; break;
    case 2: for (int64_t i = 0; i < n; i++) found |= b[i] == 0; break;
    case 4: for (int64_t i = 0; i < n; i++) found |= c[i] == 0; break;
    default: for (int64_t i = 0; i < n; i++) found |= d[i] == 0; break;
  }
  return found;
}

/* Is an element of a signed type negative? */
static bool has_negative(const void *data, int64_t n, size_t size) {
  const int8_t *a = data;
  const int16_t *b = data;
  const int32_t *c = data;
  const int64_t *d = data;
  bool found = false;
  switch (size) {
    case 1: for (int64_t i = 0; i < n; i++) found |= a[i] < 0; break;
    case 2: for (int64_t i = 0; i < n; i++) found |= b[i] < 0; break;
    case 4: for (int64_t i = 0; i < n; i++) found |= c[i] < 0; break;
    default: for (int64_t i = 0; i < n; i++) found |= d[i] < 0; break;
  }
  return found;
}

/* The code of the error is TensorFlow's, which differs between these ops. */
static mf_status run_division(mf_call *c, int float_op, int int_op, double ns) {
  const mf_tensor *y = c->in[1];
  const mf_op_def *op = c->attrs.op;
  mf_dtype type = (mf_dtype)y->dtype;
  bool whole = mf_dtype_is_integer(type);
  mf_code code = op == &mf_op_TruncateDiv || op == &mf_op_TruncateMod ? MF_INTERNAL : MF_INVALID_ARGUMENT;
  if (whole && mf_tensor_count(c->out[0]) && has_zero(mf_data(y), mf_tensor_count(y), mf_dtype_size(type)))
    return mf_fail(code, "%s: Integer division by zero", op->name);
  return run(c, whole ? int_op : float_op, ns);
}

static mf_status run_Pow(mf_call *c) {
  const mf_tensor *y = c->in[1];
  mf_dtype type = (mf_dtype)y->dtype;
  bool whole = mf_dtype_const(type)->kind == MF_KIND_SIGNED;
  if (whole && mf_tensor_count(c->out[0]) && has_negative(mf_data(y), mf_tensor_count(y), mf_dtype_size(type)))
    return mf_fail(MF_INVALID_ARGUMENT, "Pow: Integers to negative integer powers are not allowed");
  return run(c, MFI_pow, 1.5);
}

/* Shapes that do not broadcast: the entry's shape rule allowed a single answer. */
static mf_status run_equality(mf_call *c, int op, bool unlike) {
  mf_shape s;
  mf_status status = mf_shape_broadcast(&c->in[0]->shape, &c->in[1]->shape, &s);
  if (!status) return run(c, op, 0.2);
  mf_status_release(status);
  *MF_DATA(bool, c->out[0]) = unlike;
  return NULL;
}

static mf_status run_Equal(mf_call *c) { return run_equality(c, MFI_equal, false); }
static mf_status run_NotEqual(mf_call *c) { return run_equality(c, MFI_not_equal, true); }

#define RUN(op_, formula_, types_, ns_) \
  static mf_status run_##op_(mf_call *c) { return run(c, MFI_##formula_, ns_); }
#define RUN_DIVISION(op_, float_, int_, types_, ns_) \
  static mf_status run_##op_(mf_call *c) { return run_division(c, MFI_##float_, MFI_##int_, ns_); }
PLAIN(RUN)
DIVISION(RUN_DIVISION)

#define ROW(op_, types_, attr_)                                                                               \
  {.op = &mf_op_##op_, .name = "vector", .device = MF_CPU, .rank = 10, .type_attr = attr_, .types = types_, \
   .run = run_##op_},
#define ROW_PLAIN(op_, formula_, types_, ns_) ROW(op_, (types_) == B ? 0 : (types_), (types_) == B ? NULL : "T")
#define ROW_DIVISION(op_, float_, int_, types_, ns_) ROW(op_, types_, "T")
const mf_kernel_def mf_kernels_elementwise_binary[] = {
    PLAIN(ROW_PLAIN) DIVISION(ROW_DIVISION) ROW(Pow, F | C | MF_TYPES_SIGNED, "T") ROW(Equal, F | I | C | B, "T")
        ROW(NotEqual, F | I | C | B, "T"){0}};
