/* hdf5.c - the plug-in over libhdf5: see io/h5_file.h. Built as libmoonflow_hdf5.so; reaches core through the host table only.
 * Its caller sees to it that one thread at a time is in here.
 */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>

#include "io/h5_file.h"

enum { PART = 8 << 20 }; /* bytes of a dataset that are read at a time; a row may be more */

static const mf_h5_host *core;

/* ---- errors: why the last call of libhdf5 failed */

static char reason[256];

/* The innermost description is the last on the way down. One of an input or output error holds the system's text. */
static herr_t keep_innermost(unsigned n, const H5E_error2_t *e, void *user) {
  static const char mark[] = "error message = '";
  (void)n;
  (void)user;
  if (!e->desc) return 0;
  const char *text = strstr(e->desc, mark);
  text = text ? text + sizeof mark - 1 : e->desc;
  size_t length = text == e->desc ? strlen(text) : strcspn(text, "'");
  snprintf(reason, sizeof reason, "%.*s", length < 200 ? (int)length : 200, text);
  return 0;
}

static herr_t on_error(hid_t stack, void *user) { return H5Ewalk2(stack, H5E_WALK_DOWNWARD, keep_innermost, user); }

static mf_status failure(mf_code code, const char *what, const char *file, const char *path) {
  return core->fail(code, "%s: %s: %s%s%s", what, file, path, path[0] ? ": " : "", reason[0] ? reason : "unknown reason");
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
  reason[0] = 0;
  hid_t file = H5Fcreate(file_name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file < 0) return failure(MF_UNKNOWN, "write", shown, "");
  hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  mf_status status = NULL;
  for (size_t i = 0; i < count && !status; i++)
    if (!put_item(file, links, &items[i])) status = failure(MF_RESOURCE_EXHAUSTED, "write", shown, items[i].path);
  H5Pclose(links);
  if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0 && !status) status = failure(MF_RESOURCE_EXHAUSTED, "write", shown, "");
  if (H5Fclose(file) < 0 && !status) status = failure(MF_RESOURCE_EXHAUSTED, "write", shown, "");
  return status;
}

/* ---- reading */

typedef struct reader {
  const char *file;
  const mf_h5_sink *sink;
  mf_status status;
} reader;

/* Reads a dataset of rank 1 and more in parts of whole rows (all that one index of the first dimension holds). */
static mf_status read_rows(const reader *r, hid_t d, hid_t memory_type, size_t element, const char *path, const mf_shape *shape) {
  size_t row = element;
  for (int i = 1; i < shape->rank; i++) row *= (size_t)shape->dims[i];
  hsize_t dims[MF_MAX_RANK], start[MF_MAX_RANK] = {0}, rows = (hsize_t)shape->dims[0], most = row < PART ? PART / row : 1;
  if (most > rows) most = rows;
  for (int i = 0; i < shape->rank; i++) dims[i] = (hsize_t)shape->dims[i];
  void *part = core->alloc_zero(most, row);
  if (!part) return core->fail(MF_RESOURCE_EXHAUSTED, "read: %s: out of memory", r->file);
  hid_t space = H5Dget_space(d);
  mf_status status = NULL;
  for (; start[0] < rows && !status; start[0] += dims[0]) {
    dims[0] = rows - start[0] < most ? rows - start[0] : most;
    hid_t memory = H5Screate_simple(shape->rank, dims, NULL);
    bool ok = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, dims, NULL) >= 0 &&
              H5Dread(d, memory_type, memory, space, H5P_DEFAULT, part) >= 0;
    status = ok ? r->sink->bytes(r->sink->user, part, (size_t)dims[0] * row) : failure(MF_DATA_LOSS, "read", r->file, path);
    H5Sclose(memory);
  }
  H5Sclose(space);
  core->free_block(part);
  return status;
}

static mf_status read_scalar(const reader *r, hid_t d, hid_t memory_type, size_t element, const char *path) {
  char value[16] = {0};
  if (H5Dread(d, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) < 0) return failure(MF_DATA_LOSS, "read", r->file, path);
  return r->sink->bytes(r->sink->user, value, element);
}

/* What the file says of a dataset. `bytes`: of all its elements. */
static mf_status dataset_shape(const reader *r, hid_t d, const char *path, mf_dtype *dtype, mf_shape *shape, uint64_t *bytes) {
  hsize_t dims[H5S_MAX_RANK];
  hid_t space = H5Dget_space(d), type = H5Dget_type(d);
  int rank = H5Sget_simple_extent_dims(space, dims, NULL);
  *dtype = dtype_of(type);
  *bytes = H5Tget_size(type); /* as in memory: dtype_of takes no others */
  H5Tclose(type);
  H5Sclose(space);
  if (rank < 0 || rank > MF_MAX_RANK || !*dtype)
    return core->fail(MF_UNIMPLEMENTED, "read: %s: dataset %s has an element type or rank that is not supported", r->file, path);
  shape->rank = rank;
  for (int i = 0; i < rank; i++) {
    if (dims[i] > INT64_MAX || (dims[i] && __builtin_mul_overflow(*bytes, dims[i], bytes)))
      return core->fail(MF_DATA_LOSS, "read: %s: dataset %s claims an impossible size", r->file, path);
    shape->dims[i] = (int64_t)dims[i];
  }
  for (int i = 0; i < rank; i++)
    if (!dims[i]) *bytes = 0;
  return NULL;
}

