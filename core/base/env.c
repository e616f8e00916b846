/* env.c - the table of environment variables and the one function that reads them: see env.h. */
#include "base/env.h"

#include <errno.h>
#include <stdlib.h>

static const mf_env_entry entries[MF_ENV_COUNT] = {
    [MF_ENV_LOG] =
        {"MF_LOG", "1",
         "what is written to stderr: 0 or error, 1 or warning (default), 2 or info (devices), 3 or timing (every op "
         "with shapes, time, GB/s), 4 or debug (refused kernels with reasons, graphs)"},
    [MF_ENV_NUM_THREADS] =
        {"MF_NUM_THREADS", NULL,
         "threads that one op may use (default: the cores this process may use); results do not depend on it"},
    [MF_ENV_ISA] =
        {"MF_ISA", NULL,
         "highest instruction-set level of our own kernels: base, avx2 or avx512 (default: the processor's)"},
    [MF_ENV_CUDA] =
        {"MOONFLOW_CUDA", "on",
         "GPUs: on (default: when plug-in and driver are there), off, emu (emulated, for tests), or a plug-in's path"},
    [MF_ENV_PLUGIN_PATH] =
        {"MF_PLUGIN_PATH", NULL,
         "folders, separated by ':', searched first for libraries that are loaded on first use (HDF5 and the like); "
         "then come our own folder and the system's"},
};

const char *mf_env_text(mf_env variable) {
  const char *text = getenv(entries[variable].name);
  return text && *text ? text : entries[variable].fallback;
}

int64_t mf_env_int(mf_env variable) {
  const char *text = mf_env_text(variable);
  char *end = NULL;
  if (!text) return -1;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  return end == text || *end || errno || value < 0 ? -1 : (int64_t)value;
}

const mf_env_entry *mf_env_list(size_t *count) {
  *count = MF_ENV_COUNT;
  return entries;
}
