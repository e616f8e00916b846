/* tensor.h - the one handle: a concrete tensor, or a symbolic value of a trace.
 *
 * A concrete tensor is immutable, dense and row-major: dtype, full shape, and a view of a counted buffer. Reshapes and leading
 * slices share the buffer. A symbolic value has a dtype, a partial shape and (node, output) of the graph under construction.
 * Handles are atomically counted and may cross threads. Each has a serial number that is never reused: tapes and gradients key
 * values by it, never by address.
 *
 * Element layout by kind: plain types are arrays of their C type; a string buffer holds int64 offsets [count+1] and then the
 * bytes; resource and variant buffers hold counted mf_object* elements.
 */
#ifndef MF_TENSOR_TENSOR_H
#define MF_TENSOR_TENSOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "tensor/device.h"
#include "tensor/dtype.h"
#include "tensor/object.h"
#include "tensor/shape.h"

struct mf_node;

typedef struct mf_buffer {
  atomic_int count;
  uint8_t kind;              /* mf_dtype_kind of what it holds: objects are released with the buffer */
  mf_device *device;
  void *data;
  size_t size;               /* usable bytes */
  size_t used;               /* string and object buffers: bytes that are meaningful */
  void (*free_data)(void *user, void *data, size_t size);   /* foreign memory; NULL: the device's allocator or inline */
  void *user;
} mf_buffer;

typedef struct mf_tensor {
  atomic_int count;
  uint8_t dtype;             /* mf_dtype */
  uint64_t serial;
  mf_buffer *buffer;         /* NULL: symbolic, or a husk (shape and dtype only, kept by a tape) */
  char *data;                /* first element; NULL when buffer is NULL */
  struct mf_node *node;      /* symbolic: who computes it (counted); else NULL */
  int output;                /* symbolic: which of its outputs */
  mf_shape shape;
} mf_tensor;

/* ---- making. [OUT] *out is a new handle, released by the caller. */

/* Uninitialised memory on `device`. Plain and object types (objects start NULL); shape must be full. */
mf_status mf_tensor_new(mf_device *device, mf_dtype dtype, const mf_shape *shape, mf_tensor **out) MF_MUST_USE;
/* On the CPU, from `size` bytes; size must be exact. */
mf_status mf_tensor_from_bytes(mf_dtype dtype, const mf_shape *shape, const void *bytes, size_t size, mf_tensor **out)
    MF_MUST_USE;
/* A view of memory that belongs to the host; free_data(user, data, size) is called at the end (also when this fails). */
mf_status mf_tensor_wrap(mf_dtype dtype, const mf_shape *shape, void *data, size_t size,
                         void (*free_data)(void *user, void *data, size_t size), void *user, mf_tensor **out) MF_MUST_USE;
/* Another handle with its own serial on t's buffer, with another shape of the same count (NULL: the same shape). */
mf_status mf_tensor_view(mf_tensor *t, const mf_shape *shape, mf_tensor **out) MF_MUST_USE;
/* Rows [begin, begin+rows) of the first axis, sharing the buffer. */
mf_status mf_tensor_rows(mf_tensor *t, int64_t begin, int64_t rows, mf_tensor **out) MF_MUST_USE;
/* dtype, shape and serial of `t`, without its memory. */
mf_status mf_tensor_husk(mf_tensor *t, mf_tensor **out) MF_MUST_USE;
/* A symbolic value: output `output` of `node` (retained). */
mf_status mf_tensor_symbolic(mf_dtype dtype, const mf_shape *shape, struct mf_node *node, int output, mf_tensor **out)
    MF_MUST_USE;
/* On another device; the same handle retained when it is there already. */
mf_status mf_tensor_to_device(mf_tensor *t, mf_device *device, mf_tensor **out) MF_MUST_USE;

/* Small constants on the CPU. */
mf_status mf_tensor_scalar_f64(mf_dtype dtype, double value, mf_tensor **out) MF_MUST_USE;   /* converted to dtype */
mf_status mf_tensor_scalar_i64(mf_dtype dtype, int64_t value, mf_tensor **out) MF_MUST_USE;
mf_status mf_tensor_from_i64(mf_dtype int32_or_int64, const int64_t *values, int64_t count, mf_tensor **out) MF_MUST_USE;
mf_status mf_tensor_scalar_string(const char *bytes, size_t size, mf_tensor **out) MF_MUST_USE;
/* A resource or variant scalar that retains `object`. */
mf_status mf_tensor_scalar_object(mf_dtype dtype, mf_object *object, mf_tensor **out) MF_MUST_USE;

/* Builder of string tensors: add exactly count strings in row-major order, then finish. */
typedef struct mf_string_builder mf_string_builder;
mf_status mf_string_builder_new(const mf_shape *shape, mf_string_builder **out) MF_MUST_USE;
mf_status mf_string_builder_add(mf_string_builder *b, const char *bytes, size_t size) MF_MUST_USE;
mf_status mf_string_builder_take(mf_string_builder *b, mf_tensor **out) MF_MUST_USE;   /* ends b, also on failure */
void mf_string_builder_release(mf_string_builder *b);

/* ---- asking */

void mf_tensor_free(mf_tensor *t);   /* internal: count has reached 0 */

static inline mf_tensor *mf_tensor_retain(mf_tensor *t) {
  if (t) atomic_fetch_add_explicit(&t->count, 1, memory_order_relaxed);
  return t;
}
static inline void mf_tensor_release(mf_tensor *t) {
  if (t && atomic_fetch_sub_explicit(&t->count, 1, memory_order_acq_rel) == 1) mf_tensor_free(t);
}
/* Releases n handles and sets the slots to NULL. */
void mf_tensor_release_all(mf_tensor **list, int n);

static inline bool mf_tensor_is_symbolic(const mf_tensor *t) { return t->node != NULL; }
static inline bool mf_tensor_is_concrete(const mf_tensor *t) { return t->buffer != NULL; }
static inline mf_dtype mf_tensor_dtype(const mf_tensor *t) { return (mf_dtype)t->dtype; }
static inline int64_t mf_tensor_count(const mf_tensor *t) { return mf_shape_count(&t->shape); }
static inline mf_device *mf_tensor_device(const mf_tensor *t) { return t->buffer ? t->buffer->device : NULL; }
/* Bytes of the elements (plain and object types). */
size_t mf_tensor_bytes(const mf_tensor *t);

/* Typed addresses; kernels may write through them only to outputs they were given. */
static inline void *mf_data(const mf_tensor *t) { return t->data; }
#define MF_DATA(type, t) ((type *)(void *)(t)->data)

/* Element i of a string tensor: borrowed bytes (not NUL-terminated). */
const char *mf_string_at(const mf_tensor *t, int64_t i, size_t *size);
/* Element i of a resource or variant tensor: borrowed. */
mf_object *mf_object_at(const mf_tensor *t, int64_t i);

/* Element i converted (concrete CPU tensors; numeric and bool). */
double mf_tensor_get_f64(const mf_tensor *t, int64_t i);
int64_t mf_tensor_get_i64(const mf_tensor *t, int64_t i);

#endif
