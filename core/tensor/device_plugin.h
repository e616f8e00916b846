/* device_plugin.h - GPUs: the table that a device plug-in hands out, and how core opens it.
 *
 * Two libraries serve the same table: libmoonflow_cuda.so (NVIDIA's runtime) and libmoonflow_cudaemu.so (the same
 * kernel sources, run thread by thread on the CPU, for tests). Nothing is opened until a GPU is asked for. States:
 *
 *     MF_GPU_OFF          MOONFLOW_CUDA=off
 *     MF_GPU_NO_LIBRARY   no plug-in, or one that cannot be loaded (a missing libcublas, another ABI version)
 *     MF_GPU_NO_DRIVER    plug-in loaded; the machine has no NVIDIA driver, or one that is too old
 *     MF_GPU_NO_DEVICE    plug-in and driver; no GPU is visible
 *     MF_GPU_PRESENT      at least one GPU
 *     MF_GPU_EMULATED     at least one emulated GPU
 *
 * The environment variable MOONFLOW_CUDA chooses: unset or "on" = libmoonflow_cuda.so, "emu" = libmoonflow_cudaemu.so,
 * "off" = none, anything else = name or path of a plug-in. Where libraries are looked for: base/plugin.h.
 *
 * This header compiles as C11 and as C++; it names no CUDA type.
 */
#ifndef MF_TENSOR_DEVICE_PLUGIN_H
#define MF_TENSOR_DEVICE_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "tensor/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== the table ====
 *
 * Raised when the layout of anything below, of mf_call or of mf_kernel_def (ops/kernel.h) changes. */
enum { MF_PLUGIN_ABI = 1 };

typedef void *mf_event;      /* a point in a stream's work */

typedef enum mf_gpu_state {
  MF_GPU_OFF,
  MF_GPU_NO_LIBRARY,
  MF_GPU_NO_DRIVER,
  MF_GPU_NO_DEVICE,
  MF_GPU_PRESENT,
  MF_GPU_EMULATED
} mf_gpu_state;

typedef struct mf_device_info {
  char name[128];            /* "NVIDIA H200" */
  int64_t total_bytes;       /* memory of the device ... */
  int64_t free_bytes;        /* ... and what nobody uses at the moment */
  int32_t major, minor;      /* compute capability: 9, 0 */
  int32_t multiprocessors;
  int32_t driver, runtime;   /* CUDA versions as 1000 * major + 10 * minor; driver 0: emulated */
} mf_device_info;

/* What core lends to the plug-in, which is not linked against it. Valid until the plug-in is closed. */
typedef struct mf_plugin_host {
  uint32_t abi;
  uint32_t size;             /* sizeof(mf_plugin_host) */
  mf_status (*fail)(mf_code code, const char *format, ...);   /* mf_fail: makes the errors that kernels return */
} mf_plugin_host;

struct mf_kernel_def;        /* ops/kernel.h */

/* Functions return 0 or a code of the driver's that error_text explains. They may be called from any thread; a stream
 * is used by one thread at a time. Every call that touches device memory is ordered by a stream: it returns at once
 * (exceptions are named), later work in the same stream comes after it. Two streams are ordered by events only. */
