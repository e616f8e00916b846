/* cpu.h - what this machine offers: instruction-set level, usable cores, memory. */
#ifndef MF_BASE_CPU_H
#define MF_BASE_CPU_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each level includes those before it. */
typedef enum mf_isa {
  MF_ISA_BASE = 0,     /* SSE2, which every x86-64 has; or another processor */
  MF_ISA_AVX2 = 1,     /* AVX2, FMA, F16C */
  MF_ISA_AVX512 = 2    /* AVX-512 F, BW, DQ, VL */
} mf_isa;

/* The level to use: the processor's, lowered by MF_ISA=base|avx2|avx512 (for tests). Read once. */
mf_isa mf_cpu_isa(void);

/* "base", "avx2", "avx512". */
const char *mf_isa_name(mf_isa isa);

/* Cores this process may use, at least 1: the scheduler's affinity mask, lowered by the CPU quota of the control
 * groups it is in (versions 1 and 2; a quota of 2.5 cores counts as 3). */
int mf_cpu_cores(void);

/* Bytes of memory that can be had now without swapping: the kernel's MemAvailable, lowered by what the control groups
 * leave (their page cache counts as free). 0 when it cannot be told. */
int64_t mf_memory_available(void);

#ifdef __cplusplus
}
#endif
#endif
