/* launch.h - the one header that kernel sources include: the same .cu file for a GPU and for the emulator.
 *
 * Under nvcc it is CUDA itself; under a plain C++ compiler it is emu/emu.h, which runs every CUDA thread as a fiber on
 * the CPU and checks what a GPU does not: barriers, warp masks, uninitialised reads, bounds (with AddressSanitizer),
 * races (with ThreadSanitizer). Kernel sources never include a CUDA header themselves.
 *
 * Four things are written differently from plain CUDA, so that both compilers take them:
 *   LAUNCH(kernel, grid, block, shared_bytes, stream, arguments...)   instead of kernel<<<...>>>(...)
 *       template kernels stand in parentheses: LAUNCH((copy_k<float, 4>), ...)
 *       errors are read with cudaGetLastError() afterwards
 *   SHARED_ARRAY(T, name, n)               instead of __shared__ T name[n]
 *   SHARED_TILE(T, name, rows, columns)    instead of __shared__ T name[rows][columns]
 *   DYN_SHARED(T, name)                    T *name = the launch's dynamic shared memory
 *   ALLOW_SHARED(kernel, bytes)            before a launch with more than 48 KiB of it
 *
 * What kernels must do without: inline PTX, shuffles of more than 8 bytes, cooperative groups, textures, host code
 * that polls memory a kernel writes.
 */
#ifndef MF_CUDA_LAUNCH_H
#define MF_CUDA_LAUNCH_H

#if defined(__CUDACC__)

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define LAUNCH(kernel, grid, block, shared_bytes, stream, ...) \
  do {                                                         \
    kernel<<<(grid), (block), (shared_bytes), (stream)>>>(__VA_ARGS__); \
  } while (0)
#define SHARED_ARRAY(T, name, n) __shared__ T name[n]
#define SHARED_TILE(T, name, rows, columns) __shared__ T name[rows][columns]
#define DYN_SHARED(T, name)                                             \
  extern __shared__ __align__(16) unsigned char mfi_dynamic_shared_[];  \
  T *name = reinterpret_cast<T *>(mfi_dynamic_shared_)
#define ALLOW_SHARED(kernel, bytes) \
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)(bytes))

#else
#include "emu/emu.h"
#endif

#endif
