/* softmax.h - loops of softmax and of its cross-entropy for one element type. */
#ifndef MF_KERNELS_CPU_SOFTMAX_H
#define MF_KERNELS_CPU_SOFTMAX_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/cpu/isa.h"
#include "ops/kernel.h"

typedef struct mfi_softmax_loops {
  /* `rows` rows of n elements: y = exp(x - max) / sum, or x - max - log(sum). y may be x. n >= 1. */
  void (*softmax)(void *y, const void *x, int64_t rows, int64_t n);
  void (*log_softmax)(void *y, const void *x, int64_t rows, int64_t n);
  /* One row: *loss = -sum(labels * log_softmax(x)), backprop = softmax(x) - labels. Steps are 0 or 1: a repeated element. */
  void (*dense_row)(void *loss, void *backprop, const void *x, int64_t x_step, const void *labels, int64_t label_step, int64_t n);
  /* One row: *loss = -log_softmax(x)[label], backprop = softmax(x) with 1 taken from element `label`. */
  void (*sparse_row)(void *loss, void *backprop, const void *x, int64_t label, int64_t n);
} mfi_softmax_loops;

MFI_ISA_TABLE(mfi_softmax_loops, mfi_softmax_f32);
MFI_ISA_TABLE(mfi_softmax_loops, mfi_softmax_f64);

#endif
