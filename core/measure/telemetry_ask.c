/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to what telemetry has read. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "measure/telemetry.h"
#include "measure/telemetry_state.h"

/* What of the time asked for has to lie between readings. */
static const double least_covered = 0.9;

bool telemetry_is_subject(const telemetry *t, const eh_place_info *place)
{
	if (probes_match(place, &t->device))
		return true;
	return t->device.type == EH_DEVICE_CPU && place->kind == EH_PLACE_PACKAGE;
}

/* The less, the better a channel stands for what was asked. */
static unsigned rank(const eh_channel_info *info, uint32_t part)
{
	static const unsigned by_part[] = { 9, 0, 1, 2, 3 };
	unsigned order = info->form == EH_FORM_AVERAGE ? 1 : 0;

	if (part != 0)
		return order;
	return order + 2 * by_part[info->part < 5 ? info->part : 0];
}

telemetry_log *telemetry_find(telemetry *t, uint32_t kind, uint32_t part, bool counters,
                              const telemetry_reader **reader, const telemetry_place **place)
{
	telemetry_log *best = NULL;
	unsigned best_rank = 0;

	for (size_t i = 0; i < t->reader_count; i++) {
		telemetry_reader *r = &t->readers[i];

		for (uint32_t p = 0; p < r->place_count; p++) {
			telemetry_place *at = &r->places[p];

			if (!telemetry_is_subject(t, &at->place->info))
				continue;
			for (uint32_t c = 0; c < at->place->info.channel_count; c++) {
				telemetry_log *log = &at->logs[c];
				const eh_channel_info *info = log->info;

				if (log->count == 0 || info->kind != kind || (part != 0 && info->part != part) ||
				    (info->form == EH_FORM_COUNTER) != counters || info->form == EH_FORM_BITS ||
				    (best != NULL && rank(info, part) >= best_rank))
					continue;
				best = log;
				best_rank = rank(info, part);
				if (reader != NULL)
					*reader = r;
				if (place != NULL)
					*place = at;
			}
		}
	}
	return best;
}

bool telemetry_latest(telemetry *t, uint32_t kind, uint32_t part, double *value, uint64_t *time_ns)
{
	const telemetry_log *log;

	if (t == NULL)
		return false;
	pthread_mutex_lock(&t->lock);
	log = telemetry_find(t, kind, part, false, NULL, NULL);
	if (log != NULL) {
		*value = log->values[log->count - 1];
		if (time_ns != NULL)
			*time_ns = log->times_ns[log->count - 1];
	}
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
	log = telemetry_find(t, kind, part, false, NULL, NULL);
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

static bool add_energy(const telemetry_log *log, uint64_t from, uint64_t to, telemetry_energy *out)
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
                      telemetry_energy *out)
{
	const telemetry_reader *reader = NULL;
	const telemetry_place *place = NULL;
	const telemetry_log *one = telemetry_find(t, kind, EH_PART_ALL, counters, &reader, &place);
	unsigned added = 0;

	if (one == NULL)
		return false;
	(void)snprintf(out->channel, sizeof(out->channel), "%.40s %.40s %.40s", reader->probe.name,
	               place->place->info.id, one->info->name);
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
	if (added > 1)
		(void)snprintf(out->channel, sizeof(out->channel), "%.40s %u packages %.40s",
		               reader->probe.name, added, one->info->name);
	return added > 0;
}

bool telemetry_energy_between(telemetry *t, uint64_t from_ns, uint64_t to_ns, telemetry_energy *out)
{
	bool found;

	if (t == NULL || to_ns <= from_ns)
		return false;
	pthread_mutex_lock(&t->lock);
	*out = (telemetry_energy){ .method = "counter" };
	found = energy_of(t, EH_CHANNEL_ENERGY, true, from_ns, to_ns, out);
	if (!found) {
		*out = (telemetry_energy){ .method = "power" };
		found = energy_of(t, EH_CHANNEL_POWER, false, from_ns, to_ns, out);
	}
	pthread_mutex_unlock(&t->lock);
	return found;
}

