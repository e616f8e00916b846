/* elementwise.h - element-wise kernels of the CPU: loops over rows, and the walk over broadcast operands.
 *
 * A loop (mfi_loop) computes n elements of a contiguous output row from up to three operand rows; an operand that is
 * constant along the row has its bit set in `fixed` and is read once. The walk collapses the dimensions of broadcast
 * operands to as few as possible and calls the loop row by row, in pieces on the pool.
 *
 * Loops are found by (dtype, op): mfi_loop_of. Op numbers come from the lists below, which are flat: one name an op,
 * the name of its formula in kernels/scalar.h.
 */
#ifndef MF_KERNELS_CPU_ELEMENTWISE_H
#define MF_KERNELS_CPU_ELEMENTWISE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/cpu/isa.h"
#include "ops/kernel.h"

/* ---- the lists: which formulas exist for which kind of type */
#define MFI_ONE_BOTH(X) X(neg) X(abs) X(sign) X(square) X(relu) X(relu6) X(round)
#define MFI_ONE_FLOAT(X)                                                                                              \
  X(exp) X(expm1) X(log) X(log1p) X(sqrt) X(rsqrt) X(reciprocal) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) \
  X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(erf) X(erfc) X(sigmoid) X(elu) X(selu) X(softplus) X(softsign)         \
  X(floor) X(ceil) X(lgamma) X(digamma) X(erfinv) X(ndtri)
#define MFI_ONE_INT(X) X(invert)
#define MFI_TEST_FLOAT(X) X(is_nan) X(is_inf) X(is_finite)
#define MFI_TWO_BOTH(X)                                                                                             \
  X(add) X(sub) X(mul) X(div) X(floor_div) X(floor_mod) X(truncate_mod) X(pow) X(maximum) X(minimum)                \
  X(squared_difference) X(relu_grad) X(relu6_grad)
#define MFI_TWO_FLOAT(X)                                                                                            \
  X(truncate_div) X(div_no_nan) X(mul_no_nan) X(xdivy) X(xlogy) X(xlog1py) X(atan2) X(elu_grad) X(selu_grad)        \
  X(softplus_grad) X(softsign_grad) X(tanh_grad) X(sigmoid_grad) X(sqrt_grad) X(rsqrt_grad) X(reciprocal_grad)      \
  X(leaky_relu) X(polygamma) X(zeta)
#define MFI_TWO_INT(X) X(bitwise_and) X(bitwise_or) X(bitwise_xor)
#define MFI_COMPARE(X) X(equal) X(not_equal) X(less) X(less_equal) X(greater) X(greater_equal)
/* Complex types only: */
#define MFI_ONE_COMPLEX(X) X(conj)
#define MFI_THREE_BOTH(X) X(clip)
#define MFI_THREE_FLOAT(X) X(leaky_relu_grad)

#define MFI_NUMBER(op) MFI_##op,
enum {
  MFI_ONE_BOTH(MFI_NUMBER) MFI_ONE_FLOAT(MFI_NUMBER) MFI_ONE_INT(MFI_NUMBER) MFI_TEST_FLOAT(MFI_NUMBER)
  MFI_TWO_BOTH(MFI_NUMBER) MFI_TWO_FLOAT(MFI_NUMBER) MFI_TWO_INT(MFI_NUMBER) MFI_COMPARE(MFI_NUMBER)
  MFI_ONE_COMPLEX(MFI_NUMBER) MFI_THREE_BOTH(MFI_NUMBER) MFI_THREE_FLOAT(MFI_NUMBER) MFI_ELEMENTWISE_OPS
};

enum { MFI_MAX_OPERANDS = 3 };

/* n >= 1 elements. in[i]: row of operand i. Bit i of fixed: the row is one element. Output and operands of the same
 * row may be the same memory. */
typedef void (*mfi_loop)(void *out, const void *const *in, int64_t n, unsigned fixed);

/* All loops of one type; NULL where the type has no such op. */
typedef struct mfi_loops {
  mfi_loop op[MFI_ELEMENTWISE_OPS];
} mfi_loops;

MFI_ISA_TABLE(mfi_loops, mfi_loops_f32);
MFI_ISA_TABLE(mfi_loops, mfi_loops_f64);
MFI_ISA_TABLE(mfi_loops, mfi_loops_i32);
MFI_ISA_TABLE(mfi_loops, mfi_loops_i64);
MFI_ISA_TABLE(mfi_loops, mfi_loops_u8);
extern const mfi_loops mfi_loops_i8, mfi_loops_i16, mfi_loops_u16, mfi_loops_u32, mfi_loops_u64;   /* one level */
extern const mfi_loops mfi_loops_c64, mfi_loops_c128;

/* The loop of `op` for elements of `type`; NULL when there is none. */
mfi_loop mfi_loop_of(mf_dtype type, int op);

/* ---- the walk */

/* Dimensions of a broadcast operation, innermost first, as few as possible. Steps are in elements, 0 where an operand
 * is repeated. At least one dimension. */
typedef struct mfi_walk {
  int rank, n_in;
  int64_t count;                                   /* elements of the output */
  int64_t dims[MF_MAX_RANK];
  int64_t step[MFI_MAX_OPERANDS][MF_MAX_RANK];
} mfi_walk;

/* Operands of shapes in[0..n_in-1] that broadcast to `out`. */
void mfi_walk_make(mfi_walk *w, const mf_shape *out, const mf_shape *const *in, int n_in);

/* Runs `loop` over everything. size_in[i], size_out: bytes an element. ns: estimated nanoseconds an element. */
void mfi_walk_run(const mfi_walk *w, mfi_loop loop, void *out, size_t size_out, const void *const *in,
                  const size_t *size_in, double ns);

/* The whole call: c's inputs 0..n_in-1 (1, 2 or 3) against output 0. */
void mfi_elementwise_run(mf_call *c, mfi_loop loop, int n_in, double ns);

#endif
