/* test_base_machine.c - cores, memory and instruction sets; control groups from made-up trees; libraries on first use.
 * */
#include <check.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/cpu.h"
#include "base/plugin.h"

/* ---- this machine */

START_TEST(this_machine_has_cores_and_memory) {
  cpu_set_t before, one;
  ck_assert_int_ge(mf_cpu_cores(), 1);
  ck_assert_int_gt(mf_memory_available(), 1 << 20);
  ck_assert_int_eq(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE; i++)
    if (CPU_ISSET(i, &before) && !CPU_COUNT(&one)) CPU_SET(i, &one);
  ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
  int cores = mf_cpu_cores();
  sched_setaffinity(0, sizeof before, &before);
  ck_assert_int_eq(cores, 1);
}
END_TEST

START_TEST(the_instruction_set_is_named) {
  mf_isa isa = mf_cpu_isa();
  ck_assert(isa >= MF_ISA_BASE && isa <= MF_ISA_AVX512);
  ck_assert_int_eq(mf_cpu_isa(), isa);
  ck_assert_str_eq(mf_isa_name(MF_ISA_BASE), "base");
  ck_assert_str_eq(mf_isa_name(MF_ISA_AVX2), "avx2");
  ck_assert_str_eq(mf_isa_name(MF_ISA_AVX512), "avx512");
}
END_TEST

/* ---- control groups */

static char root[64];

static void put(const char *path, const char *text) {
  char name[512];
  snprintf(name, sizeof name, "%s%s", root, path);
  for (char *at = name + strlen(root) + 1; (at = strchr(at, '/')) != NULL; at++) {
    *at = 0;
    mkdir(name, 0700);
    *at = '/';
  }
  FILE *f = fopen(name, "w");
  ck_assert_ptr_nonnull(f);
  fputs(text, f);
  fclose(f);
}

static void begin(void) {
  strcpy(root, "/tmp/moonflow-cgroup-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(root));
}

static void end(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", root);
  ck_assert_int_eq(system(command), 0);
}

START_TEST(no_control_groups) {
  ck_assert_double_eq(mfi_cgroup_cpu_quota(root), 0);
  ck_assert_int_eq(mfi_cgroup_memory_room(root), -1);
}
END_TEST

START_TEST(version_2_limits_bind_on_the_way_up) {
  put("/proc/self/cgroup", "0::/jobs/train\n");
  put("/sys/fs/cgroup/jobs/cpu.max", "150000 100000\n");
  put("/sys/fs/cgroup/jobs/train/cpu.max", "max 100000\n");
  ck_assert_double_eq(mfi_cgroup_cpu_quota(root), 1.5);
  put("/sys/fs/cgroup/jobs/train/memory.max", "max\n");
  put("/sys/fs/cgroup/jobs/train/memory.current", "5000\n");
  ck_assert_int_eq(mfi_cgroup_memory_room(root), -1);
  put("/sys/fs/cgroup/jobs/memory.max", "100000\n");
  put("/sys/fs/cgroup/jobs/memory.current", "70000\n");
  put("/sys/fs/cgroup/jobs/memory.stat", "anon 1\ninactive_file 20000\nactive_file 7\n");
  ck_assert_int_eq(mfi_cgroup_memory_room(root), 50000);
  put("/sys/fs/cgroup/jobs/memory.current", "170000\n");
  ck_assert_int_eq(mfi_cgroup_memory_room(root), 0);
}
END_TEST

/* In a container: the path is the host's, the root is the container's own group. */
START_TEST(version_2_in_a_container) {
  put("/proc/self/cgroup", "0::/docker/0123456789\n");
  put("/sys/fs/cgroup/cpu.max", "200000 100000\n");
  put("/sys/fs/cgroup/memory.max", "1000000\n");
  put("/sys/fs/cgroup/memory.current", "400000\n");
  ck_assert_double_eq(mfi_cgroup_cpu_quota(root), 2);
  ck_assert_int_eq(mfi_cgroup_memory_room(root), 600000);
}
END_TEST

START_TEST(version_1) {
  put("/proc/self/cgroup", "9:name=systemd:/\n4:memory:/box\n2:cpu,cpuacct:/\n0::/\n");
  put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  ck_assert_double_eq(mfi_cgroup_cpu_quota(root), 0);
  put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "250000\n");
  ck_assert_double_eq(mfi_cgroup_cpu_quota(root), 2.5);
  put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "1\n");
  put("/sys/fs/cgroup/memory/box/memory.limit_in_bytes", "5000\n");
  put("/sys/fs/cgroup/memory/box/memory.usage_in_bytes", "3000\n");
  put("/sys/fs/cgroup/memory/box/memory.stat", "inactive_file 7\ntotal_inactive_file 500\n");
  ck_assert_int_eq(mfi_cgroup_memory_room(root), 2500);
}
END_TEST

/* ---- libraries on first use */

typedef struct math_api {
  double (*cosine)(double);
  void *nothing;
} math_api;

static const mf_plugin_symbol math_symbols[] = {{"cos", offsetof(math_api, cosine), false},
                                                {"no_such_symbol", offsetof(math_api, nothing), true}};
static const char *const math_names[] = {"libnot_there.so.7", "libm.so.6", NULL};

