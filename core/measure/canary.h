/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The canary: a small fixed piece of work, run before and after each case, whose time says
 * whether the machine is still the one it was.  It has a compute part and a memory part of about
 * one millisecond each, longer where reading back is slow.  Its kernels are also the work on
 * which clocks are tried.
 */
#ifndef MEASURE_CANARY_H
#define MEASURE_CANARY_H

#include <stdbool.h>

#include "plugin/session.h"

/* The programs it needs, so that they can be built ahead of time. */
typedef struct canary_program {
	const char *kernel;         /* for session_source */
	const eh_define *defines;
	uint32_t define_count;
} canary_program;
size_t canary_programs(const canary_program **out);

typedef struct canary canary;

typedef struct canary_times { uint64_t compute_ns, memory_ns; } canary_times;
/* What one run does: rounds of all work-items, bytes read.  Sized per worker, so times of two
 * workers compare only per amount. */
typedef struct canary_amounts { uint64_t compute_rounds, memory_bytes; } canary_amounts;

/* Builds it.  The session outlives the canary; source is only read. */
eh_status canary_open(canary **out, const session *s, const eh_source *source, eh_error *error);
void canary_close(canary *c); /* NULL is fine */

/* Enqueue: `launches` times the compute part, sized by canary_size; one group that does nothing. */
eh_status canary_compute(canary *c, uint64_t launches, eh_error *error);
eh_status canary_nothing(canary *c, eh_error *error);
/* Overwrites the output of the compute part and waits. */
eh_status canary_clear(canary *c, eh_error *error);
/* Downloads the output of the compute part, which ends the work for certain; EH_E_INTERNAL when
 * it is not what the work leaves. */
eh_status canary_read(canary *c, eh_error *error);

/* Sizes the compute part.  Once, before the functions below. */
eh_status canary_size(canary *c, eh_error *error);
/* Makes and sizes the memory part and takes the reference times.  Once, before canary_run. */
eh_status canary_prepare(canary *c, eh_error *error);
const canary_times *canary_reference(const canary *c);
canary_amounts canary_work(const canary *c);
/* Both parts, each the median of three runs, by the host clock up to the data read back. */
eh_status canary_run(canary *c, canary_times *out, eh_error *error);

#endif
