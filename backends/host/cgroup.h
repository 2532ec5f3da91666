/* SPDX-License-Identifier: Apache-2.0 */
/* What the control group of this process allows: both versions, the whole way up. */
#ifndef HOST_CGROUP_H
#define HOST_CGROUP_H

#include <stdint.h>

/* CPUs' worth of time per unit of time, in thousandths; 0 = no limit.
 * root is put before every path, "" for the machine's own. */
uint64_t cgroup_cpu_millis(const char *root);

/* Bytes; 0 = no limit. */
uint64_t cgroup_memory_bytes(const char *root);

/* Bytes of the memory limit that are not used yet; UINT64_MAX = no limit. */
uint64_t cgroup_memory_free(const char *root);

#endif
