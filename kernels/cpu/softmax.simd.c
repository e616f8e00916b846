/* softmax.simd.c - loops of softmax and cross-entropy for float32 and float64. */
#include "kernels/cpu/vector_math.h"

#include "kernels/cpu/softmax.h"

#define SM_T float
#define SM(name) name##_f32
#define SM_M(fn) fn##f
#define SM_TABLE MF_SIMD(mfi_softmax_f32)
#include "kernels/cpu/softmax_loops.inc"

#define SM_T double
#define SM(name) name##_f64
#define SM_M(fn) fn
#define SM_TABLE MF_SIMD(mfi_softmax_f64)
#include "kernels/cpu/softmax_loops.inc"
