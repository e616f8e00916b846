/* elementwise_int.simd.c - loops of the integers that programs compute with: int32, int64, uint8. */
#include "kernels/cpu/vector_math.h"

#include "kernels/cpu/elementwise.h"

#define EW_T int32_t
#define EW_S i32
#define EW_FLOAT 0
#define EW_TABLE MF_SIMD(mfi_loops_i32)
#include "kernels/cpu/elementwise_loops.inc"

#define EW_T int64_t
#define EW_S i64
#define EW_FLOAT 0
#define EW_TABLE MF_SIMD(mfi_loops_i64)
#include "kernels/cpu/elementwise_loops.inc"

#define EW_T uint8_t
#define EW_S u8
#define EW_FLOAT 0
#define EW_TABLE MF_SIMD(mfi_loops_u8)
#include "kernels/cpu/elementwise_loops.inc"
