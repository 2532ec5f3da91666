/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last level of cache before a device's memory.  Few APIs report it: HIP has the L2, behind which
 * newer GPUs have an Infinity Cache, the OpenCL of AMD and NVIDIA has an L1, and Intel's for processors
 * an L2.
 */
#ifndef SHARED_LASTCACHE_H
#define SHARED_LASTCACHE_H

#include <stdbool.h>

#include "evenhand/backend.h"

typedef struct lastcache {
	uint64_t bytes;         /* 0 = unknown                                              */
	const char *source;     /* "sysfs", "kfd", "driver", "table"; "" = unknown          */
} lastcache;

typedef struct lastcache_query {
	const char *root;       /* of the file systems sys and proc, "" = this machine's    */
	bool is_processor;      /* this process's own processors                            */
	const char *pci;        /* "0000:3b:00.0", "" = unknown                             */
	const char *name;       /* of the product                                           */
	uint64_t reported;      /* by an API that means the last level; 0 = none does       */
	uint64_t memory_bytes;  /* 0 = unknown                                              */
} lastcache_query;

/* The first of these that is plausible: what the kernel lists for processors, what AMD's kernel driver
 * lists for a GPU's address, what is reported, what the vendor documents for the product. */
lastcache lastcache_find(const lastcache_query *query);

/* The setting `root` of the backend, or "": the machine is then one of recorded files. */
const char *lastcache_root(const eh_host *host);

/* Adds size and source to the detail of a hardware layer; nothing when the size is unknown. */
void lastcache_detail(eh_layer *layer, uint64_t bytes, const char *source);

#endif
