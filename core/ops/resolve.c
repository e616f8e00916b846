/* resolve.c - from the attributes a caller gives to one value per attribute of the signature.
 *
 * Order: defaults; what the caller names; what the inputs say (dtypes of type attributes, lengths of lists). Every conflict and
 * every missing value is INVALID_ARGUMENT. No heap is used unless a type list is longer than MF_MAX_INLINE.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "ops/apply.h"

static bool text_allowed(const mf_attr_sig *sig, mf_text s) {
  for (int i = 0; sig->allowed_texts && sig->allowed_texts[i]; i++)
    if (strlen(sig->allowed_texts[i]) == s.size && !memcmp(sig->allowed_texts[i], s.bytes, s.size)) return true;
  return !sig->allowed_texts;
}

/* "int32, int64" */
static void list_types(uint32_t types, char *text, size_t size) {
  size_t used = 0;
  text[0] = 0;
  for (int t = 1; t < 32 && used < size; t++)
    if (types & MF_TYPE(t)) used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", mf_dtype_name((mf_dtype)t));
}

/* An input that gives the attribute its dtype is what the caller knows. */
static mf_status type_not_allowed(const mf_op_def *op, const mf_attr_sig *sig, mf_dtype got) {
  char allowed[256];
  list_types(sig->allowed_types, allowed, sizeof allowed);
  for (int i = 0; i < op->rt->n_inputs; i++) {
    const mf_arg_sig *a = &op->rt->inputs[i];
    if (a->type_attr >= 0 && &op->rt->attrs[a->type_attr] == sig)
      return mf_fail(MF_INVALID_ARGUMENT, "%s: argument '%s': expected dtype %s, received %s", op->name, a->name, allowed,
                     mf_dtype_name(got));
  }
  return mf_fail(MF_INVALID_ARGUMENT, "%s: attribute %s: expected dtype %s, received %s", op->name, sig->name, allowed,
                 mf_dtype_name(got));
}

static mf_status check_value(const mf_op_def *op, const mf_attr_sig *sig, const mf_attr *v) {
  if (v->kind == MF_ATTR_TYPE && sig->allowed_types && !(sig->allowed_types & MF_TYPE(v->v.type)))
    return type_not_allowed(op, sig, v->v.type);
  if (v->kind == MF_ATTR_TENSOR && (!v->v.tensor || !v->v.tensor->buffer))
    return mf_fail(MF_INVALID_ARGUMENT, "%s: attribute %s must be a tensor with a value, received a symbolic one", op->name,
                   sig->name);
  if (v->kind == MF_ATTR_STRING && !text_allowed(sig, v->v.s))
    return mf_fail(MF_INVALID_ARGUMENT, "%s: attribute %s does not allow \"%.*s\"", op->name, sig->name, (int)v->v.s.size,
                   v->v.s.bytes);
  if (sig->has_minimum && v->kind == MF_ATTR_INT && v->v.i < sig->minimum)
    return mf_fail(MF_INVALID_ARGUMENT, "%s: attribute %s must be at least %" PRId64 ", received %" PRId64, op->name, sig->name,
                   sig->minimum, v->v.i);
  if (sig->has_minimum && v->kind >= MF_ATTR_LIST && v->n < sig->minimum)
    return mf_fail(MF_INVALID_ARGUMENT, "%s: attribute %s must have at least %" PRId64 " items, received %d", op->name,
                   sig->name, sig->minimum, v->n);
  return NULL;
}

static mf_status set_named(const mf_op_def *op, const mf_named_attr *given, mf_attr *values) {
  const mf_op_rt *rt = op->rt;
  for (int i = 0; i < rt->n_attrs; i++) {
    if (strcmp(rt->attrs[i].name, given->name)) continue;
    if (given->value.kind == MF_ATTR_NONE) return NULL;
    if (given->value.kind != rt->attrs[i].kind)
      return mf_fail(MF_INVALID_ARGUMENT, "%s: attribute %s has the wrong kind (expected %d, received %d)", op->name,
                     given->name, rt->attrs[i].kind, given->value.kind);
    values[i] = given->value;
    return NULL;
  }
  return mf_fail(MF_INVALID_ARGUMENT, "%s: has no attribute named '%s'", op->name, given->name);
}

static mf_status type_conflict(const mf_op_def *op, const mf_arg_sig *arg, const char *attr, mf_dtype expected, mf_dtype got) {
  return mf_fail(MF_INVALID_ARGUMENT, "%s: %s has dtype %s, expected %s (attribute %s); use tf.cast", op->name, arg->name,
                 mf_dtype_name(got), mf_dtype_name(expected), attr);
}

