/* io_files.c - ReadFile and DecodePng, over core/io. */
#include <string.h>

#include "base/memory.h"
#include "io/file.h"
#include "io/png_file.h"
#include "ops/kernel.h"
#include "ops/op_list.h"

static mf_status read_file_run(mf_call *c) {
  size_t name_size, size;
  const char *name = mf_string_at(c->in[0], 0, &name_size);
  char *path = mf_strndup(name, name_size), *bytes = NULL;
  mf_tensor *t = NULL;
  mf_status status = path ? NULL : mf_fail_oom();
  if (!status && strlen(path) != name_size)
    status = mf_fail(MF_INVALID_ARGUMENT, "ReadFile: filename must not contain a zero byte");
  if (!status) status = mf_file_read(path, &bytes, &size);
  if (!status) status = mf_tensor_scalar_string(bytes, size, &t);
  if (!status) mf_out_take(c, 0, t);
  mf_free(bytes);
  mf_free(path);
  return status;
}

static mf_status decode_png_run(mf_call *c) {
  size_t size;
  const char *bytes = mf_string_at(c->in[0], 0, &size);
  mf_tensor *image;
  int channels = (int)mf_attr_int(c->attrs, "channels");
  MF_TRY(mf_png_decode(bytes, size, channels, mf_attr_type(c->attrs, "dtype"), &image));
  mf_out_take(c, 0, image);
  return NULL;
}

const mf_kernel_def mf_kernels_io_files[] = {
    {.op = &mf_op_ReadFile, .name = "file", .device = MF_CPU, .rank = 10, .run = read_file_run},
    {.op = &mf_op_DecodePng, .name = "libpng", .device = MF_CPU, .rank = 0, .run = decode_png_run},
    {0}};
