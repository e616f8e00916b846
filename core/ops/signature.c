/* signature.c - the REGISTER_OP notation of an entry, parsed once at start.
 *
 *   inputs, outputs:  "a: T; values: N * T; sizes: Tlist; index: int32"
 *   attrs:            "T: {float, double} = float; N: int >= 2; Tlist: list(type); padding: {'SAME', 'VALID'};
 *                      strides: list(int) = [1, 1]; name: string = ''; value: tensor; shape: shape = []"
 * Type sets may be written as numbertype, realnumbertype, quantizedtype or type (any).
 */
#include "ops/signature.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct parser {
  const mf_op_def *op;
  const char *p;
} parser;

static mf_status malformed(const parser *s, const char *expected) {
  return mf_fail(MF_INTERNAL, "Op table: signature of %s: expected %s at \"%.40s\"", s->op->name, expected, s->p);
}

static void skip(parser *s) {
  while (isspace((unsigned char)*s->p)) s->p++;
}

static bool eat(parser *s, const char *token) {
  skip(s);
  size_t n = strlen(token);
  if (strncmp(s->p, token, n)) return false;
  if (isalnum((unsigned char)token[n - 1]) && (isalnum((unsigned char)s->p[n]) || s->p[n] == '_')) return false;
  s->p += n;
  return true;
}

static mf_status word(parser *s, char **out) {
  skip(s);
  const char *start = s->p;
  while (isalnum((unsigned char)*s->p) || *s->p == '_') s->p++;
  if (s->p == start) return malformed(s, "a name");
  *out = mf_strndup(start, (size_t)(s->p - start));
  return *out ? NULL : mf_fail_oom();
}

/* 'text' or "text". */
static mf_status quoted(parser *s, char **out) {
  skip(s);
  char quote = *s->p;
  if (quote != '\'' && quote != '"') return malformed(s, "a quoted string");
  const char *start = ++s->p;
  while (*s->p && *s->p != quote) s->p++;
  if (!*s->p) return malformed(s, "the end of a string");
  *out = mf_strndup(start, (size_t)(s->p - start));
  s->p++;
  return *out ? NULL : mf_fail_oom();
}

static int count_items(const char *text) {
  if (!text || !*text) return 0;
  int n = 1;
  char quote = 0;
  for (; *text; text++) {
    if (quote) quote = *text == quote ? 0 : quote;
    else if (*text == '\'' || *text == '"') quote = *text;
    else if (*text == ';') n++;
  }
  return n;
}

static mf_status type_word(parser *s, mf_dtype *out) {
  char *name;
  if (eat(s, "DT_")) { /* TensorFlow's enum spelling: the rest is the op name in capitals */
    skip(s);
    char lower[24] = {0};
    for (size_t i = 0; i + 1 < sizeof lower && (isalnum((unsigned char)*s->p) || *s->p == '_'); i++)
      lower[i] = (char)tolower((unsigned char)*s->p++);
    *out = mf_dtype_from_name(lower);
    return *out ? NULL : malformed(s, "a dtype");
  }
  MF_TRY(word(s, &name));
  *out = mf_dtype_from_name(name);
  mf_free(name);
  return *out ? NULL : malformed(s, "a dtype");
}

/* ---- kinds */

static const struct { const char *name; uint8_t kind; } plain_kinds[] = {
    {"int", MF_ATTR_INT}, {"float", MF_ATTR_FLOAT}, {"bool", MF_ATTR_BOOL}, {"string", MF_ATTR_STRING},
    {"type", MF_ATTR_TYPE}, {"shape", MF_ATTR_SHAPE}, {"tensor", MF_ATTR_TENSOR}, {"func", MF_ATTR_FUNC},
};

