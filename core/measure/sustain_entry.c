/* SPDX-License-Identifier: Apache-2.0 */
/* Sensors before and after a sustained run. */
#include "measure/sustain.h"

#include <math.h>

#include "base/clock.h"

static const uint64_t entry_step_ns = 200000000;
static const uint64_t entry_span_ns = 5000000000;
static const double still_celsius = 0.05;    /* a second                                     */
static const double still_megahertz = 5;     /* a second                                     */
static const uint64_t idle_span_ns = 5000000000;

/* False when no sensor tells how fast the device still changes. */
static bool ask(sustain *run)
{
	record_sustained_entry *entry = &run->record->entry;
	double slope;

	if (telemetry_slope(run->sensors, EH_CHANNEL_TEMPERATURE, 0, entry_span_ns, &slope)) {
		text_set(&entry->by, "temperature");
		entry->still = fabs(slope) <= still_celsius;
		return true;
	}
	if (telemetry_slope(run->sensors, EH_CHANNEL_CLOCK, 0, entry_span_ns, &slope)) {
		text_set(&entry->by, "clock");
		entry->still = fabs(slope) <= still_megahertz;
		return true;
	}
	return false;
}

/* The readings are those of the recording that goes on around the case. */
static void wait_still(sustain *run, uint64_t patience, measure_report report, void *context)
{
	const measure_progress progress = { .stage = "settle" };
	record_sustained_entry *entry = &run->record->entry;
	uint64_t begin = clock_now_ns();

	while (!entry->still && entry->waited_ns < patience) {
		clock_sleep_ns(entry_step_ns < patience ? entry_step_ns : patience);
		if (report != NULL)
			report(context, &progress);
		entry->waited_ns = clock_now_ns() - begin;
		/* A sensor without readings after a whole span will have none. */
		if (entry->waited_ns >= entry_span_ns && !ask(run))
			break;
	}
}

static void measure_idle(sustain *run, uint64_t span_ns)
{
	double watts;

	if (!telemetry_idle_power(run->sensors, span_ns, &watts))
		return;
	run->record->energy = layout_new(record_sustained_energy_layout());
	run->record->energy->idle_watts = watts;
}

void sustain_enter(sustain *run, const record_settings *rules, measure_report report,
                   void *context)
{
	uint64_t span = rules->sustain_time_ns / 4 < idle_span_ns ? rules->sustain_time_ns / 4 :
	                idle_span_ns;
	record_sustained *r = layout_new(record_sustained_layout());

	run->record = r;
	r->window_ns = rules->sustain_window_ns;
	text_set(&r->canary, "before and after only: the run has no pause for it");
	text_set(&r->entry.by, rules->sustain_entry_ns == 0 ? "not asked" : "no sensor");
	if (run->sensors == NULL || rules->telemetry_ns == 0)
		return;
	if (rules->sustain_entry_ns > 0)
		wait_still(run, rules->sustain_entry_ns, report, context);
	measure_idle(run, span);
}

void sustain_energy(record_sustained *out, telemetry *sensors, uint64_t begin_ns, uint64_t end_ns)
{
	if (out->energy == NULL)
		out->energy = layout_new(record_sustained_energy_layout());
	if (telemetry_energy_between(sensors, begin_ns, end_ns, out->energy))
		return;
	layout_free(record_sustained_energy_layout(), out->energy);
	out->energy = NULL;
	text_set(&out->energy_reason, sensors == NULL ? "No sensors were read." :
	         "No sensor of this device reported energy or power over the whole run.");
}
