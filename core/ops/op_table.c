/* op_table.c - the table of ops and their kernels, made once by mf_init from the two generated arrays. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "ops/kernel.h"
#include "ops/op.h"
#include "ops/signature.h"

int mf_op_count(void) { return mfi_op_entry_count; }

const mf_op_def *mf_op_at(int index) { return index >= 0 && index < mfi_op_entry_count ? mfi_op_entries[index] : NULL; }

/* The generated array is sorted by name. */
const mf_op_def *mf_op_find(const char *name) {
  int low = 0, high = mfi_op_entry_count - 1;
  while (low <= high) {
    int middle = (low + high) / 2, order = strcmp(name, mfi_op_entries[middle]->name);
    if (order == 0) return mfi_op_entries[middle];
    if (order < 0) high = middle - 1;
    else low = middle + 1;
  }
  return NULL;
}

static int type_index_of(const mf_op_def *op, const char *name) {
  for (int i = 0; name && i < op->rt->n_attrs; i++)
    if (!strcmp(op->rt->attrs[i].name, name)) return i;
  return -1;
}

/* Keeps the list sorted by rank; equal ranks stay in the order of arrival. */
static mf_status add_row(const mf_op_def *op, const mf_kernel_def *def) {
  mf_kernel_row *old = op->rt->kernels[def->device];
  size_t n = 0;
  while (old && old[n].def) n++;
  mf_kernel_row *rows = mf_realloc(old, (n + 2) * sizeof *rows);
  if (!rows) return mf_fail_oom();
  op->rt->kernels[def->device] = rows;
  size_t at = n;
  for (; at > 0 && rows[at - 1].def->rank > def->rank; at--) rows[at] = rows[at - 1];
  rows[at] = (mf_kernel_row){def, type_index_of(op, def->type_attr)};
  rows[n + 1] = (mf_kernel_row){NULL, -1};
  if (def->type_attr && rows[at].type_index < 0)
    return mf_fail(MF_INTERNAL, "Kernel table: %s has no attribute '%s' (kernel \"%s\")", op->name, def->type_attr, def->name);
  return NULL;
}

mf_status mf_kernels_add(const mf_kernel_def *rows) {
  for (; rows->op || rows->op_name; rows++) {
    const mf_op_def *op = rows->op ? rows->op : mf_op_find(rows->op_name);
    if (!op) {
      mf_log(MF_LOG_INFO, "Kernel table: no op named %s; kernel \"%s\" is not used", rows->op_name, rows->name);
      continue;
    }
    MF_TRY(add_row(op, rows));
  }
  return NULL;
}

mf_status mf_op_table_open(void) {
  for (int i = 0; i < mfi_op_entry_count; i++) {
    mfi_op_entries[i]->rt->index = i;
    MF_TRY(mfi_signature_parse(mfi_op_entries[i]));
  }
  for (const mf_kernel_def *const *arrays = mfi_cpu_kernel_arrays; *arrays; arrays++) MF_TRY(mf_kernels_add(*arrays));
  return NULL;
}

void mf_op_table_close(void) {
  for (int i = 0; i < mfi_op_entry_count; i++) {
    mfi_signature_free(mfi_op_entries[i]);
    for (int d = 0; d < MF_DEVICE_TYPES; d++) {
      mf_free(mfi_op_entries[i]->rt->kernels[d]);
      mfi_op_entries[i]->rt->kernels[d] = NULL;
    }
  }
}

/* ---- statements of entries that have no gradient function */

mf_status mf_grad_stop(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  (void)ctx;
  (void)a;
  (void)dx;
  return NULL;
}

mf_status mf_grad_missing(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  (void)ctx;
  (void)dx;
  return mf_fail(MF_UNIMPLEMENTED, "gradient registry has no entry for: %s", a->attrs.op->name);
}