static bool type_set_word(parser *s, uint32_t *types) {
  if (eat(s, "numbertype")) *types = MF_TYPES_NUMERIC | MF_TYPE(MF_QINT8) | MF_TYPE(MF_QUINT8) | MF_TYPE(MF_QINT32) | MF_TYPE(MF_QINT16) |
                                         MF_TYPE(MF_QUINT16);
  else if (eat(s, "realnumbertype")) *types = MF_TYPES_REAL;
  else if (eat(s, "quantizedtype"))
    *types = MF_TYPE(MF_QINT8) | MF_TYPE(MF_QUINT8) | MF_TYPE(MF_QINT16) | MF_TYPE(MF_QUINT16) | MF_TYPE(MF_QINT32);
  else return false;
  return true;
}

static mf_status texts_set(parser *s, mf_attr_sig *a) {
  enum { MOST = 24 };
  char **list = mf_alloc_zero(MOST + 1, sizeof *list);
  if (!list) return mf_fail_oom();
  a->kind = MF_ATTR_STRING;
  a->allowed_texts = (const char *const *)list;
  for (int n = 0; n < MOST; n++) {
    MF_TRY(quoted(s, &list[n]));
    if (eat(s, "}")) return NULL;
    if (!eat(s, ",")) return malformed(s, "',' or '}'");
  }
  return malformed(s, "fewer strings");
}

static mf_status set_of(parser *s, mf_attr_sig *a) {
  skip(s);
  if (*s->p == '\'' || *s->p == '"') return texts_set(s, a);
  a->kind = MF_ATTR_TYPE;
  for (;;) {
    mf_dtype type;
    MF_TRY(type_word(s, &type));
    a->allowed_types |= MF_TYPE(type);
    if (eat(s, "}")) return NULL;
    if (!eat(s, ",")) return malformed(s, "',' or '}'");
  }
}

static mf_status kind_of(parser *s, mf_attr_sig *a) {
  if (eat(s, "list(")) {
    MF_TRY(kind_of(s, a));
    if (!eat(s, ")")) return malformed(s, "')'");
    a->kind = (uint8_t)(a->kind + MF_ATTR_LIST);
    return NULL;
  }
  if (eat(s, "{")) return set_of(s, a);
  if (type_set_word(s, &a->allowed_types)) {
    a->kind = MF_ATTR_TYPE;
    return NULL;
  }
  for (size_t i = 0; i < sizeof plain_kinds / sizeof *plain_kinds; i++)
    if (eat(s, plain_kinds[i].name)) {
      a->kind = plain_kinds[i].kind;
      return NULL;
    }
  return malformed(s, "an attribute kind");
}

/* ---- defaults */

static mf_status shape_literal(parser *s, mf_shape *out) {
  *out = mf_shape_scalar();
  if (eat(s, "<unknown>") || eat(s, "unknown")) {
    *out = mf_shape_unknown();
    return NULL;
  }
  if (!eat(s, "[")) return malformed(s, "'['");
  while (!eat(s, "]")) {
    char *end;
    MF_TRY(mf_shape_append(out, strtoll(s->p, &end, 10)));
    if (end == s->p) return malformed(s, "a dimension");
    s->p = end;
    (void)eat(s, ",");
  }
  return NULL;
}

static mf_status value_literal(parser *s, uint8_t kind, mf_attr *out) {
  char *end, *text;
  skip(s);
  *out = (mf_attr){.kind = kind};
  switch (kind) {
    case MF_ATTR_INT:
      out->v.i = strtoll(s->p, &end, 10);
      if (end == s->p) return malformed(s, "an integer");
      s->p = end;
      return NULL;
    case MF_ATTR_FLOAT:
      out->v.f = strtof(s->p, &end);
      if (end == s->p) return malformed(s, "a number");
      s->p = end;
      return NULL;
    case MF_ATTR_BOOL:
      out->v.b = eat(s, "true");
      return out->v.b || eat(s, "false") ? NULL : malformed(s, "true or false");
    case MF_ATTR_TYPE: return type_word(s, &out->v.type);
    case MF_ATTR_STRING:
      MF_TRY(quoted(s, &text));
      out->v.s = (mf_text){text, strlen(text)};
      return NULL;
    case MF_ATTR_SHAPE: {
      mf_shape *shape = mf_alloc(sizeof *shape);
      out->v.shape = shape;
      return shape ? shape_literal(s, shape) : mf_fail_oom();
    }
    default: return malformed(s, "an attribute without default");
  }
}

