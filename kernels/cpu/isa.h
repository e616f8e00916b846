/* isa.h - vector kernels at several instruction-set levels.
 *
 * A file named *.simd.c is compiled three times: for what every x86-64 has, for AVX2 with FMA, and for AVX-512. In it
 * MF_SIMD(name) is name_base, name_avx2 or name_avx512, so that every level gets its own symbols. Such a file defines
 * one constant table of function pointers, `const TYPE MF_SIMD(NAME) = {...}`, and nothing else that is visible
 * outside. Whoever calls it declares the three with MFI_ISA_TABLE in a header and takes one with MFI_ISA_PICK, by the
 * processor the program runs on.
 *
 * Compiler flags of *.simd.c, and why: -O3 -fopenmp-simd (loops with `omp simd` become vector code), -fno-math-errno
 * and -fno-trapping-math (or calls of libm could not become vector code), -ffp-contract=off (a multiply and an add
 * round twice at every level, as in TensorFlow's element-wise kernels; fused ones are written where they are wanted).
 * -ffast-math is not used: it drops tests for NaN.
 */
#ifndef MF_KERNELS_CPU_ISA_H
#define MF_KERNELS_CPU_ISA_H

#include "base/cpu.h"

#define MFI_ISA_TABLE(type, name) extern const type name##_base, name##_avx2, name##_avx512

/* Address of the table of the level in use. */
#define MFI_ISA_PICK(name) \
  (mf_cpu_isa() == MF_ISA_AVX512 ? &name##_avx512 : mf_cpu_isa() == MF_ISA_AVX2 ? &name##_avx2 : &name##_base)

#endif
