/* text_print.c - PrintV2: the one kernel that writes to the program's streams.
 *
 * Core and kernels otherwise print nothing: text goes to errors and to the log. PrintV2 is the op that a script asks
 * to print (tf.print), so this file alone may write: to stdout and stderr through the C library, so that the order
 * with the host's own output is kept, to a file when the stream names one, and to the log.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "ops/kernel.h"
#include "ops/op_list.h"

static mf_status write_to(FILE *f, const char *bytes, size_t size, mf_text end) {
  bool written = fwrite(bytes, 1, size, f) == size && fwrite(end.bytes, 1, end.size, f) == end.size && fflush(f) == 0;
  return written ? NULL : mf_fail(MF_UNAVAILABLE, "PrintV2: output_stream: cannot write: %s", strerror(errno));
}

static mf_status write_file(const char *path, const char *bytes, size_t size, mf_text end) {
  FILE *f = fopen(path, "ab");
  if (!f) return mf_fail(MF_UNAVAILABLE, "PrintV2: output_stream: cannot open '%s': %s", path, strerror(errno));
  mf_status status = write_to(f, bytes, size, end);
  if (fclose(f) && !status) status = mf_fail(MF_UNAVAILABLE, "PrintV2: output_stream: cannot close '%s'", path);
  return status;
}

static mf_status run_print(mf_call *c) {
  size_t size;
  const char *bytes = mf_string_at(c->in[0], 0, &size);
  mf_text stream = mf_attr_text(c->attrs, "output_stream"), end = mf_attr_text(c->attrs, "end");
  char path[4096];
  if (mf_attr_is(c->attrs, "output_stream", "stderr")) return write_to(stderr, bytes, size, end);
  if (mf_attr_is(c->attrs, "output_stream", "stdout")) return write_to(stdout, bytes, size, end);
  if (mf_attr_is(c->attrs, "output_stream", "log(info)")) mf_log(MF_LOG_INFO, "%.*s", (int)size, bytes);
  else if (mf_attr_is(c->attrs, "output_stream", "log(warning)")) mf_log(MF_LOG_WARNING, "%.*s", (int)size, bytes);
  else if (mf_attr_is(c->attrs, "output_stream", "log(error)")) mf_log(MF_LOG_ERROR, "%.*s", (int)size, bytes);
  else if (stream.size > 7 && !memcmp(stream.bytes, "file://", 7) && stream.size - 7 < sizeof path) {
    memcpy(path, stream.bytes + 7, stream.size - 7);
    path[stream.size - 7] = 0;
    return write_file(path, bytes, size, end);
  } else {
    return mf_fail(MF_INVALID_ARGUMENT,
                   "PrintV2: Unknown output stream: %.*s, Valid streams are: stdout stderr log(info) "
                   "log(warning) log(error)",
                   (int)stream.size, stream.bytes);
  }
  return NULL;
}

const mf_kernel_def mf_kernels_text_print[] = {
    {.op = &mf_op_PrintV2, .name = "stream", .device = MF_CPU, .rank = 10, .run = run_print},
    {0}};
