/* tensor.c - handles and buffers: see tensor.h.
 *
 * Buffers of up to INLINE_BYTES live in one block with their header, taken from the C library, whose thread caches make that
 * cheap; bigger ones come from the device's caching allocator and are aligned to 64 bytes (small ones: 16).
 */
#include "tensor/tensor.h"

#include <inttypes.h>
#include <string.h>

#include "base/half.h"
#include "base/memory.h"
#include "tensor/allocator.h"

enum { INLINE_BYTES = 512, POOLED_BYTES = 64, MOST_POOLED = 65536 };

/* ---- pools of handles and of the smallest buffers
 *
 * A collector ends handles by the thousand; the C library's thread caches hold seven. Free blocks are linked through their first
 * word. The lock is held for a few instructions. Instrumented and hostile builds do without, so that every block is watched. */
typedef struct pool {
  atomic_flag busy;
  void *first;
  int count;
} pool;

#if defined(MF_HOSTILE) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static void *pool_take(pool *p, size_t size) {
  (void)p;
  return mf_alloc(size);
}
static void pool_give(pool *p, void *block) {
  (void)p;
  mf_free(block);
}
#else
static void pool_lock(pool *p) {
  while (atomic_flag_test_and_set_explicit(&p->busy, memory_order_acquire)) {
  }
}

static void *pool_take(pool *p, size_t size) {
  pool_lock(p);
  void *block = p->first;
  if (block) {
    memcpy(&p->first, block, sizeof(void *));
    p->count--;
  }
  atomic_flag_clear_explicit(&p->busy, memory_order_release);
  return block ? block : mf_alloc(size);
}

static void pool_give(pool *p, void *block) {
  pool_lock(p);
  bool keep = p->count < MOST_POOLED;
  if (keep) {
    memcpy(block, &p->first, sizeof(void *));
    p->first = block;
    p->count++;
  }
  atomic_flag_clear_explicit(&p->busy, memory_order_release);
  if (!keep) mf_free(block);
}
#endif

static pool handles = {.busy = ATOMIC_FLAG_INIT}, small_buffers = {.busy = ATOMIC_FLAG_INIT};

void mfi_tensor_pools_trim(void);   /* called by mf_close */
void mfi_tensor_pools_trim(void) {
  pool *both[] = {&handles, &small_buffers};
  for (int i = 0; i < 2; i++)
    for (void *block; (block = both[i]->first) != NULL; both[i]->count--) {
      memcpy(&both[i]->first, block, sizeof(void *));
      mf_free(block);
    }
}

/* Never reused: 2^64 handles outlast every process. */
static uint64_t next_serial(void) {
  static atomic_uint_fast64_t counter = 1;
  return atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
}

/* ---- buffers */

static mf_status buffer_new(mf_device *device, uint8_t kind, size_t size, mf_buffer **out) {
  *out = NULL;
  if (!device->allocator) return mf_fail(MF_FAILED_PRECONDITION, "tensor: the library has not been started: call mf_init first");
  bool small = size <= INLINE_BYTES && device->type == MF_CPU;
  size_t header = (sizeof(mf_buffer) + 15) & ~(size_t)15;
  mf_buffer *b = small && size <= POOLED_BYTES ? pool_take(&small_buffers, header + POOLED_BYTES)
                                               : mf_alloc(small ? header + size : header);
  if (!b) return mf_fail_oom();
  *b = (mf_buffer){.kind = kind, .device = device, .size = size, .used = size};
  atomic_init(&b->count, 1);
  if (small) {
    b->data = (char *)b + header;
    *out = b;
    return NULL;
  }
  mf_status status = mf_allocator_take(device->allocator, size, &b->data, &b->size);
  if (status) {
    mf_free(b);
    return status;
  }
  *out = b;
  return NULL;
}

static void buffer_release(mf_buffer *b) {
  if (!b || atomic_fetch_sub_explicit(&b->count, 1, memory_order_acq_rel) != 1) return;
  if (b->kind == MF_KIND_OBJECT)
    for (size_t i = 0; i < b->used / sizeof(mf_object *); i++) mf_object_release(((mf_object **)b->data)[i]);
  bool in_block = (char *)b->data > (char *)b && (char *)b->data <= (char *)b + sizeof(mf_buffer) + 16;
  if (b->free_data) b->free_data(b->user, b->data, b->size);
  else if (!in_block) mf_allocator_give(b->device->allocator, b->data, b->size);
  if (in_block && b->size <= POOLED_BYTES) pool_give(&small_buffers, b);
  else mf_free(b);
}

