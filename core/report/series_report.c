/* SPDX-License-Identifier: Apache-2.0 */
#include "report/series_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "stat/percentile.h"

static void analyse(series_one *one)
{
	series_analyse(one->values, one->n, &one->like);
	one->counted = one->values + one->like.steady_first;
	one->counted_n = one->like.steady_count;
	one->median = statistics_median(one->counted, one->counted_n);
	one->has_interval = statistics_fine_interval(one->counted, one->counted_n, SERIES_CONFIDENCE,
	                                             one->like.widening, &one->around);
}

void series_all_make(series_all *all, series_one *ones, size_t count, double wanted)
{
	const double **values = memory_get(count * sizeof(*values));
	size_t *counts = memory_get(count * sizeof(*counts));
	statistics_side side = { .samples = values, .counts = counts, .executions = count };

	memset(all, 0, sizeof(*all));
	all->ones = ones;
	all->count = count;
	all->wanted = wanted;
	all->steady = true;
	for (size_t i = 0; i < count; i++) {
		analyse(&ones[i]);
		values[i] = ones[i].counted;
		counts[i] = ones[i].counted_n;
		all->steady = all->steady && ones[i].like.class != SERIES_NO_STEADY_STATE;
	}
	all->center = statistics_center(&side);
	if (count == 1) {
		all->has_interval = ones[0].has_interval;
		all->around = ones[0].around;
	} else {
		all->has_interval = true;
		all->around = statistics_center_interval(&side, SERIES_CONFIDENCE);
	}
	if (all->has_interval && all->center > 0)
		all->half_width = (all->around.high - all->around.low) / 2 / all->center;
	all->converged = all->steady && all->has_interval && all->center > 0 &&
	                 all->half_width <= wanted;
	free(values);
	free(counts);
}

void series_all_free(series_all *all)
{
	for (size_t i = 0; i < all->count; i++)
		series_free(&all->ones[i].like);
}

static void add_interval(cJSON *object, interval i)
{
	cJSON *list = json_add_array(object, "interval");
	cJSON *carrier = cJSON_CreateObject();

	json_add_double(carrier, "low", i.low);
	json_add_double(carrier, "high", i.high);
	cJSON_AddItemToArray(list, cJSON_DetachItemFromObjectCaseSensitive(carrier, "low"));
	cJSON_AddItemToArray(list, cJSON_DetachItemFromObjectCaseSensitive(carrier, "high"));
	cJSON_Delete(carrier);
}

static void add_percentiles(cJSON *object, const series_one *one)
{
	cJSON *list = json_add_array(object, "percentiles");

	for (size_t i = 0; i < PERCENTILE_COUNT; i++) {
		const percentile *p = &percentile_table[i];
		cJSON *item;
		interval around;

		if (one->counted_n < percentile_least(p->quantile, PERCENTILE_CONFIDENCE) ||
		    !statistics_quantile_interval(one->counted, one->counted_n, p->quantile,
		                                  SERIES_CONFIDENCE, &around))
			break;
		item = cJSON_CreateObject();
		json_add_string(item, "name", p->name);
		json_add_double(item, "value",
		                percentile_value(one->counted, one->counted_n, p->quantile));
		add_interval(item, around);
		cJSON_AddItemToArray(list, item);
	}
}

static void add_segments(cJSON *object, const series *s)
{
	cJSON *list = json_add_array(object, "segments");

	for (size_t i = 0; i < s->segment_count; i++) {
		cJSON *item = cJSON_CreateObject();

		json_add_uint(item, "first", s->segments[i].first);
		json_add_uint(item, "count", s->segments[i].count);
		json_add_double(item, "median", s->segments[i].median);
		cJSON_AddItemToArray(list, item);
	}
}

static cJSON *one_json(const series_one *one)
{
	const series *s = &one->like;
	cJSON *out = cJSON_CreateObject();
	const char *flags[SERIES_FLAGS_MOST];
	size_t flag_count = series_flags(s, flags);
	cJSON *list;

	json_add_string(out, "name", one->name);
	json_add_uint(out, "n", one->n);
	json_add_uint(out, "counted", one->counted_n);
	json_add_double(out, "median", one->median);
	if (one->has_interval)
		add_interval(out, one->around);
	json_add_double(out, "min", statistics_quantile(one->values, one->n, 0));
	json_add_double(out, "q1", statistics_quantile(one->values, one->n, 0.25));
	json_add_double(out, "q3", statistics_quantile(one->values, one->n, 0.75));
	json_add_double(out, "max", statistics_quantile(one->values, one->n, 1));
	json_add_double(out, "mad", statistics_mad(one->values, one->n));
	json_add_string(out, "class", series_class_name(s->class));
	add_segments(out, s);
	json_add_uint(out, "steady_first", s->steady_first);
	json_add_uint(out, "steady_count", s->steady_count);
	json_add_double(out, "lag1", s->lag1);
	json_add_double(out, "runs_z", s->runs_z);
	json_add_double(out, "trend_z", s->trend_z);
	if (isfinite(s->change))
		json_add_double(out, "change", s->change);
	json_add_uint(out, "modes", s->modes);
	json_add_double(out, "widening", s->widening);
	list = json_add_array(out, "flags");
	for (size_t i = 0; i < flag_count; i++)
		json_append_string(list, flags[i]);
	add_percentiles(out, one);
	return out;
}

cJSON *series_all_json(const series_all *all)
{
	cJSON *out = cJSON_CreateObject();
	cJSON *list;

	json_add_uint(out, "executions", all->count);
	json_add_double(out, "median", all->center);
	if (all->has_interval)
		add_interval(out, all->around);
	if (all->has_interval && all->center > 0 && isfinite(all->half_width))
		json_add_double(out, "half_width", all->half_width);
	json_add_double(out, "wanted_half_width", all->wanted);
	json_add_bool(out, "steady", all->steady);
	json_add_bool(out, "converged", all->converged);
	list = json_add_array(out, "series");
	for (size_t i = 0; i < all->count; i++)
		cJSON_AddItemToArray(list, one_json(&all->ones[i]));
	return out;
}
