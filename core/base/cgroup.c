/* cgroup.c - see cgroup.h. Version 2 has one tree and files cpu.max, memory.max, memory.current; version 1 has a tree
 * for each controller and cpu.cfs_quota_us, memory.limit_in_bytes, memory.usage_in_bytes. Both have memory.stat. */
#include "base/cgroup.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 4096, LINE = 1024 };

/* One group's folder: `base` up to the controller's root, `path` below it. */
typedef struct group {
  bool v2;
  char base[PATH], path[PATH];
} group;

/* The part after the last ':' of the line of /proc/self/cgroup that names `controller`; v2: of the line "0::/...". */
static bool own_path(const char *root, const char *controller, char path[PATH]) {
  char name[PATH], line[PATH];
  bool found = false;
  snprintf(name, sizeof name, "%s/proc/self/cgroup", root);
  FILE *f = fopen(name, "r");
  if (!f) return false;
  while (!found && fgets(line, sizeof line, f)) {
    char *list = strchr(line, ':'), *at = list ? strchr(list + 1, ':') : NULL;
    if (!at) continue;
    *at++ = 0;
    at[strcspn(at, "\n")] = 0;
    for (char *item = list + 1, *next; item && !found; item = next) {
      next = strchr(item, ',');
      if (next) *next++ = 0;
      found = !strcmp(item, controller);
    }
    if (found) snprintf(path, PATH, "%s", strcmp(at, "/") ? at : "");
  }
  fclose(f);
  return found;
}

/* The text of a small file in the group's folder; false when there is none. */
static bool read_file(const group *g, const char *file, char text[LINE]) {
  char name[2 * PATH + 64];
  snprintf(name, sizeof name, "%s%s/%s", g->base, g->path, file);
  FILE *f = fopen(name, "r");
  if (!f) return false;
  size_t n = fread(text, 1, LINE - 1, f);
  text[n] = 0;
  fclose(f);
  return n > 0;
}

/* A file with one number; -1 when it is missing or says "max". */
static int64_t number_in(const group *g, const char *file) {
  char text[LINE];
  long long value;
  return read_file(g, file, text) && sscanf(text, "%lld", &value) == 1 && value >= 0 ? (int64_t)value : -1;
}

static bool group_open(const char *root, const char *controller, group *g) {
  g->v2 = false;
  snprintf(g->base, PATH, "%s/sys/fs/cgroup/%s", root, controller);
  if (own_path(root, controller, g->path)) return true;
  g->v2 = true;
  snprintf(g->base, PATH, "%s/sys/fs/cgroup", root);
  return own_path(root, "", g->path);
}

/* To the group above; false at the root. */
static bool group_up(group *g) {
  char *slash = strrchr(g->path, '/');
  if (!slash) return false;
  *slash = 0;
  return true;
}

static double quota_of(const group *g) {
  char text[LINE];
  long long quota, period;
  if (g->v2) {
    if (!read_file(g, "cpu.max", text) || sscanf(text, "%lld %lld", &quota, &period) != 2) return 0;
  } else {
    quota = number_in(g, "cpu.cfs_quota_us");
    period = number_in(g, "cpu.cfs_period_us");
  }
  return quota > 0 && period > 0 ? (double)quota / (double)period : 0;
}

double mfi_cgroup_cpu_quota(const char *root) {
  group g;
  double least = 0;
  if (!group_open(root, "cpu", &g)) return 0;
  do {
    double quota = quota_of(&g);
    if (quota > 0 && (least == 0 || quota < least)) least = quota;
  } while (group_up(&g));
  return least;
}

/* Page cache that the kernel drops before it refuses memory. */
static int64_t droppable(const group *g) {
  char text[LINE];
  const char *key = g->v2 ? "inactive_file " : "total_inactive_file ";
  char name[2 * PATH + 64];
  long long value = 0;
  snprintf(name, sizeof name, "%s%s/memory.stat", g->base, g->path);
  FILE *f = fopen(name, "r");
  if (!f) return 0;
  while (fgets(text, sizeof text, f))
    if (!strncmp(text, key, strlen(key))) value = atoll(text + strlen(key));
  fclose(f);
  return value > 0 ? (int64_t)value : 0;
}

static int64_t room_of(const group *g) {
  int64_t limit = number_in(g, g->v2 ? "memory.max" : "memory.limit_in_bytes");
  int64_t used = number_in(g, g->v2 ? "memory.current" : "memory.usage_in_bytes");
  if (limit < 0 || used < 0) return -1;
  int64_t cache = droppable(g);
  used -= cache < used ? cache : used;
  return limit > used ? limit - used : 0;
}

int64_t mfi_cgroup_memory_room(const char *root) {
  group g;
  int64_t least = -1;
  if (!group_open(root, "memory", &g)) return -1;
  do {
    int64_t room = room_of(&g);
    if (room >= 0 && (least < 0 || room < least)) least = room;
  } while (group_up(&g));
  return least;
}
