/* elementwise_int.c - loops of the rarer integers, at one instruction-set level. */
#include "kernels/cpu/elementwise.h"
#include "kernels/scalar.h"

#define EW_T int8_t
#define EW_S i8
#define EW_FLOAT 0
#define EW_TABLE mfi_loops_i8
#include "kernels/cpu/elementwise_loops.inc"

#define EW_T int16_t
#define EW_S i16
#define EW_FLOAT 0
#define EW_TABLE mfi_loops_i16
#include "kernels/cpu/elementwise_loops.inc"

#define EW_T uint16_t
#define EW_S u16
#define EW_FLOAT 0
#define EW_TABLE mfi_loops_u16
#include "kernels/cpu/elementwise_loops.inc"

#define EW_T uint32_t
#define EW_S u32
#define EW_FLOAT 0
#define EW_TABLE mfi_loops_u32
#include "kernels/cpu/elementwise_loops.inc"

#define EW_T uint64_t
#define EW_S u64
#define EW_FLOAT 0
#define EW_TABLE mfi_loops_u64
#include "kernels/cpu/elementwise_loops.inc"