static mf_status read_dataset(const reader *r, hid_t d, const char *path) {
  mf_dtype dtype = MF_DTYPE_INVALID;
  mf_shape shape = {.rank = 0};
  uint64_t bytes = 0;
  MF_TRY(dataset_shape(r, d, path, &dtype, &shape, &bytes));
  const mf_h5_item item = {.kind = MF_H5_DATASET, .path = (char *)(uintptr_t)path};
  MF_TRY(r->sink->item(r->sink->user, &item, dtype, &shape));
  if (!bytes) return NULL;
  hid_t memory_type = type_new(dtype);
  size_t element = H5Tget_size(memory_type);
  mf_status status = shape.rank ? read_rows(r, d, memory_type, element, path, &shape) : read_scalar(r, d, memory_type, element, path);
  H5Tclose(memory_type);
  return status;
}

typedef struct attribute_reader {
  reader *r;
  const char *path;
} attribute_reader;

static mf_status give_text(const attribute_reader *a, const char *name, const char *text) {
  const mf_h5_item item = {.kind = MF_H5_TEXT, .path = (char *)(uintptr_t)a->path, .attribute = (char *)(uintptr_t)name,
                           .text = (char *)(uintptr_t)text};
  return a->r->sink->item(a->r->sink->user, &item, MF_DTYPE_INVALID, NULL);
}

static mf_status variable_text(const attribute_reader *a, hid_t attribute, hid_t type, const char *name) {
  char *text = NULL;
  hid_t memory = text_type();
  H5Tset_cset(memory, H5Tget_cset(type));
  bool ok = H5Aread(attribute, memory, &text) >= 0;
  mf_status status = !ok ? failure(MF_DATA_LOSS, "read", a->r->file, name) : text ? give_text(a, name, text) : NULL;
  if (text) H5free_memory(text);
  H5Tclose(memory);
  return status;
}

static mf_status fixed_text(const attribute_reader *a, hid_t attribute, hid_t type, const char *name) {
  size_t size = H5Tget_size(type);
  char *text = size < ((size_t)1 << 30) ? core->alloc_zero(size + 1, 1) : NULL;
  if (!text) return core->fail(MF_RESOURCE_EXHAUSTED, "read: %s: attribute %s is too long", a->r->file, name);
  bool ok = H5Aread(attribute, type, text) >= 0;
  mf_status status = ok ? give_text(a, name, text) : failure(MF_DATA_LOSS, "read", a->r->file, name);
  core->free_block(text);
  return status;
}

/* Scalar text attributes, of variable or fixed length; others are passed over. */
static herr_t on_attribute(hid_t object, const char *name, const H5A_info_t *info, void *user) {
  const attribute_reader *a = user;
  (void)info;
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0) return 0;
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  if (H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1)
    a->r->status = (H5Tis_variable_str(type) > 0 ? variable_text : fixed_text)(a, attribute, type, name);
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(attribute);
  return a->r->status ? -1 : 0;
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
  if (info->type == H5O_TYPE_DATASET) {
    r->status = read_dataset(r, object, path);
  } else {
    const mf_h5_item group = {.kind = MF_H5_GROUP, .path = (char *)(uintptr_t)path};
    r->status = r->sink->item(r->sink->user, &group, MF_DTYPE_INVALID, NULL);
  }
  attribute_reader a = {r, path};
  hsize_t at = 0;
  if (!r->status) H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &at, on_attribute, &a);
  H5Oclose(object);
  return r->status ? -1 : 0;
}

static mf_status h5_read(const char *file_name, const mf_h5_sink *sink) {
  reader r = {.file = file_name, .sink = sink};
  reason[0] = 0;
  hid_t file = H5Fopen(file_name, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) return failure(MF_DATA_LOSS, "read", file_name, "not an HDF5 file, or a broken one");
  herr_t code = H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, on_object, &r, H5O_INFO_BASIC);
  if (code < 0 && !r.status) r.status = failure(MF_DATA_LOSS, "read", file_name, "broken structure");
  H5Fclose(file);
  return r.status;
}

static const mf_h5_api api = {MF_H5_ABI, h5_write, h5_read};

const mf_h5_api *mf_h5_plugin(const mf_h5_host *host);
const mf_h5_api *mf_h5_plugin(const mf_h5_host *host) {
  core = host;
  H5Eset_auto2(H5E_DEFAULT, on_error, NULL);
  return &api;
}
