/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an executor was seen to reach in a run: the rates and costs that its other cases are held
 * against.  Each comes from a case of the same result, which is named; nothing is taken from data
 * sheets.  Which cases give which ceiling: docs/diagnosis.md.
 */
#ifndef ANALYSIS_CEILINGS_H
#define ANALYSIS_CEILINGS_H

#include "record/result.h"

enum ceiling_kind {
	CEILING_COMPUTE,      /* flop/s of a precision, from fma                               */
	CEILING_MEMORY,       /* byte/s beyond the caches, from stream                         */
	CEILING_CACHE,        /* byte/s of a working set, from stream                          */
	CEILING_LINK,         /* byte/s of a direction, from xfer                              */
	CEILING_LAUNCH,       /* ns: one launch and its wait                                   */
	CEILING_EMPTY,        /* ns: an empty kernel, one after the other                      */
	CEILING_ENQUEUE,      /* ns: the host in the call that launches                        */
	CEILING_GRAPH         /* ns: a kernel within a replayed graph                          */
};

typedef struct ceiling {
	enum ceiling_kind kind;
	const char *of;       /* precision or direction, borrowed; ""                          */
	double value;         /* per second, or nanoseconds; 0: there is none                  */
	const result_row *row; /* that gave it; NULL: the instrument's own record              */
	uint64_t working_set; /* of that case                                                  */
	bool shaken;          /* only disturbed cases were there                               */
	bool loose;           /* of a larger working set: data that is nearer may be faster     */
} ceiling;

typedef struct ceilings {
	ceiling *items;       /* all but those of CEILING_CACHE                                */
	size_t count;
	uint64_t cache_bytes; /* of the last level; 0: not known                               */
	uint64_t memory_from; /* working sets from here on are beyond the caches               */
} ceilings;

void ceilings_find(const result *r, ceilings *out);
void ceilings_free(ceilings *c);
/* value 0 where there is none; of NULL: the first of the kind. */
ceiling ceilings_of(const ceilings *c, enum ceiling_kind kind, const char *of);
/* The tightest bandwidth that a working set may be held against. */
ceiling ceilings_bandwidth(const ceilings *c, const result *r, uint64_t working_set, bool cold);
const char *ceiling_name(enum ceiling_kind kind);

/* ---- facts of a row -------------------------------------------------------------------------- */

/* Median per operation in ns; 0 when nothing was measured. */
double ceilings_time(const result_row *row);
/* Another load was seen in it. */
bool ceilings_shaken(const result_row *row);
/* Valid or not converged, with its output verified. */
bool ceilings_sound(const result_row *row);
bool ceilings_cold(const result_row *row);
uint64_t ceilings_working_set(const result_row *row);
/* A parameter's text, "" when there is none. */
const char *ceilings_parameter(const result_row *row, const char *key);

#endif
