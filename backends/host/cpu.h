/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU as the system describes it, and which of it this process may use. */
#ifndef HOST_CPU_H
#define HOST_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "shared/processors.h"

typedef struct cpu {
	char model[128];      /* "AMD EPYC 9654 96-Core Processor"                             */
	char vendor[64];
	char detail[256];     /* "family=6; model=143; stepping=8; microcode=0x2b000571"       */
	char features[65];    /* SHA-256 of the list of instruction set extensions             */
	char machine[32];     /* "x86_64"                                                      */
	processors may;       /* run on them                                                   */
	uint64_t quota_millis; /* control group's limit, 0 = none                              */
	unsigned usable;      /* threads that make sense: allowed, but no more than the quota  */
	uint64_t memory_bytes;
	uint64_t last_level_cache_bytes; /* all of them that the allowed CPUs reach, 0 unknown */
	uint32_t clock_mhz;
	int numa_node;        /* -1 = several or unknown                                       */
} cpu;

typedef void (*cpu_sha256)(void *ctx, const void *data, size_t size, char hex[65]);

/* false when memory is exhausted or the affinity cannot be read; then nothing is to be freed. */
bool cpu_read(cpu *c, cpu_sha256 sha256, void *ctx);
void cpu_free(cpu *c);

/* "0-3,8": the first `count` allowed CPUs. */
void cpu_list_text(const cpu *c, unsigned count, char *out, size_t size);

/* Memory that can be had now without swapping or being killed; UINT64_MAX = unknown. */
uint64_t cpu_memory_available(void);

#endif
