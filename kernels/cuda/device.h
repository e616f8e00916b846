/* device.h - the table of device.cu, to which plugin.cu adds the kernels. */
#ifndef MF_CUDA_DEVICE_H
#define MF_CUDA_DEVICE_H

#include "tensor/device_plugin.h"

/* Everything but `kernels`. */
mf_device_api mfi_cuda_device_api();

#endif
