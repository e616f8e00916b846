/* csv.c - comma-separated tables: see array_file.h. One pass cuts the text into fields (unquoting in place), then each column
 * decides its type. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/array_file.h"
#include "io/file.h"

typedef struct field {
  char *text;                /* NUL-terminated inside the file's block */
  size_t size;
} field;

typedef struct table {
  const char *path;
  char delimiter;
  field *fields;             /* row after row */
  size_t n, capacity;
  size_t columns, rows;
} table;

static mf_status add_field(table *t, char *text, size_t size) {
  if (!mf_array_reserve((void **)&t->fields, &t->capacity, t->n + 1, sizeof *t->fields)) return mf_fail_oom();
  t->fields[t->n++] = (field){text, size};
  return NULL;
}

/* A quoted field that starts behind its opening quote: unquotes in place. Returns the place behind the closing quote. */
static char *quoted(char *p, char *end, size_t *size) {
  char *to = p, *start = p;
  while (p < end) {
    if (*p != '"') *to++ = *p++;
    else if (p + 1 < end && p[1] == '"') *to++ = '"', p += 2;
    else break;
  }
  *size = (size_t)(to - start);
  return p < end ? p + 1 : NULL;
}

/* One record. *at moves behind its line end; *line counts physical lines. */
static mf_status record(table *t, char **at, char *end, size_t *line, size_t *count) {
  char *p = *at;
  size_t first = *line;
  *count = 0;
  for (;;) {
    char *start = p;
    size_t size;
    if (p < end && *p == '"') {
      start = p + 1;
      p = quoted(start, end, &size);
      if (!p) return mf_fail(MF_INVALID_ARGUMENT, "load_csv: %s: line %zu: a quoted field does not end", t->path, first);
      for (char *c = start; c < p; c++) *line += *c == '\n';
    } else {
      while (p < end && *p != t->delimiter && *p != '\n' && *p != '\r') p++;
      size = (size_t)(p - start);
    }
    MF_TRY(add_field(t, start, size));
    ++*count;
    char stop = p < end ? *p : '\n';
    if (p < end && stop != t->delimiter && stop != '\n' && stop != '\r')
      return mf_fail(MF_INVALID_ARGUMENT, "load_csv: %s: line %zu: text follows a quoted field", t->path, *line);
    start[size] = 0; /* the stop character, or the block's own end */
    p += p < end;
    if (stop == t->delimiter) continue;
    if (stop == '\r' && p < end && *p == '\n') p++;
    ++*line;
    *at = p;
    return NULL;
  }
}

static mf_status cut(table *t, char *text, size_t size) {
  char *p = text, *end = text + size;
  size_t line = 1, count;
  if (size >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3)) p += 3;
  while (p < end) {
    if (*p == '\n' || *p == '\r') { /* empty lines are no records */
      line += *p == '\n';
      p++;
      continue;
    }
    size_t first = line;
    MF_TRY(record(t, &p, end, &line, &count));
    if (!t->rows) t->columns = count;
    if (count != t->columns)
      return mf_fail(MF_INVALID_ARGUMENT, "load_csv: %s: line %zu: expected %zu fields, received %zu", t->path, first,
                     t->columns, count);
    t->rows++;
  }
  return NULL;
}

enum { IS_INT = 1, IS_FLOAT = 2 };

/* A number may stand between blanks. */
static bool ends_at(const field *f, const char *end) {
  while (*end == ' ' || *end == '\t') end++;
  return *end == 0 && (size_t)(end - f->text) == f->size;
}

static int kinds_of(const field *f) {
  char *end;
  if (!f->size) return IS_FLOAT;
  errno = 0;
  (void)strtoll(f->text, &end, 10);
  int kinds = end != f->text && !errno && ends_at(f, end) ? IS_INT : 0;
  (void)strtod(f->text, &end);
  return end != f->text && ends_at(f, end) ? kinds | IS_FLOAT : kinds;
}

static mf_status strings_of(const table *t, size_t column, size_t first, const mf_shape *shape, mf_tensor **out) {
  mf_string_builder *b;
  MF_TRY(mf_string_builder_new(shape, &b));
  for (size_t r = first; r < t->rows; r++) {
    const field *f = &t->fields[r * t->columns + column];
    mf_status status = mf_string_builder_add(b, f->text, f->size);
    if (status) {
      mf_string_builder_release(b);
      return status;
    }
  }
  return mf_string_builder_take(b, out);
}

static mf_status column_of(const table *t, size_t column, size_t first, mf_tensor **out) {
  mf_shape shape = mf_shape_1d((int64_t)(t->rows - first));
  int kinds = IS_INT | IS_FLOAT;
  for (size_t r = first; r < t->rows; r++) kinds &= kinds_of(&t->fields[r * t->columns + column]);
  if (!kinds) return strings_of(t, column, first, &shape, out);
  MF_TRY(mf_tensor_new(mf_device_cpu(), kinds & IS_INT ? MF_INT64 : MF_FLOAT64, &shape, out));
  for (size_t r = first; r < t->rows; r++) {
    const field *f = &t->fields[r * t->columns + column];
    if (kinds & IS_INT) MF_DATA(int64_t, *out)[r - first] = strtoll(f->text, NULL, 10);
    else MF_DATA(double, *out)[r - first] = f->size ? strtod(f->text, NULL) : (double)NAN;
  }
  return NULL;
}

/* Names are keys: none twice, none with a zero byte. */
static mf_status check_names(const table *t) {
  for (size_t c = 0; c < t->columns; c++) {
    const field *f = &t->fields[c];
    if (strlen(f->text) != f->size)
      return mf_fail(MF_INVALID_ARGUMENT, "load_csv: %s: the name of column %zu contains a zero byte", t->path, c);
    for (size_t before = 0; before < c; before++)
      if (!strcmp(t->fields[before].text, f->text))
        return mf_fail(MF_INVALID_ARGUMENT, "load_csv: %s: columns %zu and %zu have the same name '%s'", t->path, before, c, f->text);
  }
  return NULL;
}

static mf_status columns_of(const table *t, bool header, mf_named_tensor **columns, size_t *count) {
  mf_named_tensor *list = mf_alloc_zero(t->columns + 1, sizeof *list);
  if (!list) return mf_fail_oom();
  mf_status status = NULL;
  for (size_t c = 0; c < t->columns && !status; c++) {
    char number[24];
    snprintf(number, sizeof number, "%zu", c);
    list[c].name = mf_strdup(header ? t->fields[c].text : number);
    status = list[c].name ? column_of(t, c, header ? 1 : 0, &list[c].tensor) : mf_fail_oom();
  }
  if (status) {
    mf_named_tensors_release(list, t->columns);
    return status;
  }
  *columns = list;
  *count = t->columns;
  return NULL;
}

mf_status mf_csv_load(const char *path, bool header, char delimiter, mf_named_tensor **columns, size_t *count) {
  table t = {.path = path, .delimiter = delimiter};
  char *text;
  size_t size;
  *columns = NULL;
  *count = 0;
  MF_TRY(mf_file_read_gz(path, (size_t)1 << 40, &text, &size));
  mf_status status = cut(&t, text, size);
  if (!status && header && !t.rows)
    status = mf_fail(MF_INVALID_ARGUMENT, "load_csv: %s: expected a header row, received an empty file", path);
  if (!status && header) status = check_names(&t);
  if (!status) status = columns_of(&t, header, columns, count);
  mf_free(t.fields);
  mf_free(text);
  return status;
}