/* Length of one list argument, or -1 while its attribute has no value yet. */
static int64_t known_length(const mf_arg_sig *a, const mf_attr *values) {
  if (a->number_attr >= 0) return values[a->number_attr].kind ? values[a->number_attr].v.i : -1;
  if (a->type_list_attr >= 0) return values[a->type_list_attr].kind ? values[a->type_list_attr].n : -1;
  return 1;
}

/* When the lengths of all list arguments but those of one attribute are known, the number of inputs tells that one. */
static mf_status infer_length(const mf_op_def *op, int n_in, mf_resolved *r) {
  const mf_op_rt *rt = op->rt;
  int64_t fixed = 0;
  int users = 0, attr = -1;
  for (int i = 0; i < rt->n_inputs; i++) {
    int64_t length = known_length(&rt->inputs[i], r->values);
    if (length >= 0) {
      fixed += length;
      continue;
    }
    int a = rt->inputs[i].number_attr >= 0 ? rt->inputs[i].number_attr : rt->inputs[i].type_list_attr;
    if (attr >= 0 && attr != a)
      return mf_fail(MF_INVALID_ARGUMENT, "%s: attribute %s must be given: the number of inputs leaves it open", op->name,
                     rt->attrs[a].name);
    attr = a;
    users++;
  }
  if (!users) return NULL;
  int64_t rest = n_in - fixed;
  if (rest < 0 || rest % users)
    return mf_fail(MF_INVALID_ARGUMENT, "%s: %d inputs do not fit the signature (%s)", op->name, n_in, op->inputs);
  int64_t length = rest / users;
  if (rt->attrs[attr].kind == MF_ATTR_INT) {
    r->values[attr] = (mf_attr){.kind = MF_ATTR_INT, .v.i = length};
    return NULL;
  }
  mf_dtype *types = r->inline_types;
  if (length > MF_MAX_INLINE && !(types = r->type_lists = mf_alloc_array((size_t)length, sizeof *types))) return mf_fail_oom();
  for (int64_t i = 0; i < length; i++) types[i] = MF_DTYPE_INVALID;
  r->values[attr] = (mf_attr){.kind = rt->attrs[attr].kind, .n = (int32_t)length, .v.types = types};
  return NULL;
}

/* Dtype of one tensor of an argument against the attribute that names it (set by the first tensor that comes). */
static mf_status take_type(const mf_op_def *op, const mf_arg_sig *arg, mf_dtype got, int item, mf_resolved *r) {
  const mf_op_rt *rt = op->rt;
  if (arg->type_attr >= 0) {
    mf_attr *v = &r->values[arg->type_attr];
    if (v->kind == MF_ATTR_NONE || (v->n < 0)) *v = (mf_attr){.kind = MF_ATTR_TYPE, .v.type = got};
    return v->v.type == got ? NULL : type_conflict(op, arg, rt->attrs[arg->type_attr].name, v->v.type, got);
  }
  if (arg->type_list_attr >= 0) {
    mf_attr *v = &r->values[arg->type_list_attr];
    mf_dtype want = v->v.types[item];
    bool open = v->v.types == r->inline_types || (r->type_lists && v->v.types == r->type_lists);
    if (open && want == MF_DTYPE_INVALID) ((mf_dtype *)(uintptr_t)v->v.types)[item] = want = got;
    return want == got ? NULL : type_conflict(op, arg, rt->attrs[arg->type_list_attr].name, want, got);
  }
  if (arg->type == got) return NULL;
  return mf_fail(MF_INVALID_ARGUMENT, "%s: %s has dtype %s, expected %s; use tf.cast", op->name, arg->name, mf_dtype_name(got),
                 mf_dtype_name(arg->type));
}

