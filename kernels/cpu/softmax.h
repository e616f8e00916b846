/* softmax.h - loops of softmax and of its cross-entropy for one element type.
 *
 * Short rows are taken many at a time, so that the exponentials of a whole block are one vector loop.
 */
#ifndef MF_KERNELS_CPU_SOFTMAX_H
#define MF_KERNELS_CPU_SOFTMAX_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/cpu/isa.h"
#include "ops/kernel.h"

/* Where the elements of row r, column j of a matrix stand that may be repeated along rows or columns: r * row + j *
 * column. */
typedef struct mfi_matrix {
  const void *data;
  int64_t row, column;       /* steps in elements; column is 0 or 1 */
} mfi_matrix;

typedef struct mfi_softmax_loops {
  /* `rows` rows of n >= 1 elements: y = exp(x - max) / sum, or x - max - log(sum). y may be x. */
  void (*softmax)(void *y, const void *x, int64_t rows, int64_t n);
  void (*log_softmax)(void *y, const void *x, int64_t rows, int64_t n);
  /* loss[r] = -sum(labels[r] * log_softmax(x[r])), backprop = softmax(x) - labels, for rows [0, rows). */
  void (*dense)(void *loss, void *backprop, mfi_matrix x, mfi_matrix labels, int64_t rows, int64_t n);
  /* loss[r] = -log_softmax(x[r])[label[r]], backprop = softmax(x) with 1 taken from element label[r]. Labels are valid
   * int32, or int64 when `wide`. */
  void (*sparse)(void *loss, void *backprop, const void *x, const void *labels, bool wide, int64_t rows, int64_t n);
} mfi_softmax_loops;

MFI_ISA_TABLE(mfi_softmax_loops, mfi_softmax_f32);
MFI_ISA_TABLE(mfi_softmax_loops, mfi_softmax_f64);

#endif
