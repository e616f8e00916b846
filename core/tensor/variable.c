/* variable.c - the locked slot of a variable: see variable.h. */
#include "tensor/variable.h"

#include <pthread.h>
#include <string.h>

#include "base/memory.h"

struct mf_variable {
  mf_object object;
  pthread_mutex_t lock;
  mf_dtype dtype;
  mf_shape shape;
  bool trainable;
  char *name;
  mf_tensor *value;      /* NULL: uninitialised. Its handle never leaves: readers get views with serials of their own */
};

static void variable_release(mf_object *self) {
  mf_variable *v = (mf_variable *)self;
  mf_tensor_release(v->value);
  pthread_mutex_destroy(&v->lock);
  mf_free(v->name);
  mf_free(v);
}

const mf_object_type mf_variable_type = {.name = "Variable", .release = variable_release};

mf_status mf_variable_new(mf_dtype dtype, const mf_shape *shape, const char *name, bool trainable, mf_variable **out) {
  *out = NULL;
  mf_variable *v = mf_alloc_zero(1, sizeof *v);
  char *copy = v ? mf_strdup(name ? name : "") : NULL;
  if (!copy) {
    mf_free(v);
    return mf_fail_oom();
  }
  v->object.type = &mf_variable_type;
  atomic_init(&v->object.count, 1);
  pthread_mutex_init(&v->lock, NULL);
  v->dtype = dtype;
  v->shape = *shape;
  v->trainable = trainable;
  v->name = copy;
  *out = v;
  return NULL;
}

mf_status mf_variable_from_handle(const mf_tensor *handle, const char *op, mf_variable **out) {
  *out = NULL;
  if (handle->dtype != MF_RESOURCE || !handle->buffer || mf_shape_count(&handle->shape) != 1)
    return mf_fail(MF_INVALID_ARGUMENT, "%s: resource must be a scalar handle of a variable, received %s", op,
                   mf_dtype_name((mf_dtype)handle->dtype));
  mf_object *object = mf_object_at(handle, 0);
  if (!object || object->type != &mf_variable_type)
    return mf_fail(MF_INVALID_ARGUMENT, "%s: resource must be a variable, received %s", op,
                   object ? object->type->name : "an empty handle");
  *out = (mf_variable *)object;
  return NULL;
}

mf_status mf_variable_read(mf_variable *v, mf_tensor **out) {
  *out = NULL;
  pthread_mutex_lock(&v->lock);
  mf_status status = v->value ? mf_tensor_view(v->value, NULL, out)
                              : mf_fail(MF_FAILED_PRECONDITION, "ReadVariableOp: variable '%s' is not initialised", v->name);
  pthread_mutex_unlock(&v->lock);
  return status;
}

mf_status mf_variable_assign(mf_variable *v, mf_tensor *t) {
  if (t->dtype != v->dtype)
    return mf_fail(MF_INVALID_ARGUMENT, "AssignVariableOp: variable '%s' has dtype %s, value has %s (use tf.cast)", v->name,
                   mf_dtype_name(v->dtype), mf_dtype_name((mf_dtype)t->dtype));
  if (!mf_shape_compatible(&v->shape, &t->shape)) {
    char want[MF_SHAPE_TEXT], got[MF_SHAPE_TEXT];
    return mf_fail(MF_INVALID_ARGUMENT, "AssignVariableOp: variable '%s' has shape %s, value has shape %s", v->name,
                   mf_shape_text(&v->shape, want), mf_shape_text(&t->shape, got));
  }
  mf_tensor *own;
  MF_TRY(mf_tensor_view(t, NULL, &own));
  pthread_mutex_lock(&v->lock);
  mf_tensor *old = v->value;
  v->value = own;
  pthread_mutex_unlock(&v->lock);
  mf_tensor_release(old);
  return NULL;
}

/* Under the lock: makes v->value the only holder of its buffer. Buffers of foreign memory are copied too: the host may not
 * expect writes. */
static mf_status make_private(mf_variable *v, const char *op) {
  if (!v->value) return mf_fail(MF_FAILED_PRECONDITION, "%s: variable '%s' is not initialised", op, v->name);
  mf_buffer *b = v->value->buffer;
  if (atomic_load_explicit(&b->count, memory_order_acquire) == 1 && !b->free_data) return NULL;
  mf_tensor *copy;
  MF_TRY(mf_tensor_new(b->device, v->dtype, &v->value->shape, &copy));
  mf_status status = mf_device_copy(b->device, copy->data, b->device, v->value->data, mf_tensor_bytes(v->value));
  if (status) {
    mf_tensor_release(copy);
    return status;
  }
  mf_tensor_release(v->value);
  v->value = copy;
  return NULL;
}

mf_status mf_variable_update(mf_variable *v, mf_status (*fn)(void *user, mf_tensor *own), void *user) {
  pthread_mutex_lock(&v->lock);
  mf_status status = make_private(v, "AssignVariableOp");
  if (!status) status = fn(user, v->value);
  pthread_mutex_unlock(&v->lock);
  return status;
}

enum { MANY_INLINE = 64 };

/* Insertion by address: lists are short, and the order in which threads lock must be one for all. */
static void sort_by_address(mf_variable **list, int n) {
  for (int i = 1; i < n; i++) {
    mf_variable *v = list[i];
    int k = i;
    for (; k > 0 && (uintptr_t)list[k - 1] > (uintptr_t)v; k--) list[k] = list[k - 1];
    list[k] = v;
  }
}

mf_status mf_variable_update_many(mf_variable *const *vars, int n, mf_status (*fn)(void *user, mf_tensor *const *own),
                                  void *user) {
  mf_variable *inline_order[MANY_INLINE];
  mf_tensor *inline_own[MANY_INLINE];
  mf_variable **order = n <= MANY_INLINE ? inline_order : mf_alloc_array((size_t)n, sizeof *order);
  mf_tensor **own = n <= MANY_INLINE ? inline_own : mf_alloc_array((size_t)n, sizeof *own);
  mf_status status = NULL;
  int locked = 0;
  if (!order || !own) {
    status = mf_fail_oom();
    goto done;
  }
  memcpy(order, vars, (size_t)n * sizeof *order);
  sort_by_address(order, n);
  for (int i = 1; i < n && !status; i++)
    if (order[i] == order[i - 1]) status = mf_fail(MF_INVALID_ARGUMENT, "Variable '%s' is given twice", order[i]->name);
  for (; !status && locked < n; locked++) pthread_mutex_lock(&order[locked]->lock);
  for (int i = 0; i < n && !status; i++) {
    status = make_private(vars[i], "AssignVariableOp");
    own[i] = vars[i]->value;
  }
  if (!status) status = fn(user, own);
done:
  while (locked > 0) pthread_mutex_unlock(&order[--locked]->lock);
  if (order != inline_order) mf_free(order);
  if (own != inline_own) mf_free(own);
  return status;
}

bool mf_variable_is_initialized(mf_variable *v) {
  pthread_mutex_lock(&v->lock);
  bool yes = v->value != NULL;
  pthread_mutex_unlock(&v->lock);
  return yes;
}

mf_dtype mf_variable_dtype(const mf_variable *v) { return v->dtype; }
mf_shape mf_variable_shape(const mf_variable *v) { return v->shape; }
const char *mf_variable_name(const mf_variable *v) { return v->name; }
bool mf_variable_trainable(const mf_variable *v) { return v->trainable; }
void mf_variable_set_trainable(mf_variable *v, bool trainable) { v->trainable = trainable; }
