/* pool.simd.c - pooling of float32 and float64 at three instruction-set levels: see pool.h. */
#include "pool.h"

#include <float.h>
#include <string.h>

#include "gemm_vector.h"

#define T float
#define MASK int32_t
#define SUM float
#define LOWEST (-FLT_MAX)
#define NAME(x) x##_f32
#include "pool.inc"
#define T double
#define MASK int64_t
#define SUM double
#define LOWEST (-DBL_MAX)
#define NAME(x) x##_f64
#include "pool.inc"

const mfi_pool_fn MF_SIMD(mfi_pool_f32)[MFI_POOL_KINDS] = {max_f32, mean_f32, max_spread_f32, max_pick_f32,
                                                           mean_spread_f32};
const mfi_pool_fn MF_SIMD(mfi_pool_f64)[MFI_POOL_KINDS] = {max_f64, mean_f64, max_spread_f64, max_pick_f64,
                                                           mean_spread_f64};
