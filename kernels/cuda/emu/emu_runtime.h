/* emu_runtime.h - launches, shared memory and the part of CUDA's runtime API that the plug-in uses.
 *
 * Names beginning with cuda behave as CUDA's own, checks included: launch limits, copy directions, bounds of device
 * memory. Names beginning with cemu_ are the emulator's. Last errors are kept per OS thread, as CUDA does.
 */
#ifndef MF_CUDA_EMU_RUNTIME_H
#define MF_CUDA_EMU_RUNTIME_H

#include "emu/emu_types.h"

typedef int cudaError_t;
typedef struct cemu_stream *cudaStream_t;
typedef struct cemu_event *cudaEvent_t;

enum {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInsufficientDriver = 35,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorLaunchFailure = 719
};
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
enum { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
enum { cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2 };

struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem;
  int major, minor, multiProcessorCount;
};

/* ==== launches ==== */

/* Runs fn(context) once a thread. `kernel` is the kernel's address: what ALLOW_SHARED was told about. */
void cemu_launch(const char *name, const void *kernel, dim3 grid, dim3 block, size_t shared_bytes, void (*fn)(void *),
                 void *context);
void *cemu_dynamic_shared(void);
/* Static shared memory of the running block for the variable whose identity is `key`; NaN-filled at the start of a
 * block. */
void *cemu_static_shared(const void *key, size_t size);
cudaError_t cemu_allow_shared(const void *kernel, size_t bytes);

#define LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                            \
  do {                                                                                    \
    (void)(stream);                                                                       \
    auto cemu_body_ = [&]() { kernel(__VA_ARGS__); };                                     \
    cemu_launch(#kernel, (const void *)(kernel), (grid), (block), (shared_bytes),         \
                [](void *cemu_self_) { (*(decltype(cemu_body_) *)cemu_self_)(); }, &cemu_body_); \
  } while (0)
#define SHARED_ARRAY(T, name, n)                    \
  static const char name##_key_ = 0;                \
  typedef T name##_type_[n];                        \
  name##_type_ &name = *(name##_type_ *)cemu_static_shared(&name##_key_, sizeof(name##_type_))
#define SHARED_TILE(T, name, rows, columns)         \
  static const char name##_key_ = 0;                \
  typedef T name##_type_[rows][columns];            \
  name##_type_ &name = *(name##_type_ *)cemu_static_shared(&name##_key_, sizeof(name##_type_))
#define DYN_SHARED(T, name) T *name = (T *)cemu_dynamic_shared()
#define ALLOW_SHARED(kernel, bytes) cemu_allow_shared((const void *)(kernel), (bytes))

/* ==== diagnostics ====
 *
 * A wrong kernel makes its launch fail with cudaErrorLaunchFailure; cudaGetErrorString then gives the first report. */

/* Diagnostics so far in this process. */
int cemu_report_count(void);
/* The first one; "" when there is none. Static. */
const char *cemu_first_report(void);
/* Called with the text of every diagnostic (tests print it); NULL: nobody listens. */
void cemu_set_listener(void (*listener)(const char *text));
/* What kind of sanitizer this build is for: "plain", "asan", "tsan", "ubsan". */
const char *cemu_build(void);

/* ==== CUDA's runtime ==== */

cudaError_t cudaGetLastError(void);
const char *cudaGetErrorString(cudaError_t code);

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *out, int device);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
cudaError_t cudaDeviceSynchronize(void);

cudaError_t cudaMalloc(void **out, size_t size);
cudaError_t cudaFree(void *block);
cudaError_t cudaMallocAsync(void **out, size_t size, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *block, cudaStream_t stream);
cudaError_t cudaMallocHost(void **out, size_t size);
cudaError_t cudaFreeHost(void *block);
cudaError_t cudaMemcpy(void *to, const void *from, size_t size, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void *to, int byte, size_t size, cudaStream_t stream);

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);

#endif
