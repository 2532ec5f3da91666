/* SPDX-License-Identifier: Apache-2.0 */
#include "report/series_report.h"

#include <stdlib.h>

#include "base/terminal.h"
#include "base/text.h"
#include "report/report.h"
#include "stat/percentile.h"
#include "stat/series.h"

enum { INDENT = 2 };

static double percent(double share)
{
	return 100 * share;
}

/* How many samples the interval would need if it narrowed as the root of their number. */
static double samples_for(const series_report *r)
{
	double ratio = r->half_width / r->wanted_half_width;
	double exact = ratio * ratio * (double)r->series.items[0].counted;
	double step = pow(10, floor(log10(exact)) - 1);

	/* Such an estimate has two digits at best. */
	return step > 1 ? ceil(exact / step) * step : ceil(exact);
}

static bool is_dependent(const series_report *r)
{
	for (size_t i = 0; i < r->series.count; i++)
		if (word_list_has(&r->series.items[i].flags, RECORD_FLAG_DEPENDENT))
			return true;
	return false;
}

static char *converged_words(const series_report *r)
{
	double is = percent(r->half_width), wanted = percent(r->wanted_half_width);

	if (r->converged)
		return memory_format("yes: ±%.3g %% is within ±%.3g %%", is, wanted);
	if (!r->steady)
		return memory_text("no: there is no steady state");
	if (is_dependent(r))
		return memory_format("no: the samples depend on each other, and are worth fewer than %d "
		                     "independent ones", SERIES_EFFECTIVE);
	if (r->interval.count == 0)
		return memory_text("no: an interval needs 6 samples or more; take at least 30");
	if (!(r->median > 0))
		return memory_text("no: the median is 0, so there is no relative half-width");
	if (r->executions == 1)
		return memory_format("no: ±%.3g %% is wider than ±%.3g %%; about %.0f samples like "
		                     "these would be enough", is, wanted, samples_for(r));
	return memory_format("no: ±%.3g %% is wider than ±%.3g %%; more executions narrow it, more "
	                     "samples of each help only against the spread within an execution",
	                     is, wanted);
}

static void print_class(FILE *out, const series_one *one)
{
	unsigned long long before = one->steady_first;

	switch (one->class) {
	case record_series_class_absent:
		break;
	case RECORD_SERIES_SHORT:
		table_item(out, INDENT, "class", "short: %d samples are needed to tell",
		           SERIES_LEAST);
		break;
	case RECORD_SERIES_FLAT:
		table_item(out, INDENT, "class", "flat: steady from the first sample on");
		break;
	case RECORD_SERIES_WARM_UP:
		table_item(out, INDENT, "class", "warm-up: steady from sample %llu on; the %llu "
		           "before it do not count. A longer warm-up keeps them out.",
		           before + 1, before);
		break;
	case RECORD_SERIES_SLOWDOWN:
		table_item(out, INDENT, "class", "slowdown: steady from sample %llu on, after "
		           "faster samples; the %llu before it do not count. Look for heat, a power "
		           "cap or another load that began there.", before + 1, before);
		break;
	case RECORD_SERIES_NO_STEADY_STATE:
		table_item(out, INDENT, "class", "no-steady-state: %s %s",
		           record_flag_mark(RECORD_FLAG_NO_STEADY_STATE)->sentence,
		           record_flag_mark(RECORD_FLAG_NO_STEADY_STATE)->remedy);
		break;
	}
}

static void print_segments(FILE *out, const series_segment_report_list *segments)
{
	text list = { 0 };

	if (segments->count < 2)
		return;
	for (size_t i = 0; i < segments->count; i++) {
		const series_segment_report *s = &segments->items[i];

		text_add(&list, "%s%llu to %llu: %.5g", i > 0 ? "; " : "",
		         (unsigned long long)s->first + 1,
		         (unsigned long long)s->first + s->count, s->median);
	}
	table_item(out, INDENT, "segments", "%s", list.data);
	text_free(&list);
}

