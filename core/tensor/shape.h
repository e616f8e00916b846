/* shape.h - partial shapes: the rank or single dimensions may be unknown.
 *
 * A plain value: copied by assignment, nothing to release. A concrete tensor always has a fully known shape. Dimensions are
 * counted in elements; -1 stands for an unknown one.
 */
#ifndef MF_TENSOR_SHAPE_H
#define MF_TENSOR_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MF_MAX_RANK = 12, MF_UNKNOWN_DIM = -1 };

typedef struct mf_shape {
  int rank;                   /* MF_UNKNOWN_DIM: nothing is known */
  int64_t dims[MF_MAX_RANK];  /* only the first `rank` are meaningful */
} mf_shape;

mf_shape mf_shape_scalar(void);
mf_shape mf_shape_unknown(void);                              /* unknown rank */
mf_shape mf_shape_unknown_dims(int rank);                     /* known rank, all dimensions unknown */
mf_shape mf_shape_1d(int64_t d0);
mf_shape mf_shape_2d(int64_t d0, int64_t d1);
mf_shape mf_shape_4d(int64_t d0, int64_t d1, int64_t d2, int64_t d3);
/* From a list; fails when rank > MF_MAX_RANK, a dimension < -1, or the product of the known ones overflows int64. */
mf_status mf_shape_make(const int64_t *dims, int64_t rank, mf_shape *out) MF_MUST_USE;

bool mf_shape_is_full(const mf_shape *s);                     /* everything known */
bool mf_shape_equal(const mf_shape *a, const mf_shape *b);    /* same rank, same dimensions (unknown equals unknown) */
/* Could one concrete shape satisfy both? */
bool mf_shape_compatible(const mf_shape *a, const mf_shape *b);
/* Number of elements; -1 when not fully known. A full shape never overflows: constructors check. */
int64_t mf_shape_count(const mf_shape *s);
/* Product of dims[from..to-1]; -1 when one is unknown. */
int64_t mf_shape_count_range(const mf_shape *s, int from, int to);

/* Everything known in either; INVALID_ARGUMENT "`what`: shapes [..] and [..] are incompatible" when they contradict. */
mf_status mf_shape_merge(const mf_shape *a, const mf_shape *b, const char *what, mf_shape *out) MF_MUST_USE;
/* numpy broadcasting of partial shapes, as TensorFlow's BroadcastBinaryOpOutputShapeFn. */
mf_status mf_shape_broadcast(const mf_shape *a, const mf_shape *b, mf_shape *out) MF_MUST_USE;
/* Appends one dimension; fails past MF_MAX_RANK. */
mf_status mf_shape_append(mf_shape *s, int64_t dim) MF_MUST_USE;
mf_status mf_shape_concat(const mf_shape *a, const mf_shape *b, mf_shape *out) MF_MUST_USE;

/* "[2,3,?]", "<unknown>", "[]" for a scalar: TensorFlow's DebugString. Always NUL-terminated; returns `text`. */
enum { MF_SHAPE_TEXT = 288 };
char *mf_shape_text(const mf_shape *s, char text[MF_SHAPE_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
