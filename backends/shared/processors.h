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

/* The bytes of all last-level caches that they reach, each counted once; 0 = unknown.  `root` is that
 * of the file system sys, "" = this machine's. */
uint64_t processors_cache_bytes(const processors *p, const char *root);

#endif
