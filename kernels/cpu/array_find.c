/* array_find.c - Where and Unique. */
#include <string.h>

#include "array_move.h"
#include "base/memory.h"
#include "ops/op_list.h"

/* ---- Where */

#define T uint8_t
#define NAME(x) x##_1
#include "array_where.inc"
#define T uint16_t
#define NAME(x) x##_2
#include "array_where.inc"
#define T uint32_t
#define NAME(x) x##_4
#include "array_where.inc"
#define T uint64_t
#define NAME(x) x##_8
#include "array_where.inc"

typedef int64_t (*count_fn)(const void *data, int64_t n, uint64_t mask);
typedef int64_t (*list_fn)(const void *data, int64_t n, uint64_t mask, const int64_t *at, int rank, int64_t *out);

/* How the elements of a dtype are looked at: all bits but signs count, so -0.0 is zero and NaN is not. A complex128 is
 * two words, which takes the slow way. */
typedef struct look {
  count_fn count;
  list_fn list;
  uint64_t mask;
} look;

static look look_of(mf_dtype type) {
  bool floating = mf_dtype_is_float(type);
  switch (mf_dtype_size(type)) {
    case 1: return (look){count_1, list_1, 0xFF};
    case 2: return (look){count_2, list_2, floating ? 0x7FFF : 0xFFFF};
    case 4: return (look){count_4, list_4, floating ? 0x7FFFFFFF : 0xFFFFFFFF};
    default:
      return (look){count_8, list_8,
                    type == MF_COMPLEX64 ? UINT64_C(0x7FFFFFFF7FFFFFFF) : floating ? (uint64_t)INT64_MAX : UINT64_MAX};
  }
}

/* complex128 as bytes: 1 where an element is not zero. */
static void mark_complex(const mf_tensor *in, uint8_t *marks) {
  const double *p = MF_DATA(double, in);
  for (int64_t i = 0; i < mf_tensor_count(in); i++) marks[i] = p[2 * i] != 0 || p[2 * i + 1] != 0;
}

static size_t where_workspace(const mf_call *c) {
  return c->in[0]->dtype == MF_COMPLEX128 ? (size_t)mf_tensor_count(c->in[0]) + 1 : 0;
}

static mf_status run_where(mf_call *c) {
  const mf_tensor *in = c->in[0];
  bool marked = in->dtype == MF_COMPLEX128;
  if (marked) mark_complex(in, c->workspace);
  const char *data = marked ? c->workspace : mf_data(in);
  size_t size = marked ? 1 : mf_dtype_size(mf_tensor_dtype(in));
  look l = look_of(marked ? MF_UINT8 : mf_tensor_dtype(in));
  int64_t n = mf_tensor_count(in), at[MF_MAX_RANK] = {0};
  int rank = in->shape.rank;
  mf_shape shape = mf_shape_2d(l.count(data, n, l.mask), rank);
  MF_TRY(mf_out_alloc(c, 0, &shape));
  int64_t *to = MF_DATA(int64_t, c->out[0]), row = in->shape.dims[rank - 1];
  for (int64_t i = 0; i < n; i += row) {
    to += rank * l.list(data + (size_t)i * size, row, l.mask, at, rank, to);
    for (int d = rank - 2; d >= 0 && ++at[d] == in->shape.dims[d]; d--) at[d] = 0;
  }
  return NULL;
}

/* ---- Unique: an open hash table of positions of first occurrences */

typedef struct item {
  const char *bytes;
  size_t size;
  bool alone;              /* NaN: equal to nothing */
  bool zero;               /* 0.0 and -0.0 are one */
} item;

static item item_at(const mf_tensor *t, int64_t i) {
  item it = {0};
  mf_dtype type = mf_tensor_dtype(t);
  if (type == MF_STRING) {
    it.bytes = mf_string_at(t, i, &it.size);
    return it;
  }
  it.size = mf_dtype_size(type);
  it.bytes = t->data + (size_t)i * it.size;
  if (mf_dtype_is_float(type)) {
    double v = mf_tensor_get_f64(t, i);
    it.alone = v != v;
    it.zero = v == 0;
  }
  return it;
}