static mf_buffer *buffer_retain(mf_buffer *b) {
  if (b) atomic_fetch_add_explicit(&b->count, 1, memory_order_relaxed);
  return b;
}

/* ---- handles */

/* A handle around `buffer`, whose reference it takes (also on failure). Only the used part of the shape is copied. */
static mf_status handle_new(mf_dtype dtype, const mf_shape *shape, mf_buffer *buffer, char *data, mf_tensor **out) {
  mf_tensor *t = pool_take(&handles, sizeof *t);
  if (!t) {
    buffer_release(buffer);
    *out = NULL;
    return mf_fail_oom();
  }
  atomic_init(&t->count, 1);
  t->dtype = (uint8_t)dtype;
  t->serial = next_serial();
  t->buffer = buffer;
  t->data = data;
  t->node = NULL;
  t->output = 0;
  t->shape.rank = shape->rank;
  for (int i = 0; i < shape->rank; i++) t->shape.dims[i] = shape->dims[i];
  *out = t;
  return NULL;
}

void mf_node_release(struct mf_node *n);   /* ops/node.c: symbolic handles hold their node */

void mf_tensor_free(mf_tensor *t) {
  buffer_release(t->buffer);
  if (t->node) mf_node_release(t->node);
  pool_give(&handles, t);
}

void mf_tensor_release_all(mf_tensor **list, int n) {
  for (int i = 0; i < n; i++) {
    mf_tensor_release(list[i]);
    list[i] = NULL;
  }
}

/* Bytes of `count` elements; fails on overflow and for partial shapes. */
static mf_status bytes_of(mf_dtype dtype, const mf_shape *shape, size_t *bytes) {
  int64_t count = mf_shape_count(shape);
  size_t size = mf_dtype_size(dtype);
  if (count < 0) {
    char text[MF_SHAPE_TEXT];
    return mf_fail(MF_INVALID_ARGUMENT, "Tensor: shape must be fully known, received %s", mf_shape_text(shape, text));
  }
  if (size == 0) return mf_fail(MF_INVALID_ARGUMENT, "Tensor: dtype %s has no fixed element size", mf_dtype_name(dtype));
  if (__builtin_mul_overflow((size_t)count, size, bytes) || *bytes > (size_t)INT64_MAX / 2)
    return mf_fail(MF_RESOURCE_EXHAUSTED, "Tensor: %" PRId64 " elements of %s do not fit into memory", count,
                   mf_dtype_name(dtype));
  return NULL;
}

mf_status mf_tensor_new(mf_device *device, mf_dtype dtype, const mf_shape *shape, mf_tensor **out) {
  *out = NULL;
  size_t bytes;
  mf_buffer *buffer;
  MF_TRY(bytes_of(dtype, shape, &bytes));
  uint8_t kind = mf_dtype_const(dtype)->kind;
  MF_TRY(buffer_new(device, kind, bytes, &buffer));
  buffer->used = bytes;
  if (kind == MF_KIND_OBJECT) memset(buffer->data, 0, bytes);
  return handle_new(dtype, shape, buffer, buffer->data, out);
}

mf_status mf_tensor_from_bytes(mf_dtype dtype, const mf_shape *shape, const void *bytes, size_t size, mf_tensor **out) {
  *out = NULL;
  size_t expected;
  MF_TRY(bytes_of(dtype, shape, &expected));
  if (size != expected)
    return mf_fail(MF_INVALID_ARGUMENT, "Tensor: expected %zu bytes of %s, received %zu", expected, mf_dtype_name(dtype), size);
  MF_TRY(mf_tensor_new(mf_device_cpu(), dtype, shape, out));
  if (size) memcpy((*out)->data, bytes, size);
  return NULL;
}

