/* hdf5.c - the plug-in over libhdf5: see io/h5_file.h. Built as libmoonflow_hdf5.so; reaches core through the host table only.
 *
 * libhdf5's own lock makes it safe for threads. Its error stack is silenced and read when a call fails.
 */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>

#include "io/h5_file.h"

static const mf_h5_host *core;

static herr_t keep_innermost(unsigned n, const H5E_error2_t *e, void *text) {
  (void)n;
  snprintf(text, 256, "%s", e->desc ? e->desc : "unknown reason");
  return 0;
}

/* The innermost description that libhdf5 gives (it stands last on the way down). */
static mf_status failure(mf_code code, const char *what, const char *file, const char *path) {
  char text[256] = "unknown reason";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_innermost, text);
  H5Eclear2(H5E_DEFAULT);
  return core->fail(code, "%s: %s: %s: %s", what, file, path, text);
}

/* ---- types */

static hid_t file_type(mf_dtype t) {
  switch (t) {
    case MF_FLOAT32: return H5T_IEEE_F32LE;
    case MF_FLOAT64: return H5T_IEEE_F64LE;
    case MF_INT8: return H5T_STD_I8LE;
    case MF_INT16: return H5T_STD_I16LE;
    case MF_INT32: return H5T_STD_I32LE;
    case MF_INT64: return H5T_STD_I64LE;
    case MF_UINT8: return H5T_STD_U8LE;
    case MF_UINT16: return H5T_STD_U16LE;
    case MF_UINT32: return H5T_STD_U32LE;
    case MF_UINT64: return H5T_STD_U64LE;
    default: return -1;
  }
}

/* float16, bfloat16 and bool have no named HDF5 type: h5py's and Keras's ways of writing them. Ended with H5Tclose. */
static hid_t type_new(mf_dtype t) {
  if (t == MF_BFLOAT16) return H5Tcreate(H5T_OPAQUE, 2);
  if (t == MF_FLOAT16) {
    hid_t half = H5Tcopy(H5T_IEEE_F32LE);
    H5Tset_fields(half, 15, 10, 5, 0, 10);
    H5Tset_size(half, 2);
    H5Tset_ebias(half, 15);
    return half;
  }
  if (t == MF_BOOL) {
    signed char no = 0, yes = 1;
    hid_t boolean = H5Tenum_create(H5T_STD_I8LE);
    H5Tenum_insert(boolean, "FALSE", &no);
    H5Tenum_insert(boolean, "TRUE", &yes);
    return boolean;
  }
  hid_t named = file_type(t);
  return named < 0 ? -1 : H5Tcopy(named);
}

static mf_dtype dtype_of(hid_t type) {
  H5T_class_t class = H5Tget_class(type);
  size_t size = H5Tget_size(type);
  bool is_signed = class == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_2;
  if (class == H5T_FLOAT) return size == 4 ? MF_FLOAT32 : size == 8 ? MF_FLOAT64 : size == 2 ? MF_FLOAT16 : MF_DTYPE_INVALID;
  if (class == H5T_OPAQUE) return size == 2 ? MF_BFLOAT16 : MF_DTYPE_INVALID;
  if (class == H5T_ENUM) return size == 1 ? MF_BOOL : MF_DTYPE_INVALID;
  if (class != H5T_INTEGER) return MF_DTYPE_INVALID;
  switch (size) {
    case 1: return is_signed ? MF_INT8 : MF_UINT8;
    case 2: return is_signed ? MF_INT16 : MF_UINT16;
    case 4: return is_signed ? MF_INT32 : MF_UINT32;
    case 8: return is_signed ? MF_INT64 : MF_UINT64;
    default: return MF_DTYPE_INVALID;
  }
}

/* ---- writing */

static hid_t text_type(void) {
  hid_t t = H5Tcopy(H5T_C_S1);
  H5Tset_size(t, H5T_VARIABLE);
  H5Tset_cset(t, H5T_CSET_UTF8);
  return t;
}

