/* device.c - the CPU device, and copies between devices. */
#include "tensor/device.h"

#include <string.h>

#include "tensor/allocator.h"
#include "tensor/device_plugin.h"

mf_device *mf_device_cpu(void) {
  static mf_device cpu = {.type = MF_CPU, .index = 0, .name = "CPU:0"};
  return &cpu;
}

mf_status mf_device_copy(mf_device *to, void *destination, mf_device *from, const void *source, size_t size) {
  if (!size) return NULL;
  if (to->type == MF_CPU && from->type == MF_CPU) {
    memcpy(destination, source, size);
    return NULL;
  }
  return mf_device_plugin_copy(to, destination, from, source, size);
}
