/* state_optimizer.simd.c - the loops of state_optimizer.inc, once per instruction-set level. */
#include <math.h>

#include "state_optimizer.h"

#define T float
#define NAME(x) f32_##x
#define SQRT sqrtf
#include "state_optimizer.inc"
const mfi_optimizer_loops MF_SIMD(mfi_optimizer_f32) = MFI_OPTIMIZER_TABLE;
#undef T
#undef NAME
#undef SQRT
#undef MFI_OPTIMIZER_TABLE

#define T double
#define NAME(x) f64_##x
#define SQRT sqrt
#include "state_optimizer.inc"
const mfi_optimizer_loops MF_SIMD(mfi_optimizer_f64) = MFI_OPTIMIZER_TABLE;
