/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "stat/sorted.h"
#include "record/rowpool.h"
#include "record/result.h"

/* From the mildest to the most severe. */
static const char *const severity[] = { "valid", "not-converged", "unsupported", "invalid",
	                                "failed" };

static size_t severity_of(const char *status)
{
	size_t i;

	for (i = 0; i + 1 < sizeof(severity) / sizeof(severity[0]); i++)
		if (strcmp(severity[i], status) == 0)
			return i;
	return i;
}

bool pool_counts(const cJSON *execution)
{
	const char *status = json_string(execution, "status", "");
	const cJSON *samples = json_path(execution, "samples_ns");

	return (strcmp(status, "valid") == 0 || strcmp(status, "not-converged") == 0) &&
	       samples != NULL && samples->child != NULL;
}

/* Samples of one execution, each divided by the batch, in malloc'd room for twice as many; NULL
 * when there are none. */
static double *read_samples(const cJSON *execution, size_t *count)
{
	const cJSON *samples = json_path(execution, "samples_ns");
	uint64_t batch = 0;
	double *values;
	size_t n = 0;
	const cJSON *item;

	*count = 0;
	if (!cJSON_IsArray(samples) || !json_uint(execution, "batch", &batch) || batch == 0)
		return NULL;
	cJSON_ArrayForEach(item, samples)
		n++;
	values = memory_grow(NULL, 2 * n * sizeof(*values));
	cJSON_ArrayForEach(item, samples) {
		uint64_t ns;

		if (!json_as_uint(item, &ns)) {
			free(values);
			return NULL;
		}
		values[(*count)++] = (double)ns / (double)batch;
	}
	return values;
}

