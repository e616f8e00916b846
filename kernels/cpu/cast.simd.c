/* cast.simd.c - conversion loops between all numeric types and bool: one set of loops a source type. */
#include <complex.h>

#include "base/half.h"
#include "kernels/cpu/cast.h"

#define CS_T uint8_t
#define CS_V uint8_t
#define CS(name) bool_##name
#define CS_LOAD (uint8_t)
#define CS_FLOAT 0
#define CS_COMPLEX 0
#include "kernels/cpu/cast_loops.inc"

#define CS_T int8_t
#define CS_V int8_t
#define CS(name) i8_##name
#define CS_LOAD (int8_t)
#define CS_FLOAT 0
#define CS_COMPLEX 0
#include "kernels/cpu/cast_loops.inc"

#define CS_T int16_t
#define CS_V int16_t
#define CS(name) i16_##name
#define CS_LOAD (int16_t)
#define CS_FLOAT 0
#define CS_COMPLEX 0
#include "kernels/cpu/cast_loops.inc"

#define CS_T int32_t
#define CS_V int32_t
#define CS(name) i32_##name
#define CS_LOAD (int32_t)
#define CS_FLOAT 0
#define CS_COMPLEX 0
#include "kernels/cpu/cast_loops.inc"

#define CS_T int64_t
#define CS_V int64_t
#define CS(name) i64_##name
#define CS_LOAD (int64_t)
#define CS_FLOAT 0
#define CS_COMPLEX 0
#include "kernels/cpu/cast_loops.inc"

#define CS_T uint8_t
#define CS_V uint8_t
#define CS(name) u8_##name
#define CS_LOAD (uint8_t)
#define CS_FLOAT 0
#define CS_COMPLEX 0
#include "kernels/cpu/cast_loops.inc"

#define CS_T uint16_t
#define CS_V uint16_t
#define CS(name) u16_##name
#define CS_LOAD (uint16_t)
#define CS_FLOAT 0
#define CS_COMPLEX 0
#include "kernels/cpu/cast_loops.inc"

#define CS_T uint32_t
#define CS_V uint32_t
#define CS(name) u32_##name
#define CS_LOAD (uint32_t)
#define CS_FLOAT 0
#define CS_COMPLEX 0
#include "kernels/cpu/cast_loops.inc"

#define CS_T uint64_t
#define CS_V uint64_t
#define CS(name) u64_##name
#define CS_LOAD (uint64_t)
#define CS_FLOAT 0
#define CS_COMPLEX 0
#include "kernels/cpu/cast_loops.inc"

#define CS_T uint16_t
#define CS_V float
#define CS(name) f16_##name
#define CS_LOAD mf_half_to_float
#define CS_FLOAT 1
#define CS_COMPLEX 0
#include "kernels/cpu/cast_loops.inc"

#define CS_T uint16_t
#define CS_V float
#define CS(name) bf16_##name
#define CS_LOAD mf_bfloat16_to_float
#define CS_FLOAT 1
#define CS_COMPLEX 0
#include "kernels/cpu/cast_loops.inc"

#define CS_T float
#define CS_V float
#define CS(name) f32_##name
#define CS_LOAD (float)
#define CS_FLOAT 1
#define CS_COMPLEX 0
#include "kernels/cpu/cast_loops.inc"

#define CS_T double
#define CS_V double
#define CS(name) f64_##name
#define CS_LOAD (double)
#define CS_FLOAT 1
#define CS_COMPLEX 0
#include "kernels/cpu/cast_loops.inc"

#define CS_T float _Complex
#define CS_V float
#define CS(name) c64_##name
#define CS_LOAD crealf
#define CS_FLOAT 1
#define CS_COMPLEX 1
#include "kernels/cpu/cast_loops.inc"

#define CS_T double _Complex
#define CS_V double
#define CS(name) c128_##name
#define CS_LOAD creal
#define CS_FLOAT 1
#define CS_COMPLEX 1
#include "kernels/cpu/cast_loops.inc"

#define FROM(s)                                                                                     \
  {[MF_BOOL] = s##_cast_bool, [MF_INT8] = s##_cast_i8, [MF_INT16] = s##_cast_i16,                   \
   [MF_INT32] = s##_cast_i32, [MF_INT64] = s##_cast_i64, [MF_UINT8] = s##_cast_u8,                  \
   [MF_UINT16] = s##_cast_u16, [MF_UINT32] = s##_cast_u32, [MF_UINT64] = s##_cast_u64,              \
   [MF_FLOAT16] = s##_cast_f16, [MF_BFLOAT16] = s##_cast_bf16, [MF_FLOAT32] = s##_cast_f32,         \
   [MF_FLOAT64] = s##_cast_f64, [MF_COMPLEX64] = s##_cast_c64, [MF_COMPLEX128] = s##_cast_c128}
const mfi_cast_loops MF_SIMD(mfi_casts) = {.to = {
    [MF_BOOL] = FROM(bool),
    [MF_INT8] = FROM(i8),
    [MF_INT16] = FROM(i16),
    [MF_INT32] = FROM(i32),
    [MF_INT64] = FROM(i64),
    [MF_UINT8] = FROM(u8),
    [MF_UINT16] = FROM(u16),
    [MF_UINT32] = FROM(u32),
    [MF_UINT64] = FROM(u64),
    [MF_FLOAT16] = FROM(f16),
    [MF_BFLOAT16] = FROM(bf16),
    [MF_FLOAT32] = FROM(f32),
    [MF_FLOAT64] = FROM(f64),
    [MF_COMPLEX64] = FROM(c64),
    [MF_COMPLEX128] = FROM(c128),
}};
