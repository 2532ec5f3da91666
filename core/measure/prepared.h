/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A case made ready to run: program built, data prepared, marks made.  With a cold cache there are
 * several sets of its buffers (cold.h), which operations visit in a fixed random order.
 */
#ifndef MEASURE_PREPARED_H
#define MEASURE_PREPARED_H

#include "measure/cold.h"
#include "measure/inputdata.h"
#include "measure/memory_asked.h"
#include "plugin/session.h"

typedef struct prepared {
	const session *s;
	const eh_workload *workload;
	eh_bench bench;
	memory_asked memory; /* of this case, until prepared_memory */
	eh_program *program; /* NULL when the work needs none */
	eh_source *source;   /* of it */
	void **states;       /* [set_count] of the workload, in the order of visits */
	size_t set_count;
	size_t next;         /* the set that the next operation uses */
	eh_buffer *evictor;  /* written and copied to empty the caches; NULL = not done */
	uint64_t evictor_bytes;
	inputdata_log data;  /* that preparing the first set asked for */
	eh_mark *from, *to;  /* around a sample; timed when the choice is */
	eh_buffer *probe;    /* one word, for prepared_drain         */
	uint32_t drains;     /* so far; the word that is written      */
	uint64_t iteration;  /* number of the next enqueue           */
} prepared;

/* Whether a device of so much memory, 0 = unknown, has room for `bytes`: a tenth is left to the system, the
 * driver and the other side of a shared memory. */
bool prepared_fits(uint64_t bytes, uint64_t memory_bytes);
/* Why this device cannot run the work, malloc'd; NULL when no obstacle is known. */
char *prepared_unsupported(const session *s, const eh_work *work);

/* Declared beside the work itself; zeroed: warm, with the workload's own data. */
typedef struct prepared_choice {
	record_cache cold;
	enum record_distribution data;
	bool timed;          /* samples may be on the device's clock */
	enum record_tier tier; /* absent: portable */
	uint64_t seed;       /* of the order of the sets */
} prepared_choice;

/*
 * Everything that `values` and `work` point to outlives *p.  `program` (initialised; may be NULL) is
 * filled when one is built.  On failure *p is closed; the error of a failed build carries the
 * compiler's first lines.
 */
eh_status prepared_open(prepared *p, const session *s, const eh_workload *workload,
                        const eh_case *values, const eh_work *work,
                        const prepared_choice *choice, record_program *program, eh_error *error);
void prepared_close(prepared *p);

/* Ends the count of what the case asks for, and says how many bytes of the device's memory were there
 * at once, all sets and what empties the caches included.  To be called before anything is timed. */
uint64_t prepared_memory(prepared *p);

/* The set that is used by the last of the next `operations` operations; 0: by the last one that
 * was enqueued. */
void *prepared_state(const prepared *p, uint64_t operations);

/* Pushes the data of all sets out of the caches, where there is an evictor, and waits. */
eh_status prepared_evict(prepared *p, eh_error *error);

/* `count` operations, not waited for. */
eh_status prepared_enqueue(prepared *p, uint64_t count, eh_error *error);

/* The next operation uses the set of the last one once more. */
void prepared_stay(prepared *p);

/* Where there are several sets: an operation on the next one, waited for, after which that set is still
 * the next.  Single operations that follow find its buffers in the same caches. */
eh_status prepared_touch(prepared *p, eh_error *error);
/* Waits for the queue. */
eh_status prepared_wait(prepared *p, eh_error *error);

/*
 * Writes a new word behind everything and reads it back.  The queue is in order, so this cannot end
 * before the operations, even when marks are wrong.  EH_E_INTERNAL when another word came back.
 * *ns is the time it took.
 */
eh_status prepared_drain(prepared *p, uint64_t *ns, eh_error *error);

/* The time of draining an empty queue: drains it, then takes the quickest of three. */
eh_status prepared_idle(prepared *p, uint64_t *ns, eh_error *error);

/*
 * How long a run that ends with reading back must be so that reading back on an idle device, which
 * takes idle_ns, is a small part of it: at least shortest_ns, else 16 times idle_ns up to two
 * seconds, and 8 times in any case.  Nothing is subtracted from a run: a backend that reads back
 * slowly on purpose only gets longer runs.
 */
uint64_t prepared_outlast(uint64_t idle_ns, uint64_t shortest_ns);

#endif
