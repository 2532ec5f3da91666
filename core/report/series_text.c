/* SPDX-License-Identifier: Apache-2.0 */
#include "report/series_report.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "stat/percentile.h"
#include "report/report.h"

enum { LABEL = 14 };

/* A line under a label, wrapped beside it. */
__attribute__((format(printf, 3, 4)))
static void print_line(FILE *out, const char *label, const char *format, ...);

static void print_line(FILE *out, const char *label, const char *format, ...)
{
	va_list arguments;
	const char *rest;
	char *body;

	va_start(arguments, format);
	body = vasprintf(&body, format, arguments) < 0 ? memory_text("") : body;
	va_end(arguments);
	rest = body;
	fprintf(out, "  %-*s", LABEL, label);
	while (strlen(rest) > TABLE_WIDTH - LABEL - 2) {
		const char *end = rest + TABLE_WIDTH - LABEL - 2;

		while (end > rest && *end != ' ')
			end--;
		if (end == rest)
			break;
		fprintf(out, "%.*s\n%*s", (int)(end - rest), rest, LABEL + 2, "");
		rest = end + 1;
	}
	fprintf(out, "%s\n", rest);
	free(body);
}

static double percent(double share)
{
	return 100 * share;
}

/* How many samples the interval would need, were it to narrow as the root of their number. */
static double samples_for(const series_all *all, double wanted)
{
	double ratio = all->half_width / wanted;

	double exact = ratio * ratio * (double)all->ones[0].counted_n;
	double step = pow(10, floor(log10(exact)) - 1);

	/* Two digits are all that such an estimate is worth. */
	return step > 1 ? ceil(exact / step) * step : ceil(exact);
}

static void print_converged(FILE *out, const series_all *all)
{
	double wanted = percent(all->wanted);

	if (!all->has_interval)
		print_line(out, "converged", "no: fewer than 6 samples have no interval; take at least 30");
	else if (!(all->center > 0))
		print_line(out, "converged", "no: the median is 0, so no width relative to it exists");
	else if (!all->steady)
		print_line(out, "converged", "no: there is no steady state to converge to%s",
		           all->half_width <= all->wanted ? ", narrow as the interval is" : "");
	else if (all->half_width <= all->wanted)
		print_line(out, "converged", "yes: +-%.3g %% is within +-%.3g %%",
		           percent(all->half_width), wanted);
	else if (all->count == 1)
		print_line(out, "converged", "no: +-%.3g %%, and +-%.3g %% was wanted; about %.0f samples "
		           "like these would do", percent(all->half_width), wanted,
		           samples_for(all, all->wanted));
	else
		print_line(out, "converged", "no: +-%.3g %%, and +-%.3g %% was wanted; more executions "
		           "narrow it, more samples of each only as far as they differ within one",
		           percent(all->half_width), wanted);
}

static void print_class(FILE *out, const series_one *one)
{
	const series *s = &one->like;

	switch (s->class) {
	case SERIES_SHORT:
		print_line(out, "class", "short: %d samples are needed to say", SERIES_LEAST);
		break;
	case SERIES_FLAT:
		print_line(out, "class", "flat: steady from the first sample on");
		break;
	case SERIES_WARM_UP:
		print_line(out, "class", "warm-up: steady from sample %zu on; the %zu before it do not "
		           "count. A longer warm-up keeps them out of the samples.",
		           s->steady_first + 1, s->steady_first);
		break;
	case SERIES_SLOWDOWN:
		print_line(out, "class", "slowdown: steady from sample %zu on, after it was faster; the "
		           "%zu before it do not count. Heat, a power cap or another load may have "
		           "begun there: look at clocks and temperature.",
		           s->steady_first + 1, s->steady_first);
		break;
	case SERIES_NO_STEADY_STATE:
		print_line(out, "class", "no-steady-state: the last quarter is not on one level; all "
		           "samples count. Measure longer, or on a quieter machine.");
		break;
	}
	if (s->segment_count > 1) {
		text list = { 0 };

		for (size_t i = 0; i < s->segment_count; i++)
			text_add(&list, "%s%zu to %zu: %.5g", i > 0 ? "; " : "",
			         s->segments[i].first + 1,
			         s->segments[i].first + s->segments[i].count, s->segments[i].median);
		print_line(out, "segments", "%s", list.data);
		text_free(&list);
	}
}

