/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the result room: what building and reading share. */
#ifndef RECORD_ROWPOOL_H
#define RECORD_ROWPOOL_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "stat/percentile.h"
#include "stat/series.h"
#include "stat/statistics.h"

#define RECORD_CONFIDENCE 0.95

/* The executions of a row whose samples count (status valid or not-converged), per operation. */
typedef struct record_pool {
	double **values;
	size_t *counts;
	series *series;          /* what each is like                                            */
	const double **steady;   /* the samples that count: those of the steady segment          */
	const double **sorted;   /* the same, ascending                                           */
	size_t *steady_counts;
	size_t executions;
	size_t total, steady_total;
	const percentile *statistic; /* NULL: the median                                         */
} record_pool;

bool pool_counts(const cJSON *execution);
void record_pool_fill(record_pool *pool, const cJSON *row);
void record_pool_free(record_pool *pool);
/* result_derive of a row whose pool is filled; in the arena, and with texts of the row. */
cJSON *record_derive(const cJSON *row, const record_pool *pool, json_arena *arena);
/* Borrows from the pool. */
statistics_side record_pool_side(const record_pool *pool);

/* Adds "sustained" to a row's derived numbers when an execution was in that regime. */
void record_derive_sustained(const cJSON *row, cJSON *out);
/* True for a row whose samples are the latencies of requests that arrived as they liked. */
bool pool_is_load(const cJSON *row);
/* Adds "load" for such a row: what follows from the requests of each execution that counts. */
void record_derive_load(const cJSON *row, cJSON *out);

/* malloc'd value of the key in the [protocol] section of a protocol's text, NULL without one. */
char *record_text_value(const char *body, const char *key);

/* The sections that have a digest of their own, in the order of the file, NULL-terminated. */
extern const char *const record_sections[];
/* The digest of a section of a record: of its canonical form, in which each text that has a salt
 * in the record's `salts` is replaced by its commitment. */
void record_section_digest(const cJSON *record, const char *section, char hex[65]);
/* The file's digest: over {format, format_version, status, digests}. */
void record_digest(const char *status, const cJSON *digests, char hex[65]);

#endif
