/* reduce_int.c - reduction loops of the rarer integers, at one instruction-set level. */
#include "kernels/cpu/reduce.h"
#include "kernels/scalar.h"

#define RD_T int8_t
#define RD_S i8
#define RD_FLOAT 0
#define RD_LOW INT8_MIN
#define RD_HIGH INT8_MAX
#define RD_LOWEST INT8_MIN
#define RD_HIGHEST INT8_MAX
#define RD_TABLE mfi_reduce_i8
#include "kernels/cpu/reduce_loops.inc"

#define RD_T int16_t
#define RD_S i16
#define RD_FLOAT 0
#define RD_LOW INT16_MIN
#define RD_HIGH INT16_MAX
#define RD_LOWEST INT16_MIN
#define RD_HIGHEST INT16_MAX
#define RD_TABLE mfi_reduce_i16
#include "kernels/cpu/reduce_loops.inc"

#define RD_T uint16_t
#define RD_S u16
#define RD_FLOAT 0
#define RD_LOW 0
#define RD_HIGH UINT16_MAX
#define RD_LOWEST 0
#define RD_HIGHEST UINT16_MAX
#define RD_TABLE mfi_reduce_u16
#include "kernels/cpu/reduce_loops.inc"

#define RD_T uint32_t
#define RD_S u32
#define RD_FLOAT 0
#define RD_LOW 0
#define RD_HIGH UINT32_MAX
#define RD_LOWEST 0
#define RD_HIGHEST UINT32_MAX
#define RD_TABLE mfi_reduce_u32
#include "kernels/cpu/reduce_loops.inc"

#define RD_T uint64_t
#define RD_S u64
#define RD_FLOAT 0
#define RD_LOW 0
#define RD_HIGH UINT64_MAX
#define RD_LOWEST 0
#define RD_HIGHEST UINT64_MAX
#define RD_TABLE mfi_reduce_u64
#include "kernels/cpu/reduce_loops.inc"
