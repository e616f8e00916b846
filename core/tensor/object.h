/* object.h - elements of resource and variant tensors: atomically counted objects with a vtable.
 *
 * Variables, iterators, tables, TensorLists, Optionals, datasets and ragged variants are objects. A type embeds mf_object as its
 * first member and fills the vtable. Objects may cross threads; what they hold inside is guarded by their own lock.
 */
#ifndef MF_TENSOR_OBJECT_H
#define MF_TENSOR_OBJECT_H

#include <stdatomic.h>

#include "base/status.h"

typedef struct mf_object mf_object;

typedef struct mf_object_type {
  const char *name;                                             /* "Variable" */
  void (*release)(mf_object *self);                             /* frees the object: count has reached 0 */
  mf_status (*copy)(mf_object *self, mf_object **out);          /* deep copy; NULL: cannot be copied */
  mf_status (*zeros_like)(mf_object *self, mf_object **out);    /* NULL: has no zero */
  mf_status (*add)(mf_object *a, mf_object *b, mf_object **out);/* sum of two of this type; NULL: has no sum */
  /* Bytes that `load` of the same type name would read; NULL: cannot be saved. *bytes is ended with mf_free. */
  mf_status (*save)(mf_object *self, char **bytes, size_t *size);
} mf_object_type;

struct mf_object {
  const mf_object_type *type;
  atomic_int count;
};

static inline mf_object *mf_object_retain(mf_object *o) {
  if (o) atomic_fetch_add_explicit(&o->count, 1, memory_order_relaxed);
  return o;
}

static inline void mf_object_release(mf_object *o) {
  if (o && atomic_fetch_sub_explicit(&o->count, 1, memory_order_acq_rel) == 1) o->type->release(o);
}

#endif