static size_t literal_size(uint8_t kind) {
  switch (kind) {
    case MF_ATTR_FLOAT: return sizeof(float);
    case MF_ATTR_BOOL: return sizeof(bool);
    case MF_ATTR_TYPE: return sizeof(mf_dtype);
    case MF_ATTR_STRING: return sizeof(mf_text);
    case MF_ATTR_SHAPE: return sizeof(mf_shape);
    default: return sizeof(int64_t);
  }
}

static mf_status list_literal(parser *s, uint8_t list_kind, mf_attr *out) {
  uint8_t kind = (uint8_t)(list_kind - MF_ATTR_LIST);
  char *items = NULL;
  size_t capacity = 0, size = literal_size(kind);
  *out = (mf_attr){.kind = list_kind};
  if (!eat(s, "[")) return malformed(s, "'['");
  while (!eat(s, "]")) {
    mf_attr one;
    MF_TRY(value_literal(s, kind, &one));
    if (!mf_array_reserve((void **)&items, &capacity, (size_t)out->n + 1, size)) return mf_fail_oom();
    memcpy(items + (size_t)out->n++ * size, kind == MF_ATTR_SHAPE ? (const void *)one.v.shape : (const void *)&one.v, size);
    if (kind == MF_ATTR_SHAPE) mf_free((void *)(uintptr_t)one.v.shape);
    out->v.ints = (const int64_t *)(void *)items;
    (void)eat(s, ",");
  }
  return NULL;
}

static mf_status attr_item(parser *s, mf_attr_sig *a) {
  char *name;
  MF_TRY(word(s, &name));
  a->name = name;
  if (!eat(s, ":")) return malformed(s, "':'");
  MF_TRY(kind_of(s, a));
  if (eat(s, ">=")) {
    char *end;
    skip(s);
    a->has_minimum = true;
    a->minimum = strtoll(s->p, &end, 10);
    s->p = end;
  }
  if (!eat(s, "=")) return NULL;
  a->has_default = true;
  return a->kind >= MF_ATTR_LIST ? list_literal(s, a->kind, &a->default_value)
                                 : value_literal(s, a->kind, &a->default_value);
}

/* ---- arguments */

static int attr_named(const mf_op_rt *rt, const char *name, size_t n) {
  for (int i = 0; i < rt->n_attrs; i++)
    if (strlen(rt->attrs[i].name) == n && !strncmp(rt->attrs[i].name, name, n)) return i;
  return -1;
}

static mf_status arg_item(parser *s, mf_arg_sig *a) {
  const mf_op_rt *rt = s->op->rt;
  char *name;
  MF_TRY(word(s, &name));
  *a = (mf_arg_sig){.name = name, .type_attr = -1, .number_attr = -1, .type_list_attr = -1};
  if (!eat(s, ":")) return malformed(s, "':'");
  for (int part = 0; part < 2; part++) {
    skip(s);
    const char *start = s->p;
    while (isalnum((unsigned char)*s->p) || *s->p == '_') s->p++;
    int attr = attr_named(rt, start, (size_t)(s->p - start));
    if (attr < 0) {
      s->p = start;
      return type_word(s, &a->type);
    }
    uint8_t kind = rt->attrs[attr].kind;
    if (kind == MF_ATTR_INT) a->number_attr = attr;
    else if (kind == MF_ATTR_TYPE) a->type_attr = attr;
    else a->type_list_attr = attr;
    if (kind != MF_ATTR_INT) return NULL;
    if (!eat(s, "*")) return malformed(s, "'*'");
  }
  return malformed(s, "a type");
}

static mf_status args(const mf_op_def *op, const char *text, int *n, const mf_arg_sig **out) {
  parser s = {op, text};
  *n = count_items(text);
  mf_arg_sig *list = mf_alloc_zero((size_t)*n + 1, sizeof *list);
  *out = list;
  if (!list) return mf_fail_oom();
  if (!*n) return NULL;
  for (int i = 0; i < *n; i++) {
    MF_TRY(arg_item(&s, &list[i]));
    if (i + 1 < *n && !eat(&s, ";")) return malformed(&s, "';'");
  }
  skip(&s);
  return *s.p ? malformed(&s, "the end") : NULL;
}