static bool put_text(hid_t object, const char *name, const char *text) {
  hid_t type = text_type(), space = H5Screate(H5S_SCALAR);
  hid_t a = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool ok = a >= 0 && H5Awrite(a, type, &text) >= 0;
  if (a >= 0) H5Aclose(a);
  H5Sclose(space);
  H5Tclose(type);
  return ok;
}

static bool put_dataset(hid_t file, hid_t links, const char *path, const mf_tensor *t) {
  hsize_t dims[MF_MAX_RANK];
  for (int i = 0; i < t->shape.rank; i++) dims[i] = (hsize_t)t->shape.dims[i];
  hid_t type = type_new((mf_dtype)t->dtype);
  hid_t space = t->shape.rank ? H5Screate_simple(t->shape.rank, dims, NULL) : H5Screate(H5S_SCALAR);
  hid_t d = type < 0 ? -1 : H5Dcreate2(file, path, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
  bool ok = d >= 0;
  if (ok && core->tensor_bytes(t)) ok = H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, t->data) >= 0;
  if (ok && t->dtype == MF_BFLOAT16) ok = put_text(d, "dtype", "bfloat16");
  if (d >= 0) H5Dclose(d);
  if (type >= 0) H5Tclose(type);
  H5Sclose(space);
  return ok;
}

static bool put_group(hid_t file, hid_t links, const char *path) {
  hid_t g = H5Gcreate2(file, path, links, H5P_DEFAULT, H5P_DEFAULT);
  if (g >= 0) H5Gclose(g);
  return g >= 0;
}

static bool put_item(hid_t file, hid_t links, const mf_h5_item *item) {
  if (item->kind == MF_H5_GROUP) return put_group(file, links, item->path);
  if (item->kind == MF_H5_DATASET) return put_dataset(file, links, item->path, item->tensor);
  hid_t object = H5Oopen(file, item->path[0] ? item->path : "/", H5P_DEFAULT);
  bool ok = object >= 0 && put_text(object, item->attribute, item->text);
  if (object >= 0) H5Oclose(object);
  return ok;
}

static mf_status h5_write(const char *file_name, const char *shown, const mf_h5_item *items, size_t count) {
  hid_t file = H5Fcreate(file_name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file < 0) return failure(MF_UNKNOWN, "write", shown, "cannot create");
  hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  mf_status status = NULL;
  for (size_t i = 0; i < count && !status; i++)
    if (!put_item(file, links, &items[i])) status = failure(MF_RESOURCE_EXHAUSTED, "write", shown, items[i].path);
  H5Pclose(links);
  if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0 && !status) status = failure(MF_RESOURCE_EXHAUSTED, "write", shown, "flush");
  if (H5Fclose(file) < 0 && !status) status = failure(MF_RESOURCE_EXHAUSTED, "write", shown, "close");
  return status;
}

/* ---- reading */

typedef struct reader {
  const char *file;
  mf_h5_item *items;
  size_t count, capacity;
  mf_status status;
} reader;

static mf_h5_item *add_item(reader *r, mf_h5_kind kind, const char *path) {
  if (!core->array_reserve((void **)&r->items, &r->capacity, r->count + 1, sizeof *r->items)) {
    r->status = core->fail(MF_RESOURCE_EXHAUSTED, "read: %s: out of memory", r->file);
    return NULL;
  }
  mf_h5_item *item = &r->items[r->count++];
  memset(item, 0, sizeof *item);
  item->kind = kind;
  item->path = core->duplicate(path);
  return item;
}

