/* test_emulator.cu - deliberately wrong kernels: the emulator, or the sanitizer around it, must catch each; right ones
 * must pass.
 *
 * Every case runs in a child process, because a sanitizer ends the process at its first find. The child's exit status
 * says what happened; the table says what must happen in a plain build, under AddressSanitizer +
 * UndefinedBehaviorSanitizer, and under ThreadSanitizer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch.h"

extern "C" {
__attribute__((visibility("default"))) const char *__asan_default_options() { return "exitcode=99:detect_leaks=0"; }
__attribute__((visibility("default"))) const char *__ubsan_default_options() { return "exitcode=99"; }
__attribute__((visibility("default"))) const char *__tsan_default_options() { return "exitcode=99"; }
}

namespace {

constexpr int N = 64;

enum outcome {
  ANYTHING = 0,        /* this build cannot see it */
  REPORTED = 10,       /* the launch failed with a diagnostic */
  NAN_RESULT = 11,     /* uninitialised memory showed up in the output */
  REFUSED = 12,        /* the launch or the copy was refused with an error code */
  RIGHT = 13,
  WRONG = 14,
  SANITIZER = 99
};

/* ---- kernels: x has N elements, all 0 at first */

__global__ void right_k(float *x) {
  SHARED_ARRAY(float, s, N);
  int i = (int)threadIdx.x;
  s[i] = (float)i;
  __syncthreads();
  float v = s[N - 1 - i];
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
  if ((i & 31) == 0) atomicAdd(&x[0], v);
}
__global__ void global_bounds_k(float *x, int n) {
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i <= n) x[i] = 1;
}
__global__ void divergent_barrier_k(float *x) {
  if (threadIdx.x < 16) {
    __syncthreads();
    x[threadIdx.x] = 1;
  } else {
    __syncthreads();
    x[threadIdx.x] = 2;
  }
}
__global__ void exit_before_barrier_k(float *x, unsigned n) {
  if (threadIdx.x >= n) return;
  __syncthreads();
  x[threadIdx.x] = 1;
}
__global__ void missing_barrier_k(float *x) {
  SHARED_ARRAY(float, s, N);
  s[threadIdx.x] = (float)threadIdx.x;
  x[threadIdx.x] = s[N - 1 - threadIdx.x];
}
__global__ void warp_deadlock_k(float *x) {
  if (threadIdx.x < 8) x[threadIdx.x] = __shfl_down_sync(0xffffffffu, x[threadIdx.x], 1);
  else if (threadIdx.x < 32) __syncthreads();
}
__global__ void caller_not_in_mask_k(float *x) { x[threadIdx.x] = __shfl_xor_sync(0x0000fffeu, 1.0f, 0); }
__global__ void shuffle_from_gone_lane_k(float *x) {
  if (threadIdx.x % 32 >= 16) return;
  x[threadIdx.x] = __shfl_down_sync(0xffffffffu, 1.0f, 16);
}
__global__ void dynamic_bounds_k(float *x) {
  DYN_SHARED(float, s);
  s[threadIdx.x] = 1;
  x[threadIdx.x] = s[threadIdx.x];
}
__global__ void static_bounds_k(float *x, unsigned shift) {
  SHARED_ARRAY(float, s, 32);
  s[threadIdx.x + shift] = 1;
  __syncthreads();
  x[threadIdx.x] = s[threadIdx.x];
}
__global__ void global_race_k(float *x) { x[threadIdx.x / 2] += 1.0f; }
/* Two reductions through one scratch, with no barrier before the second writes it. */
__global__ void scratch_reuse_k(float *x) {
  SHARED_ARRAY(float, part, 2);
  unsigned warp = threadIdx.x / 32;
  for (int pass = 0; pass < 2; pass++) {
    if (threadIdx.x % 32 == 0) part[warp] = (float)pass;
    __syncthreads();
    x[threadIdx.x] = part[0] + part[1];
  }
}
__global__ void nothing_k(float *x) {
  DYN_SHARED(float, s);
  s[threadIdx.x] = 1;
  if (x[threadIdx.x] != 0) x[threadIdx.x] = s[threadIdx.x];
}

/* ---- cases: device memory in, outcome out (RIGHT = go on and look at errors and values) */

void right(float *x) { LAUNCH(right_k, 1, N, 0, (cudaStream_t)0, x); }
void global_bounds(float *x) { LAUNCH(global_bounds_k, 2, N, 0, (cudaStream_t)0, x, N); }
void divergent_barrier(float *x) { LAUNCH(divergent_barrier_k, 1, 32, 0, (cudaStream_t)0, x); }
void exit_before_barrier(float *x) { LAUNCH(exit_before_barrier_k, 1, N, 0, (cudaStream_t)0, x, 40); }
void missing_barrier(float *x) { LAUNCH(missing_barrier_k, 1, N, 0, (cudaStream_t)0, x); }
void warp_deadlock(float *x) { LAUNCH(warp_deadlock_k, 1, 32, 0, (cudaStream_t)0, x); }
void caller_not_in_mask(float *x) { LAUNCH(caller_not_in_mask_k, 1, 16, 0, (cudaStream_t)0, x); }
void shuffle_from_gone_lane(float *x) { LAUNCH(shuffle_from_gone_lane_k, 1, 32, 0, (cudaStream_t)0, x); }
void dynamic_bounds(float *x) { LAUNCH(dynamic_bounds_k, 1, N, (N - 4) * sizeof(float), (cudaStream_t)0, x); }
void static_bounds(float *x) { LAUNCH(static_bounds_k, 1, 32, 0, (cudaStream_t)0, x, 1); }
void global_race(float *x) { LAUNCH(global_race_k, 1, N, 0, (cudaStream_t)0, x); }
void scratch_reuse(float *x) { LAUNCH(scratch_reuse_k, 1, N, 0, (cudaStream_t)0, x); }
void too_many_threads(float *x) { LAUNCH(nothing_k, 1, 1025, 8192, (cudaStream_t)0, x); }
void grid_too_deep(float *x) { LAUNCH(nothing_k, dim3(1, 65536), N, 8192, (cudaStream_t)0, x); }
void too_much_shared(float *x) { LAUNCH(nothing_k, 1, N, 60 << 10, (cudaStream_t)0, x); }
void allowed_shared(float *x) {
  ALLOW_SHARED(nothing_k, 60 << 10);
  LAUNCH(nothing_k, 1, N, 60 << 10, (cudaStream_t)0, x);
}
void host_reads_device(float *x) {
  volatile float got = *x;
  (void)got;
}
void copy_past_the_end(float *x) {
  static char bytes[2 * N * sizeof(float)];
  cudaMemcpy(x, bytes, sizeof bytes, cudaMemcpyHostToDevice);
}
void copy_in_the_wrong_direction(float *x) {
  char bytes[4] = {0};
  cudaMemcpy(x, bytes, sizeof bytes, cudaMemcpyDeviceToHost);
}

