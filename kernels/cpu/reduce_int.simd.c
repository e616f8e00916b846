/* reduce_int.simd.c - reduction loops of int32, int64, uint8 (and bool). */
#include "kernels/cpu/reduce.h"
#include "kernels/scalar.h"

#define RD_T int32_t
#define RD_S i32
#define RD_FLOAT 0
#define RD_LOW INT32_MIN
#define RD_HIGH INT32_MAX
#define RD_LOWEST INT32_MIN
#define RD_HIGHEST INT32_MAX
#define RD_TABLE MF_SIMD(mfi_reduce_i32)
#include "kernels/cpu/reduce_loops.inc"

#define RD_T int64_t
#define RD_S i64
#define RD_FLOAT 0
#define RD_LOW INT64_MIN
#define RD_HIGH INT64_MAX
#define RD_LOWEST INT64_MIN
#define RD_HIGHEST INT64_MAX
#define RD_TABLE MF_SIMD(mfi_reduce_i64)
#include "kernels/cpu/reduce_loops.inc"

#define RD_T uint8_t
#define RD_S u8
#define RD_FLOAT 0
#define RD_LOW 0
#define RD_HIGH UINT8_MAX
#define RD_LOWEST 0
#define RD_HIGHEST UINT8_MAX
#define RD_TABLE MF_SIMD(mfi_reduce_u8)
#include "kernels/cpu/reduce_loops.inc"