static void print_independence(FILE *out, const series_one *one)
{
	const series *s = &one->like;
	text list = { 0 };

	if (s->autocorrelated)
		text_add(&list, "neighbours are alike (autocorrelated); ");
	if (s->not_random)
		text_add(&list, s->runs_z < 0 ? "too few runs about the median (not-random); " :
		         "too many runs about the median, it alternates (not-random); ");
	if (s->drifting)
		text_add(&list, "it drifts by %+.3g %% (drifting); ", percent(s->change));
	if (list.size == 0)
		text_add(&list, s->class == SERIES_SHORT ? "too few samples to say; " :
		         "nothing speaks against it; ");
	text_add(&list, "lag-1 %.2f, runs z %.1f, trend z %.1f", s->lag1, s->runs_z, s->trend_z);
	if (s->widening > 1)
		text_add(&list, "; the interval is %.3g times as wide for it", s->widening);
	print_line(out, "independence", "%s", list.data);
	text_free(&list);
}

static void print_percentiles(FILE *out, const series_one *one)
{
	text list = { 0 };

	for (size_t i = 0; i < PERCENTILE_COUNT; i++) {
		const percentile *p = &percentile_table[i];
		size_t least = percentile_least(p->quantile, PERCENTILE_CONFIDENCE);
		interval around;

		if (one->counted_n < least) {
			text_add(&list, "%s%s needs %zu samples", list.size > 0 ? "; " : "", p->name,
			         least);
			break;
		}
		if (statistics_quantile_interval(one->counted, one->counted_n, p->quantile,
		                                 SERIES_CONFIDENCE, &around))
			text_add(&list, "%s%s %.5g [%.5g, %.5g]", list.size > 0 ? "; " : "", p->name,
			         percentile_value(one->counted, one->counted_n, p->quantile),
			         around.low, around.high);
	}
	print_line(out, "percentiles", "%s", list.data);
	text_free(&list);
}

static void print_one(FILE *out, const series_one *one, bool named)
{
	char *name = table_clean(one->name);

	if (named)
		fprintf(out, "\n%s\n", name);
	free(name);
	print_line(out, "samples", "%zu, %zu of them count", one->n, one->counted_n);
	if (one->has_interval)
		print_line(out, "median", "%.6g [%.6g, %.6g] (95 %%)", one->median, one->around.low,
		           one->around.high);
	else
		print_line(out, "median", "%.6g", one->median);
	print_line(out, "spread", "minimum %.6g, quartiles %.6g and %.6g, maximum %.6g",
	           statistics_quantile(one->values, one->n, 0),
	           statistics_quantile(one->values, one->n, 0.25),
	           statistics_quantile(one->values, one->n, 0.75),
	           statistics_quantile(one->values, one->n, 1));
	print_class(out, one);
	print_independence(out, one);
	print_line(out, "modes", one->like.modes > 1 ?
	           "%zu (multimodal): the median is in one of them; find out what makes the others" :
	           "%zu", one->like.modes);
	print_percentiles(out, one);
	series_plot(out, one);
}

bool series_all_print(FILE *out, const series_all *all)
{
	if (all->count > 1) {
		print_line(out, "executions", "%zu%s", all->count, all->count < 5 ?
		           "; a comparison asks for at least 5" : "");
		print_line(out, "median", "%.6g [%.6g, %.6g] (95 %%, over executions and samples)",
		           all->center, all->around.low, all->around.high);
	}
	print_converged(out, all);
	for (size_t i = 0; i < all->count; i++)
		print_one(out, &all->ones[i], all->count > 1);
	return ferror(out) == 0;
}
