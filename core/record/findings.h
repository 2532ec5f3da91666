/* SPDX-License-Identifier: Apache-2.0 */
/* Errors found in a record: all of them, or only the first. */
#ifndef RECORD_FINDINGS_H
#define RECORD_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* The groups of checks, in the order of a report. */
enum finding_check {
	CHECK_STRUCTURE,  /* JSON with the members of the format                               */
	CHECK_PROTOCOL,   /* the plan agrees with its digest and with the text                 */
	CHECK_TEXT,       /* the text, planned again, gives the plan                           */
	CHECK_RUN,        /* times, executions and layers are consistent                       */
	CHECK_ROWS,       /* each row agrees with its plan                                     */
	CHECK_DERIVED,    /* status, reasons, flags and numbers follow from the samples        */
	CHECK_EVIDENCE,   /* proof, verification and instruments are there and agree          */
	CHECK_DIGESTS,    /* sections, rows and the whole have the digests they state          */
	CHECK_COUNT
};

typedef struct finding {
	eh_status code;        /* EH_E_FORMAT: malformed; EH_E_ALTERED: contradicts itself      */
	enum finding_check check;
	char *place;           /* "cases[3].derived.median_ns"; "" = the whole record           */
	char *stated, *recomputed; /* short texts; NULL = nothing to show                       */
	char *sentence;        /* without the file's name                                       */
} finding;

/* Zero-initialised collects LIMIT_FINDINGS of them. */
typedef struct findings {
	finding *items;
	size_t count, room;
	size_t most;           /* fewer than LIMIT_FINDINGS; 0 = as many                        */
	size_t more;           /* those that are only counted                                   */
	bool only_first;
} findings;

/* Adds a finding and returns code.  Takes ownership of stated and recomputed (malloc'd or NULL). */
__attribute__((format(printf, 7, 8)))
eh_status findings_add(findings *f, eh_status code, enum finding_check check, const char *place,
                       char *stated, char *recomputed, const char *format, ...);
/* Adds "PLACE is STATED but WHAT RECOMPUTED: the file was altered" as EH_E_ALTERED.  Takes
 * ownership of stated and recomputed; NULL = absent.  `what` is a phrase such as "the samples
 * give". */
void findings_differ(findings *f, enum finding_check check, const char *place, char *stated,
                     char *recomputed, const char *what);
/* Adds an eh_error; removes "NAME: " from the beginning of its message. */
eh_status findings_add_error(findings *f, enum finding_check check, const char *place,
                             const char *name, const eh_error *error);
#define FINDING_ALTERED ": the file was altered"

/* Whether the checks may stop: there is a finding and only the first is wanted. */
bool findings_enough(const findings *f);
/* Moves the findings of `from` to the end of `to`; `from` is empty then. */
void findings_move(findings *to, findings *from);
/* Adds a sentence that tells how many are only counted, if any are. */
void findings_end(findings *f);
void findings_free(findings *f);
const char *finding_check_name(enum finding_check check);

#endif