static mf_status dataset_value(const reader *r, hid_t d, const char *path, mf_tensor **out) {
  hsize_t dims[H5S_MAX_RANK];
  mf_shape shape = {.rank = 0};
  hid_t space = H5Dget_space(d), type = H5Dget_type(d);
  int rank = H5Sget_simple_extent_dims(space, dims, NULL);
  mf_dtype dtype = dtype_of(type);
  mf_status status = NULL;
  if (rank < 0 || rank > MF_MAX_RANK || !dtype)
    status = core->fail(MF_UNIMPLEMENTED, "read: %s: dataset %s has an element type or rank that is not supported", r->file, path);
  uint64_t bytes = H5Tget_size(type); /* as in memory: dtype_of takes no others */
  shape.rank = rank < 0 ? 0 : rank;
  for (int i = 0; i < rank && !status; i++) {
    if (dims[i] > INT64_MAX || (dims[i] && __builtin_mul_overflow(bytes, dims[i], &bytes)))
      status = core->fail(MF_DATA_LOSS, "read: %s: dataset %s claims an impossible size", r->file, path);
    shape.dims[i] = (int64_t)dims[i];
  }
  if (!status) status = core->tensor_new(dtype, &shape, out);
  hid_t memory = status ? -1 : type_new(dtype);
  if (!status && core->tensor_bytes(*out) && H5Dread(d, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, (*out)->data) < 0)
    status = failure(MF_DATA_LOSS, "read", r->file, path);
  if (memory >= 0) H5Tclose(memory);
  H5Tclose(type);
  H5Sclose(space);
  return status;
}

/* Scalar text attributes, of variable or fixed length; others are passed over. */
static herr_t on_attribute(hid_t object, const char *name, const H5A_info_t *info, void *user) {
  reader *r = user;
  (void)info;
  hid_t a = H5Aopen(object, name, H5P_DEFAULT);
  if (a < 0) return 0;
  hid_t type = H5Aget_type(a), space = H5Aget_space(a);
  if (H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1) {
    char *owner = r->items[r->count - 1].path, *copy = NULL;
    if (H5Tis_variable_str(type) > 0) {
      char *text = NULL;
      hid_t memory = text_type();
      H5Tset_cset(memory, H5Tget_cset(type));
      if (H5Aread(a, memory, &text) >= 0 && text) copy = core->duplicate(text);
      if (text) H5free_memory(text);
      H5Tclose(memory);
    } else {
      size_t size = H5Tget_size(type);
      copy = size < ((size_t)1 << 30) ? core->alloc_zero(size + 1, 1) : NULL;
      if (copy && H5Aread(a, type, copy) < 0) copy[0] = 0;
    }
    mf_h5_item *item = copy ? add_item(r, MF_H5_TEXT, owner) : NULL;
    if (item) {
      item->attribute = core->duplicate(name);
      item->text = copy;
    }
  }
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(a);
  return r->status ? -1 : 0;
}

static herr_t on_object(hid_t root, const char *name, const H5O_info_t *info, void *user) {
  reader *r = user;
  const char *path = strcmp(name, ".") ? name : "";
  if (info->type != H5O_TYPE_GROUP && info->type != H5O_TYPE_DATASET) return 0;
  hid_t object = H5Oopen(root, name, H5P_DEFAULT);
  if (object < 0) {
    r->status = failure(MF_DATA_LOSS, "read", r->file, path);
    return -1;
  }
  mf_h5_item *item = add_item(r, info->type == H5O_TYPE_GROUP ? MF_H5_GROUP : MF_H5_DATASET, path);
  if (item && info->type == H5O_TYPE_DATASET) r->status = dataset_value(r, object, path, &item->tensor);
  /* attributes are added behind their owner, so that its path is the last one with items[] unchanged */
  hsize_t at = 0;
  if (!r->status) H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &at, on_attribute, r);
  H5Oclose(object);
  return r->status ? -1 : 0;
}

static mf_status h5_read(const char *file_name, mf_h5_item **items, size_t *count) {
  reader r = {.file = file_name};
  hid_t file = H5Fopen(file_name, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) return failure(MF_DATA_LOSS, "read", file_name, "not an HDF5 file, or a broken one");
  herr_t code = H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, on_object, &r, H5O_INFO_BASIC);
  if (code < 0 && !r.status) r.status = failure(MF_DATA_LOSS, "read", file_name, "broken structure");
  H5Fclose(file);
  *items = r.items;
  *count = r.count;
  return r.status;
}

static const mf_h5_api api = {MF_H5_ABI, h5_write, h5_read};

const mf_h5_api *mf_h5_plugin(const mf_h5_host *host);
const mf_h5_api *mf_h5_plugin(const mf_h5_host *host) {
  core = host;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return &api;
}
