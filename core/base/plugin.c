/* plugin.c - the one place that calls dlopen: see plugin.h. */
#include "base/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/strbuf.h"

enum { PATH = 4096 };

struct mf_plugin {
  void *handle;
  bool keep;
  char path[];
};

bool mf_plugin_own_folder(char *folder, size_t size) {
  static const char here = 0;
  Dl_info self;
  const char *slash = dladdr(&here, &self) && self.dli_fname ? strrchr(self.dli_fname, '/') : NULL;
  size_t length = slash ? (size_t)(slash - self.dli_fname) + 1 : 0;
  if (length >= size) return false;
  if (length) memcpy(folder, self.dli_fname, length);
  folder[length] = 0;
  return true;
}

/* ---- where a library may be */

typedef struct search {
  void *handle;              /* what was opened */
  char path[PATH];           /* where */
  mf_strbuf failures;        /* "; "-separated: name and reason */
} search;

/* Tries `folder` + `name`. Files that do not exist are passed over silently: the system's search comes last and says
 * so. */
static void try_file(search *s, const char *folder, size_t folder_size, const char *name, bool must_exist) {
  const char *slash = folder_size && folder[folder_size - 1] != '/' ? "/" : "";
  int n = snprintf(s->path, PATH, "%.*s%s%s", (int)folder_size, folder, slash, name);
  if (s->handle || n < 0 || n >= PATH) return;
  if (must_exist && access(s->path, F_OK) != 0) return;
  s->handle = dlopen(s->path, RTLD_NOW | RTLD_LOCAL);
  if (s->handle) return;
  const char *why = dlerror();
  mf_strbuf_appendf(&s->failures, "%s%s", s->failures.size ? "; " : "", why ? why : s->path);
}

static void try_name(search *s, const char *name) {
  char own[PATH];
  if (!strchr(name, '/')) {
    for (const char *at = mf_env_text(MF_ENV_PLUGIN_PATH); at && *at;) {
      size_t size = strcspn(at, ":");
      if (size) try_file(s, at, size, name, true);
      at += size + (at[size] == ':');
    }
    if (mf_plugin_own_folder(own, sizeof own) && own[0]) try_file(s, own, strlen(own), name, true);
  }
  try_file(s, "", 0, name, false);
}

/* ---- symbols */

static void *find(void *handle, const char *name) {
  dlerror();
  return dlsym(handle, name);
}

static mf_status resolve(const mf_plugin_spec *spec, const mf_plugin *plugin, char *api) {
  for (size_t i = 0; i < spec->symbol_count; i++) {
    const mf_plugin_symbol *symbol = &spec->symbols[i];
    void *address = find(plugin->handle, symbol->name);
    if (!address && !symbol->optional)
      return mf_fail(MF_UNAVAILABLE, "%s: the library %s (%s) has no symbol %s: it is of another version; %s",
                     spec->purpose, spec->library, plugin->path, symbol->name, spec->advice);
    memcpy(api + symbol->offset, &address, sizeof address);
  }
  return NULL;
}

static mf_status not_found(const mf_plugin_spec *spec, mf_strbuf *failures) {
  char *text;
  MF_TRY(mf_strbuf_take(failures, &text));
  mf_status status = mf_fail(MF_UNAVAILABLE, "%s: the library %s cannot be loaded (%s); %s", spec->purpose,
                             spec->library, text, spec->advice);
  mf_free(text);
  return status;
}

mf_status mf_plugin_open(const mf_plugin_spec *spec, void *api, mf_plugin **plugin) {
  search s = {0};
  mf_status status = NULL;
  *plugin = NULL;
  for (size_t i = 0; spec->names[i] && !s.handle; i++) try_name(&s, spec->names[i]);
  if (!s.handle) return not_found(spec, &s.failures);
  mf_strbuf_release(&s.failures);

  size_t size = strlen(s.path) + 1;
  mf_plugin *p = mf_alloc(sizeof *p + size);
  if (!p) {
    dlclose(s.handle);
    return mf_fail_oom();
  }
  p->handle = s.handle;
  p->keep = false; /* until it is complete */
  memcpy(p->path, s.path, size);
  MF_TRY_GOTO(status, resolve(spec, p, api), failed);
  p->keep = spec->keep;
  mf_log(MF_LOG_INFO, "%s: loaded %s", spec->library, p->path);
  *plugin = p;
  return NULL;

failed:
  mf_plugin_close(p);
  return status;
}

void *mf_plugin_symbol_address(const mf_plugin *plugin, const char *name) { return find(plugin->handle, name); }

const char *mf_plugin_path(const mf_plugin *plugin) { return plugin->path; }

void mf_plugin_close(mf_plugin *plugin) {
  if (!plugin) return;
  if (!plugin->keep) dlclose(plugin->handle);
  mf_free(plugin);
}