bool telemetry_idle_power(telemetry *t, uint64_t span_ns, double *watts)
{
	telemetry_energy energy;
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
	found = telemetry_energy_between(t, from, from + span_ns, &energy) && energy.seconds > 0;
	if (found)
		*watts = energy.joules / energy.seconds;
	return found;
}

/* ---- throttling ---------------------------------------------------------------------------------- */

static cJSON *add_state(cJSON *list, const telemetry_reader *r, const telemetry_place *p,
                        const telemetry_log *log, const char *name)
{
	cJSON *state = cJSON_CreateObject();

	json_add_string(state, "probe", r->probe.name);
	json_add_string(state, "place", p->place->info.id);
	json_add_string(state, "channel", log->info->name);
	json_add_string(state, "name", name);
	cJSON_AddItemToArray(list, state);
	return state;
}

/* Each reading stands for the time up to the next. */
static void add_bits(cJSON *list, const telemetry_reader *r, const telemetry_place *p,
                     const telemetry_log *log, uint64_t from, uint64_t to)
{
	for (uint32_t b = 0; b < log->info->bit_count; b++) {
		const eh_bit *bit = &log->info->bits[b];
		double set = 0, all = 0;

		for (size_t i = 0; i + 1 < log->count; i++) {
			uint64_t left = log->times_ns[i] > from ? log->times_ns[i] : from;
			uint64_t right = log->times_ns[i + 1] < to ? log->times_ns[i + 1] : to;

			if (right <= left)
				continue;
			all += (double)(right - left);
			if (log->counts[i] & bit->mask)
				set += (double)(right - left);
		}
		if (set > 0 && !bit->harmless) {
			cJSON *state = add_state(list, r, p, log, bit->name);

			json_add_double(state, "share", set / all);
			json_add_string(state, "meaning", bit->meaning);
		}
	}
}

/* The last reading up to a time, or the first there is. */
static size_t reading_at(const telemetry_log *log, uint64_t time)
{
	size_t i = log->count - 1;

	while (i > 0 && log->times_ns[i] > time)
		i--;
	return i;
}

static void add_counter(cJSON *list, const telemetry_reader *r, const telemetry_place *p,
                        const telemetry_log *log, uint64_t from, uint64_t to)
{
	size_t a = reading_at(log, from), b = reading_at(log, to);
	uint64_t counted;
	cJSON *state;

	/* The reading after the end is nearer to it than one long before. */
	if (b + 1 < log->count && log->times_ns[b] < to)
		b++;
	counted = log->counts[b] - log->counts[a];
	if (counted == 0 || log->went_back)
		return;
	state = add_state(list, r, p, log, log->info->name);
	if (log->natives[b] > log->natives[a])
		json_add_double(state, "share",
		                fmin(1, (double)counted / (double)(log->natives[b] - log->natives[a])));
	else
		json_add_uint(state, "events", counted);
	json_add_string(state, "meaning", "the hardware held the clocks down");
}

cJSON *telemetry_throttle_between(telemetry *t, uint64_t from_ns, uint64_t to_ns)
{
	cJSON *list = NULL;

	if (t == NULL)
		return NULL;
	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; i < t->reader_count; i++) {
		const telemetry_reader *r = &t->readers[i];

		for (uint32_t p = 0; p < r->place_count; p++) {
			const telemetry_place *at = &r->places[p];

			for (uint32_t c = 0; c < at->place->info.channel_count; c++) {
				const telemetry_log *log = &at->logs[c];

				if (log->info->kind != EH_CHANNEL_THROTTLE || log->count < 2 ||
				    !telemetry_is_subject(t, &at->place->info))
					continue;
				if (list == NULL)
					list = cJSON_CreateArray();
				if (log->info->form == EH_FORM_BITS)
					add_bits(list, r, at, log, from_ns, to_ns);
				else
					add_counter(list, r, at, log, from_ns, to_ns);
			}
		}
	}
	pthread_mutex_unlock(&t->lock);
	return list;
}
