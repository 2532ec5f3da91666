/* SPDX-License-Identifier: Apache-2.0 */
/* The result record (docs/result-format.md, docs/result.schema.json). */
#ifndef RECORD_RESULT_H
#define RECORD_RESULT_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/json.h"
#include "stat/statistics.h"
#include "record/findings.h"
#include "record/record.h"

#define RESULT_FORMAT "evenhand-result"
#define RESULT_FORMAT_VERSION 1

/* ---- building -------------------------------------------------------------------------------- */

typedef struct result_summary {
	size_t valid, not_converged, unsupported, failed, invalid;
	size_t not_run; /* of status "failed" in the file, and counted here alone */
} result_summary;

/* Builds the result of one executor from the journal, streaming: one case in memory at a time.
 * Written under path in one step.  `complete` false marks it incomplete. */
eh_status result_build(const char *journal_path, const char *executor, bool complete,
                       const char *path, result_summary *summary, eh_error *error);

/* What follows from a row's executions: {status, reasons, flags, derived (where there are valid
 * samples)}.  Used to build and to check. */
cJSON *result_derive(const cJSON *case_row);

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct result_row {
	const cJSON *json;     /* NULL in a lean result outside result_row_open and _close       */
	const cJSON *plan;     /* what the protocol declares of it; the row says the same        */
	const record_case *record;           /* NULL where the row is malformed                  */
	const record_planned_case *planned;  /* NULL where the plan has no such case             */
	const void *kept;      /* what a keeper took of it; NULL without one                     */
	const char *id, *status, *workload, *precision, *tier, *clock;
	/* Per operation, in nanoseconds; borrowed by `side`. */
	statistics_side side;
	size_t runs;           /* executions in the record                                       */
	/* What the time is told as: amount per time, or the time of one ("s"), which is all that can
	 * be said of a load: its latencies do not tell how much is done in a second. */
	double amount;
	const char *metric;    /* "bytes/s", "flop/s", "s"                                       */
} result_row;

typedef struct result {
	char *path;
	record_result *record; /* owned; its cases are those of the rows                          */
	cJSON *root;           /* read only, not for cJSON_Delete; without cases where lean       */
	result_row *rows;
	struct record_pool *pools; /* what the rows' sides borrow                                 */
	size_t row_count;
	const char *protocol_name, *protocol_digest, *executor;
	uint64_t protocol_version;
	bool complete, simulated;
	char *bytes;           /* the file as it was read; NULL where no row can be opened again  */
	size_t size;
	char file_sha256[65];  /* of those bytes                                                  */
	struct result_memory *memory;
} result;

/* Parses, checks the structure, refuses with the place: EH_E_FORMAT what is not a result or is
 * malformed, EH_E_ALTERED what contradicts itself (digests, and what does not follow from the
 * samples or the protocol). */
eh_status result_read(const char *path, result **out, eh_error *error);
/* The same of bytes (malloc'd), which it takes; `name` stands for them, also as the result's path. */
eh_status result_read_bytes(const char *name, char *bytes, size_t size, result **out, eh_error *error);
/* The same with little memory: a row's JSON is there only between open and close. */
eh_status result_read_lean(const char *path, result **out, eh_error *error);

/* Takes what it needs of a row while its JSON is there, as row->kept: `size` zeroed bytes, and what
 * they point to from the arena, which lives as long as the result.  Called by several threads, each
 * with an arena of its own. */
typedef struct result_keeper {
	size_t size;
	void (*take)(const result_row *row, json_arena *arena, void *kept);
} result_keeper;
/* With less still: no row can be opened again. */
eh_status result_read_keeping(const char *path, const result_keeper *keeper, result **out,
                              eh_error *error);
void result_free(result *r);

/* Nested opens of a row are counted.  Not for two threads at once. */
void result_row_open(const result *r, const result_row *row);
void result_row_close(const result *r, const result_row *row);

/* Takes the bytes (malloc'd), which `name` stands for in messages.  Collects in f everything that
 * does not hold.  A lean result, to look at whatever was found; NULL where not even the structure
 * holds.  Only a file that cannot be read is an error. */
result *result_examine(const char *name, char *bytes, size_t size, findings *f);

/* The status for people: "not run" where the run ended before the case (the record says "failed",
 * without an execution), else the status. */
const char *result_row_word(const result_row *row);
/* Whether its samples are the latencies of requests that arrived as they liked. */
bool result_row_is_load(const result_row *row);
const result_row *result_row_by_id(const result *r, const char *id);

#endif
