/* memory.cpp - device memory, copies, streams, events and devices.
 *
 * Device memory is ordinary memory that is filled with NaN when it is handed out and that host code must not touch:
 * under AddressSanitizer it is closed except while a kernel or a copy runs. Copies check their direction and that both
 * ends lie inside one allocation, as CUDA does. Streams and events have no work to wait for: everything is done when a
 * call returns.
 */
#include <stdlib.h>

#include "emu/machine.h"

struct cemu_stream {
  int device;
};
struct cemu_event {
  int device;
};

namespace {

struct allocation {
  char *at;
  size_t size;
  allocation *next;
};
allocation *allocations;
size_t bytes_allocated;
thread_local int current_device;

/* What an emulated device claims to have. */
const size_t DEVICE_BYTES = (size_t)8 << 30;

struct locked {
  locked() { pthread_mutex_lock(&cemu_machine.lock); }
  ~locked() { pthread_mutex_unlock(&cemu_machine.lock); }
};

bool on_device(const void *p, size_t size) {
  for (const allocation *a = allocations; a; a = a->next)
    if ((const char *)p >= a->at && (const char *)p + size <= a->at + a->size) return true;
  return false;
}

/* Moves or fills bytes of the device. Called with the lock. */
struct device_access {
  device_access() { device_memory_open(true); }
  ~device_access() { device_memory_open(false); }
};

int device_count() {
  const char *text = getenv("MOONFLOW_CUDA_EMU_DEVICES");
  int n = text ? atoi(text) : 1;
  return n < 1 ? 1 : n > 8 ? 8 : n;
}

}  // namespace

void device_memory_open(bool open) {
#if defined(CEMU_ASAN)
  for (const allocation *a = allocations; a; a = a->next) {
    if (open) memory_open(a->at, a->size);
    else memory_close(a->at, a->size);
  }
#else
  (void)open;
#endif
}

cudaError_t cudaMalloc(void **out, size_t size) {
  locked hold;
  *out = NULL;
  if (size > DEVICE_BYTES - bytes_allocated) return cemu_set_error(cudaErrorMemoryAllocation);
  allocation *a = (allocation *)malloc(sizeof *a);
  void *block = NULL;
  if (!a || posix_memalign(&block, 256, size ? size : 1)) {
    free(a);
    return cemu_set_error(cudaErrorMemoryAllocation);
  }
  memset(block, 0xff, size);   /* an uninitialised read becomes NaN in the output */
  a->at = (char *)block;
  a->size = size;
  a->next = allocations;
  allocations = a;
  bytes_allocated += size;
  memory_close(block, size);
  *out = block;
  return cudaSuccess;
}

cudaError_t cudaFree(void *block) {
  locked hold;
  if (!block) return cudaSuccess;
  for (allocation **link = &allocations; *link; link = &(*link)->next) {
    allocation *a = *link;
    if (a->at != block) continue;
    *link = a->next;
    bytes_allocated -= a->size;
    memory_open(a->at, a->size);
    free(a->at);
    free(a);
    return cudaSuccess;
  }
  return cemu_set_error(cudaErrorInvalidValue);
}

cudaError_t cudaMallocAsync(void **out, size_t size, cudaStream_t) { return cudaMalloc(out, size); }

cudaError_t cudaFreeAsync(void *block, cudaStream_t) { return cudaFree(block); }

cudaError_t cudaMallocHost(void **out, size_t size) {
  *out = malloc(size ? size : 1);
  return *out ? cudaSuccess : cemu_set_error(cudaErrorMemoryAllocation);
}

cudaError_t cudaFreeHost(void *block) {
  free(block);
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, cudaMemcpyKind kind) {
  locked hold;
  if (!size) return cudaSuccess;
  bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (kind != cudaMemcpyDefault && (on_device(to, size) != to_device || on_device(from, size) != from_device))
    return cemu_set_error(cudaErrorInvalidValue);
  device_access open;
  memcpy(to, from, size);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy(to, from, size, kind);
}

cudaError_t cudaMemsetAsync(void *to, int byte, size_t size, cudaStream_t) {
  locked hold;
  if (!size) return cudaSuccess;
  if (!on_device(to, size)) return cemu_set_error(cudaErrorInvalidValue);
  device_access open;
  memset(to, byte, size);
  return cudaSuccess;
}

/* ---- devices, streams, events */

cudaError_t cudaGetDeviceCount(int *count) {
  *count = device_count();
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= device_count()) return cemu_set_error(cudaErrorInvalidDevice);
  current_device = device;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
  *device = current_device;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *out, int device) {
  if (device < 0 || device >= device_count()) return cemu_set_error(cudaErrorInvalidDevice);
  memset(out, 0, sizeof *out);
  strcpy(out->name, "CUDA emulator");
  out->totalGlobalMem = DEVICE_BYTES;
  out->major = 9;
  out->multiProcessorCount = 1;
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
  locked hold;
  *free_bytes = DEVICE_BYTES - bytes_allocated;
  *total_bytes = DEVICE_BYTES;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned) {
  *out = (cudaStream_t)malloc(sizeof **out);
  if (!*out) return cemu_set_error(cudaErrorMemoryAllocation);
  (*out)->device = current_device;
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  free(stream);
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }

cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned) {
  *out = (cudaEvent_t)malloc(sizeof **out);
  if (!*out) return cemu_set_error(cudaErrorMemoryAllocation);
  (*out)->device = current_device;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  free(event);
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