static uint64_t hash_of(const item *it) {
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (size_t k = 0; !it->zero && k < it->size; k++) h = (h ^ (uint8_t)it->bytes[k]) * UINT64_C(0x100000001b3);
  return h ^ (h >> 29);
}

static bool same(const item *a, const item *b) {
  if (a->alone || b->alone) return false;
  if (a->zero || b->zero) return a->zero && b->zero;
  return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

/* number[i]: which different element x[i] is; first[k]: where the k-th occurs first. [OUT] *found. */
static void number_items(const mf_tensor *x, int64_t n, int64_t *table, uint64_t mask, int64_t *number, int64_t *first,
                         int64_t *found) {
  *found = 0;
  for (uint64_t k = 0; k <= mask; k++) table[k] = -1;
  for (int64_t i = 0; i < n; i++) {
    item it = item_at(x, i);
    uint64_t slot = hash_of(&it) & mask;
    while (table[slot] >= 0) {
      item other = item_at(x, first[table[slot]]);
      if (same(&it, &other)) break;
      slot = (slot + 1) & mask;
    }
    if (table[slot] < 0) {
      first[*found] = i;
      table[slot] = (*found)++;
    }
    number[i] = table[slot];
  }
}

static mf_status put_values(mf_call *c, const int64_t *first, int64_t found) {
  mf_shape shape = mf_shape_1d(found);
  mf_string_builder *b;
  mf_tensor *t;
  if (c->in[0]->dtype != MF_STRING) {
    size_t size = mf_dtype_size(mf_tensor_dtype(c->in[0]));
    MF_TRY(mf_out_alloc(c, 0, &shape));
    for (int64_t k = 0; k < found; k++)
      memcpy(c->out[0]->data + (size_t)k * size, c->in[0]->data + (size_t)first[k] * size, size);
    return NULL;
  }
  MF_TRY(mf_string_builder_new(&shape, &b));
  for (int64_t k = 0; k < found; k++) {
    size_t size;
    const char *bytes = mf_string_at(c->in[0], first[k], &size);
    mf_status status = mf_string_builder_add(b, bytes, size);
    if (status) {
      mf_string_builder_release(b);
      return status;
    }
  }
  MF_TRY(mf_string_builder_take(b, &t));
  mf_out_take(c, 0, t);
  return NULL;
}

static mf_status run_unique(mf_call *c) {
  int64_t n = mf_tensor_count(c->in[0]), found;
  uint64_t slots = 16;
  while (slots < (uint64_t)n * 2) slots *= 2;
  int64_t *table = mf_alloc_array((size_t)slots + 2 * (size_t)n, sizeof *table);
  if (!table) return mf_fail_oom();
  int64_t *number = table + slots, *first = number + n;
  number_items(c->in[0], n, table, slots - 1, number, first, &found);
  mf_status status = put_values(c, first, found);
  if (!status) status = mf_out_alloc(c, 1, &c->in[0]->shape);
  for (int64_t i = 0; i < n && !status; i++) {
    if (c->out[1]->dtype == MF_INT64) MF_DATA(int64_t, c->out[1])[i] = number[i];
    else MF_DATA(int32_t, c->out[1])[i] = (int32_t)number[i];
  }
  mf_free(table);
  return status;
}

const mf_kernel_def mf_kernels_array_find[] = {
    {.op = &mf_op_Where, .name = "scan", .device = MF_CPU, .rank = 10, .type_attr = "T", .types = MF_TYPES_PLAIN,
     .workspace = where_workspace, .run = run_where},
    {.op = &mf_op_Unique, .name = "hash", .device = MF_CPU, .rank = 10, .type_attr = "T",
     .types = MF_TYPES_PLAIN | MF_TYPE(MF_STRING), .run = run_unique},
    {0}};
