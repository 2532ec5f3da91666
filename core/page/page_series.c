/* SPDX-License-Identifier: Apache-2.0 */
/* The charts of one case: its samples over time, the sensors beside them, the windows of the
 * sustained regime, and the requests of a load. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "page/chart.h"
#include "page/page_parts.h"

/* Adds what an execution has; name and set are of its lines, the context is the caller's. */
typedef void visit(chart *c, const record_execution *e, size_t group, const char *name, const char *set,
                   const void *context);

/* Of every execution of every result that has the case. */
static void each_execution(chart *c, const grid *g, size_t row, visit *each, const void *context)
{
	for (size_t i = 0; i < grid_results(g); i++) {
		const result_row *of = grid_result_row(g, row, i);
		char *name = grid_full_name(g, i);

		for (size_t k = 0; of != NULL && k < of->record->executions.count; k++) {
			const record_execution *e = &of->record->executions.items[k];
			char *set = memory_format("execution %llu", (unsigned long long)e->execution);
			char *line = memory_format("%s, %s", name, set);

			each(c, e, i, line, set, context);
			free(line);
			free(set);
		}
		free(name);
	}
}

static double *seconds(const uint64_t *ns, size_t n, double scale)
{
	double *out = memory_get((n + 1) * sizeof(*out));

	for (size_t i = 0; i < n; i++)
		out[i] = (double)ns[i] * scale;
	return out;
}

static double *numbered(size_t n)
{
	double *out = memory_get((n + 1) * sizeof(*out));

	for (size_t i = 0; i < n; i++)
		out[i] = (double)(i + 1);
	return out;
}

/* ---- samples --------------------------------------------------------------------------------- */

static bool has_starts(const record_execution *e)
{
	return e->starts_ns.count == e->samples_ns.count;
}

/* Whether all executions with samples have the times of their samples. */
static bool all_have_starts(const grid *g, size_t row)
{
	for (size_t i = 0; i < grid_results(g); i++) {
		const result_row *of = grid_result_row(g, row, i);

		for (size_t k = 0; of != NULL && k < of->record->executions.count; k++)
			if (!has_starts(&of->record->executions.items[k]))
				return false;
	}
	return true;
}

static void add_samples(chart *c, const record_execution *e, size_t group, const char *name, const char *set,
                        const void *context)
{
	size_t n = e->samples_ns.count;
	double each = e->batch != LAYOUT_NO_UINT && e->batch > 0 ? 1e-9 / (double)e->batch : 1e-9;
	double *x, *y;

	(void)context;
	if (n == 0)
		return;
	x = c->x_unit[0] != '\0' ? seconds(e->starts_ns.items, n, 1e-9) : numbered(n);
	y = seconds(e->samples_ns.items, n, each);
	chart_points(chart_add(c, name, group, set), x, y, n);
	free(x);
	free(y);
}

/* ---- sensors --------------------------------------------------------------------------------- */

static bool is_throttle(const record_telemetry_channel *t)
{
	return strcmp(t->kind, "throttle") == 0;
}

/* Between two readings it was so when the state was set, or the counter grew. */
static bool held_back(const record_telemetry_channel *t, size_t i)
{
	return t->form == RECORD_FORM_COUNTER ? t->values.items[i + 1] > t->values.items[i]
	                                      : t->values.items[i] > 0;
}

static void add_bands(chart *c, const record_execution *e, size_t group, const char *name, const char *set,
                      const void *context)
{
	(void)context;

	for (size_t k = 0; e->telemetry != NULL && k < e->telemetry->channels.count; k++) {
		const record_telemetry_channel *t = &e->telemetry->channels.items[k];

		for (size_t i = 0; is_throttle(t) && i + 1 < t->values.count; i++) {
			chart_band *b;

			if (!held_back(t, i))
				continue;
			b = layout_append(chart_band_layout(), &c->bands);
			b->name = memory_format("%s: %s", name, t->name);
			b->group = group;
			text_set(&b->set, set);
			b->from = t->times_ns.items[i] * 1e-9;
			b->to = t->times_ns.items[i + 1] * 1e-9;
		}
	}
}

