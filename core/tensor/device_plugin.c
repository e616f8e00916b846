/* device_plugin.c - looks for a CUDA plug-in, says what is missing, and owns the GPU devices.
 *
 * Everything here is process-wide and guarded by one lock: what was found (an mf_gpu_state and its sentence), the
 * plug-in's table, one mf_device a GPU. A plug-in that was loaded once stays mapped: CUDA does not survive being
 * unloaded.
 */
#include "tensor/device_plugin.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/memory.h"
#include "base/plugin.h"
#include "tensor/allocator.h"

enum { TEXT = 1024 };

static struct {
  pthread_mutex_t lock;
  bool opened;
  mf_gpu_state state;
  char text[TEXT];
  const mf_device_api *api;
  int count;
  mf_device *devices;        /* count of them; name[0] == 0: not made yet */
  mf_kernel_sink sink;
} gpu = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const mf_plugin_host host = {.abi = MF_PLUGIN_ABI, .size = sizeof host, .fail = mf_fail};

static void found(mf_gpu_state state, const char *format, ...) MF_PRINTF(2, 3);
static void found(mf_gpu_state state, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(gpu.text, sizeof gpu.text, format, args);
  va_end(args);
  gpu.state = state;
}

/* ---- the library */

/* The file names that MOONFLOW_CUDA asks for; false: off. */
static bool library_names(const char *names[2]) {
  const char *wish = mf_env_text(MF_ENV_CUDA);
  names[0] = !strcmp(wish, "on") ? "libmoonflow_cuda.so" : !strcmp(wish, "emu") ? "libmoonflow_cudaemu.so" : wish;
  names[1] = NULL;
  return strcmp(wish, "off") != 0;
}

/* What the library exports. */
typedef struct exports {
  mf_plugin_fn plugin;
} exports;

static const mf_device_api *library_open(void) {
  static const mf_plugin_symbol symbols[] = {{MF_PLUGIN_SYMBOL, offsetof(exports, plugin), false}};
  const char *names[2];
  mf_plugin_spec spec = {.purpose = "GPUs",
                         .library = "moonflow_cuda",
                         .names = names,
                         .symbols = symbols,
                         .symbol_count = 1,
                         .keep = true};
  spec.advice = "build moonflow with -DMF_CUDA=ON where nvcc is installed, or set MOONFLOW_CUDA to the plug-in's path";
  exports api = {NULL};
  mf_plugin *library = NULL;
  if (!library_names(names)) {
    found(MF_GPU_OFF, "GPUs are switched off by MOONFLOW_CUDA=off");
    return NULL;
  }
  mf_status status = mf_plugin_open(&spec, &api, &library);
  if (status) {
    found(MF_GPU_NO_LIBRARY, "%s", mf_status_message(status));
    mf_status_release(status);
    return NULL;
  }
  const mf_device_api *table = api.plugin(MF_PLUGIN_ABI, &host);
  if (!table)
    found(MF_GPU_NO_LIBRARY,
          "the CUDA plug-in %s does not fit this moonflow (it does not know plug-in ABI %d); build both from "
          "the same source",
          mf_plugin_path(library), (int)MF_PLUGIN_ABI);
  mf_plugin_close(library);   /* it stays mapped */
  return table;
}

/* ---- what it finds */

static void describe_devices(const mf_device_api *api, int count, mf_gpu_state state) {
  mf_device_info info;
  if (state == MF_GPU_EMULATED)
    found(state, "%d emulated GPU%s (plug-in %s): for tests, far slower than the CPU", count, count == 1 ? "" : "s",
          api->name);
  else if (api->info(0, &info))
    found(state, "%d GPU%s", count, count == 1 ? "" : "s");
  else
    found(state, "%d GPU%s; GPU:0 is %s, compute capability %d.%d, %.1f GiB, driver for CUDA %d.%d, runtime %d.%d",
          count, count == 1 ? "" : "s", info.name, (int)info.major, (int)info.minor,
          (double)info.total_bytes / (1 << 30), (int)info.driver / 1000, (int)info.driver % 1000 / 10,
          (int)info.runtime / 1000, (int)info.runtime % 1000 / 10);
}

static void probe(const mf_device_api *api) {
  int count = 0;
  mf_gpu_state state = MF_GPU_NO_DEVICE;
  int code = api->probe(&count, &state);
  if (state == MF_GPU_NO_DRIVER) {
    found(state,
          "the CUDA plug-in is there, but no usable NVIDIA driver (%s); install a driver of version 580 or later: "
          "nvidia-smi must list the GPU",
          api->error_text(code));
    return;
  }
  if (count <= 0) {
    found(MF_GPU_NO_DEVICE,
          "the CUDA plug-in and the NVIDIA driver are there, but no GPU is visible (%s); look at nvidia-smi "
          "and at CUDA_VISIBLE_DEVICES",
          api->error_text(code));
    return;
  }
  gpu.devices = mf_alloc_zero((size_t)count, sizeof *gpu.devices);
  if (!gpu.devices) {
    found(MF_GPU_NO_DEVICE, "out of memory while the GPUs were set up");
    return;
  }
  gpu.api = api;
  gpu.count = count;
  describe_devices(api, count, state);
}

