/* SPDX-License-Identifier: Apache-2.0 */
/* The record's "telemetry". */
#include <math.h>

#include "base/json.h"
#include "measure/telemetry.h"
#include "measure/telemetry_state.h"

static cJSON *named(const telemetry_reader *r, const telemetry_place *p, const telemetry_log *log)
{
	cJSON *item = cJSON_CreateObject();

	json_add_string(item, "probe", r->probe.name);
	json_add_string(item, "place", p->place->info.id);
	json_add_string(item, "name", log->info->name);
	return item;
}

/* Nine significant digits are more than any sensor has. */
static double shortened(double value)
{
	double unit;

	if (!isfinite(value) || value == 0)
		return 0;
	unit = pow(10, floor(log10(fabs(value))) - 8);
	return unit >= 1 ? round(value) : round(value / unit) * unit;
}

static void add_channel(cJSON *list, const telemetry_reader *r, const telemetry_place *p,
                        const telemetry_log *log, uint64_t origin_ns)
{
	cJSON *item = named(r, p, log);
	cJSON *times = cJSON_CreateArray();
	cJSON *values = cJSON_CreateArray();
	bool whole = log->info->form == EH_FORM_COUNTER || log->info->form == EH_FORM_BITS;

	json_add_string(item, "kind", probes_kind(log->info->kind));
	json_add_string(item, "part", probes_part(log->info->part));
	json_add_string(item, "form", probes_form(log->info->form));
	json_add_string(item, "unit", log->info->unit);
	if (log->info->window_ns > 0)
		json_add_uint(item, "window_ns", log->info->window_ns);
	for (size_t i = 0; i < log->count; i++) {
		/* Whole numbers below 2^53, as a double holds them. */
		double time = (double)(int64_t)(log->times_ns[i] - origin_ns);

		cJSON_AddItemToArray(times, cJSON_CreateNumber(time));
		cJSON_AddItemToArray(values, cJSON_CreateNumber(whole ? (double)log->counts[i]
		                                                      : shortened(log->values[i])));
	}
	json_set(item, "times_ns", times);
	json_set(item, "values", values);
	cJSON_AddItemToArray(list, item);
}

static void add_gap(cJSON *list, const telemetry_reader *r, const telemetry_place *p,
                    const telemetry_log *log, const char *reason)
{
	cJSON *item = named(r, p, log);

	json_add_string(item, "reason", reason);
	if (log->failures > 0)
		json_add_uint(item, "failures", log->failures);
	cJSON_AddItemToArray(list, item);
}

cJSON *telemetry_json(telemetry *t, uint64_t origin_ns)
{
	cJSON *out, *channels, *gaps;
	uint64_t cpu_ns = 0, rounds = 0, longest_ns = 0;
	bool simulated = false;

	if (t == NULL || t->recording_number == 0)
		return NULL;
	out = cJSON_CreateObject();
	channels = cJSON_CreateArray();
	gaps = cJSON_Duplicate(t->left_out, true);
	pthread_mutex_lock(&t->lock);
	if (origin_ns == 0)
		origin_ns = t->begin_ns;
	for (size_t i = 0; i < t->reader_count; i++) {
		const telemetry_reader *r = &t->readers[i];

		cpu_ns += r->cpu_ns;
		rounds += r->rounds;
		longest_ns = r->period_ns > longest_ns ? r->period_ns : longest_ns;
		for (uint32_t p = 0; p < r->place_count; p++) {
			const telemetry_place *at = &r->places[p];

			simulated = simulated || (at->place->info.flags & EH_PLACE_SIMULATED);
			for (uint32_t c = 0; c < at->place->info.channel_count; c++) {
				const telemetry_log *log = &at->logs[c];

				if (log->count > 0)
					add_channel(channels, r, at, log, origin_ns);
				if (log->went_back)
					add_gap(gaps, r, at, log, "the counter fell during the recording, so that "
					        "its differences mean nothing");
				else if (log->given_up || log->failures > 0)
					add_gap(gaps, r, at, log, log->reason);
			}
		}
	}
	json_add_uint(out, "period_ns", t->period_ns);
	/* Memory was full: readings were dropped and taken less often. */
	if (longest_ns > t->period_ns)
		json_add_uint(out, "grown_period_ns", longest_ns);
	json_add_uint(out, "readings", rounds);
	json_add_uint(out, "overhead_ns", cpu_ns);
	if (t->end_ns > t->begin_ns)
		json_add_double(out, "overhead_share", (double)cpu_ns / (double)(t->end_ns - t->begin_ns));
	json_add_bool(out, "simulated", simulated);
	pthread_mutex_unlock(&t->lock);
	json_set(out, "channels", channels);
	json_set(out, "gaps", gaps);
	return out;
}

double telemetry_burden(telemetry *t)
{
	uint64_t spent = 0;
	double burden = 0;

	if (t == NULL)
		return 0;
	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; i < t->reader_count; i++)
		spent += t->readers[i].between_ns;
	if (t->end_ns > t->begin_ns)
		burden = (double)spent / (double)(t->end_ns - t->begin_ns);
	pthread_mutex_unlock(&t->lock);
	return burden;
}
