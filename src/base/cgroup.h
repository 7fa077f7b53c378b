/* How much memory the control groups of this process leave it. */
#ifndef REC_BASE_CGROUP_H
#define REC_BASE_CGROUP_H

#include <stdint.h>

/* Bytes, the least of the process's own group and of all above it; UINT64_MAX without a limit.
 * `groups` is the list of the process's groups (/proc/self/cgroup), `root` the folder where their
 * trees are mounted (/sys/fs/cgroup); versions 1 and 2. Cached files that nobody has used lately
 * count as used there and are given back when memory is wanted, so they count as free here. */
uint64_t rec_cgroup_available(const char *groups, const char *root);

/* The number behind `name` in a file of "name number" lines, or of one bare number (name ""). */
int rec_number_in_file(const char *path, const char *name, uint64_t *value);

#endif
