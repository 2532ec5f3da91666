/* SPDX-License-Identifier: Apache-2.0 */
/* What the sensors tell before and after a sustained run. */
#include "measure/sustain.h"

#include <math.h>

#include "base/clock.h"
#include "base/json.h"

static const uint64_t entry_step_ns = 200000000;
static const uint64_t entry_span_ns = 5000000000;
static const double still_celsius = 0.05;    /* a second                                     */
static const double still_megahertz = 5;     /* a second                                     */
static const uint64_t idle_span_ns = 5000000000;

/* True when a sensor says how fast the device still changes; *still when it hardly does. */
static bool ask(sustain *run, bool *still)
{
	double slope;

	if (telemetry_slope(run->sensors, EH_CHANNEL_TEMPERATURE, 0, entry_span_ns, &slope)) {
		run->entry = "temperature";
		*still = fabs(slope) <= still_celsius;
		return true;
	}
	if (telemetry_slope(run->sensors, EH_CHANNEL_CLOCK, 0, entry_span_ns, &slope)) {
		run->entry = "clock";
		*still = fabs(slope) <= still_megahertz;
		return true;
	}
	return false;
}

/* The readings are those of the recording that goes on around the case. */
static void wait_still(sustain *run, uint64_t patience, measure_report report, void *context)
{
	const measure_progress progress = { .stage = "settle" };
	uint64_t begin = clock_now_ns();
	uint64_t waited = 0;

	while (!run->entry_still && waited < patience) {
		clock_sleep_ns(entry_step_ns < patience ? entry_step_ns : patience);
		if (report != NULL)
			report(context, &progress);
		waited = clock_now_ns() - begin;
		/* What has no reading after a whole span will have none. */
		if (waited >= entry_span_ns && !ask(run, &run->entry_still))
			break;
	}
	run->entry_waited_ns = waited;
}

void sustain_enter(sustain *run, const record_settings *rules, measure_report report,
                   void *context)
{
	uint64_t span = rules->sustain_time_ns / 4 < idle_span_ns ? rules->sustain_time_ns / 4 :
	                idle_span_ns;

	run->entry = rules->sustain_entry_ns == 0 ? "not asked" : "no sensor";
	if (run->sensors == NULL || rules->telemetry_ns == 0)
		return;
	if (rules->sustain_entry_ns > 0)
		wait_still(run, rules->sustain_entry_ns, report, context);
	run->idle_known = telemetry_idle_power(run->sensors, span, &run->idle_watts);
}

void sustain_sensed(cJSON *sustained, telemetry *sensors, uint64_t begin_ns, uint64_t end_ns,
                    double idle_watts)
{
	telemetry_energy energy;
	cJSON *throttle;

	if (sustained == NULL)
		return;
	if (telemetry_energy_between(sensors, begin_ns, end_ns, &energy)) {
		cJSON *out = json_add_object(sustained, "energy");

		json_add_double(out, "joules", energy.joules);
		json_add_double(out, "seconds", energy.seconds);
		json_add_string(out, "method", energy.method);
		json_add_string(out, "channel", energy.channel);
		if (idle_watts >= 0)
			json_add_double(out, "idle_watts", idle_watts);
	} else {
		json_add_string(sustained, "energy_reason", sensors == NULL ?
		                "No sensors were read." :
		                "No sensor of this device told energy or power over the whole run.");
	}
	throttle = telemetry_throttle_between(sensors, begin_ns, end_ns);
	if (throttle != NULL)
		json_set(sustained, "throttle", throttle);
}
