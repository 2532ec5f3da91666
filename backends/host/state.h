/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a started host backend: its settings, the CPU, the compilers. */
#ifndef HOST_STATE_H
#define HOST_STATE_H

#include <stdbool.h>

#include "cpu.h"
#include "evenhand/backend.h"

struct compiler;
struct gemm_library;

typedef struct host_state {
	const eh_host *host;
	cpu cpu;
	unsigned threads;          /* that a device uses                                       */
	uint64_t compile_ms;       /* how long a compiler may take                              */
	const char *cache_dir;     /* NULL = no cache                                          */
	bool cache_warned;
	char *library_dir;         /* NULL = unknown                                           */
	struct compiler *compilers;
	size_t compiler_count;
	bool prebuilt;             /* the device after the compilers                           */
	struct gemm_library *gemm; /* NULL until a product of a library is asked for           */
	char notes[4096];          /* lines                                                    */
} host_state;

/* Adds a line to the notes. */
__attribute__((format(printf, 2, 3)))
void state_note(host_state *s, const char *format, ...);

__attribute__((format(printf, 3, 4)))
void state_log(const host_state *s, int level, const char *format, ...);

#endif
