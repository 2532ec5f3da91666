/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of a case as pictures. */
#include <stdlib.h>

#include "report/explain.h"
#include "report/series_report.h"
#include "stat/statistics.h"

enum { PLOT_HEIGHT = 5 };

/* All samples of all executions in order, in nanoseconds of an operation, and where each begins. */
typedef struct samples { double *values; size_t *firsts; size_t count, executions; } samples;

static samples samples_of(const record_case *c)
{
	samples s = { 0 };
	size_t total = 0;

	for (size_t i = 0; i < c->executions.count; i++)
		total += c->executions.items[i].samples_ns.count;
	s.values = memory_get((total + 1) * sizeof(*s.values));
	s.firsts = memory_get((c->executions.count + 1) * sizeof(*s.firsts));
	for (size_t i = 0; i < c->executions.count; i++) {
		const record_execution *e = &c->executions.items[i];
		bool batched = e->batch != LAYOUT_NO_UINT && e->batch > 0;

		if (e->samples_ns.count > 0)
			s.firsts[s.executions++] = s.count;
		for (size_t k = 0; k < e->samples_ns.count; k++)
			s.values[s.count++] = (double)e->samples_ns.items[k] / (batched ? (double)e->batch : 1);
	}
	return s;
}

/* The unit in which the median has one to three digits before its point. */
static const char *scale(samples *s)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double median = statistics_median(s->values, s->count), divisor = 1;
	size_t unit = 0;

	while (unit < 3 && median / divisor >= 1000) {
		divisor *= 1000;
		unit++;
	}
	for (size_t i = 0; i < s->count; i++)
		s->values[i] /= divisor;
	return units[unit];
}

/* The plot shows when; this shows how often. */
static bool show_shape(FILE *out, const samples *s, const char *unit)
{
	char *shape = series_shape(out, s->values, s->count);
	bool ok = shape == NULL || explain_item(out, "shape", "%s %s", shape, unit);

	free(shape);
	return ok;
}

bool explain_samples(FILE *out, const record_case *c)
{
	samples s = samples_of(c);
	bool ok = true;

	if (s.count > 0) {
		const char *unit = scale(&s);

		ok = explain_item(out, "samples", "%zu, %s of an operation; below them the executions", s.count,
		                  unit);
		series_draw(out, s.values, s.count, PLOT_HEIGHT);
		series_marks(out, "execution", s.firsts, s.executions, s.count);
		ok = show_shape(out, &s, unit) && ok;
	}
	free(s.values);
	free(s.firsts);
	return ok && ferror(out) == 0;
}