typedef struct mf_device_api {
  uint32_t abi;              /* MF_PLUGIN_ABI */
  uint32_t size;             /* sizeof(mf_device_api) */
  const char *name;          /* "cuda", "cuda-emulator" */
  const struct mf_kernel_def *kernels;   /* rows that end with a NULL op_name; device MF_GPU */

  /* [OUT] *count devices; *state: MF_GPU_PRESENT or MF_GPU_EMULATED, or why there is none. */
  int (*probe)(int *count, mf_gpu_state *state);
  int (*info)(int device, mf_device_info *out);
  const char *(*error_text)(int code);                                  /* static text, never NULL */

  int (*stream_create)(int device, mf_stream *out);
  int (*stream_destroy)(mf_stream s);                                   /* waits for its work */
  int (*stream_synchronize)(mf_stream s);                               /* waits; gives the first late error */

  int (*alloc)(mf_stream s, size_t size, void **out);                   /* 256-byte aligned, not cleared */
  int (*release)(mf_stream s, void *block);                /* after the work queued so far; NULL allowed */
  int (*trim)(mf_stream s);                                /* returns cached memory to the system; waits */
  int (*host_alloc)(mf_stream s, size_t size, void **out); /* page-locked host memory: copies really overlap */
  int (*host_release)(mf_stream s, void *block);

  /* Host memory that is not page-locked may be reused when copy_h2d returns; copy_d2h into it is complete after a
   * stream_synchronize only. Both devices of copy_d2d may differ: the stream is the destination's. */
  int (*copy_h2d)(mf_stream s, void *device, const void *host, size_t size);
  int (*copy_d2h)(mf_stream s, void *host, const void *device, size_t size);
  int (*copy_d2d)(mf_stream s, void *to, const void *from, size_t size);
  int (*fill)(mf_stream s, void *device, int byte, size_t size);

  int (*event_create)(mf_stream s, mf_event *out);
  int (*event_destroy)(mf_stream s, mf_event e);
  int (*event_record)(mf_stream s, mf_event e);                         /* all work queued in s so far */
  int (*event_wait)(mf_stream s, mf_event e);                           /* later work in s comes after e */
} mf_device_api;

/* The symbol that a plug-in exports, under the name "mf_plugin". NULL when it does not know `abi`. `host` is kept. */
typedef const mf_device_api *(*mf_plugin_fn)(uint32_t abi, const mf_plugin_host *host);
#define MF_PLUGIN_SYMBOL "mf_plugin"

/* ==== opening ====
 *
 * All calls are thread-safe; the first one that needs the plug-in opens it. */

/* What there is on this machine. */
mf_gpu_state mf_gpu_state_get(void);
/* One sentence for people: what was found, or what is missing and what to do. Borrowed until mf_gpu_close. */
const char *mf_gpu_state_text(void);
/* Number of GPUs; 0 when there is none for whatever reason. */
int mf_gpu_count(void);

/* GPU number `index`; its stream is made on the first call. The device lives until mf_gpu_close.
 * UNAVAILABLE with mf_gpu_state_text when there is none, INVALID_ARGUMENT when index >= mf_gpu_count(). */
mf_status mf_gpu_device(int index, mf_device **out) MF_MUST_USE;
/* [OUT] what the driver says about a device of mf_gpu_device. */
mf_status mf_gpu_info(mf_device *device, mf_device_info *out) MF_MUST_USE;

/* Where the plug-in's kernel rows go when it is opened; mf_init sets mf_kernels_add. An error keeps the plug-in
 * closed. */
typedef mf_status (*mf_kernel_sink)(const struct mf_kernel_def *rows);
void mf_gpu_set_kernel_sink(mf_kernel_sink sink);

/* Ends streams and devices and forgets what was found; the library itself stays mapped. No tensor may live on a GPU
 * any more. The next question opens the plug-in again. */
void mf_gpu_close(void);

/* ==== copies and waiting (`device` is one of mf_gpu_device) ====
 *
 * Memory comes from device->allocator as on the CPU. The plug-in's pool caches blocks itself and orders their reuse by
 * the device's stream: a block may be given back while work on it is still queued. */

/* The GPU half of mf_device_copy: at least one side is a GPU. Waits when the destination is the CPU, and then reports
 * errors of earlier work in that stream. */
mf_status mf_device_plugin_copy(mf_device *to, void *destination, mf_device *from, const void *source, size_t size)
    MF_MUST_USE;
/* Waits for all work of a device; INTERNAL with the driver's text when something failed on the way. */
mf_status mf_gpu_synchronize(mf_device *device) MF_MUST_USE;

#ifdef __cplusplus
}
#endif
#endif
