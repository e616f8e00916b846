/* device.cu - the plug-in's table (tensor/device_plugin.h) except for kernels: devices, streams, memory, copies,
 * events.
 *
 * Every function returns the runtime's error code. CUDA keeps the current device per OS thread: each call selects its
 * stream's device first, so callers need not care. Errors are also consumed (cudaGetLastError) so that a later launch
 * does not inherit them.
 */
#include <stdlib.h>

#include "blas.h"
#include "call.h"
#include "device.h"
#include "stream.h"

namespace {

mfi_cuda_stream *stream_of(mf_stream s) { return static_cast<mfi_cuda_stream *>(s); }
cudaEvent_t event_of(mf_event e) { return static_cast<cudaEvent_t>(e); }

int finish(cudaError_t code) {
  if (code) (void)cudaGetLastError();
  return (int)code;
}

/* Selects the stream's device. */
int enter(mf_stream s) { return mfi_cuda_select_device(stream_of(s)); }

/* ---- devices */

#if defined(__CUDACC__)
mf_gpu_state absence_of(cudaError_t code) { return code == cudaErrorNoDevice ? MF_GPU_NO_DEVICE : MF_GPU_NO_DRIVER; }
const mf_gpu_state FOUND = MF_GPU_PRESENT;
#else
mf_gpu_state absence_of(cudaError_t) { return MF_GPU_NO_DEVICE; }
const mf_gpu_state FOUND = MF_GPU_EMULATED;
#endif

int probe(int *count, mf_gpu_state *state) {
  *count = 0;
  cudaError_t code = cudaGetDeviceCount(count);
  if (code) *count = 0;
  *state = *count > 0 ? FOUND : absence_of(code);
  return finish(code);
}

int info(int device, mf_device_info *out) {
  *out = mf_device_info();
  cudaDeviceProp properties;
  cudaError_t code = cudaGetDeviceProperties(&properties, device);
  if (code) return finish(code);
  for (size_t i = 0; i + 1 < sizeof out->name && properties.name[i]; i++) out->name[i] = properties.name[i];
  out->major = properties.major;
  out->minor = properties.minor;
  out->multiprocessors = properties.multiProcessorCount;
#if defined(__CUDACC__)
  (void)cudaDriverGetVersion(&out->driver);
  (void)cudaRuntimeGetVersion(&out->runtime);
#endif
  size_t available = 0, total = 0;
  code = cudaSetDevice(device);
  if (!code) code = cudaMemGetInfo(&available, &total);
  out->free_bytes = (int64_t)available;
  out->total_bytes = (int64_t)total;
  return finish(code);
}

const char *error_text(int code) {
  const char *text = cudaGetErrorString((cudaError_t)code);
  return text ? text : "unknown error";
}

/* ---- streams */

#if defined(__CUDACC__)
/* The pool keeps freed memory for later allocations instead of giving it back at every synchronisation. */
bool pool_prepare(int device) {
  int supported = 0;
  cudaMemPool_t pool;
  uint64_t keep = UINT64_MAX;
  if (cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device) || !supported) return false;
  if (cudaDeviceGetDefaultMemPool(&pool, device)) return false;
  return cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep) == cudaSuccess;
}

int pool_trim(int device) {
  cudaMemPool_t pool;
  cudaError_t code = cudaDeviceGetDefaultMemPool(&pool, device);
  return finish(code ? code : cudaMemPoolTrimTo(pool, 0));
}
#else
bool pool_prepare(int) { return true; }
int pool_trim(int) { return 0; }
#endif

int stream_create(int device, mf_stream *out) {
  *out = NULL;
  cudaError_t code = cudaSetDevice(device);
  if (code) return finish(code);
  mfi_cuda_stream *s = static_cast<mfi_cuda_stream *>(calloc(1, sizeof *s));
  if (!s) return cudaErrorMemoryAllocation;
  s->device = device;
  s->pooled = pool_prepare(device);
  pthread_mutex_init(&s->blas_lock, NULL);
  code = cudaStreamCreateWithFlags(&s->handle, cudaStreamNonBlocking);
  if (code) {
    pthread_mutex_destroy(&s->blas_lock);
    free(s);
  } else {
    *out = s;
  }
  return finish(code);
}

