/* SPDX-License-Identifier: Apache-2.0 */
/* Results: files with one record each (record/record.def, docs/result-format.md). */
#ifndef RECORD_RESULT_H
#define RECORD_RESULT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/source.h"
#include "record/findings.h"
#include "record/record.h"
#include "stat/statistics.h"

#define RESULT_FORMAT_VERSION 1

/* ---- building -------------------------------------------------------------------------------- */

typedef struct result_summary {
	size_t valid, not_converged, unproven, unsupported, failed, invalid, out_of_time;
	size_t not_run; /* failed without an execution; not counted in `failed` */
} result_summary;

/* Builds the result of one executor from the journal, with one case in memory at a time, and writes
 * it to path atomically.  `complete` false marks it incomplete.  outline: of the executor, for a journal that
 * has no line of it yet; NULL, or without a name: none. */
eh_status result_build(const char *journal_path, const char *executor, bool complete,
                       const record_executor *outline, const char *path, result_summary *summary,
                       eh_error *error);

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct result_row {
	const char *id;                      /* of the record                                    */
	const record_case *record;
	const record_planned_case *planned;  /* NULL if the plan has no such case                */
	/* The executions that count, per operation, in nanoseconds: by the declared statistic (samples,
	 * or the values of rounds), and by medians of their samples. */
	statistics_side side, medians;
	/* For rows in lockstep, else NULL: the round of each value of `side`, by execution. */
	const uint64_t *const *rounds;
	/* What the time is told as: amount per time, or the time of one (seconds), which is all that can
	 * be said of a load: its latencies do not tell how much is done in a second. */
	double amount;
	enum record_metric metric;
} result_row;

/* What another room found out about a result, and how to free it; or the error that it ended with. */
typedef struct result_memo {
	void *found;
	void (*free_found)(void *found);
	eh_error error;
} result_memo;

typedef struct result {
	char *path;
	record_result *record; /* its cases are those of the rows                                */
	result_row *rows;      /* NULL where they are not kept                                  */
	size_t row_count;
	struct record_pool *pools;  /* the rows' sides borrow from them                          */
	struct row_store *store;    /* of a large result, else NULL                              */
	text_list redacted;    /* paths of the members that are redacted                         */
	char file_sha256[65];  /* of the file's bytes                                            */
	result_memo *trust;    /* audit_trust's                                                  */
} result;

/* Parses and checks a result.  The message has the place of the error.  EH_E_FORMAT for a file that
 * is not a result or is malformed; EH_E_ALTERED for one that contradicts itself: its digests, or
 * members that do not follow from the samples or the protocol. */
eh_status result_read(const char *path, result **out, eh_error *error);
/* The same for malloc'd bytes, of which it takes ownership; `name` becomes the result's path. */
eh_status result_read_bytes(const char *name, char *bytes, size_t size, result **out, eh_error *error);
/* The same for bytes of any kind; their name becomes the result's path. */
eh_status result_read_source(const source_bytes *from, result **out, eh_error *error);
void result_free(result *r); /* NULL is fine */
/* The numbers of a row of a large result are not needed for a while: their memory can be given back.
 * They can be read as before. */
void result_row_rest(const result *r, const result_row *row);

/* Adds a finding for evidence of an execution that counts that is absent or contradicts its samples
 * (record/row_evidence.h).  Reading does not ask for it. */
void result_check_evidence(const result *r, findings *f);

/* ---- examining ------------------------------------------------------------------------------- */

/* Looks at each row while a result is examined. */
typedef struct result_watch {
	/* Before the first row; NULL: nothing to do. */
	void (*head)(struct result_watch *w, const record_result *head);
	/* Any thread.  `head` is the record without rows. */
	void (*row)(const struct result_watch *w, const record_result *head, const record_case *row,
	            size_t index, findings *f);
	void *context;
	findings found;          /* by the rows, in their order; needs findings_free              */
} result_watch;

/* Adds what result_check_evidence adds. */
result_watch result_watch_evidence(void);

/* Checks a result as reading does, with few rows in memory at a time, so that a large file takes little
 * memory.  Collects the errors in f (all, unless f wants only the first).  *out is a result without its
 * rows (`rows` is NULL), also when there are errors, and NULL when the structure is invalid.  An error
 * is a file that cannot be read, or is beyond a limit (base/limits.h). */
eh_status result_examine(const source_bytes *from, result_watch *const *watches, size_t watch_count,
                         findings *f, result **out, eh_error *error);

/* The status for people: "not run" if the run ended before the case (the record has failed, without
 * an execution), else the status. */
const char *result_row_word(const result_row *row);
/* Whether its samples count in a comparison. */
bool result_row_counts(const result_row *row);

#endif
