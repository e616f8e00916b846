/* reduce_float.simd.c - reduction loops of float32 and float64. */
#include "kernels/cpu/vector_math.h"

#include <float.h>

#include "kernels/cpu/reduce.h"

#define RD_T float
#define RD_S f32
#define RD_FLOAT 1
#define RD_LOW -INFINITY
#define RD_HIGH INFINITY
#define RD_LOWEST -FLT_MAX
#define RD_HIGHEST FLT_MAX
#define RD_TABLE MF_SIMD(mfi_reduce_f32)
#include "kernels/cpu/reduce_loops.inc"

#define RD_T double
#define RD_S f64
#define RD_FLOAT 1
#define RD_LOW -INFINITY
#define RD_HIGH INFINITY
#define RD_LOWEST -DBL_MAX
#define RD_HIGHEST DBL_MAX
#define RD_TABLE MF_SIMD(mfi_reduce_f64)
#include "kernels/cpu/reduce_loops.inc"