static mf_status take_inputs(const mf_op_def *op, mf_tensor *const *in, int n_in, mf_resolved *r) {
  const mf_op_rt *rt = op->rt;
  if (rt->simple) {
    if (n_in != rt->n_inputs)
      return mf_fail(MF_INVALID_ARGUMENT, "%s: expected %d inputs (%s), received %d", op->name, rt->n_inputs,
                     op->inputs ? op->inputs : "none", n_in);
    for (int i = 0; i < n_in; i++) MF_TRY(take_type(op, &rt->inputs[i], (mf_dtype)in[i]->dtype, 0, r));
    return NULL;
  }
  MF_TRY(infer_length(op, n_in, r));
  int flat = 0;
  for (int i = 0; i < rt->n_inputs; i++) {
    int64_t length = known_length(&rt->inputs[i], r->values);
    for (int64_t k = 0; k < length; k++, flat++) {
      if (flat >= n_in) break;
      MF_TRY(take_type(op, &rt->inputs[i], (mf_dtype)in[flat]->dtype, (int)k, r));
    }
    if (flat > n_in) break;
  }
  int64_t expected = 0;
  for (int i = 0; i < rt->n_inputs; i++) expected += known_length(&rt->inputs[i], r->values);
  if (expected != n_in)
    return mf_fail(MF_INVALID_ARGUMENT, "%s: expected %" PRId64 " inputs (%s), received %d", op->name, expected, op->inputs, n_in);
  return NULL;
}

static mf_status count_outputs(const mf_op_def *op, mf_resolved *r) {
  const mf_op_rt *rt = op->rt;
  int64_t n = 0;
  for (int i = 0; i < rt->n_outputs; i++) {
    int64_t length = known_length(&rt->outputs[i], r->values);
    if (length < 0 || length > INT32_MAX - n)
      return mf_fail(MF_INVALID_ARGUMENT, "%s: output %s has an impossible length", op->name, rt->outputs[i].name);
    n += length;
  }
  r->n_out = (int)n;
  return NULL;
}

/* An inferred type attribute with a default (Tidx = int32) takes the input's type: marked open by n = -1 until then. */
static void set_defaults(const mf_op_rt *rt, mf_resolved *out) {
  for (int i = 0; i < rt->n_attrs; i++) {
    const mf_attr_sig *sig = &rt->attrs[i];
    if (!sig->has_default || (sig->inferred && sig->kind != MF_ATTR_TYPE)) {
      out->values[i].kind = MF_ATTR_NONE;
      out->values[i].n = 0;
      continue;
    }
    out->values[i] = sig->default_value;
    if (sig->inferred) out->values[i].n = -1;
  }
}

mf_status mf_resolve(const mf_op_def *op, mf_tensor *const *in, int n_in, const mf_named_attr *attrs, int n_attrs,
                     mf_resolved *out) {
  const mf_op_rt *rt = op->rt;
  out->type_lists = NULL;
  out->n_out = 0;
  set_defaults(rt, out);
  mf_status status = NULL;
  for (int i = 0; i < n_attrs && !status; i++) status = set_named(op, &attrs[i], out->values);
  if (!status) status = take_inputs(op, in, n_in, out);
  for (int i = 0; i < rt->n_attrs && !status; i++) {
    if (out->values[i].n < 0) out->values[i].n = 0;
    if (out->values[i].kind == MF_ATTR_NONE)
      status = mf_fail(MF_INVALID_ARGUMENT, "%s: attribute %s must be given", op->name, rt->attrs[i].name);
    else
      status = check_value(op, &rt->attrs[i], &out->values[i]);
  }
  if (!status) {
    if (rt->simple) out->n_out = rt->n_outputs;
    else status = count_outputs(op, out);
  }
  if (status) mf_resolved_release(out);
  return status;
}

void mf_resolved_release(mf_resolved *r) {
  mf_free(r->type_lists);
  r->type_lists = NULL;
}

mf_dtype mf_resolved_out_type(const mf_op_def *op, const mf_attr *values, int i) {
  const mf_op_rt *rt = op->rt;
  int argument = 0;
  int64_t item = i;
  if (rt->simple) {
    argument = i;
    item = 0;
  } else {
    for (int64_t length; argument < rt->n_outputs && item >= (length = known_length(&rt->outputs[argument], values));
         argument++)
      item -= length;
  }
  const mf_arg_sig *a = &rt->outputs[argument];
  if (a->type_attr >= 0) return values[a->type_attr].v.type;
  if (a->type_list_attr >= 0) return values[a->type_list_attr].v.types[item];
  return a->type;
}

mf_status mf_apply_output_count(const mf_op_def *op, mf_tensor *const *in, int n_in, const mf_named_attr *attrs, int n_attrs,
                                int *n_out) {
  mf_resolved r;
  *n_out = 0;
  MF_TRY(mf_resolve(op, in, n_in, attrs, n_attrs, &r));
  *n_out = r.n_out;
  mf_resolved_release(&r);
  return NULL;
}