const struct {
  const char *name;
  void (*run)(float *x);
  float first;             /* x[0] afterwards, when the outcome is RIGHT */
  outcome plain, asan, tsan;
} cases[] = {
    {"right kernel", right, 2016, RIGHT, RIGHT, RIGHT},
    {"global memory out of bounds", global_bounds, 0, ANYTHING, SANITIZER, ANYTHING},
    {"divergent barrier", divergent_barrier, 0, REPORTED, REPORTED, REPORTED},
    {"exit before a barrier", exit_before_barrier, 0, REPORTED, REPORTED, REPORTED},
    {"missing barrier", missing_barrier, 0, NAN_RESULT, NAN_RESULT, SANITIZER},
    {"warp deadlock", warp_deadlock, 0, REPORTED, REPORTED, REPORTED},
    {"caller not in the mask", caller_not_in_mask, 0, REPORTED, REPORTED, REPORTED},
    {"shuffle from an ended lane", shuffle_from_gone_lane, 0, REPORTED, REPORTED, REPORTED},
    {"dynamic shared out of bounds", dynamic_bounds, 0, ANYTHING, SANITIZER, ANYTHING},
    {"static shared out of bounds", static_bounds, 0, NAN_RESULT, SANITIZER, ANYTHING},
    {"race in global memory", global_race, 2, ANYTHING, ANYTHING, SANITIZER},
    {"scratch used again too early", scratch_reuse, 0, ANYTHING, ANYTHING, SANITIZER},
    {"1,025 threads", too_many_threads, 0, REFUSED, REFUSED, REFUSED},
    {"65,536 blocks in y", grid_too_deep, 0, REFUSED, REFUSED, REFUSED},
    {"60 KiB shared without leave", too_much_shared, 0, REFUSED, REFUSED, REFUSED},
    {"60 KiB shared with leave", allowed_shared, 0, RIGHT, RIGHT, RIGHT},
    {"host reads device memory", host_reads_device, 0, ANYTHING, SANITIZER, ANYTHING},
    {"copy past the end", copy_past_the_end, 0, REFUSED, REFUSED, REFUSED},
    {"copy in the wrong direction", copy_in_the_wrong_direction, 0, REFUSED, REFUSED, REFUSED},
};
constexpr int CASES = sizeof cases / sizeof *cases;

void print_report(const char *text) { fprintf(stderr, "%s\n", text); }

/* In the child. */
int child(int i) {
  float host[N] = {0};
  void *x = NULL;
  if (!getenv("VERBOSE") && !freopen("/dev/null", "w", stderr)) return 1;
  cemu_set_listener(print_report);
  cudaMalloc(&x, sizeof host);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  cases[i].run((float *)x);
  cudaError_t code = cudaGetLastError();
  if (code == cudaErrorLaunchFailure && cemu_report_count() > 0) return REPORTED;
  if (code) return REFUSED;
  if (cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost)) return WRONG;
  for (int k = 0; k < N; k++)
    if (host[k] != host[k]) return NAN_RESULT;
  return host[0] == cases[i].first ? RIGHT : WRONG;
}

int run_child(int i) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) exit(child(i));
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

outcome expected(int i) {
  const char *build = cemu_build();
  /* UndefinedBehaviorSanitizer alone sees indices of arrays, and nothing of memory. */
  if (build[0] == 'u') return cases[i].run == static_bounds ? SANITIZER : cases[i].plain;
  return build[0] == 'a' ? cases[i].asan : build[0] == 't' ? cases[i].tsan : cases[i].plain;
}

}  // namespace

/* Without arguments: all cases. With a number: that one, talkative. */
int main(int argc, char **argv) {
  if (argc > 1) {
    setenv("VERBOSE", "1", 1);
    return child(atoi(argv[1]));
  }
  /* In the default order some of these happen to come out right; another order shows them. */
  int failed = 0;
  for (int i = 0; i < CASES; i++) {
    outcome want = expected(i);
    int got = run_child(i);
    if (want == ANYTHING || got == want) continue;
    printf("FAILED case %d, %s (%s build): expected %d, received %d\n", i, cases[i].name, cemu_build(), (int)want,
           got);
    failed++;
  }
  printf("emulator, %s build: %d cases, %d failed\n", cemu_build(), CASES, failed);
  return failed != 0;
}
