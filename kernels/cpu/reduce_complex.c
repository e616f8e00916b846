/* reduce_complex.c - reduction loops of complex64 and complex128: sums, products, means, running ones. */
#include <complex.h>

#include "kernels/cpu/reduce.h"

#define CR_T float _Complex
#define CR(name) name##_c64
#define CR_SQRT csqrtf
#define CR_CONJ conjf
#define CR_TABLE mfi_reduce_c64
#include "kernels/cpu/reduce_complex.inc"

#define CR_T double _Complex
#define CR(name) name##_c128
#define CR_SQRT csqrt
#define CR_CONJ conj
#define CR_TABLE mfi_reduce_c128
#include "kernels/cpu/reduce_complex.inc"
