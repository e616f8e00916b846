/* elementwise_complex.c - loops of complex64 and complex128. */
#include <complex.h>
#include <math.h>

#include "kernels/cpu/elementwise.h"

#define CX_T float _Complex
#define CX_R float
#define CX_S c64
#define CX_M(fn) fn##f
#define CX_TABLE mfi_loops_c64
#include "kernels/cpu/elementwise_complex.inc"

#define CX_T double _Complex
#define CX_R double
#define CX_S c128
#define CX_M(fn) fn
#define CX_TABLE mfi_loops_c128
#include "kernels/cpu/elementwise_complex.inc"
