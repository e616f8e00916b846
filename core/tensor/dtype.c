/* dtype.c - the table of element types. */
#include "tensor/dtype.h"

#include <string.h>

static const mf_dtype_info table[MF_DTYPE_COUNT] = {
    [MF_DTYPE_INVALID] = {"invalid", "invalid", 0, MF_KIND_NONE},
    [MF_FLOAT32] = {"float32", "float", 4, MF_KIND_FLOAT},
    [MF_FLOAT64] = {"float64", "double", 8, MF_KIND_FLOAT},
    [MF_INT32] = {"int32", "int32", 4, MF_KIND_SIGNED},
    [MF_UINT8] = {"uint8", "uint8", 1, MF_KIND_UNSIGNED},
    [MF_INT16] = {"int16", "int16", 2, MF_KIND_SIGNED},
    [MF_INT8] = {"int8", "int8", 1, MF_KIND_SIGNED},
    [MF_STRING] = {"string", "string", 0, MF_KIND_STRING},
    [MF_COMPLEX64] = {"complex64", "complex64", 8, MF_KIND_COMPLEX},
    [MF_INT64] = {"int64", "int64", 8, MF_KIND_SIGNED},
    [MF_BOOL] = {"bool", "bool", 1, MF_KIND_BOOL},
    [MF_QINT8] = {"qint8", "qint8", 1, MF_KIND_QUANTISED},
    [MF_QUINT8] = {"quint8", "quint8", 1, MF_KIND_QUANTISED},
    [MF_QINT32] = {"qint32", "qint32", 4, MF_KIND_QUANTISED},
    [MF_BFLOAT16] = {"bfloat16", "bfloat16", 2, MF_KIND_FLOAT},
    [MF_QINT16] = {"qint16", "qint16", 2, MF_KIND_QUANTISED},
    [MF_QUINT16] = {"quint16", "quint16", 2, MF_KIND_QUANTISED},
    [MF_UINT16] = {"uint16", "uint16", 2, MF_KIND_UNSIGNED},
    [MF_COMPLEX128] = {"complex128", "complex128", 16, MF_KIND_COMPLEX},
    [MF_FLOAT16] = {"float16", "half", 2, MF_KIND_FLOAT},
    [MF_RESOURCE] = {"resource", "resource", sizeof(void *), MF_KIND_OBJECT},
    [MF_VARIANT] = {"variant", "variant", sizeof(void *), MF_KIND_OBJECT},
    [MF_UINT32] = {"uint32", "uint32", 4, MF_KIND_UNSIGNED},
    [MF_UINT64] = {"uint64", "uint64", 8, MF_KIND_UNSIGNED},
};

const mf_dtype_info *mf_dtype_const(mf_dtype type) {
  return &table[(unsigned)type < MF_DTYPE_COUNT ? type : MF_DTYPE_INVALID];
}

const char *mf_dtype_name(mf_dtype type) { return mf_dtype_const(type)->name; }

size_t mf_dtype_size(mf_dtype type) { return mf_dtype_const(type)->size; }

mf_dtype mf_dtype_from_name(const char *name) {
  for (int t = 1; t < MF_DTYPE_COUNT; t++)
    if (!strcmp(name, table[t].name) || !strcmp(name, table[t].op_name)) return (mf_dtype)t;
  return MF_DTYPE_INVALID;
}

bool mf_dtype_is_float(mf_dtype type) { return mf_dtype_const(type)->kind == MF_KIND_FLOAT; }

bool mf_dtype_is_integer(mf_dtype type) {
  uint8_t kind = mf_dtype_const(type)->kind;
  return kind == MF_KIND_SIGNED || kind == MF_KIND_UNSIGNED;
}

bool mf_dtype_is_numeric(mf_dtype type) {
  return mf_dtype_is_float(type) || mf_dtype_is_integer(type) || mf_dtype_const(type)->kind == MF_KIND_COMPLEX;
}

bool mf_dtype_is_differentiable(mf_dtype type) {
  uint8_t kind = mf_dtype_const(type)->kind;
  return kind == MF_KIND_FLOAT || kind == MF_KIND_COMPLEX || kind == MF_KIND_OBJECT;
}
