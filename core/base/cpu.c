/* cpu.c - see cpu.h. */
#include "base/cpu.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
  static _Atomic int known = -1;
  int level = known;
  if (level >= 0) return (mf_isa)level;
  level = (int)processor_isa();
  const char *wanted = getenv("MF_ISA");
  for (int i = 0; wanted && i < level; i++)
    if (!strcmp(wanted, mf_isa_name((mf_isa)i))) level = i;
  known = level;
  return (mf_isa)level;
}

/* One line of a small file into `text`; false when there is none. */
static bool first_line(const char *path, char *text, int size) {
  FILE *f = fopen(path, "r");
  if (!f) return false;
  bool ok = fgets(text, size, f) != NULL;
  fclose(f);
  return ok;
}

static int quota_cores(int cores) {
  char text[64];
  long quota, period;
  if (first_line("/sys/fs/cgroup/cpu.max", text, sizeof text) && sscanf(text, "%ld %ld", &quota, &period) == 2) {
  } else if (first_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", text, sizeof text) && sscanf(text, "%ld", &quota) == 1 &&
             first_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us", text, sizeof text) && sscanf(text, "%ld", &period) == 1) {
  } else {
    return cores;
  }
  if (quota <= 0 || period <= 0) return cores;
  long allowed = (quota + period - 1) / period;
  return allowed < cores ? (int)allowed : cores;
}

int mf_cpu_cores(void) {
  cpu_set_t set;
  int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
  cores = quota_cores(cores > 0 ? cores : 1);
  return cores > 0 ? cores : 1;
}

static int64_t number_in(const char *path) {
  char text[64];
  long long value;
  return first_line(path, text, sizeof text) && sscanf(text, "%lld", &value) == 1 ? (int64_t)value : -1;
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
  int64_t available = meminfo_available();
  int64_t limit = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
  if (limit < 0) {
    limit = number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes");
    used = number_in("/sys/fs/cgroup/memory/memory.usage_in_bytes");
  }
  if (limit > 0 && used >= 0 && limit > used && (available == 0 || limit - used < available)) available = limit - used;
  return available;
}
