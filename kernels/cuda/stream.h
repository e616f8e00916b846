/* stream.h - what an mf_stream of the plug-in points to. */
#ifndef MF_CUDA_STREAM_H
#define MF_CUDA_STREAM_H

#include <pthread.h>

#include "launch.h"

struct mfi_cuda_stream {
  int device;
  cudaStream_t handle;
  bool pooled; /* the device has stream-ordered allocation; else alloc and release are the plain, waiting ones */
  pthread_mutex_t blas_lock;
  void *blas;         /* the BLAS library's handle, made by the first product; owned */
};

#endif
