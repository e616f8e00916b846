/* vector_math.h - scalar.h for vector code: the functions of libm that glibc also has as vector functions (libmvec)
 * are declared so that `#pragma omp simd` loops call those. Includes math.h; to be included before anything else does
 * in a *.simd.c file.
 *
 * libmvec is within 4 ulp; NaN, infinities and huge arguments are right. Without it (another C library, another
 * processor) the same loops call libm once an element.
 */
#ifndef MF_KERNELS_CPU_VECTOR_MATH_H
#define MF_KERNELS_CPU_VECTOR_MATH_H

#include <math.h>

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#if __GLIBC_PREREQ(2, 35)
#define MFI_VECTOR_1(fn)                                                 \
  extern float fn##f(float) __attribute__((simd("notinbranch"), const)); \
  extern double fn(double) __attribute__((simd("notinbranch"), const))
#define MFI_VECTOR_2(fn)                                                        \
  extern float fn##f(float, float) __attribute__((simd("notinbranch"), const)); \
  extern double fn(double, double) __attribute__((simd("notinbranch"), const))
MFI_VECTOR_1(exp);
MFI_VECTOR_1(expm1);
MFI_VECTOR_1(log);
MFI_VECTOR_1(log1p);
MFI_VECTOR_1(sin);
MFI_VECTOR_1(cos);
MFI_VECTOR_1(tan);
MFI_VECTOR_1(asin);
MFI_VECTOR_1(acos);
MFI_VECTOR_1(atan);
MFI_VECTOR_1(sinh);
MFI_VECTOR_1(cosh);
MFI_VECTOR_1(tanh);
MFI_VECTOR_1(asinh);
MFI_VECTOR_1(acosh);
MFI_VECTOR_1(atanh);
MFI_VECTOR_1(erf);
MFI_VECTOR_1(erfc);
MFI_VECTOR_2(pow);
MFI_VECTOR_2(atan2);
#undef MFI_VECTOR_1
#undef MFI_VECTOR_2
#endif
#endif

#include "kernels/scalar.h"

#endif