mf_status mf_tensor_wrap(mf_dtype dtype, const mf_shape *shape, void *data, size_t size,
                         void (*free_data)(void *user, void *data, size_t size), void *user, mf_tensor **out) {
  *out = NULL;
  size_t expected = 0;
  mf_status status = bytes_of(dtype, shape, &expected);
  if (!status && expected != size)
    status = mf_fail(MF_INVALID_ARGUMENT, "Tensor: expected %zu bytes of %s, received %zu", expected, mf_dtype_name(dtype),
                     size);
  mf_buffer *b = status ? NULL : mf_alloc(sizeof *b);
  if (!status && !b) status = mf_fail_oom();
  if (status) {
    free_data(user, data, size);
    return status;
  }
  *b = (mf_buffer){.kind = mf_dtype_const(dtype)->kind, .device = mf_device_cpu(), .data = data, .size = size, .used = size,
                   .free_data = free_data, .user = user};
  atomic_init(&b->count, 1);
  return handle_new(dtype, shape, b, data, out);
}

mf_status mf_tensor_view(mf_tensor *t, const mf_shape *shape, mf_tensor **out) {
  *out = NULL;
  if (shape && mf_shape_count(shape) != mf_shape_count(&t->shape)) {
    char from[MF_SHAPE_TEXT], to[MF_SHAPE_TEXT];
    return mf_fail(MF_INVALID_ARGUMENT, "Tensor: a view of %s cannot have shape %s", mf_shape_text(&t->shape, from),
                   mf_shape_text(shape, to));
  }
  return handle_new((mf_dtype)t->dtype, shape ? shape : &t->shape, buffer_retain(t->buffer), t->data, out);
}

mf_status mf_tensor_rows(mf_tensor *t, int64_t begin, int64_t rows, mf_tensor **out) {
  *out = NULL;
  if (t->shape.rank < 1 || begin < 0 || rows < 0 || begin > t->shape.dims[0] - rows)
    return mf_fail(MF_INVALID_ARGUMENT, "Tensor: rows [%" PRId64 ", %" PRId64 ") are not in a tensor of rank %d", begin,
                   begin + rows, t->shape.rank);
  mf_shape shape = t->shape;
  size_t element = t->dtype == MF_STRING ? sizeof(int64_t) : mf_dtype_size((mf_dtype)t->dtype);
  size_t row = (size_t)mf_shape_count_range(&shape, 1, shape.rank) * element;
  shape.dims[0] = rows;
  return handle_new((mf_dtype)t->dtype, &shape, buffer_retain(t->buffer), t->data + (size_t)begin * row, out);
}

mf_status mf_tensor_husk(mf_tensor *t, mf_tensor **out) {
  MF_TRY(handle_new((mf_dtype)t->dtype, &t->shape, NULL, NULL, out));
  (*out)->serial = t->serial;
  return NULL;
}

struct mf_node *mf_node_retain_opaque(struct mf_node *n);   /* ops/node.c */

mf_status mf_tensor_symbolic(mf_dtype dtype, const mf_shape *shape, struct mf_node *node, int output, mf_tensor **out) {
  MF_TRY(handle_new(dtype, shape, NULL, NULL, out));
  (*out)->node = mf_node_retain_opaque(node);
  (*out)->output = output;
  return NULL;
}

mf_status mf_tensor_to_device(mf_tensor *t, mf_device *device, mf_tensor **out) {
  *out = NULL;
  if (!t->buffer || t->buffer->device == device || mf_dtype_size((mf_dtype)t->dtype) == 0 ||
      mf_dtype_const((mf_dtype)t->dtype)->kind == MF_KIND_OBJECT) {
    *out = mf_tensor_retain(t);
    return NULL;
  }
  mf_tensor *copy;
  MF_TRY(mf_tensor_new(device, (mf_dtype)t->dtype, &t->shape, &copy));
  mf_status status = mf_device_copy(device, copy->data, t->buffer->device, t->data, mf_tensor_bytes(t));
  if (status) {
    mf_tensor_release(copy);
    return status;
  }
  *out = copy;
  return NULL;
}

size_t mf_tensor_bytes(const mf_tensor *t) {
  if (t->dtype == MF_STRING) return t->buffer ? t->buffer->used : 0;
  int64_t count = mf_shape_count(&t->shape);
  return count < 0 ? 0 : (size_t)count * mf_dtype_size((mf_dtype)t->dtype);
}

/* ---- elements */

