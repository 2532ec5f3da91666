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

/* The executions of a row whose status counts and that have samples.  Times are per operation. */
typedef struct record_pool {
	double **values;         /* all samples, in order                                        */
	size_t *counts;
	series *series;          /* the analysis of each execution                               */
	const double **steady;   /* the samples that count: those of the steady segment          */
	const double **sorted;   /* the same, ascending                                           */
	size_t *steady_counts;
	size_t executions;
	size_t total, steady_total;
	const percentile *statistic; /* NULL: the median                                         */
} record_pool;

/* Whether the execution's samples are part of the row's numbers. */
bool record_execution_counts(const record_execution *e);

void record_pool_fill(record_pool *pool, const record_case *row);
void record_pool_free(record_pool *pool);
/* The row as a side of a comparison; borrows from the pool. */
statistics_side record_pool_side(const record_pool *pool);

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