/* Sensors that one chart shows: of one kind and unit. */
typedef struct sensor { const char *kind, *unit; } sensor;

static bool is_shown(const record_telemetry_channel *t)
{
	return (t->form == RECORD_FORM_INSTANT || t->form == RECORD_FORM_AVERAGE) && !is_throttle(t) &&
	       t->values.count > 1;
}

/* Appends the sensors of an execution that are not there yet. */
static void find_sensors(sensor **all, size_t *count, const record_execution *e)
{
	for (size_t k = 0; e->telemetry != NULL && k < e->telemetry->channels.count; k++) {
		const record_telemetry_channel *t = &e->telemetry->channels.items[k];
		bool known = !is_shown(t);

		for (size_t i = 0; i < *count && !known; i++)
			known = strcmp((*all)[i].kind, t->kind) == 0 && strcmp((*all)[i].unit, t->unit) == 0;
		if (known)
			continue;
		*all = memory_grow(*all, (*count + 1) * sizeof(**all));
		(*all)[(*count)++] = (sensor){ t->kind, t->unit };
	}
}

static void add_sensor(chart *c, const record_execution *e, size_t group, const char *name, const char *set,
                       const void *context)
{
	const sensor *s = context;

	for (size_t k = 0; e->telemetry != NULL && k < e->telemetry->channels.count; k++) {
		const record_telemetry_channel *t = &e->telemetry->channels.items[k];
		double *x;
		char *line;

		if (!is_shown(t) || strcmp(t->kind, s->kind) != 0 || strcmp(t->unit, s->unit) != 0)
			continue;
		x = memory_get((t->values.count + 1) * sizeof(*x));
		for (size_t i = 0; i < t->values.count; i++)
			x[i] = t->times_ns.items[i] * 1e-9;
		line = memory_format("%s: %s %s", name, t->place, t->name);
		chart_points(chart_add(c, line, group, set), x, t->values.items, t->values.count);
		free(line);
		free(x);
	}
}

static void put_sensors(FILE *out, const grid *g, size_t row)
{
	sensor *all = NULL;
	size_t count = 0;

	for (size_t i = 0; i < grid_results(g); i++) {
		const result_row *of = grid_result_row(g, row, i);

		for (size_t k = 0; of != NULL && k < of->record->executions.count; k++)
			find_sensors(&all, &count, &of->record->executions.items[k]);
	}
	for (size_t i = 0; i < count; i++) {
		chart *c = layout_new(chart_layout());

		chart_begin(c, g, (chart_axis){ "time since the first sample", "s", false },
		            (chart_axis){ all[i].kind, strcmp(all[i].unit, "bytes") == 0 ? "B" : all[i].unit, false });
		each_execution(c, g, row, add_sensor, &all[i]);
		each_execution(c, g, row, add_bands, NULL);
		chart_put(out, c, all[i].kind);
		layout_free(chart_layout(), c);
	}
	free(all);
}

/* ---- the sustained regime -------------------------------------------------------------------- */

static void put_sustained(FILE *out, const grid *g, size_t row)
{
	chart *c = layout_new(chart_layout());
	const char *unit = "";

	for (size_t i = 0; i < grid_results(g); i++) {
		const result_row *of = grid_result_row(g, row, i);
		const record_derived *d = of != NULL ? of->record->derived : NULL;
		char *name = grid_full_name(g, i);

		for (size_t k = 0; d != NULL && k < d->sustained.count; k++) {
			const record_derived_sustained *s = &d->sustained.items[k];
			char *set = memory_format("execution %llu", (unsigned long long)s->execution);
			char *line = memory_format("%s, %s", name, set);
			double *x = numbered(s->rates.count);

			for (size_t n = 0; n < s->rates.count; n++)
				x[n] *= (double)of->record->measure.sustain_window_ns * 1e-9;
			chart_points(chart_add(c, line, i, set), x, s->rates.items, s->rates.count);
			free(x);
			free(line);
			free(set);
			unit = "1/s";
		}
		free(name);
	}
	chart_begin(c, g, (chart_axis){ "time", "s", false }, (chart_axis){ "operations in a second", unit, false });
	chart_put(out, c, "Rate of each window of the sustained regime");
	layout_free(chart_layout(), c);
}