int stream_destroy(mf_stream stream) {
  mfi_cuda_stream *s = stream_of(stream);
  if (!s) return 0;
  int entered = enter(stream);
  cudaError_t code = cudaStreamSynchronize(s->handle);
  for (const mfi_blas *const *b = mfi_blas_list; *b; b++)
    if ((*b)->close) (*b)->close(s);
  cudaError_t destroyed = cudaStreamDestroy(s->handle);
  pthread_mutex_destroy(&s->blas_lock);
  free(s);
  return entered ? entered : finish(code ? code : destroyed);
}

int stream_synchronize(mf_stream s) {
  int code = enter(s);
  return code ? code : finish(cudaStreamSynchronize(stream_of(s)->handle));
}

/* ---- memory */

int alloc(mf_stream s, size_t size, void **out) {
  *out = NULL;
  int code = enter(s);
  if (code) return code;
  if (!size) size = 1;
  return finish(stream_of(s)->pooled ? cudaMallocAsync(out, size, stream_of(s)->handle) : cudaMalloc(out, size));
}

int release(mf_stream s, void *block) {
  if (!block) return 0;
  int code = enter(s);
  if (code) return code;
  return finish(stream_of(s)->pooled ? cudaFreeAsync(block, stream_of(s)->handle) : cudaFree(block));
}

int trim(mf_stream s) {
  int code = stream_synchronize(s);
  return code || !stream_of(s)->pooled ? code : pool_trim(stream_of(s)->device);
}

int host_alloc(mf_stream s, size_t size, void **out) {
  *out = NULL;
  int code = enter(s);
  return code ? code : finish(cudaMallocHost(out, size ? size : 1));
}

int host_release(mf_stream s, void *block) {
  if (!block) return 0;
  int code = enter(s);
  return code ? code : finish(cudaFreeHost(block));
}

int copy(mf_stream s, void *to, const void *from, size_t size, cudaMemcpyKind kind) {
  int code = enter(s);
  if (code || !size) return code;
  return finish(cudaMemcpyAsync(to, from, size, kind, stream_of(s)->handle));
}

int copy_h2d(mf_stream s, void *device, const void *host, size_t size) {
  return copy(s, device, host, size, cudaMemcpyHostToDevice);
}

int copy_d2h(mf_stream s, void *host, const void *device, size_t size) {
  return copy(s, host, device, size, cudaMemcpyDeviceToHost);
}

int copy_d2d(mf_stream s, void *to, const void *from, size_t size) {
  return copy(s, to, from, size, cudaMemcpyDeviceToDevice);
}

int fill(mf_stream s, void *device, int byte, size_t size) {
  int code = enter(s);
  if (code || !size) return code;
  return finish(cudaMemsetAsync(device, byte, size, stream_of(s)->handle));
}

/* ---- events */

int event_create(mf_stream s, mf_event *out) {
  *out = NULL;
  int code = enter(s);
  if (code) return code;
  cudaEvent_t e = NULL;
  code = finish(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  if (!code) *out = e;
  return code;
}

int event_destroy(mf_stream s, mf_event e) {
  if (!e) return 0;
  int code = enter(s);
  return code ? code : finish(cudaEventDestroy(event_of(e)));
}

int event_record(mf_stream s, mf_event e) {
  int code = enter(s);
  return code ? code : finish(cudaEventRecord(event_of(e), stream_of(s)->handle));
}

int event_wait(mf_stream s, mf_event e) {
  int code = enter(s);
  return code ? code : finish(cudaStreamWaitEvent(stream_of(s)->handle, event_of(e), 0));
}

}  // namespace

extern "C" int mfi_cuda_select_device(mfi_cuda_stream *s) { return finish(cudaSetDevice(s->device)); }

mf_device_api mfi_cuda_device_api() {
  mf_device_api api = {};
  api.abi = MF_PLUGIN_ABI;
  api.size = sizeof api;
#if defined(__CUDACC__)
  api.name = "cuda";
#else
  api.name = "cuda-emulator";
#endif
  api.probe = probe;
  api.info = info;
  api.error_text = error_text;
  api.stream_create = stream_create;
  api.stream_destroy = stream_destroy;
  api.stream_synchronize = stream_synchronize;
  api.alloc = alloc;
  api.release = release;
  api.trim = trim;
  api.host_alloc = host_alloc;
  api.host_release = host_release;
  api.copy_h2d = copy_h2d;
  api.copy_d2h = copy_d2h;
  api.copy_d2d = copy_d2d;
  api.fill = fill;
  api.event_create = event_create;
  api.event_destroy = event_destroy;
  api.event_record = event_record;
  api.event_wait = event_wait;
  return api;
}
