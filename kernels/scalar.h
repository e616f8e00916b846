/* scalar.h - every element-wise formula of the product, once.
 *
 * One small function an op and element type, in plain C expressions. The CPU kernels compile this file as C, the CUDA
 * kernels with nvcc (host and device), the emulated CUDA kernels with the C++ compiler: so the three can differ in
 * rounding only.
 *
 * Names.  C:    mfs_<op>_<type>, for example  float mfs_sigmoid_f32(float x)
 *         C++:  mfs_<op>, overloaded by type, for example  mfs_sigmoid(x)
 *   <op>   the TensorFlow op in snake case: FloorMod is floor_mod, Relu6Grad is relu6_grad.
 *   <type> f32 f64 (scalar_float.inc); i8 i16 i32 i64 u8 u16 u32 u64 (scalar_int.inc).
 * Arguments stand in the order of the op's inputs; attributes of the op follow them. Tests and comparisons give bool.
 *
 * Values are TensorFlow's, corner cases included:
 *   NaN          goes through Relu, Relu6, Elu, Maximum, Minimum and Sign; comparisons with it are false,
 *                NotEqual true; ReluGrad and its relatives look at `x > 0`, so a NaN feature counts as not positive.
 *   signed zero  Relu(-0) = +0, Elu(-0) = -0; Maximum and Minimum of equal values give the first one.
 *   integers     wrap around (two's complement). FloorDiv, FloorMod and TruncateDiv by 0 give 0 here, and Pow with a
 *                negative exponent gives 0 unless the base is 1 or -1: kernels that must raise an error look for
 *                those themselves.
 *
 * The file includes nothing of the product. Functions are pure; none reads a table or keeps state.
 */
#ifndef MF_KERNELS_SCALAR_H
#define MF_KERNELS_SCALAR_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__CUDACC__)
#define MFS_FN static __host__ __device__ __forceinline__
#else
#define MFS_FN static inline
#endif

#ifdef __cplusplus
#define MFS_NAME(op, suffix) mfs_##op
#else
#define MFS_NAME(op, suffix) mfs_##op##_##suffix
#endif

/* Constants of Selu: scale, and scale * alpha. */
#define MFS_SELU_SCALE 1.0507009873554804934193349852946
#define MFS_SELU_SCALE_ALPHA 1.7580993408473768599402175208123

/* The template files see: MFS_T the element type, MFS_F(op) the function's name, and
 *   scalar_float.inc: MFS_M(fn) the C library's function for the type, MFS_SOFTPLUS_EDGE = -(log(machine epsilon) + 2)
 *   scalar_int.inc:   MFS_U an unsigned type at least as wide and at least 32 bits, in which sums and products wrap,
 *                     MFS_SIGNED 1 or 0.
 * Each ends by undefining them. */

#define MFS_T float
#define MFS_F(op) MFS_NAME(op, f32)
#define MFS_M(fn) fn##f
#define MFS_SOFTPLUS_EDGE 13.942385f
#include "scalar_float.inc"

#define MFS_T double
#define MFS_F(op) MFS_NAME(op, f64)
#define MFS_M(fn) fn
#define MFS_SOFTPLUS_EDGE 34.04365338911715
#include "scalar_float.inc"

#define MFS_T int8_t
#define MFS_U uint32_t
#define MFS_SIGNED 1
#define MFS_F(op) MFS_NAME(op, i8)
#include "scalar_int.inc"

#define MFS_T int16_t
#define MFS_U uint32_t
#define MFS_SIGNED 1
#define MFS_F(op) MFS_NAME(op, i16)
#include "scalar_int.inc"

#define MFS_T int32_t
#define MFS_U uint32_t
#define MFS_SIGNED 1
#define MFS_F(op) MFS_NAME(op, i32)
#include "scalar_int.inc"

#define MFS_T int64_t
#define MFS_U uint64_t
#define MFS_SIGNED 1
#define MFS_F(op) MFS_NAME(op, i64)
#include "scalar_int.inc"

#define MFS_T uint8_t
#define MFS_U uint32_t
#define MFS_SIGNED 0
#define MFS_F(op) MFS_NAME(op, u8)
#include "scalar_int.inc"

#define MFS_T uint16_t
#define MFS_U uint32_t
#define MFS_SIGNED 0
#define MFS_F(op) MFS_NAME(op, u16)
#include "scalar_int.inc"

#define MFS_T uint32_t
#define MFS_U uint32_t
#define MFS_SIGNED 0
#define MFS_F(op) MFS_NAME(op, u32)
#include "scalar_int.inc"

#define MFS_T uint64_t
#define MFS_U uint64_t
#define MFS_SIGNED 0
#define MFS_F(op) MFS_NAME(op, u64)
#include "scalar_int.inc"

#include "scalar_special.h"

/* ---- bool */
MFS_FN bool mfs_logical_not(bool x) { return !x; }
MFS_FN bool mfs_logical_and(bool a, bool b) { return a && b; }
MFS_FN bool mfs_logical_or(bool a, bool b) { return a || b; }
MFS_FN bool MFS_NAME(equal, bool)(bool a, bool b) { return a == b; }
MFS_FN bool MFS_NAME(not_equal, bool)(bool a, bool b) { return a != b; }

#endif
