/* cpu.c - instruction-set level, cores and memory of this process: see cpu.h. What control groups allow: cgroup.c. */
#include "base/cpu.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/env.h"

static mf_isa processor_isa(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (avx2 && avx512) return MF_ISA_AVX512;
  if (avx2) return MF_ISA_AVX2;
#endif
  return MF_ISA_BASE;
}

const char *mf_isa_name(mf_isa isa) { return isa == MF_ISA_AVX512 ? "avx512" : isa == MF_ISA_AVX2 ? "avx2" : "base"; }

mf_isa mf_cpu_isa(void) {
  static atomic_int known = -1;
  int level = atomic_load_explicit(&known, memory_order_relaxed);
  if (level >= 0) return (mf_isa)level;
  level = (int)processor_isa();
  const char *wanted = mf_env_text(MF_ENV_ISA);
  for (int i = 0; wanted && i < level; i++)
    if (!strcmp(wanted, mf_isa_name((mf_isa)i))) level = i;
  atomic_store_explicit(&known, level, memory_order_relaxed);
  return (mf_isa)level;
}

int mf_cpu_cores(void) {
  cpu_set_t set;
  int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
  double quota = mfi_cgroup_cpu_quota("");
  if (cores < 1) cores = 1;
  if (quota > 0 && quota < cores) cores = (int)quota + (quota > (int)quota);
  return cores;
}

static int64_t meminfo_available(void) {
  char line[128];
  long long kib = 0;
  FILE *f = fopen("/proc/meminfo", "r");
  if (!f) return 0;
  while (fgets(line, sizeof line, f))
    if (sscanf(line, "MemAvailable: %lld kB", &kib) == 1) break;
  fclose(f);
  return (int64_t)kib * 1024;
}

int64_t mf_memory_available(void) {
  int64_t available = meminfo_available(), room = mfi_cgroup_memory_room("");
  if (room == 0) room = 1; /* nothing left is not "cannot be told" */
  return room > 0 && (available == 0 || room < available) ? room : available;
}
