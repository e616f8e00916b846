/* dtype.h - the element types, with TensorFlow's names and numbers (tensorflow/core/framework/types.proto).
 *
 * One constant table describes every type; code asks the table and never switches over types. Quantised types are reserved:
 * named, sized and passed, with no kernels.
 */
#ifndef MF_TENSOR_DTYPE_H
#define MF_TENSOR_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mf_dtype {
  MF_DTYPE_INVALID = 0,
  MF_FLOAT32 = 1,
  MF_FLOAT64 = 2,
  MF_INT32 = 3,
  MF_UINT8 = 4,
  MF_INT16 = 5,
  MF_INT8 = 6,
  MF_STRING = 7,
  MF_COMPLEX64 = 8,
  MF_INT64 = 9,
  MF_BOOL = 10,
  MF_QINT8 = 11,
  MF_QUINT8 = 12,
  MF_QINT32 = 13,
  MF_BFLOAT16 = 14,
  MF_QINT16 = 15,
  MF_QUINT16 = 16,
  MF_UINT16 = 17,
  MF_COMPLEX128 = 18,
  MF_FLOAT16 = 19,
  MF_RESOURCE = 20,
  MF_VARIANT = 21,
  MF_UINT32 = 22,
  MF_UINT64 = 23,
  MF_DTYPE_COUNT = 24
} mf_dtype;

typedef enum mf_dtype_kind {
  MF_KIND_NONE,
  MF_KIND_FLOAT,    /* bfloat16 and float16 too */
  MF_KIND_SIGNED,
  MF_KIND_UNSIGNED,
  MF_KIND_BOOL,
  MF_KIND_COMPLEX,
  MF_KIND_STRING,   /* a buffer holds int64 offsets and bytes: mf_string_at */
  MF_KIND_OBJECT,   /* resource, variant: elements are mf_object* */
  MF_KIND_QUANTISED
} mf_dtype_kind;

typedef struct mf_dtype_info {
  const char *name;     /* TensorFlow's Python name: "float32" */
  const char *op_name;  /* the name in an OpDef: "float" */
  uint8_t size;         /* bytes an element; 0 for string */
  uint8_t kind;         /* mf_dtype_kind */
} mf_dtype_info;

/* Borrowed row of the table; an unknown number gives the row of MF_DTYPE_INVALID ("invalid"). */
const mf_dtype_info *mf_dtype_const(mf_dtype type);

const char *mf_dtype_name(mf_dtype type);
size_t mf_dtype_size(mf_dtype type);

/* By either of its names; also "half" and "double"; MF_DTYPE_INVALID when there is no such type. */
mf_dtype mf_dtype_from_name(const char *name);

bool mf_dtype_is_float(mf_dtype type);      /* bfloat16, float16, float32, float64 */
bool mf_dtype_is_integer(mf_dtype type);    /* int8 ... uint64; not bool, not quantised */
bool mf_dtype_is_numeric(mf_dtype type);    /* float, integer, complex; not bool */
/* Types a gradient can flow through: float, complex, resource, variant. */
bool mf_dtype_is_differentiable(mf_dtype type);

/* Sets of types as bit masks: the dtype column of the kernel table, the allowed values of a type attribute. */
#define MF_TYPE(t) (UINT32_C(1) << (t))
#define MF_TYPES_F32_F64 (MF_TYPE(MF_FLOAT32) | MF_TYPE(MF_FLOAT64))
#define MF_TYPES_HALF (MF_TYPE(MF_BFLOAT16) | MF_TYPE(MF_FLOAT16))
#define MF_TYPES_FLOAT (MF_TYPES_F32_F64 | MF_TYPES_HALF)
#define MF_TYPES_I32_I64 (MF_TYPE(MF_INT32) | MF_TYPE(MF_INT64))
#define MF_TYPES_SIGNED (MF_TYPES_I32_I64 | MF_TYPE(MF_INT8) | MF_TYPE(MF_INT16))
#define MF_TYPES_UNSIGNED (MF_TYPE(MF_UINT8) | MF_TYPE(MF_UINT16) | MF_TYPE(MF_UINT32) | MF_TYPE(MF_UINT64))
#define MF_TYPES_INTEGER (MF_TYPES_SIGNED | MF_TYPES_UNSIGNED)
#define MF_TYPES_COMPLEX (MF_TYPE(MF_COMPLEX64) | MF_TYPE(MF_COMPLEX128))
#define MF_TYPES_REAL (MF_TYPES_FLOAT | MF_TYPES_INTEGER)
#define MF_TYPES_NUMERIC (MF_TYPES_REAL | MF_TYPES_COMPLEX)
#define MF_TYPES_OBJECT (MF_TYPE(MF_RESOURCE) | MF_TYPE(MF_VARIANT))
#define MF_TYPES_ANY UINT32_C(0xFFFFFFFE)
/* Plain bytes of a fixed size: everything that can be copied with memcpy. */
#define MF_TYPES_PLAIN (MF_TYPES_NUMERIC | MF_TYPE(MF_BOOL))

#ifdef __cplusplus
}
#endif
#endif
