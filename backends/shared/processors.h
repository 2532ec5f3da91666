/* SPDX-License-Identifier: Apache-2.0 */
/* The processors that this process may use, and the caches in front of their memory. */
#ifndef SHARED_PROCESSORS_H
#define SHARED_PROCESSORS_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct processors {
	int *numbers;          /* as the kernel counts them, ascending                         */
	unsigned count;
	cpu_set_t *mask;       /* what sched_getaffinity said, mask_size bytes                 */
	size_t mask_size;
} processors;

/* false when memory is exhausted or the affinity cannot be read.  processors_free after either. */
bool processors_read(processors *p);
void processors_free(processors *p);

/*
 * Of one cache, a processor that shares it has at most this.  The most that is built is 48 MiB (EPYC
 * 9184X: 96 MiB for two cores).  What shows more is a virtual machine with few of the processors of a
 * large one: it does not have their cache, and sizes that follow it would be too large for it.
 */
#define PROCESSORS_CACHE_MOST (UINT64_C(64) << 20)

/* The bytes of all last-level caches that they reach, each counted once and with at most
 * PROCESSORS_CACHE_MOST for each processor that shares it; 0 = unknown.  `root` is that of the file
 * system sys, "" = this machine's. */
uint64_t processors_cache_bytes(const processors *p, const char *root);

#endif