START_TEST(a_library_is_found_under_its_second_name) {
  mf_plugin_spec spec = {.purpose = "a test", .library = "the C mathematics library", .names = math_names,
                         .advice = "install libc6", .symbols = math_symbols, .symbol_count = 2};
  math_api api = {.nothing = &api};
  mf_plugin *plugin;
  ck_assert_ptr_null(mf_plugin_open(&spec, &api, &plugin));
  ck_assert_str_eq(mf_plugin_path(plugin), "libm.so.6");
  ck_assert_double_eq(api.cosine(0), 1);
  ck_assert_ptr_null(api.nothing);
  ck_assert_ptr_nonnull(mf_plugin_symbol_address(plugin, "sin"));
  ck_assert_ptr_null(mf_plugin_symbol_address(plugin, "no_such_symbol"));
  mf_plugin_close(plugin);
  mf_plugin_close(NULL);
}
END_TEST

START_TEST(a_missing_symbol_names_the_version) {
  static const mf_plugin_symbol symbols[] = {{"H5Fopen", 0, false}};
  mf_plugin_spec spec = {.purpose = "reading .h5 files", .library = "HDF5", .names = math_names,
                         .advice = "install the package libhdf5-103-1", .symbols = symbols, .symbol_count = 1};
  void *api;
  mf_plugin *plugin;
  mf_status s = mf_plugin_open(&spec, &api, &plugin);
  ck_assert_ptr_null(plugin);
  ck_assert_int_eq(mf_status_code(s), MF_UNAVAILABLE);
  ck_assert_str_eq(mf_status_message(s),
                   "reading .h5 files: the library HDF5 (libm.so.6) has no symbol H5Fopen: it is of another version; "
                   "install the package libhdf5-103-1");
  mf_status_release(s);
}
END_TEST

START_TEST(a_missing_library_says_what_failed_and_what_to_do) {
  static const char *const names[] = {"libnot_there.so.7", "libnot_there.so.8", NULL};
  mf_plugin_spec spec = {.purpose = "reading .h5 files", .library = "HDF5", .names = names,
                         .advice = "install the package libhdf5-103-1"};
  mf_plugin *plugin;
  mf_status s = mf_plugin_open(&spec, NULL, &plugin);
  ck_assert_ptr_null(plugin);
  ck_assert_int_eq(mf_status_code(s), MF_UNAVAILABLE);
  const char *text = mf_status_message(s);
  ck_assert_ptr_nonnull(strstr(text, "reading .h5 files: the library HDF5 cannot be loaded ("));
  ck_assert_ptr_nonnull(strstr(text, "(libnot_there.so.7: cannot open"));
  ck_assert_ptr_nonnull(strstr(text, "; libnot_there.so.8: cannot open"));
  ck_assert_ptr_nonnull(strstr(text, "); install the package libhdf5-103-1"));
  mf_status_release(s);
}
END_TEST

/* A file in MF_PLUGIN_PATH comes first, and its own reason for not loading is told. */
START_TEST(folders_of_the_environment_come_first) {
  char path[256];
  snprintf(path, sizeof path, "/no/such/folder::%s/lib", root);
  put("/lib/libm.so.6", "this is no library");
  setenv("MF_PLUGIN_PATH", path, 1);
  static const char *const names[] = {"libm.so.6", NULL};
  mf_plugin_spec spec = {.purpose = "a test", .library = "M", .names = names, .advice = "none"};
  mf_plugin *plugin;
  ck_assert_ptr_null(mf_plugin_open(&spec, NULL, &plugin)); /* the broken file is passed over: the system's is fine */
  mf_plugin_close(plugin);
  put("/lib/libbroken.so", "this is no library");
  static const char *const broken[] = {"libbroken.so", NULL};
  spec.names = broken;
  mf_status s = mf_plugin_open(&spec, NULL, &plugin);
  snprintf(path, sizeof path, "%s/lib/libbroken.so: ", root);
  ck_assert_ptr_nonnull(strstr(mf_status_message(s), path));
  mf_status_release(s);
  unsetenv("MF_PLUGIN_PATH");
}
END_TEST

START_TEST(our_own_folder) {
  char folder[4096], tiny[2];
  struct stat info;
  ck_assert(mf_plugin_own_folder(folder, sizeof folder));
  ck_assert(folder[0] == 0 || folder[strlen(folder) - 1] == '/');
  if (folder[0]) ck_assert(stat(folder, &info) == 0 && S_ISDIR(info.st_mode));
  if (strlen(folder) > 1) ck_assert(!mf_plugin_own_folder(tiny, sizeof tiny));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("base_machine");
  TCase *machine = tcase_create("machine"), *groups = tcase_create("files");
  tcase_add_test(machine, this_machine_has_cores_and_memory);
  tcase_add_test(machine, the_instruction_set_is_named);
  tcase_add_test(machine, a_library_is_found_under_its_second_name);
  tcase_add_test(machine, a_missing_symbol_names_the_version);
  tcase_add_test(machine, a_missing_library_says_what_failed_and_what_to_do);
  tcase_add_test(machine, our_own_folder);
  tcase_add_checked_fixture(groups, begin, end);
  tcase_add_test(groups, no_control_groups);
  tcase_add_test(groups, version_2_limits_bind_on_the_way_up);
  tcase_add_test(groups, version_2_in_a_container);
  tcase_add_test(groups, version_1);
  tcase_add_test(groups, folders_of_the_environment_come_first);
  suite_add_tcase(suite, machine);
  suite_add_tcase(suite, groups);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
