/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The canary: a small fixed piece of work, run before and after each case.  When its time changes,
 * the machine has changed.  It has a compute part and a memory part of about one millisecond each,
 * longer where reading back is slow.  Clocks are tried on its kernels, too.
 */
#ifndef MEASURE_CANARY_H
#define MEASURE_CANARY_H

#include "plugin/session.h"
#include "record/record.h"

/* The programs it needs, so that they can be built ahead of time. */
typedef struct canary_program {
	const char *kernel;         /* for session_source */
	const eh_define *defines;
	uint32_t define_count;
} canary_program;
size_t canary_programs(const canary_program **out);

typedef struct canary canary;

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
/* Sets the members that are the same for all cases: reference times, and the work of one run, which
 * is sized per worker, so that times of two workers compare only per amount of work. */
void canary_describe(const canary *c, record_canary *out);
/* The time of each part, the median of three runs, by the host's clock until data is read back. */
eh_status canary_run(canary *c, double *compute_ns, double *memory_ns, eh_error *error);

#endif
