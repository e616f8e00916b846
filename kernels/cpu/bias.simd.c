/* bias.simd.c - sums of BiasAddGrad at three instruction-set levels: see bias.h. */
#include "bias.h"

#include <string.h>

#define T float
#define NAME(x) x##_f32
#include "bias_sum.inc"
#define T double
#define NAME(x) x##_f64
#include "bias_sum.inc"

const mfi_bias_sums MF_SIMD(mfi_bias_sums) = {sum_f32, sum_f64};
