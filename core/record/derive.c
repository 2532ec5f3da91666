/* SPDX-License-Identifier: Apache-2.0 */
#include "record/derive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "stat/sorted.h"

double derive_finite(double value)
{
	return isfinite(value) ? value : NAN;
}

static double drift_of(double value, double reference)
{
	return reference > 0 ? fabs(value / reference - 1) : NAN;
}

/* The largest relative change of a canary against its reference; NaN when there is none. */
static double canary_drift(const record_case *row)
{
	double drift = NAN;

	for (size_t i = 0; i < row->executions.count; i++) {
		const record_execution *e = &row->executions.items[i];
		const record_canary *c = e->canary;

		if (c == NULL || !record_execution_counts(e))
			continue;
		/* fmax ignores NaN. */
		drift = fmax(drift, drift_of(c->compute_before_ns, c->reference_compute_ns));
		drift = fmax(drift, drift_of(c->compute_after_ns, c->reference_compute_ns));
		drift = fmax(drift, drift_of(c->memory_before_ns, c->reference_memory_ns));
		drift = fmax(drift, drift_of(c->memory_after_ns, c->reference_memory_ns));
	}
	return derive_finite(drift);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void add_interval(number_list *list, interval i)
{
	number_list_add(list, i.low);
	number_list_add(list, i.high);
}

/* Series that were not analysed, of turns and of loads, are taken as they are. */
static bool gives_interval(const record_pool *pool, const record_case *row)
{
	if (pool->executions >= RECORD_EXECUTIONS || record_is_load(&row->measure))
		return true;
	for (size_t i = 0; i < pool->executions; i++)
		if (pool->series[i].segment_count > 0 && !series_has_interval(&pool->series[i]))
			return false;
	return true;
}

static void add_center_interval(const record_pool *pool, const record_case *row,
                                const statistics_side *side, number_list *list)
{
	if (gives_interval(pool, row))
		add_interval(list, statistics_center_interval(side, RECORD_CONFIDENCE));
}


/* Whether every execution has samples enough for the declared percentile. */
static bool has_enough(const record_pool *pool)
{
	size_t least = pool->percentile == NULL ? 0 :
	               percentile_least(pool->percentile->quantile, PERCENTILE_CONFIDENCE);

	for (size_t i = 0; i < pool->executions; i++)
		if (pool->steady_counts[i] < least)
			return false;
	return true;
}

/* Sets the declared statistic if it is not the median and there are samples enough for it.  Returns
 * the value that the rate follows from; 0: there is none. */
static double derive_statistic(const record_pool *pool, const record_case *row, record_derived *out)
{
	statistics_side side = record_pool_side(pool);
	double value;

	if (pool->percentile == NULL && pool->statistic != RECORD_STATISTIC_QUARTILE)
		return out->median_ns;
	if (!has_enough(pool))
		return 0;
	value = statistics_center(&side);
	out->statistic = layout_new(record_derived_number_layout());
	text_set(&out->statistic->name, record_statistic_word(pool->statistic));
	out->statistic->ns = value;
	add_center_interval(pool, row, &side, &out->statistic->interval_ns);
	return value;
}

/* Sets the percentiles for which the n samples that count are enough. */
static void derive_percentiles(const double *sorted, size_t n, record_derived *out)
{
	for (size_t i = 0; i < PERCENTILE_COUNT; i++) {
		const percentile *p = &percentile_table[i];
		record_derived_number *number;
		size_t low;
		size_t high;

		if (n < percentile_least(p->quantile, PERCENTILE_CONFIDENCE) ||
		    !statistics_quantile_ranks(n, p->quantile, RECORD_CONFIDENCE, &low, &high))
			break;
		number = layout_append(record_derived_number_layout(), &out->percentiles);
		text_set(&number->name, p->name);
		number->ns = sorted[percentile_rank(n, p->quantile)];
		add_interval(&number->interval_ns, (interval){ sorted[low], sorted[high] });
	}
}

static void fill_series(record_derived_series *out, uint64_t execution, const series *s)
{
	const char *class = series_class_name(s->class);

	out->execution = execution;
	out->class = (enum record_series_class)layout_word_value(record_series_class_words(), class,
	                                                         strlen(class));
	for (size_t i = 0; i < s->segment_count; i++)
		uint_list_add(&out->segments, s->segments[i].first);
	out->steady_first = s->steady_first;
	out->steady_count = s->steady_count;
	out->lag1 = s->lag1;
	out->runs_z = s->runs_z;
	out->trend_z = s->trend_z;
	out->modes = s->modes;
}

static void derive_series(const record_case *row, const record_pool *pool, record_derived *out)
{
	size_t at = 0;

	for (size_t i = 0; i < row->executions.count && at < pool->executions; i++) {
		const record_execution *e = &row->executions.items[i];

		if (!record_execution_counts(e))
			continue;
		if (e->turns == NULL)
			fill_series(layout_append(record_derived_series_layout(), &out->series),
			            e->execution, &pool->series[at]);
		at++;
	}
}

/* Sets the rate: the work divided by the time of an operation.  A load has none, as its requests
 * wait for each other. */
static void derive_rate(const record_case *row, double value, record_derived *out)
{
	double amount = row->work.amount;

	if (!(amount > 0 && value > 0) || record_is_load(&row->measure))
		return;
	/* The amount is any number above 0, such as 1e-320. */
	if (row->work.metric == RECORD_METRIC_SECONDS)
		out->each_ns = derive_finite(value / amount);
	else
		out->rate = derive_finite(amount / value * 1e9);
}

/* malloc'd: all samples in ascending order, also those that do not count. */
static double *all_sorted(const record_pool *pool)
{
	double *all = memory_grow(NULL, pool->total * sizeof(*all));
	size_t at = 0;

	for (size_t i = 0; i < pool->executions; i++) {
		memcpy(all + at, pool->values[i], pool->counts[i] * sizeof(*all));
		at += pool->counts[i];
	}
	sorted_make(all, pool->total);
	return all;
}

static double *steady_sorted(const record_pool *pool)
{
	double *all = memory_grow(NULL, pool->steady_total * sizeof(*all));
	size_t at = 0;

	for (size_t i = 0; i < pool->executions; i++) {
		memcpy(all + at, pool->sorted[i], pool->steady_counts[i] * sizeof(*all));
		at += pool->steady_counts[i];
	}
	sorted_make(all, pool->steady_total);
	return all;
}

static void derive_numbers(const record_case *row, const record_pool *pool, record_derived *out)
{
	statistics_side side = record_pool_medians(pool);
	double *all = all_sorted(pool);
	double *steady = pool->steady_total < pool->total ? steady_sorted(pool) : NULL;

	for (size_t i = 0; i < pool->executions; i++)
		number_list_add(&out->execution_medians_ns,
		                sorted_median(pool->sorted[i], pool->steady_counts[i]));
	out->n = pool->total;
	out->counted = pool->steady_total;
	out->executions = pool->executions;
	out->median_ns = statistics_center(&side);
	add_center_interval(pool, row, &side, &out->interval_ns);
	out->min_ns = all[0];
	out->max_ns = all[pool->total - 1];
	out->q1_ns = sorted_quantile(all, pool->total, 0.25);
	out->q3_ns = sorted_quantile(all, pool->total, 0.75);
	out->mad_ns = sorted_mad(all, pool->total);
	derive_rate(row, derive_statistic(pool, row, out), out);
	out->canary_drift = canary_drift(row);
	derive_sustained(row, out);
	derive_load(row, out);
	derive_percentiles(steady != NULL ? steady : all, pool->steady_total, out);
	derive_series(row, pool, out);
	free(steady);
	free(all);
}

/* ---- status, reasons, flags ------------------------------------------------------------------ */

static enum record_status worst_of(const record_case *row)
{
	enum record_status worst = RECORD_OUT_OF_TIME;
	size_t late = 0;

	for (size_t i = 0; i < row->executions.count; i++) {
		enum record_status status = row->executions.items[i].status;

		late += status == RECORD_OUT_OF_TIME;
		worst = status > worst ? status : worst;
	}
	if (row->executions.count == 0)
		return RECORD_FAILED;
	return worst == RECORD_VALID && late > 0 ? RECORD_NOT_CONVERGED : worst;
}

/* A reason of an execution.  All of a row are kept in the order of appearance and, by pointers, in
 * that of their words: a hostile row may have very many. */
typedef struct stated {
	const char *reason;
	const record_execution *by;
	struct stated **same;    /* of the first with these words: all of them, in order         */
	size_t same_count;       /* 0 for the others                                             */
} stated;

static int by_reason(const void *a, const void *b)
{
	const stated *const *x = a, *const *y = b;
	int order = strcmp((*x)->reason, (*y)->reason);

	return order != 0 ? order : (*x > *y) - (*x < *y);
}

/* Finds the reasons of the same words. */
static void match_reasons(stated *all, stated **sorted, size_t count)
{
	stated **first = sorted;

	for (size_t i = 0; i < count; i++)
		sorted[i] = &all[i];
	qsort(sorted, count, sizeof(*sorted), by_reason);
	for (size_t i = 0; i < count; i++) {
		if (strcmp((*first)->reason, sorted[i]->reason) != 0)
			first = &sorted[i];
		(*first)->same = first;
		(*first)->same_count++;
	}
}

/* Appends "REASON (executions 2, 4)", without the executions when all have the reason. */
static void add_reason(const record_case *row, const stated *first, text_list *out)
{
	text list = { 0 };
	size_t with = 0;

	for (size_t i = 0; i < first->same_count; i++)
		if (i == 0 || first->same[i]->by != first->same[i - 1]->by)
			text_add(&list, "%s%llu", with++ == 0 ? "" : ", ",
			         (unsigned long long)first->same[i]->by->execution);
	if (with == row->executions.count)
		text_list_add(out, first->reason);
	else
		text_list_format(out, "%s (execution%s %s)", first->reason, with > 1 ? "s" : "",
		                 list.data);
	text_free(&list);
}

/* Each reason once, where it appears first: those that do in an execution of the worst status, or
 * those of the others. */
static void merge_reasons(const record_case *row, const stated *all, size_t count,
                          enum record_status worst, bool of_worst, text_list *out)
{
	for (size_t i = 0; i < count; i++)
		if (all[i].same_count > 0 && (all[i].by->status == worst) == of_worst)
			add_reason(row, &all[i], out);
}

/* malloc'd: the reasons of all executions. */
static stated *all_reasons(const record_case *row, size_t *count)
{
	stated *all;

	*count = 0;
	for (size_t i = 0; i < row->executions.count; i++)
		*count += row->executions.items[i].reasons.count;
	all = memory_get(*count * sizeof(*all));
	*count = 0;
	for (size_t i = 0; i < row->executions.count; i++) {
		const record_execution *e = &row->executions.items[i];

		for (size_t k = 0; k < e->reasons.count; k++)
			all[(*count)++] = (stated){ .reason = e->reasons.items[k], .by = e };
	}
	return all;
}

static void derive_reasons(const record_case *row, enum record_status worst, text_list *out)
{
	size_t count;
	stated *all = all_reasons(row, &count);
	stated **sorted = memory_get(count * sizeof(*sorted));

	match_reasons(all, sorted, count);
	/* The reasons of the row's status come first. */
	merge_reasons(row, all, count, worst, true, out);
	merge_reasons(row, all, count, worst, false, out);
	free(sorted);
	free(all);
	if (row->executions.count == 0)
		text_list_add(out, "not run: the run ended before it, or was not asked for it");
}

void record_derive(const record_case *row, const record_pool *pool, record_case *out)
{
	enum record_status worst = worst_of(row);

	derive_reasons(row, worst, &out->reasons);
	for (size_t i = 0; i < row->executions.count; i++)
		for (size_t k = 0; k < row->executions.items[i].flags.count; k++)
			word_list_add(&out->flags, (int)row->executions.items[i].flags.items[k]);
	if (pool->executions > 0) {
		out->derived = layout_new(record_derived_layout());
		derive_numbers(row, pool, out->derived);
	}
	out->status = worst;
}

void record_derive_row(record_case *row)
{
	record_pool pool;

	record_pool_fill(&pool, row);
	record_derive(row, &pool, row);
	record_pool_free(&pool);
}
