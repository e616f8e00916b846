/* device.h - a place where tensors live and kernels run.
 *
 * The CPU is always device 0; GPUs come from the plug-in (device_plugin.h) when first asked for. Devices live until the library
 * is closed and are compared by address.
 */
#ifndef MF_TENSOR_DEVICE_H
#define MF_TENSOR_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef enum mf_device_type { MF_CPU = 0, MF_GPU = 1, MF_DEVICE_TYPES = 2 } mf_device_type;

typedef struct mf_device mf_device;
typedef void *mf_stream;     /* NULL on the CPU */

struct mf_allocator;

struct mf_device {
  mf_device_type type;
  int index;                                    /* "GPU:1" has 1 */
  char name[16];                                /* "CPU:0" */
  struct mf_allocator *allocator;
  mf_stream stream;                             /* the compute stream; NULL on the CPU */
  const struct mf_device_api *api;              /* the plug-in's table; NULL on the CPU */
};

mf_device *mf_device_cpu(void);
/* Copies between devices; at least one side may be the CPU. Waits only when the destination is the CPU. */
mf_status mf_device_copy(mf_device *to, void *destination, mf_device *from, const void *source, size_t size) MF_MUST_USE;

#endif