/* Under the lock. */
static void open_once(void) {
  if (gpu.opened) return;
  gpu.opened = true;
  const mf_device_api *api = library_open();
  if (!api) return;
  mf_status status = gpu.sink ? gpu.sink(api->kernels) : NULL;
  if (!status) {
    probe(api);
    return;
  }
  found(MF_GPU_NO_LIBRARY, "the kernels of the CUDA plug-in cannot be used: %s", mf_status_message(status));
  mf_status_release(status);
}

mf_gpu_state mf_gpu_state_get(void) {
  pthread_mutex_lock(&gpu.lock);
  open_once();
  mf_gpu_state state = gpu.state;
  pthread_mutex_unlock(&gpu.lock);
  return state;
}

const char *mf_gpu_state_text(void) {
  (void)mf_gpu_state_get();
  return gpu.text;
}

int mf_gpu_count(void) {
  pthread_mutex_lock(&gpu.lock);
  open_once();
  int count = gpu.count;
  pthread_mutex_unlock(&gpu.lock);
  return count;
}

void mf_gpu_set_kernel_sink(mf_kernel_sink sink) {
  pthread_mutex_lock(&gpu.lock);
  gpu.sink = sink;
  pthread_mutex_unlock(&gpu.lock);
}

/* ---- devices */

static int source_take(void *user, size_t size, void **block) {
  mf_device *d = user;
  return d->api->alloc(d->stream, size, block);
}

static void source_give(void *user, void *block) {
  mf_device *d = user;
  (void)d->api->release(d->stream, block);
}

static void source_trim(void *user) {
  mf_device *d = user;
  (void)d->api->trim(d->stream);
}

static mf_status driver_error(const mf_device *d, const char *what, int code) {
  return mf_fail(MF_INTERNAL, "%s: %s failed: %s (code %d)", d->name, what, d->api->error_text(code), code);
}

static void device_end(mf_device *d) {
  mf_allocator_release(d->allocator);
  if (d->stream) (void)d->api->stream_destroy(d->stream);
  *d = (mf_device){0};
}

/* Under the lock. */
static mf_status device_make(mf_device *d, int index) {
  mf_memory_source source = {.take = source_take, .give = source_give, .trim = source_trim, .user = d};
  d->type = MF_GPU;
  d->index = index;
  d->api = gpu.api;
  snprintf(d->name, sizeof d->name, "GPU:%d", index);
  int code = d->api->stream_create(index, &d->stream);
  mf_status status = code ? driver_error(d, "making a stream", code) : mf_allocator_new(&source, &d->allocator);
  if (status) device_end(d);
  return status;
}

mf_status mf_gpu_device(int index, mf_device **out) {
  mf_status status = NULL;
  *out = NULL;
  pthread_mutex_lock(&gpu.lock);
  open_once();
  if (!gpu.count) status = mf_fail(MF_UNAVAILABLE, "GPU:%d: %s", index, gpu.text);
  else if (index < 0 || index >= gpu.count)
    status = mf_fail(MF_INVALID_ARGUMENT, "GPU:%d: index from 0 to %d expected, received %d (%s)", index,
                     gpu.count - 1, index, gpu.text);
  else if (!gpu.devices[index].name[0]) status = device_make(&gpu.devices[index], index);
  if (!status) *out = &gpu.devices[index];
  pthread_mutex_unlock(&gpu.lock);
  return status;
}

mf_status mf_gpu_info(mf_device *device, mf_device_info *out) {
  int code = device->api->info(device->index, out);
  return code ? driver_error(device, "asking for its properties", code) : NULL;
}

void mf_gpu_close(void) {
  pthread_mutex_lock(&gpu.lock);
  for (int i = 0; i < gpu.count; i++)
    if (gpu.devices[i].name[0]) device_end(&gpu.devices[i]);
  mf_free(gpu.devices);
  gpu.devices = NULL;
  gpu.count = 0;
  gpu.api = NULL;
  gpu.opened = false;
  pthread_mutex_unlock(&gpu.lock);
}

/* ---- copies */

mf_status mf_gpu_synchronize(mf_device *device) {
  int code = device->api->stream_synchronize(device->stream);
  return code ? driver_error(device, "work queued earlier", code) : NULL;
}

/* Between two GPUs the destination's stream does it, once the source's work so far is done. */
static int copy_across(mf_device *to, void *destination, mf_device *from, const void *source, size_t size) {
  int code = to == from ? 0 : from->api->stream_synchronize(from->stream);
  return code ? code : to->api->copy_d2d(to->stream, destination, source, size);
}

mf_status mf_device_plugin_copy(mf_device *to, void *destination, mf_device *from, const void *source, size_t size) {
  int code;
  if (to->type == MF_GPU && from->type == MF_GPU) {
    code = copy_across(to, destination, from, source, size);
    return code ? driver_error(to, "a copy from another device", code) : NULL;
  }
  if (to->type == MF_GPU) {
    code = to->api->copy_h2d(to->stream, destination, source, size);
    return code ? driver_error(to, "a copy from the CPU", code) : NULL;
  }
  code = from->api->copy_d2h(from->stream, destination, source, size);
  return code ? driver_error(from, "a copy to the CPU", code) : mf_gpu_synchronize(from);
}
