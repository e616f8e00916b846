/* cgroup.h - internal to base: what the Linux control groups of this process allow.
 *
 * /proc/self/cgroup names the groups; their limits are files under /sys/fs/cgroup, and a limit of any group above
 * binds too, so the path is walked up to the root. In a container the path is often that of the host and does not
 * exist inside: then only the root, which is the container's own group, is read. `root` stands before both paths (""
 * in life, a folder in tests).
 */
#ifndef MF_BASE_CGROUP_H
#define MF_BASE_CGROUP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Cores as a fraction (quota / period, the smallest on the way up); 0: no limit. */
double mfi_cgroup_cpu_quota(const char *root);

/* Bytes that may still be allocated: limit minus use, page cache that can be dropped not counted as use; the smallest
 * on the way up, 0 when a group is over its limit. -1: no limit. */
int64_t mfi_cgroup_memory_room(const char *root);

#ifdef __cplusplus
}
#endif
#endif
