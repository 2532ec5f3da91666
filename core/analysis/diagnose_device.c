/* SPDX-License-Identifier: Apache-2.0 */
/* What a record says about a case beside its time: whether its device was idle, power and heat. */
#include <string.h>

#include "analysis/ceilings.h"
#include "analysis/diagnose.h"
#include "analysis/stacks.h"

#define NOTE(c, ...) text_list_format(&(c)->notes, __VA_ARGS__)

/* ---- an idle device -------------------------------------------------------------------------- */

static double sum_of(const uint_list *list)
{
	double sum = 0;

	for (size_t i = 0; i < list->count; i++)
		sum += (double)list->items[i];
	return sum;
}

/* The device's clock against the host's around the same samples; NaN without both. */
static double idle_by_clocks(const record_case *row)
{
	double device = 0, host = 0;

	for (size_t i = 0; i < row->executions.count; i++) {
		const record_execution *e = &row->executions.items[i];

		if (e->clock != RECORD_CLOCK_DEVICE || e->host_ns.count == 0)
			continue;
		device += sum_of(&e->samples_ns);
		host += sum_of(&e->host_ns);
	}
	return host > 0 ? fmax(0, 1 - device / host) : NAN;
}

void diagnose_idle(diagnosis_case *c, const ceiling_list *all)
{
	const ceiling *empty = ceilings_of(all, CEILING_EMPTY, NULL);
	double share;

	c->idle = idle_by_clocks(c->row);
	if (!isnan(c->idle)) {
		NOTE(c, "The device was idle for %.1f %% of the time, by its clock and the host's around the "
		     "same samples.", c->idle * 100);
	} else if (empty == NULL) {
		NOTE(c, "Whether the device was idle is not known: the times are by the host's clock, and no "
		     "case of launch (mode = back-to-back) measures an empty kernel.");
	} else {
		share = empty->ns / c->median_ns;
		NOTE(c, "An empty kernel takes %.1f %% of its time (%s); by the host's clock, with one kernel "
		     "an operation, the device is idle for that long.", share * 100, empty->by);
		c->idle = fmin(share, 1);
	}
}

/* ---- power and heat -------------------------------------------------------------------------- */

/* Per nanosecond; NaN without two readings. */
static double slope(const record_telemetry_channel *c)
{
	size_t last = c->values.count - 1;

	if (c->values.count < 2 || c->times_ns.count <= last ||
	    !(c->times_ns.items[last] > c->times_ns.items[0]))
		return NAN;
	return (c->values.items[last] - c->values.items[0]) /
	       (c->times_ns.items[last] - c->times_ns.items[0]);
}

/* The share of the time by a counter of throttled time; NaN for other sensors, counters of events
 * among them. */
static double counted_share(const record_telemetry_channel *c)
{
	static const struct { const char *unit; double ns; } units[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }
	};

	if (strcmp(c->kind, "throttle") != 0 || c->form != RECORD_FORM_COUNTER)
		return NAN;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(units[i].unit, c->unit) == 0)
			return slope(c) * units[i].ns;
	return NAN;
}

/* Keeps the larger share with the name of its sensor. */
static void take_share(diagnosis_case *c, double share, const char *sensor, const char **name)
{
	if (share > c->throttled || (isnan(c->throttled) && share >= 0)) {
		c->throttled = share;
		*name = sensor;
	}
}

void diagnose_power(diagnosis_case *c)
{
	const char *name = "";

	for (size_t i = 0; i < c->row->executions.count; i++) {
		const record_execution *e = &c->row->executions.items[i];
		size_t states = e->sustained != NULL ? e->sustained->throttle.count : 0;
		size_t channels = e->telemetry != NULL ? e->telemetry->channels.count : 0;

		for (size_t k = 0; k < states; k++)
			take_share(c, e->sustained->throttle.items[k].share, e->sustained->throttle.items[k].name,
			           &name);
		for (size_t k = 0; k < channels; k++)
			take_share(c, counted_share(&e->telemetry->channels.items[k]),
			           e->telemetry->channels.items[k].name, &name);
	}
	c->power_limited = c->throttled >= DIAGNOSE_THROTTLED;
	if (c->power_limited)
		NOTE(c, "Power or heat held the device back for %.0f %% of the time (%s).",
		     c->throttled * 100, name);
}

/* ---- one device ------------------------------------------------------------------------------ */

/* The name of the processor in the host's layers; NULL where it is not known. */
static const char *processor_of(const record_executor *e)
{
	for (size_t i = 0; i < e->layers.count; i++)
		if (e->layers.items[i].layer == RECORD_LAYER_HARDWARE &&
		    record_layer_field(&e->layers.items[i], "microcode") != NULL)
			return e->layers.items[i].name;
	return NULL;
}

static bool is_known(const char *x, const char *y)
{
	return x != NULL && y != NULL && x[0] != '\0' && y[0] != '\0';
}

static bool is_processor(const record_device *d)
{
	return d->type != NULL && strcmp(d->type, "cpu") == 0;
}

bool diagnose_same_device(const record_executor *a, const record_executor *b)
{
	const record_device *x = &a->device, *y = &b->device;
	const char *p = processor_of(a), *q = processor_of(b);

	if (is_known(x->uuid, y->uuid))
		return strcmp(x->uuid, y->uuid) == 0;
	if (is_known(x->pci, y->pci))
		return strcmp(x->pci, y->pci) == 0;
	if (!is_processor(x) || !is_processor(y))
		return false;
	/* Each backend calls the processor by another name; the host's layers are the same. */
	if (p != NULL && q != NULL)
		return strcmp(p, q) == 0;
	return is_known(x->name, y->name) && strcmp(x->name, y->name) == 0;
}
