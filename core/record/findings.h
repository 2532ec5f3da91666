/* SPDX-License-Identifier: Apache-2.0 */
/* What does not hold in a record: collected all, or only up to the first. */
#ifndef RECORD_FINDINGS_H
#define RECORD_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* What was checked, in the order of a report. */
enum finding_check {
	CHECK_STRUCTURE,  /* it is JSON, and has the members of the format                     */
	CHECK_PROTOCOL,   /* the plan has its digest, and the text says the same               */
	CHECK_RUN,        /* times, executions and layers fit together                         */
	CHECK_ROWS,       /* each row is of its plan                                           */
	CHECK_DERIVED,    /* status, reasons, flags and numbers follow from the samples        */
	CHECK_DIGESTS,    /* sections, rows and the whole have the digests they state          */
	CHECK_COUNT
};

typedef struct finding {
	eh_status code;        /* EH_E_FORMAT: malformed; EH_E_ALTERED: contradicts itself      */
	enum finding_check check;
	char *place;           /* "cases[3].derived.median_ns"; "" is the whole                 */
	char *stated, *recomputed; /* short texts, NULL where there is nothing to show          */
	char *sentence;        /* without the file's name                                       */
} finding;

/* Zero-initialised collects everything. */
typedef struct findings {
	finding *items;
	size_t count, room;
	bool only_first;
} findings;

/* Adds one; stated and recomputed are taken (malloc'd), NULL where there is nothing to show.  Returns
 * code. */
__attribute__((format(printf, 7, 8)))
eh_status findings_add(findings *f, eh_status code, enum finding_check check, const char *place,
                       char *stated, char *recomputed, const char *format, ...);
/* "PLACE is STATED but WHAT RECOMPUTED: the file was altered", as EH_E_ALTERED; both are taken, NULL is
 * absent.  `what` says why the other is right: "the samples give". */
void findings_differ(findings *f, enum finding_check check, const char *place, char *stated,
                     char *recomputed, const char *what);
/* From an eh_error whose message begins with "NAME: ", which is taken off. */
eh_status findings_add_error(findings *f, enum finding_check check, const char *place,
                             const char *name, const eh_error *error);
#define FINDING_ALTERED ": the file was altered"

/* Whether the checks may stop: something was found and the first is enough. */
bool findings_enough(const findings *f);
/* Moves all of `from` behind those of `to`; from is empty then. */
void findings_move(findings *to, findings *from);
void findings_free(findings *f);
const char *finding_check_name(enum finding_check check);

#endif
