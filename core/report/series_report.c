/* SPDX-License-Identifier: Apache-2.0 */
#include "report/series_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/derive.h"
#include "stat/percentile.h"
#include "stat/series.h"
#include "stat/statistics.h"

#define LAYOUT_FILE "report/series_report.def"
#define LAYOUT_NAME(name) name
#include "base/layout_tables.h"

static const double confidence = 0.95;

static void set_interval(number_list *out, interval i)
{
	number_list_add(out, i.low);
	number_list_add(out, i.high);
}

static int word_value(const layout_words *words, const char *word)
{
	return layout_word_value(words, word, strlen(word));
}

static void fill_segments(series_one *one, const series *s)
{
	for (size_t i = 0; i < s->segment_count; i++) {
		series_segment_report *out = layout_append(series_segment_report_layout(),
		                                           &one->segments);

		out->first = s->segments[i].first;
		out->count = s->segments[i].count;
		out->median = s->segments[i].median;
	}
}

static void fill_character(series_one *one, const series *s)
{
	const char *flags[SERIES_FLAGS_MOST];
	size_t flag_count = series_flags(s, flags);

	one->class = (enum record_series_class)word_value(record_series_class_words(),
	                                                  series_class_name(s->class));
	one->steady_first = s->steady_first;
	one->counted = s->steady_count;
	one->lag1 = s->lag1;
	one->runs_z = s->runs_z;
	one->trend_z = s->trend_z;
	one->change = isfinite(s->change) ? s->change : NAN;
	one->modes = s->modes;
	one->widening = s->widening;
	for (size_t i = 0; i < flag_count; i++)
		word_list_add(&one->flags, word_value(record_flag_words(), flags[i]));
}

static void fill_spread(series_one *one)
{
	one->min = statistics_quantile(one->values, one->n, 0);
	one->q1 = statistics_quantile(one->values, one->n, 0.25);
	one->q3 = statistics_quantile(one->values, one->n, 0.75);
	one->max = statistics_quantile(one->values, one->n, 1);
	one->mad = statistics_mad(one->values, one->n);
}

static void fill_percentiles(series_one *one, const double *counted)
{
	for (size_t i = 0; i < PERCENTILE_COUNT; i++) {
		const percentile *p = &percentile_table[i];
		series_percentile_report *out;
		interval around;

		if (one->counted < percentile_least(p->quantile, PERCENTILE_CONFIDENCE) ||
		    !statistics_quantile_interval(counted, one->counted, p->quantile, confidence,
		                                  &around))
			break;
		out = layout_append(series_percentile_report_layout(), &one->percentiles);
		text_set(&out->name, p->name);
		out->value = percentile_value(counted, one->counted, p->quantile);
		set_interval(&out->interval, around);
	}
}

void series_report_add(series_report *r, const char *name, const double *values, size_t n)
{
	series_one *one = layout_append(series_one_layout(), &r->series);
	const double *counted;
	interval around;
	series like;

	text_set(&one->name, name);
	one->values = values;
	one->n = n;
	series_analyse(values, n, &like);
	fill_segments(one, &like);
	fill_character(one, &like);
	fill_spread(one);
	counted = values + one->steady_first;
	one->median = statistics_median(counted, one->counted);
	if (series_has_interval(&like)) {
		if (statistics_fine_interval(counted, one->counted, confidence, like.widening, &around))
			set_interval(&one->interval, around);
		fill_percentiles(one, counted);
	}
	series_free(&like);
}

/* Whether each series is steady and not too dependent. */
static bool gives_interval(const series_report *r)
{
	bool all = r->steady;

	for (size_t i = 0; i < r->series.count; i++)
		all = all && !word_list_has(&r->series.items[i].flags, RECORD_FLAG_DEPENDENT);
	return all;
}

/* The median of the medians, with its interval: that of few executions rests on their samples. */
static void fill_center(series_report *r)
{
	size_t count = r->series.count;
	const double **samples = memory_get(count * sizeof(*samples));
	size_t *counts = memory_get(count * sizeof(*counts));
	statistics_side side = { .samples = samples, .counts = counts, .executions = count };
	const series_one *first = &r->series.items[0];

	for (size_t i = 0; i < count; i++) {
		samples[i] = r->series.items[i].values + r->series.items[i].steady_first;
		counts[i] = r->series.items[i].counted;
	}
	r->median = statistics_center(&side);
	if (count >= RECORD_EXECUTIONS || (count > 1 && gives_interval(r)))
		set_interval(&r->interval, statistics_center_interval(&side, confidence));
	else if (count == 1 && first->interval.count > 0)
		set_interval(&r->interval, (interval){ first->interval.items[0],
		                                       first->interval.items[1] });
	free(samples);
	free(counts);
}

void series_report_finish(series_report *r, double wanted)
{
	r->executions = r->series.count;
	r->wanted_half_width = wanted;
	r->steady = true;
	for (size_t i = 0; i < r->series.count; i++)
		r->steady = r->steady && r->series.items[i].class != RECORD_SERIES_NO_STEADY_STATE;
	fill_center(r);
	if (r->interval.count > 0 && r->median > 0)
		r->half_width = (r->interval.items[1] - r->interval.items[0]) / 2 / r->median;
	r->converged = gives_interval(r) && r->half_width <= wanted;
}
