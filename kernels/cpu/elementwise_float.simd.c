/* elementwise_float.simd.c - loops of float32 and float64. */
#include "kernels/cpu/vector_math.h"

#include "kernels/cpu/elementwise.h"

#define EW_T float
#define EW_S f32
#define EW_FLOAT 1
#define EW_TABLE MF_SIMD(mfi_loops_f32)
#include "kernels/cpu/elementwise_loops.inc"

#define EW_T double
#define EW_S f64
#define EW_FLOAT 1
#define EW_TABLE MF_SIMD(mfi_loops_f64)
#include "kernels/cpu/elementwise_loops.inc"
