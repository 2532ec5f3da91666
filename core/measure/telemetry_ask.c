/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about readings. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "measure/telemetry.h"
#include "measure/telemetry_state.h"

/* The share of the time asked for that has to lie between readings. */
static const double least_covered = 0.9;

bool telemetry_is_subject(const telemetry *t, const eh_place_info *place)
{
	if (probes_match(place, &t->device))
		return true;
	return t->device.type == EH_DEVICE_CPU && place->kind == EH_PLACE_PACKAGE;
}

/* The lower, the better the channel answers the question. */
static unsigned rank(const eh_channel_info *info, uint32_t part)
{
	static const unsigned by_part[] = { 9, 0, 1, 2, 3 };
	unsigned order = info->form == EH_FORM_AVERAGE ? 1 : 0;

	if (part != 0)
		return order;
	return order + 2 * by_part[info->part < 5 ? info->part : 0];
}

/* Whether the channel answers the question.  Limits of clocks and of temperature do not. */
static bool answers(const eh_channel_info *info, uint32_t kind, uint32_t part, bool counters)
{
	return info->kind == kind && (part == 0 || info->part == part) &&
	       (info->form == EH_FORM_COUNTER) == counters && info->form != EH_FORM_BITS &&
	       (kind != EH_CHANNEL_LIMIT || strcmp(info->unit, "W") == 0);
}

/* The log to ask for a kind and part; NULL when none has readings.  The lock is held.  *reader and
 * *place are set when not NULL. */
static telemetry_log *find(telemetry *t, uint32_t kind, uint32_t part, bool counters,
                           const telemetry_reader **reader, const telemetry_place **place)
{
	telemetry_log *best = NULL;

	for (size_t i = 0; i < t->reader_count; i++) {
		telemetry_reader *r = &t->readers[i];

		for (uint32_t p = 0; p < r->place_count; p++) {
			telemetry_place *at = &r->places[p];

			if (!telemetry_is_subject(t, &at->place->info))
				continue;
			for (uint32_t c = 0; c < at->place->info.channel_count; c++) {
				telemetry_log *log = &at->logs[c];

				if (log->count == 0 || !answers(log->info, kind, part, counters) ||
				    (best != NULL && rank(log->info, part) >= rank(best->info, part)))
					continue;
				best = log;
				if (reader != NULL)
					*reader = r;
				if (place != NULL)
					*place = at;
			}
		}
	}
	return best;
}

bool telemetry_latest(telemetry *t, uint32_t kind, uint32_t part, double *value)
{
	const telemetry_log *log;

	if (t == NULL)
		return false;
	pthread_mutex_lock(&t->lock);
	log = find(t, kind, part, false, NULL, NULL);
	if (log != NULL)
		*value = log->values[log->count - 1];
	pthread_mutex_unlock(&t->lock);
	return log != NULL;
}

bool telemetry_slope(telemetry *t, uint32_t kind, uint32_t part, uint64_t span_ns, double *per_second)
{
	const telemetry_log *log;
	double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
	bool found = false;

	if (t == NULL)
		return false;
	pthread_mutex_lock(&t->lock);
	log = find(t, kind, part, false, NULL, NULL);
	if (log != NULL) {
		uint64_t end = log->times_ns[log->count - 1];

		for (size_t i = log->count; i-- > 0 && end - log->times_ns[i] <= span_ns;) {
			double x = (double)(end - log->times_ns[i]) * -1e-9;

			n += 1;
			sx += x;
			sy += log->values[i];
			sxx += x * x;
			sxy += x * log->values[i];
		}
		found = n >= 3 && n * sxx - sx * sx > 0;
		if (found)
			*per_second = (n * sxy - sx * sy) / (n * sxx - sx * sx);
	}
	pthread_mutex_unlock(&t->lock);
	return found;
}

/* ---- energy ----------------------------------------------------------------------------------- */

/* Joules from the first reading to reading i: what was counted, or trapezoids under the power. */
static double joules_step(const telemetry_log *log, size_t i)
{
	double seconds = (double)(log->times_ns[i] - log->times_ns[i - 1]) * 1e-9;

	if (log->info->form == EH_FORM_COUNTER)
		return (double)(log->counts[i] - log->counts[i - 1]) * 1e-6;
	return (log->values[i] + log->values[i - 1]) / 2 * seconds;
}