/* The memory of the elements is `data`; typed writes of one element. Conversions saturate nothing: callers give fitting values. */
static void put_f64(mf_dtype dtype, void *data, double v) {
  switch (dtype) {
    case MF_FLOAT32: *(float *)data = (float)v; break;
    case MF_FLOAT64: *(double *)data = v; break;
    case MF_INT32: *(int32_t *)data = (int32_t)v; break;
    case MF_UINT8: *(uint8_t *)data = (uint8_t)v; break;
    case MF_INT16: *(int16_t *)data = (int16_t)v; break;
    case MF_INT8: *(int8_t *)data = (int8_t)v; break;
    case MF_INT64: *(int64_t *)data = (int64_t)v; break;
    case MF_BOOL: *(bool *)data = v != 0; break;
    case MF_BFLOAT16: *(uint16_t *)data = mf_bfloat16_from_float((float)v); break;
    case MF_UINT16: *(uint16_t *)data = (uint16_t)v; break;
    case MF_FLOAT16: *(uint16_t *)data = mf_half_from_float((float)v); break;
    case MF_UINT32: *(uint32_t *)data = (uint32_t)v; break;
    case MF_UINT64: *(uint64_t *)data = (uint64_t)v; break;
    case MF_COMPLEX64: ((float *)data)[0] = (float)v; ((float *)data)[1] = 0; break;
    case MF_COMPLEX128: ((double *)data)[0] = v; ((double *)data)[1] = 0; break;
    default: break;
  }
}

static void put_i64(mf_dtype dtype, void *data, int64_t v) {
  if (dtype == MF_INT64) *(int64_t *)data = v;
  else if (dtype == MF_UINT64) *(uint64_t *)data = (uint64_t)v;
  else put_f64(dtype, data, (double)v);
}

double mf_tensor_get_f64(const mf_tensor *t, int64_t i) {
  const void *p = t->data + (size_t)i * mf_dtype_size((mf_dtype)t->dtype);
  switch ((mf_dtype)t->dtype) {
    case MF_FLOAT32: case MF_COMPLEX64: return (double)*(const float *)p;
    case MF_FLOAT64: case MF_COMPLEX128: return *(const double *)p;
    case MF_BFLOAT16: return (double)mf_bfloat16_to_float(*(const uint16_t *)p);
    case MF_FLOAT16: return (double)mf_half_to_float(*(const uint16_t *)p);
    case MF_UINT64: return (double)*(const uint64_t *)p;
    default: return (double)mf_tensor_get_i64(t, i);
  }
}

int64_t mf_tensor_get_i64(const mf_tensor *t, int64_t i) {
  const void *p = t->data + (size_t)i * mf_dtype_size((mf_dtype)t->dtype);
  switch ((mf_dtype)t->dtype) {
    case MF_INT32: case MF_QINT32: return *(const int32_t *)p;
    case MF_INT64: return *(const int64_t *)p;
    case MF_UINT8: case MF_QUINT8: return *(const uint8_t *)p;
    case MF_BOOL: return *(const bool *)p;
    case MF_INT8: case MF_QINT8: return *(const int8_t *)p;
    case MF_INT16: case MF_QINT16: return *(const int16_t *)p;
    case MF_UINT16: case MF_QUINT16: return *(const uint16_t *)p;
    case MF_UINT32: return *(const uint32_t *)p;
    case MF_UINT64: return (int64_t)*(const uint64_t *)p;
    case MF_FLOAT32: case MF_FLOAT64: case MF_BFLOAT16: case MF_FLOAT16: return (int64_t)mf_tensor_get_f64(t, i);
    default: return 0;
  }
}

mf_status mf_tensor_scalar_f64(mf_dtype dtype, double value, mf_tensor **out) {
  mf_shape scalar = mf_shape_scalar();
  MF_TRY(mf_tensor_new(mf_device_cpu(), dtype, &scalar, out));
  put_f64(dtype, (*out)->data, value);
  return NULL;
}

mf_status mf_tensor_scalar_i64(mf_dtype dtype, int64_t value, mf_tensor **out) {
  mf_shape scalar = mf_shape_scalar();
  MF_TRY(mf_tensor_new(mf_device_cpu(), dtype, &scalar, out));
  put_i64(dtype, (*out)->data, value);
  return NULL;
}

