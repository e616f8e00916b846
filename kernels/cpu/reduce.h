/* reduce.h - reductions of the CPU: loops for one element type, and how a reduction over axes becomes passes.
 *
 * A tensor whose dimensions are each kept or reduced is seen as [outer, reduced, inner]; several reduced stretches are
 * done one after the other, the innermost first. Two kinds of loops: rows (inner = 1, contiguous) and columns (inner >
 * 1).
 *
 * Sums are made in the element type with many accumulators and joined as a tree, so that the error grows with the
 * logarithm of the length; the order is fixed by the shape alone.
 */
#ifndef MF_KERNELS_CPU_REDUCE_H
#define MF_KERNELS_CPU_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/cpu/isa.h"
#include "ops/kernel.h"

enum { MFI_REDUCE_SUM, MFI_REDUCE_SQUARES, MFI_REDUCE_PROD, MFI_REDUCE_MAX, MFI_REDUCE_MIN, MFI_REDUCE_OPS };
enum { MFI_SCAN_EXCLUSIVE = 1, MFI_SCAN_REVERSE = 2 };

typedef struct mfi_reduce_loops {
  /* out[r] = reduction of the n >= 1 elements x[r n ...], for each of `rows` rows. */
  void (*rows[MFI_REDUCE_OPS])(void *out, const void *x, int64_t rows, int64_t n);
  /* out[j] = reduction over r of x[r stride + j], j < width, r < rows, rows >= 1. */
  void (*columns[MFI_REDUCE_OPS])(void *out, const void *x, int64_t rows, int64_t width, int64_t stride);
  /* out[0..n-1] = what a reduction of nothing gives. */
  void (*nothing)(void *out, int64_t n, int op);
  /* In place: divided by count (floats: NaN for 0; integers towards zero, 0 for 0); square root. */
  void (*divide)(void *x, int64_t n, int64_t count);
  void (*root)(void *x, int64_t n);
  /* Position of the extremum, as TensorFlow finds it: the first of equals; NaN, and the type's lowest (highest) value,
   * never win against position 0. NULL for complex types. */
  void (*position_rows)(int64_t *out, const void *x, int64_t rows, int64_t n, bool largest);
  void (*position_columns)(int64_t *out, const void *x, int64_t rows, int64_t width, int64_t stride, bool largest);
  /* Running sum (op SUM) or product (PROD) down the rows of columns [0, width); flags MFI_SCAN_*. */
  void (*scan)(void *out, const void *x, int64_t rows, int64_t width, int64_t stride, int op, unsigned flags);
} mfi_reduce_loops;

MFI_ISA_TABLE(mfi_reduce_loops, mfi_reduce_f32);
MFI_ISA_TABLE(mfi_reduce_loops, mfi_reduce_f64);
MFI_ISA_TABLE(mfi_reduce_loops, mfi_reduce_i32);
MFI_ISA_TABLE(mfi_reduce_loops, mfi_reduce_i64);
MFI_ISA_TABLE(mfi_reduce_loops, mfi_reduce_u8);
extern const mfi_reduce_loops mfi_reduce_i8, mfi_reduce_i16, mfi_reduce_u16, mfi_reduce_u32, mfi_reduce_u64;
extern const mfi_reduce_loops mfi_reduce_c64, mfi_reduce_c128;

/* NULL: no loops for the type. bool uses those of uint8: Max is Any, Min is All. */
const mfi_reduce_loops *mfi_reduce_loops_of(mf_dtype type);

#endif
