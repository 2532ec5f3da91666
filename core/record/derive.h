/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of a row that count, and the derived members computed from them.  Writing and
 * checking a record use the same functions. */
#ifndef RECORD_DERIVE_H
#define RECORD_DERIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "record/record.h"
#include "stat/percentile.h"
#include "stat/series.h"
#include "stat/statistics.h"

#define RECORD_CONFIDENCE 0.95
/* The interval of so many executions rests on how they differ; that of fewer on their samples, which
 * then have to be steady and not too dependent (series_has_interval). */
#define RECORD_EXECUTIONS 5

/*
 * The executions of a row whose status counts and that have samples.  Times are per operation.
 *
 * Of an execution that took turns (`turns`) all samples count, and its series is not analysed: what
 * others did between its turns is in it.  Where all executions took turns, and the declared
 * statistic is the median or the lower quartile, a row has rounds: the value of a round is that
 * quantile of its samples, and an execution is the median of its rounds.  The lower quartile of an
 * execution without rounds is that of its samples that count (percentile.h).
 */
typedef struct record_pool {
	double **values;         /* all samples, in order                                        */
	size_t *counts;
	series *series;          /* the analysis of each execution; of turns, without segments   */
	const double **steady;   /* the samples that count: those of the steady segment          */
	const double **sorted;   /* the same, ascending                                          */
	size_t *steady_counts;
	uint64_t **rounds;       /* NULL: no rounds; else the number of each round               */
	double **round_values;
	size_t *round_counts;
	size_t executions;
	size_t total, steady_total;
	enum record_statistic statistic; /* as declared                                          */
	const percentile *percentile;    /* NULL: the median or the lower quartile               */
} record_pool;

/* Whether the execution's samples are part of the row's numbers. */
bool record_execution_counts(const record_execution *e);

void record_pool_fill(record_pool *pool, const record_case *row);
/* Moves its numbers, as layout_move_numbers moves those of a record. */
void record_pool_move(record_pool *pool, layout_mover *move, void *context);
void record_pool_free(record_pool *pool);
/* The row as a side of a comparison, by its declared statistic; borrows from the pool. */
statistics_side record_pool_side(const record_pool *pool);
/* The same by medians of the samples that count. */
statistics_side record_pool_medians(const record_pool *pool);

/* Sets status, reasons, flags and derived of `out` from the executions of `row` and its pool.
 * `out` may be `row`; these four members must be absent or empty. */
void record_derive(const record_case *row, const record_pool *pool, record_case *out);
/* The same with a pool of its own. */
void record_derive_row(record_case *row);

/* Internal to derive*.c: the members that few rows have. */
void derive_sustained(const record_case *row, record_derived *out);
void derive_load(const record_case *row, record_derived *out);
/* The value; NaN, which is absent, for one that JSON cannot say. */
double derive_finite(double value);

#endif