static void mark_inferred(mf_op_rt *rt, mf_attr_sig *attrs) {
  for (int i = 0; i < rt->n_inputs; i++) {
    const mf_arg_sig *a = &rt->inputs[i];
    if (a->type_attr >= 0) attrs[a->type_attr].inferred = true;
    if (a->number_attr >= 0) attrs[a->number_attr].inferred = true;
    if (a->type_list_attr >= 0) attrs[a->type_list_attr].inferred = true;
  }
}

static bool is_list(const mf_arg_sig *a) { return a->number_attr >= 0 || a->type_list_attr >= 0; }

mf_status mfi_signature_parse(const mf_op_def *op) {
  mf_op_rt *rt = op->rt;
  rt->n_attrs = count_items(op->attrs);
  if (rt->n_attrs > MF_MAX_ATTRS) return mf_fail(MF_INTERNAL, "Op table: %s has more than %d attributes", op->name, MF_MAX_ATTRS);
  mf_attr_sig *attrs = mf_alloc_zero((size_t)rt->n_attrs + 1, sizeof *attrs);
  if (!attrs) return mf_fail_oom();
  rt->attrs = attrs;
  parser s = {op, op->attrs};
  for (int i = 0; i < rt->n_attrs; i++) {
    MF_TRY(attr_item(&s, &attrs[i]));
    if (i + 1 < rt->n_attrs && !eat(&s, ";")) return malformed(&s, "';'");
  }
  if (rt->n_attrs) {
    skip(&s);
    if (*s.p) return malformed(&s, "the end");
  }
  MF_TRY(args(op, op->inputs, &rt->n_inputs, &rt->inputs));
  MF_TRY(args(op, op->outputs, &rt->n_outputs, &rt->outputs));
  mark_inferred(rt, attrs);
  rt->simple = true;
  for (int i = 0; i < rt->n_inputs; i++) rt->simple = rt->simple && !is_list(&rt->inputs[i]);
  for (int i = 0; i < rt->n_outputs; i++) rt->simple = rt->simple && !is_list(&rt->outputs[i]);
  return NULL;
}

static void free_args(const mf_arg_sig *list, int n) {
  for (int i = 0; list && i < n; i++) mf_free((void *)(uintptr_t)list[i].name);
  mf_free((void *)(uintptr_t)list);
}

static void free_default(const mf_attr *a) {
  if (a->kind == MF_ATTR_STRING) mf_free((void *)(uintptr_t)a->v.s.bytes);
  if (a->kind == MF_ATTR_SHAPE) mf_free((void *)(uintptr_t)a->v.shape);
  if (a->kind < MF_ATTR_LIST) return;
  if (a->kind == MF_ATTR_LIST + MF_ATTR_STRING)
    for (int i = 0; i < a->n; i++) mf_free((void *)(uintptr_t)a->v.texts[i].bytes);
  mf_free((void *)(uintptr_t)a->v.ints);
}

void mfi_signature_free(const mf_op_def *op) {
  mf_op_rt *rt = op->rt;
  free_args(rt->inputs, rt->n_inputs);
  free_args(rt->outputs, rt->n_outputs);
  for (int i = 0; rt->attrs && i < rt->n_attrs; i++) {
    const mf_attr_sig *a = &rt->attrs[i];
    free_default(&a->default_value);
    for (int k = 0; a->allowed_texts && a->allowed_texts[k]; k++) mf_free((void *)(uintptr_t)a->allowed_texts[k]);
    mf_free((void *)(uintptr_t)a->allowed_texts);
    mf_free((void *)(uintptr_t)a->name);
  }
  mf_free((void *)(uintptr_t)rt->attrs);
  rt->inputs = rt->outputs = NULL;
  rt->attrs = NULL;
}