static void print_independence(FILE *out, const series_one *one)
{
	text list = { 0 };

	if (word_list_has(&one->flags, RECORD_FLAG_AUTOCORRELATED))
		text_add(&list, "neighbours are alike (autocorrelated); ");
	if (word_list_has(&one->flags, RECORD_FLAG_NOT_RANDOM))
		text_add(&list, "the samples cross their median too %s (not-random); ",
		         one->runs_z < 0 ? "rarely" : "often");
	if (word_list_has(&one->flags, RECORD_FLAG_DRIFTING))
		text_add(&list, "they drift by %+.3g %% (drifting); ", percent(one->change));
	if (list.size == 0)
		text_add(&list, one->class == RECORD_SERIES_SHORT ? "too few samples to tell; " :
		         "no sign of dependence; ");
	text_add(&list, "lag-1 %.2f, runs z %.1f, trend z %.1f", one->lag1, one->runs_z,
	         one->trend_z);
	if (word_list_has(&one->flags, RECORD_FLAG_DEPENDENT))
		text_add(&list, "; they are worth about %.0f independent samples (dependent), too few "
		         "for an interval", (double)one->counted / one->widening / one->widening);
	else if (one->widening > 1)
		text_add(&list, "; this makes the interval %.3g times as wide", one->widening);
	table_item(out, INDENT, "independence", "%s", list.data);
	text_free(&list);
}

/* Those that there are, and what the next one needs. */
static void print_percentiles(FILE *out, const series_one *one)
{
	size_t count = one->percentiles.count;
	text list = { 0 };

	for (size_t i = 0; i < count; i++) {
		const series_percentile_report *p = &one->percentiles.items[i];

		text_add(&list, "%s%s %.5g [%.5g, %.5g]", i > 0 ? "; " : "", p->name, p->value,
		         p->interval.items[0], p->interval.items[1]);
	}
	if (count < PERCENTILE_COUNT && one->interval.count == 0 && one->class != RECORD_SERIES_SHORT)
		text_add(&list, "none, as there is no interval");
	else if (count < PERCENTILE_COUNT)
		text_add(&list, "%s%s needs %zu samples", count > 0 ? "; " : "",
		         percentile_table[count].name,
		         percentile_least(percentile_table[count].quantile, PERCENTILE_CONFIDENCE));
	table_item(out, INDENT, "percentiles", "%s", list.data);
	text_free(&list);
}

static void print_median(FILE *out, double median, const number_list *around, const char *of)
{
	if (around->count > 0)
		table_item(out, INDENT, "median", "%.6g [%.6g, %.6g] (95 %%%s)", median,
		           around->items[0], around->items[1], of);
	else
		table_item(out, INDENT, "median", "%.6g", median);
}

static void print_shape(FILE *out, const series_one *one)
{
	char *shape = series_shape(out, one->values, one->n);

	if (shape != NULL)
		table_item(out, INDENT, "shape", "%s", shape);
	free(shape);
}

static void print_one(FILE *out, const series_one *one, bool named)
{
	char *name = terminal_words(out, table_clean(one->name));

	if (named)
		fprintf(out, "\n%s\n", name);
	free(name);
	table_item(out, INDENT, "samples", "%llu, %llu of them count", (unsigned long long)one->n,
	           (unsigned long long)one->counted);
	print_median(out, one->median, &one->interval, "");
	table_item(out, INDENT, "spread", "minimum %.6g, quartiles %.6g and %.6g, maximum %.6g",
	           one->min, one->q1, one->q3, one->max);
	print_shape(out, one);
	print_class(out, one);
	print_segments(out, &one->segments);
	print_independence(out, one);
	table_item(out, INDENT, "modes", "%llu%s", (unsigned long long)one->modes, one->modes > 1 ?
	           " (multimodal): the median is in one of them; find out what causes the others" :
	           "");
	print_percentiles(out, one);
	series_plot(out, one);
}

bool series_report_print(FILE *out, const series_report *r)
{
	bool several = r->executions > 1;
	char *converged = converged_words(r);

	if (several) {
		table_item(out, INDENT, "executions", "%zu%s", r->series.count, r->executions < 5 ?
		           "; a comparison needs at least 5" : "");
		print_median(out, r->median, &r->interval, ", over executions and samples");
	}
	table_item(out, INDENT, "converged", "%s", converged);
	free(converged);
	for (size_t i = 0; i < r->series.count; i++)
		print_one(out, &r->series.items[i], several);
	return ferror(out) == 0;
}