/* The samples that count, and all that follows from their order. */
static void pool_add(record_pool *pool, double *values, size_t count, bool all_count)
{
	size_t at = pool->executions++;
	double *sorted = values + count;
	series *s = &pool->series[at];

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

void record_pool_fill(record_pool *pool, const cJSON *row)
{
	const cJSON *executions = json_path(row, "executions");
	size_t room = (size_t)cJSON_GetArraySize(executions);
	bool requests = pool_is_load(row);
	const cJSON *e;

	memset(pool, 0, sizeof(*pool));
	pool->values = memory_get((room + 1) * sizeof(*pool->values));
	pool->counts = memory_get((room + 1) * sizeof(*pool->counts));
	pool->series = memory_get((room + 1) * sizeof(*pool->series));
	pool->steady = memory_get((room + 1) * sizeof(*pool->steady));
	pool->sorted = memory_get((room + 1) * sizeof(*pool->sorted));
	pool->steady_counts = memory_get((room + 1) * sizeof(*pool->steady_counts));
	pool->statistic = percentile_find(json_string(json_path(row, "measure"), "statistic", ""));
	cJSON_ArrayForEach(e, executions) {
		size_t count;
		double *values = pool_counts(e) ? read_samples(e, &count) : NULL;

		/* Latencies of a load hang together by nature: all of them count. */
		if (values != NULL)
			pool_add(pool, values, count, requests);
	}
}

void record_pool_free(record_pool *pool)
{
	size_t i;

	for (i = 0; i < pool->executions; i++) {
		free(pool->values[i]);
		series_free(&pool->series[i]);
	}
	free(pool->values);
	free(pool->counts);
	free(pool->series);
	free(pool->steady);
	free(pool->sorted);
	free(pool->steady_counts);
	memset(pool, 0, sizeof(*pool));
}

statistics_side record_pool_side(const record_pool *pool)
{
	return (statistics_side){ .samples = pool->steady, .counts = pool->steady_counts,
		                  .executions = pool->executions, .sorted = pool->sorted,
		                  .quantile = pool->statistic != NULL ?
		                              pool->statistic->quantile : 0 };
}

static double drift_of(const cJSON *canary, const char *key, const char *reference)
{
	double value;
	double base;

	if (!json_double(canary, key, &value) || !json_double(canary, reference, &base) ||
	    !(base > 0))
		return -1;
	return fabs(value / base - 1);
}

/* The largest relative change of a canary against its reference; -1 when there is none. */
static double canary_drift(const cJSON *row)
{
	double drift = -1;
	const cJSON *e;

	cJSON_ArrayForEach(e, json_path(row, "executions")) {
		const cJSON *canary = json_path(e, "canary");

		if (!pool_counts(e) || canary == NULL)
			continue;
		drift = fmax(drift, drift_of(canary, "compute_before_ns", "reference_compute_ns"));
		drift = fmax(drift, drift_of(canary, "compute_after_ns", "reference_compute_ns"));
		drift = fmax(drift, drift_of(canary, "memory_before_ns", "reference_memory_ns"));
		drift = fmax(drift, drift_of(canary, "memory_after_ns", "reference_memory_ns"));
	}
	return drift;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* What is derived is built in an arena: most of it is only compared with what a record says. */
typedef struct build { json_arena *arena; const record_pool *pool; cJSON *out; } build;

static void add_doubles(const build *b, cJSON *object, const char *key, const double *values,
                        size_t count)
{
	cJSON *array = json_arena_add(b->arena, object, key, cJSON_Array);

	for (size_t i = 0; i < count; i++)
		json_arena_add_double(b->arena, array, NULL, values[i]);
}

static void add_interval(const build *b, cJSON *object, interval i)
{
	add_doubles(b, object, "interval_ns", (double[]){ i.low, i.high }, 2);
}

static void add_number(const build *b, const char *key, double value)
{
	json_arena_add_double(b->arena, b->out, key, value);
}

/* The declared statistic, where it is a percentile and every execution has samples enough for it;
 * its value, else 0. */
static double derive_statistic(const build *b)
{
	const record_pool *pool = b->pool;
	statistics_side side = record_pool_side(pool);
	size_t least = percentile_least(pool->statistic->quantile, PERCENTILE_CONFIDENCE);
	double value;
	cJSON *item;

	for (size_t i = 0; i < pool->executions; i++)
		if (pool->steady_counts[i] < least)
			return 0;
	value = statistics_center(&side);
	item = json_arena_add(b->arena, b->out, "statistic", cJSON_Object);
	json_arena_add_string(b->arena, item, "name", pool->statistic->name);
	json_arena_add_double(b->arena, item, "ns", value);
	add_interval(b, item, statistics_center_interval(&side, RECORD_CONFIDENCE));
	return value;
}

/* Over the n samples that count, of all executions, those that are enough for them. */
static void derive_percentiles(const build *b, const double *sorted, size_t n)
{
	cJSON *list = NULL;

	for (size_t i = 0; i < PERCENTILE_COUNT; i++) {
		const percentile *p = &percentile_table[i];
		size_t low;
		size_t high;
		cJSON *item;

		if (n < percentile_least(p->quantile, PERCENTILE_CONFIDENCE) ||
		    !statistics_quantile_ranks(n, p->quantile, RECORD_CONFIDENCE, &low, &high))
			break;
		if (list == NULL)
			list = json_arena_add(b->arena, b->out, "percentiles", cJSON_Array);
		item = json_arena_add(b->arena, list, NULL, cJSON_Object);
		json_arena_add_string(b->arena, item, "name", p->name);
		json_arena_add_double(b->arena, item, "ns", sorted[percentile_rank(n, p->quantile)]);
		add_interval(b, item, (interval){ sorted[low], sorted[high] });
	}
}

static void add_series(const build *b, cJSON *list, uint64_t execution, const series *s)
{
	json_arena *a = b->arena;
	cJSON *item = json_arena_add(a, list, NULL, cJSON_Object);
	cJSON *firsts;

	json_arena_add_uint(a, item, "execution", execution);
	json_arena_add_string(a, item, "class", series_class_name(s->class));
	firsts = json_arena_add(a, item, "segments", cJSON_Array);
	for (size_t i = 0; i < s->segment_count; i++)
		json_arena_add_uint(a, firsts, NULL, s->segments[i].first);
	json_arena_add_uint(a, item, "steady_first", s->steady_first);
	json_arena_add_uint(a, item, "steady_count", s->steady_count);
	json_arena_add_double(a, item, "lag1", s->lag1);
	json_arena_add_double(a, item, "runs_z", s->runs_z);
	json_arena_add_double(a, item, "trend_z", s->trend_z);
	json_arena_add_uint(a, item, "modes", s->modes);
}

static void derive_series(const build *b, const cJSON *row)
{
	cJSON *list = json_arena_add(b->arena, b->out, "series", cJSON_Array);
	size_t at = 0;
	const cJSON *e;

	cJSON_ArrayForEach(e, json_path(row, "executions")) {
		uint64_t number = 0;

		if (at >= b->pool->executions || !pool_counts(e))
			continue;
		(void)json_uint(e, "execution", &number);
		add_series(b, list, number, &b->pool->series[at++]);
	}
}

/* What few rows have. */
static void derive_rest(const build *b, const cJSON *row)
{
	cJSON *rest = cJSON_CreateObject();

	record_derive_sustained(row, rest);
	record_derive_load(row, rest);
	json_arena_add_members(b->arena, b->out, rest);
	cJSON_Delete(rest);
}

/* The time of one operation against the work. */
static void derive_rate(const build *b, const cJSON *row, double value)
{
	const cJSON *work = json_path(row, "work");
	double amount = 0;

	(void)json_double(work, "amount", &amount);
	/* Requests of a load wait for each other: work by latency is no rate. */
	if (!(amount > 0 && value > 0) || pool_is_load(row))
		return;
	if (strcmp(json_string(work, "metric", ""), "s") == 0)
		add_number(b, "each_ns", value / amount);
	else if (isfinite(amount / value * 1e9))
		add_number(b, "rate", amount / value * 1e9);
}

/* All samples, of which some do not count, in ascending order; malloc'd. */
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

static void derive_numbers(const build *b, const cJSON *row)
{
	const record_pool *pool = b->pool;
	statistics_side side = record_pool_side(pool);
	double *all = all_sorted(pool);
	double *steady = pool->steady_total < pool->total ? steady_sorted(pool) : NULL;
	double *medians = memory_get(pool->executions * sizeof(*medians));
	double drift = canary_drift(row);
	double median;

	for (size_t i = 0; i < pool->executions; i++)
		medians[i] = sorted_median(pool->sorted[i], pool->steady_counts[i]);
	side.quantile = 0;
	median = statistics_center(&side);
	json_arena_add_uint(b->arena, b->out, "n", pool->total);
	json_arena_add_uint(b->arena, b->out, "counted", pool->steady_total);
	json_arena_add_uint(b->arena, b->out, "executions", pool->executions);
	add_number(b, "median_ns", median);
	add_interval(b, b->out, statistics_center_interval(&side, RECORD_CONFIDENCE));
	add_number(b, "min_ns", all[0]);
	add_number(b, "max_ns", all[pool->total - 1]);
	add_number(b, "q1_ns", sorted_quantile(all, pool->total, 0.25));
	add_number(b, "q3_ns", sorted_quantile(all, pool->total, 0.75));
	add_number(b, "mad_ns", sorted_mad(all, pool->total));
	derive_rate(b, row, pool->statistic != NULL ? derive_statistic(b) : median);
	add_doubles(b, b->out, "execution_medians_ns", medians, pool->executions);
	if (drift >= 0 && isfinite(drift))
		add_number(b, "canary_drift", drift);
	derive_rest(b, row);
	derive_percentiles(b, steady != NULL ? steady : all, pool->steady_total);
	derive_series(b, row);
	free(steady);
	free(all);
	free(medians);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static bool texts_have(const cJSON *array, const char *value)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, array)
		if (cJSON_IsString(item) && strcmp(item->valuestring, value) == 0)
			return true;
	return false;
}

/* malloc'd list of the executions whose texts of that key have the value, and their number. */
static char *executions_with(const cJSON *executions, const char *key, const char *value,
                             size_t *with)
{
	text list = { 0 };
	const cJSON *e;

	*with = 0;
	cJSON_ArrayForEach(e, executions) {
		uint64_t number = 0;

		if (!texts_have(json_path(e, key), value))
			continue;
		(void)json_uint(e, "execution", &number);
		text_add(&list, "%s%llu", (*with)++ == 0 ? "" : ", ", (unsigned long long)number);
	}
	return list.data;
}

/* Whether the text stands in the list of an execution before that one, or before it in its own. */
static bool text_known(const cJSON *executions, const cJSON *last, const char *key,
                       const cJSON *item)
{
	const cJSON *e;
	const cJSON *other;

	cJSON_ArrayForEach(e, executions) {
		cJSON_ArrayForEach(other, json_path(e, key)) {
			if (other == item)
				return false;
			if (cJSON_IsString(other) && strcmp(other->valuestring, item->valuestring) == 0)
				return true;
		}
		if (e == last)
			break;
	}
	return false;
}

static char *copied(json_arena *arena, const char *s)
{
	size_t size = strlen(s) + 1;

	return memcpy(json_arena_raw(arena, size), s, size);
}

/* Of the most severe status. */
static size_t worst_of(const cJSON *executions)
{
	size_t worst = 0;
	const cJSON *e;

	cJSON_ArrayForEach(e, executions) {
		size_t this_one = severity_of(json_string(e, "status", "failed"));

		if (this_one > worst)
			worst = this_one;
	}
	return cJSON_GetArraySize(executions) > 0 ? worst : severity_of("failed");
}

/* Which executions' texts are taken: all, as they are; or those of the most severe status or of
 * the others, with the executions that a text belongs to unless it is all of them. */
enum taken { TAKE_ALL, TAKE_WORST, TAKE_OTHERS };

/* Each distinct text of the executions' lists once, in order of first appearance. */
static void merge_texts(const cJSON *row, const char *key, enum taken taken, json_arena *arena,
                        cJSON *out)
{
	const cJSON *executions = json_path(row, "executions");
	size_t count = (size_t)cJSON_GetArraySize(executions);
	size_t worst = worst_of(executions);
	const cJSON *e;
	const cJSON *item;

	cJSON_ArrayForEach(e, executions) {
		bool is_worst = severity_of(json_string(e, "status", "failed")) == worst;

		if (taken != TAKE_ALL && is_worst != (taken == TAKE_WORST))
			continue;
		cJSON_ArrayForEach(item, json_path(e, key)) {
			size_t with;
			char *list;
			char *line;

			if (!cJSON_IsString(item) || text_known(executions, e, key, item))
				continue;
			if (taken == TAKE_ALL) {
				json_arena_add_string(arena, out, NULL, item->valuestring);
				continue;
			}
			list = executions_with(executions, key, item->valuestring, &with);
			line = memory_format("%s (execution%s %s)", item->valuestring,
			                     with > 1 ? "s" : "", list);
			json_arena_add_string(arena, out, NULL, with == count ? item->valuestring :
			                      copied(arena, line));
			free(line);
			free(list);
		}
	}
}

cJSON *record_derive(const cJSON *case_row, const record_pool *pool, json_arena *arena)
{
	const cJSON *executions = json_path(case_row, "executions");
	cJSON *out = json_arena_object(arena);
	cJSON *reasons;

	json_arena_add_string(arena, out, "status", severity[worst_of(executions)]);
	reasons = json_arena_add(arena, out, "reasons", cJSON_Array);
	/* First what made the row what it is. */
	merge_texts(case_row, "reasons", TAKE_WORST, arena, reasons);
	merge_texts(case_row, "reasons", TAKE_OTHERS, arena, reasons);
	if (cJSON_GetArraySize(executions) == 0)
		json_arena_add_string(arena, reasons, NULL, "not run: the run ended before it");
	merge_texts(case_row, "flags", TAKE_ALL, arena,
	            json_arena_add(arena, out, "flags", cJSON_Array));
	if (pool->executions > 0) {
		build b = { arena, pool, json_arena_add(arena, out, "derived", cJSON_Object) };

		derive_numbers(&b, case_row);
	}
	return out;
}

cJSON *result_derive(const cJSON *case_row)
{
	json_arena *arena = json_arena_new();
	record_pool pool;
	cJSON *out;

	record_pool_fill(&pool, case_row);
	out = json_copy(record_derive(case_row, &pool, arena));
	record_pool_free(&pool);
	json_arena_free(arena);
	return out;
}
