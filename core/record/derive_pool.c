/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of a row: those that count, and the values of rounds. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/derive.h"
#include "stat/lockstep.h"
#include "stat/sorted.h"

/* ---- the samples that count ------------------------------------------------------------------ */

bool record_execution_counts(const record_execution *e)
{
	return record_counts(e->status) && e->samples_ns.count > 0;
}

/* The samples of one execution, each divided by the batch; NULL when there are none.  The malloc'd
 * array has room for twice as many. */
static double *read_samples(const record_execution *e)
{
	double *values;

	if (e->batch == LAYOUT_NO_UINT || e->batch == 0)
		return NULL;
	values = memory_grow(NULL, 2 * e->samples_ns.count * sizeof(*values));
	for (size_t i = 0; i < e->samples_ns.count; i++)
		values[i] = (double)e->samples_ns.items[i] / (double)e->batch;
	return values;
}

/* Adds an execution: analyses its series and keeps the samples that count, sorted as well. */
static void pool_add(record_pool *pool, double *values, size_t count, bool all_count, bool turns)
{
	size_t at = pool->executions++;
	double *sorted = values + count;
	series *s = &pool->series[at];

	memset(s, 0, sizeof(*s));
	if (!turns)
		series_analyse_sorted(values, count, sorted, s);
	if (all_count && s->steady_count < count) {
		memcpy(sorted, values, count * sizeof(*sorted));
		sorted_make(sorted, count);
	}
	pool->values[at] = values;
	pool->counts[at] = count;
	pool->steady[at] = all_count ? values : values + s->steady_first;
	pool->steady_counts[at] = all_count ? count : s->steady_count;
	pool->sorted[at] = sorted;
	pool->total += count;
	pool->steady_total += pool->steady_counts[at];
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static bool has_rounds(const record_execution *e)
{
	return e->turns != NULL && e->turns->rounds.count == e->samples_ns.count;
}

/* Whether all executions that count have rounds, and the statistic is one of rounds. */
static bool pool_has_rounds(const record_pool *pool, const record_case *row)
{
	if (pool->percentile != NULL || record_is_load(&row->measure))
		return false;
	for (size_t i = 0; i < row->executions.count; i++)
		if (record_execution_counts(&row->executions.items[i]) &&
		    !has_rounds(&row->executions.items[i]))
			return false;
	return pool->executions > 0;
}

static void pool_add_rounds(record_pool *pool, const record_case *row)
{
	bool lower = pool->statistic == RECORD_STATISTIC_QUARTILE;
	size_t at = 0;

	pool->rounds = memory_get(pool->executions * sizeof(*pool->rounds));
	pool->round_values = memory_get(pool->executions * sizeof(*pool->round_values));
	pool->round_counts = memory_get(pool->executions * sizeof(*pool->round_counts));
	for (size_t i = 0; at < pool->executions; i++) {
		const record_execution *e = &row->executions.items[i];
		size_t n = pool->counts[at];

		if (!record_execution_counts(e))
			continue;
		pool->rounds[at] = memory_get(n * sizeof(**pool->rounds));
		pool->round_values[at] = memory_get(n * sizeof(**pool->round_values));
		pool->round_counts[at] = lockstep_round_values(pool->values[at], e->turns->rounds.items, n,
		                                               lower ? LOCKSTEP_QUARTILE :
		                                                       LOCKSTEP_MEDIAN,
		                                               pool->rounds[at],
		                                               pool->round_values[at]);
		at++;
	}
}

static void pool_free_rounds(record_pool *pool)
{
	for (size_t i = 0; pool->rounds != NULL && i < pool->executions; i++) {
		free(pool->rounds[i]);
		free(pool->round_values[i]);
	}
	free(pool->rounds);
	free(pool->round_values);
	free(pool->round_counts);
}

/* ---- the pool -------------------------------------------------------------------------------- */

void record_pool_fill(record_pool *pool, const record_case *row)
{
	size_t room = row->executions.count + 1;

	memset(pool, 0, sizeof(*pool));
	pool->values = memory_get(room * sizeof(*pool->values));
	pool->counts = memory_get(room * sizeof(*pool->counts));
	pool->series = memory_get(room * sizeof(*pool->series));
	pool->steady = memory_get(room * sizeof(*pool->steady));
	pool->sorted = memory_get(room * sizeof(*pool->sorted));
	pool->steady_counts = memory_get(room * sizeof(*pool->steady_counts));
	pool->statistic = row->measure.statistic;
	pool->percentile = percentile_find(record_statistic_word(row->measure.statistic));
	for (size_t i = 0; i < row->executions.count; i++) {
		const record_execution *e = &row->executions.items[i];
		double *values = record_execution_counts(e) ? read_samples(e) : NULL;

		/* All latencies of a load count, as they always depend on each other. */
		if (values != NULL)
			pool_add(pool, values, e->samples_ns.count,
			         record_is_load(&row->measure) || e->turns != NULL, e->turns != NULL);
	}
	if (pool_has_rounds(pool, row))
		pool_add_rounds(pool, row);
}

/* The samples of one execution, and the sorted ones behind them. */
static void move_values(record_pool *pool, size_t i, layout_mover *move, void *context)
{
	size_t first = (size_t)(pool->steady[i] - pool->values[i]);

	pool->values[i] = move(context, pool->values[i], 2 * pool->counts[i] * sizeof(**pool->values));
	if (pool->values[i] == NULL)
		return;
	pool->steady[i] = pool->values[i] + first;
	pool->sorted[i] = pool->values[i] + pool->counts[i];
}

void record_pool_move(record_pool *pool, layout_mover *move, void *context)
{
	for (size_t i = 0; i < pool->executions; i++) {
		move_values(pool, i, move, context);
		if (pool->rounds == NULL)
			continue;
		pool->rounds[i] = move(context, pool->rounds[i], pool->counts[i] * sizeof(**pool->rounds));
		pool->round_values[i] = move(context, pool->round_values[i],
		                             pool->counts[i] * sizeof(**pool->round_values));
	}
}

void record_pool_free(record_pool *pool)
{
	size_t i;

	for (i = 0; i < pool->executions; i++) {
		free(pool->values[i]);
		series_free(&pool->series[i]);
	}
	pool_free_rounds(pool);
	free(pool->values);
	free(pool->counts);
	free(pool->series);
	free(pool->steady);
	free(pool->sorted);
	free(pool->steady_counts);
	memset(pool, 0, sizeof(*pool));
}

statistics_side record_pool_medians(const record_pool *pool)
{
	return (statistics_side){ .samples = pool->steady, .counts = pool->steady_counts,
		                  .executions = pool->executions, .sorted = pool->sorted };
}

statistics_side record_pool_side(const record_pool *pool)
{
	statistics_side side = record_pool_medians(pool);

	if (pool->percentile != NULL)
		side.quantile = pool->percentile->quantile;
	else if (pool->rounds != NULL)
		side = (statistics_side){ .samples = (const double *const *)pool->round_values,
			                  .counts = pool->round_counts,
			                  .executions = pool->executions };
	else if (pool->statistic == RECORD_STATISTIC_QUARTILE)
		side.quantile = LOCKSTEP_QUARTILE;
	return side;
}
