/* report.cpp - diagnostics, last errors, and their texts.
 *
 * The emulator prints nothing: the first report is kept for cudaGetErrorString, all are counted, and a test may
 * listen.
 */
#include <atomic>
#include <stdio.h>

#include "emu/machine.h"

enum { REPORT_TEXT = 320 };

static std::atomic<int> report_count;
static char first_report[REPORT_TEXT];
static void (*report_listener)(const char *text);
static thread_local cudaError_t last_error;

void cemu_report(const char *what, const char *file, int line) {
  char text[REPORT_TEXT];
  uint3 none = {0, 0, 0}, t = cemu_current ? cemu_current->thread : none;
  dim3 b = cemu_block_index;
  snprintf(text, sizeof text, "%s: %s at %s:%d, block (%u,%u,%u) thread (%u,%u,%u)", cemu_machine.kernel_name, what,
           file ? file : "?", line, b.x, b.y, b.z, t.x, t.y, t.z);
  if (report_count++ == 0) memcpy(first_report, text, sizeof text);
  if (report_listener) report_listener(text);
}

int cemu_report_count() { return report_count; }

const char *cemu_first_report() { return first_report; }

void cemu_set_listener(void (*listener)(const char *text)) { report_listener = listener; }

const char *cemu_build() {
#if defined(CEMU_ASAN)
  return "asan";
#elif defined(CEMU_TSAN)
  return "tsan";
#elif defined(CEMU_UBSAN)
  return "ubsan";
#else
  return "plain";
#endif
}

cudaError_t cemu_set_error(cudaError_t code) {
  if (code) last_error = code;
  return code;
}

cudaError_t cudaGetLastError() {
  cudaError_t code = last_error;
  last_error = cudaSuccess;
  return code;
}

const char *cudaGetErrorString(cudaError_t code) {
  switch (code) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorLaunchFailure: return first_report[0] ? first_report : "unspecified launch failure";
    default: return "unknown error";
  }
}

void cemu_fill_nan(void *p, size_t size) {
  volatile unsigned char *byte = (volatile unsigned char *)p;
  size_t i = 0;
  if (((uintptr_t)p & 7) == 0) {
    volatile uint64_t *word = (volatile uint64_t *)p;
    for (; i + 8 <= size; i += 8) word[i / 8] = ~UINT64_C(0);
  }
  for (; i < size; i++) byte[i] = 0xff;
}
