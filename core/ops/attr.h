/* attr.h - attribute values of ops: OpDef's kinds.
 *
 * An mf_attr is a small value that borrows what it points to. Eager calls keep the pointed-to lists and strings on the caller's
 * stack for the length of the call; tapes and graphs deep-copy them (mf_attrs_copy). Kernels, shape rules and gradients read
 * attributes by name through an mf_attrs pair; a name that the op does not have is a fault of the caller and yields zero.
 */
#ifndef MF_OPS_ATTR_H
#define MF_OPS_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "tensor/tensor.h"

typedef enum mf_attr_kind {
  MF_ATTR_NONE = 0,       /* absent: the op's default applies */
  MF_ATTR_INT,            /* i64 */
  MF_ATTR_FLOAT,          /* f32 */
  MF_ATTR_BOOL,
  MF_ATTR_STRING,         /* bytes, may hold NUL */
  MF_ATTR_TYPE,
  MF_ATTR_SHAPE,          /* partial */
  MF_ATTR_TENSOR,
  MF_ATTR_FUNC,           /* a retained function */
  MF_ATTR_LIST = 16       /* MF_ATTR_LIST + kind: a list of that kind */
} mf_attr_kind;

typedef struct mf_text {
  const char *bytes;
  size_t size;
} mf_text;

typedef struct mf_attr {
  uint8_t kind;           /* mf_attr_kind, possibly + MF_ATTR_LIST */
  int32_t n;              /* lists: number of items */
  union {
    int64_t i;
    float f;
    bool b;
    mf_text s;
    mf_dtype type;
    const mf_shape *shape;
    mf_tensor *tensor;
    struct mf_function *func;
    const int64_t *ints;
    const float *floats;
    const bool *bools;
    const mf_text *texts;
    const mf_dtype *types;
    const mf_shape *shapes;
    mf_tensor *const *tensors;
    struct mf_function *const *funcs;
  } v;
} mf_attr;

typedef struct mf_named_attr {
  const char *name;
  mf_attr value;
} mf_named_attr;

struct mf_op_def;

/* Attributes of one call: one value for each attribute of the op, in the order of its signature. */
typedef struct mf_attrs {
  const struct mf_op_def *op;
  const mf_attr *values;
} mf_attrs;

/* Reading by name. Lists: *n items, borrowed. */
const mf_attr *mf_attr_find(mf_attrs a, const char *name);       /* NULL: the op has no such attribute */
int64_t mf_attr_int(mf_attrs a, const char *name);
float mf_attr_float(mf_attrs a, const char *name);
bool mf_attr_bool(mf_attrs a, const char *name);
mf_dtype mf_attr_type(mf_attrs a, const char *name);
mf_text mf_attr_text(mf_attrs a, const char *name);
bool mf_attr_is(mf_attrs a, const char *name, const char *text); /* a string attribute equals `text` */
const mf_shape *mf_attr_shape(mf_attrs a, const char *name);
mf_tensor *mf_attr_tensor(mf_attrs a, const char *name);
const int64_t *mf_attr_ints(mf_attrs a, const char *name, int *n);
const float *mf_attr_floats(mf_attrs a, const char *name, int *n);
const mf_dtype *mf_attr_types(mf_attrs a, const char *name, int *n);
const mf_text *mf_attr_texts(mf_attrs a, const char *name, int *n);

/* Writing named attributes in place: (mf_named_attr[]){MF_A_BOOL("transpose_a", true), MF_A_INT("axis", 1)}. */
#define MF_A_INT(n_, x_) {(n_), {.kind = MF_ATTR_INT, .v.i = (x_)}}
#define MF_A_FLOAT(n_, x_) {(n_), {.kind = MF_ATTR_FLOAT, .v.f = (x_)}}
#define MF_A_BOOL(n_, x_) {(n_), {.kind = MF_ATTR_BOOL, .v.b = (x_)}}
#define MF_A_TYPE(n_, x_) {(n_), {.kind = MF_ATTR_TYPE, .v.type = (x_)}}
#define MF_A_STR(n_, x_) {(n_), {.kind = MF_ATTR_STRING, .v.s = {(x_), sizeof(x_) - 1}}}   /* a literal */
#define MF_A_TEXT(n_, x_) {(n_), {.kind = MF_ATTR_STRING, .v.s = (x_)}}                    /* an mf_text */
#define MF_A_SHAPE(n_, x_) {(n_), {.kind = MF_ATTR_SHAPE, .v.shape = (x_)}}
#define MF_A_TENSOR(n_, x_) {(n_), {.kind = MF_ATTR_TENSOR, .v.tensor = (x_)}}
#define MF_A_INTS(n_, x_, c_) {(n_), {.kind = MF_ATTR_LIST + MF_ATTR_INT, .n = (c_), .v.ints = (x_)}}
#define MF_A_TYPES(n_, x_, c_) {(n_), {.kind = MF_ATTR_LIST + MF_ATTR_TYPE, .n = (c_), .v.types = (x_)}}
#define MF_A_COPY(a_, n_) {(n_), *mf_attr_find((a_), (n_))}                                /* hand an attribute on */

bool mf_attr_equal(const mf_attr *a, const mf_attr *b);
uint64_t mf_attr_hash(const mf_attr *a, uint64_t seed);
/* Deep copy into one block appended after what `size` says: see mf_attrs_copy in node.c. */
mf_status mf_attr_text_of(const mf_attr *a, char *text, size_t size);   /* printable, for messages and dumps */

#endif
