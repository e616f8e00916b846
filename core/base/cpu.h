/* cpu.h - what this machine offers: instruction-set level, usable cores, memory. */
#ifndef MF_BASE_CPU_H
#define MF_BASE_CPU_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mf_isa {
  MF_ISA_BASE = 0,     /* what every x86-64 has (or another processor) */
  MF_ISA_AVX2 = 1,     /* AVX2, FMA, F16C */
  MF_ISA_AVX512 = 2    /* AVX-512 F, BW, DQ, VL */
} mf_isa;

/* The level to use: the processor's, lowered by MF_ISA=base|avx2|avx512 (for tests). Read once. */
mf_isa mf_cpu_isa(void);
const char *mf_isa_name(mf_isa isa);
/* Cores this process may use: scheduler affinity and the cgroup's CPU quota, at least 1. */
int mf_cpu_cores(void);
/* Bytes of memory available now: MemAvailable, lowered by what the cgroup leaves; 0 when it cannot be told. */
int64_t mf_memory_available(void);

#ifdef __cplusplus
}
#endif
#endif