/* ---- loads ----------------------------------------------------------------------------------- */

static void add_latencies(chart *c, const record_execution *e, size_t group, const char *name,
                          const char *set, const void *context)
{
	const record_requests *r = e->requests;
	double *x, *y;

	(void)context;
	if (r == NULL || r->done_ns.count == 0)
		return;
	x = seconds(r->due_ns.items, r->due_ns.count, 1e-9);
	y = memory_get(r->done_ns.count * sizeof(*y));
	for (size_t i = 0; i < r->done_ns.count; i++)
		y[i] = ((double)r->done_ns.items[i] - (double)r->due_ns.items[i]) * 1e-9;
	chart_points(chart_add(c, name, group, set), x, y, r->done_ns.count);
	c->lines.items[c->lines.count - 1].points = true;
	free(x);
	free(y);
}

static int by_rate(const void *a, const void *b)
{
	const record_scenario_point *x = a, *y = b;

	return (x->offered > y->offered) - (x->offered < y->offered);
}

/* The rates that the search for the knee tried, in ascending order. */
static void add_knee(chart *c, const record_execution *e, size_t group, const char *name, const char *set,
                     const void *context)
{
	size_t n = e->scenario != NULL ? e->scenario->points.count : 0;
	record_scenario_point *points = memory_get((n + 1) * sizeof(*points));
	double *x = memory_get((n + 1) * sizeof(*x)), *y = memory_get((n + 1) * sizeof(*y));

	(void)context;
	for (size_t i = 0; i < n; i++)
		points[i] = e->scenario->points.items[i];
	if (n > 1)
		qsort(points, n, sizeof(*points), by_rate);
	for (size_t i = 0; i < n; i++) {
		x[i] = points[i].offered;
		y[i] = points[i].value_ns * 1e-9;
	}
	if (n > 0)
		chart_points(chart_add(c, name, group, set), x, y, n);
	free(y);
	free(x);
	free(points);
}

/* ---- the case -------------------------------------------------------------------------------- */

static void put_chart(FILE *out, const grid *g, size_t row, visit *each, chart_axis x, chart_axis y,
                      const char *caption)
{
	chart *c = layout_new(chart_layout());

	chart_begin(c, g, x, y);
	c->distribution = each == add_samples || each == add_latencies;
	each_execution(c, g, row, each, NULL);
	if (each == add_samples && x.unit[0] != '\0')
		each_execution(c, g, row, add_bands, NULL);
	chart_put(out, c, caption);
	layout_free(chart_layout(), c);
}

void page_series(FILE *out, const grid *g, size_t row)
{
	bool timed = all_have_starts(g, row);

	put_chart(out, g, row, add_samples,
	          timed ? (chart_axis){ "time since the first sample", "s", false } :
	                  (chart_axis){ "sample", "", false },
	          (chart_axis){ "time of one operation", "s", false }, "Samples");
	put_sensors(out, g, row);
	put_sustained(out, g, row);
	put_chart(out, g, row, add_knee, (chart_axis){ "requests in a second", "1/s", false },
	          (chart_axis){ "latency", "s", true }, "Latency at each rate that was tried");
	put_chart(out, g, row, add_latencies, (chart_axis){ "time", "s", false },
	          (chart_axis){ "latency", "s", false }, "Latency of each request");
}
