/* cast.h - conversion loops between element types. */
#ifndef MF_KERNELS_CPU_CAST_H
#define MF_KERNELS_CPU_CAST_H

#include <stdint.h>

#include "kernels/cpu/isa.h"
#include "ops/kernel.h"

typedef void (*mfi_cast_loop)(void *out, const void *in, int64_t n);

/* to[from][to]; NULL where there is no conversion. */
typedef struct mfi_cast_loops {
  mfi_cast_loop to[MF_DTYPE_COUNT][MF_DTYPE_COUNT];
} mfi_cast_loops;

MFI_ISA_TABLE(mfi_cast_loops, mfi_casts);

#endif