mf_status mf_tensor_from_i64(mf_dtype dtype, const int64_t *values, int64_t count, mf_tensor **out) {
  mf_shape shape = mf_shape_1d(count);
  MF_TRY(mf_tensor_new(mf_device_cpu(), dtype, &shape, out));
  size_t size = mf_dtype_size(dtype);
  for (int64_t i = 0; i < count; i++) put_i64(dtype, (*out)->data + (size_t)i * size, values[i]);
  return NULL;
}

mf_status mf_tensor_scalar_object(mf_dtype dtype, mf_object *object, mf_tensor **out) {
  mf_shape scalar = mf_shape_scalar();
  MF_TRY(mf_tensor_new(mf_device_cpu(), dtype, &scalar, out));
  *MF_DATA(mf_object *, *out) = mf_object_retain(object);
  return NULL;
}

mf_object *mf_object_at(const mf_tensor *t, int64_t i) { return MF_DATA(mf_object *, t)[i]; }

/* ---- strings: int64 offsets [count+1], then the bytes */

struct mf_string_builder {
  mf_shape shape;
  int64_t count, added;
  int64_t *offsets;
  char *bytes;
  size_t capacity;
};

const char *mf_string_at(const mf_tensor *t, int64_t i, size_t *size) {
  const int64_t *offsets = t->buffer->data;
  int64_t first = (int64_t)((t->data - (char *)t->buffer->data) / (ptrdiff_t)sizeof(int64_t)) + i;
  *size = (size_t)(offsets[first + 1] - offsets[first]);
  return (const char *)t->buffer->data + offsets[first];
}

mf_status mf_string_builder_new(const mf_shape *shape, mf_string_builder **out) {
  *out = NULL;
  int64_t count = mf_shape_count(shape);
  if (count < 0) return mf_fail(MF_INVALID_ARGUMENT, "String tensor: shape must be fully known");
  mf_string_builder *b = mf_alloc_zero(1, sizeof *b);
  int64_t *offsets = b ? mf_alloc_array((size_t)count + 1, sizeof *offsets) : NULL;
  if (!offsets) {
    mf_free(b);
    return mf_fail_oom();
  }
  b->shape = *shape;
  b->count = count;
  b->offsets = offsets;
  offsets[0] = 0;
  *out = b;
  return NULL;
}

mf_status mf_string_builder_add(mf_string_builder *b, const char *bytes, size_t size) {
  if (b->added == b->count) return mf_fail(MF_INTERNAL, "String tensor: more than %" PRId64 " strings added", b->count);
  size_t used = (size_t)b->offsets[b->added];
  if (!mf_array_reserve((void **)&b->bytes, &b->capacity, used + size, 1)) return mf_fail_oom();
  if (size) memcpy(b->bytes + used, bytes, size);
  b->offsets[++b->added] = (int64_t)(used + size);
  return NULL;
}

void mf_string_builder_release(mf_string_builder *b) {
  if (!b) return;
  mf_free(b->offsets);
  mf_free(b->bytes);
  mf_free(b);
}

mf_status mf_string_builder_take(mf_string_builder *b, mf_tensor **out) {
  *out = NULL;
  mf_buffer *buffer = NULL;
  size_t table = ((size_t)b->count + 1) * sizeof(int64_t), bytes = (size_t)b->offsets[b->added];
  mf_status status = NULL;
  if (b->added != b->count)
    status = mf_fail(MF_INTERNAL, "String tensor: expected %" PRId64 " strings, received %" PRId64, b->count, b->added);
  if (!status) status = buffer_new(mf_device_cpu(), MF_KIND_STRING, table + bytes, &buffer);
  if (!status) {
    buffer->used = table + bytes;
    int64_t *offsets = buffer->data;
    for (int64_t i = 0; i <= b->count; i++) offsets[i] = b->offsets[i] + (int64_t)table;
    if (bytes) memcpy((char *)buffer->data + table, b->bytes, bytes);
    status = handle_new(MF_STRING, &b->shape, buffer, buffer->data, out);
  }
  mf_string_builder_release(b);
  return status;
}

mf_status mf_tensor_scalar_string(const char *bytes, size_t size, mf_tensor **out) {
  mf_shape scalar = mf_shape_scalar();
  mf_string_builder *b;
  *out = NULL;
  MF_TRY(mf_string_builder_new(&scalar, &b));
  mf_status status = mf_string_builder_add(b, bytes, size);
  if (status) {
    mf_string_builder_release(b);
    return status;
  }
  return mf_string_builder_take(b, out);
}