/* Between two times that lie within the readings; steps are cut in proportion to their time. */
static double joules(const telemetry_log *log, uint64_t from, uint64_t to)
{
	double sum = 0;

	for (size_t i = 1; i < log->count; i++) {
		uint64_t a = log->times_ns[i - 1], b = log->times_ns[i];
		uint64_t left = a > from ? a : from, right = b < to ? b : to;

		if (right > left)
			sum += joules_step(log, i) * (double)(right - left) / (double)(b - a);
	}
	return sum;
}

static bool add_energy(const telemetry_log *log, uint64_t from, uint64_t to, record_sustained_energy *out)
{
	uint64_t first, last;
	double seconds;

	if (log->count < 2 || log->went_back)
		return false;
	first = log->times_ns[0] > from ? log->times_ns[0] : from;
	last = log->times_ns[log->count - 1] < to ? log->times_ns[log->count - 1] : to;
	if (last <= first || (double)(last - first) < least_covered * (double)(to - from))
		return false;
	seconds = (double)(last - first) * 1e-9;
	out->joules += joules(log, first, last);
	if (out->seconds == 0 || seconds < out->seconds)
		out->seconds = seconds;
	return true;
}

/* The sum over packages when the device is a processor; else its one channel.  The lock is held. */
static bool energy_of(telemetry *t, uint32_t kind, bool counters, uint64_t from, uint64_t to,
                      record_sustained_energy *out)
{
	const telemetry_reader *reader = NULL;
	const telemetry_place *place = NULL;
	const telemetry_log *one = find(t, kind, EH_PART_ALL, counters, &reader, &place);
	unsigned added = 0;

	out->joules = 0;
	out->seconds = 0;
	if (one == NULL)
		return false;
	free(out->channel);
	out->channel = memory_format("%s %s %s", reader->probe.name, place->place->info.id,
	                             one->info->name);
	if (place->place->info.kind != EH_PLACE_PACKAGE)
		return add_energy(one, from, to, out);
	for (uint32_t p = 0; p < reader->place_count; p++) {
		const telemetry_place *at = &reader->places[p];

		for (uint32_t c = 0; c < at->place->info.channel_count; c++) {
			if (at->place->info.kind != EH_PLACE_PACKAGE ||
			    strcmp(at->logs[c].info->name, one->info->name) != 0)
				continue;
			if (!add_energy(&at->logs[c], from, to, out))
				return false;
			added++;
		}
	}
	if (added > 1) {
		free(out->channel);
		out->channel = memory_format("%s %u packages %s", reader->probe.name, added,
		                             one->info->name);
	}
	return added > 0;
}

bool telemetry_energy_between(telemetry *t, uint64_t from_ns, uint64_t to_ns,
                              record_sustained_energy *out)
{
	bool found;

	if (t == NULL || to_ns <= from_ns)
		return false;
	pthread_mutex_lock(&t->lock);
	text_set(&out->method, "counter");
	found = energy_of(t, EH_CHANNEL_ENERGY, true, from_ns, to_ns, out);
	if (!found) {
		text_set(&out->method, "power");
		found = energy_of(t, EH_CHANNEL_POWER, false, from_ns, to_ns, out);
	}
	pthread_mutex_unlock(&t->lock);
	return found;
}

bool telemetry_idle_power(telemetry *t, uint64_t span_ns, double *watts)
{
	record_sustained_energy energy;
	bool recording, found;
	uint64_t from;

	if (t == NULL || span_ns == 0)
		return false;
	pthread_mutex_lock(&t->lock);
	recording = t->recording;
	pthread_mutex_unlock(&t->lock);
	if (!recording)
		telemetry_start(t, span_ns / 10 > 0 ? span_ns / 10 : 1);
	from = clock_now_ns();
	clock_sleep_ns(span_ns);
	if (!recording)
		telemetry_stop(t);
	layout_init(record_sustained_energy_layout(), &energy);
	found = telemetry_energy_between(t, from, from + span_ns, &energy) && energy.seconds > 0;
	if (found)
		*watts = energy.joules / energy.seconds;
	layout_clear(record_sustained_energy_layout(), &energy);
	return found;
}
