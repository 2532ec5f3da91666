/* SPDX-License-Identifier: Apache-2.0 */
/* States of throttling in what was read. */
#include <math.h>

#include "measure/telemetry_state.h"

/* A state that lasted less of the time did not decide the number. */
static const double least_share = 0.01;

/* The states and flags that are found between two times. */
typedef struct finding {
	uint64_t from, to;
	record_throttle_state_list *states; /* NULL = only flags */
	record_flag_list *flags;
} finding;

/* share or events may be absent. */
static void add_state(const finding *f, const telemetry_log *log, const char *name, double share,
                      double events, uint32_t cause, const char *meaning)
{
	if (f->states != NULL) {
		record_throttle_state *state = layout_append(record_throttle_state_layout(), f->states);

		text_set(&state->channel, log->info->name);
		text_set(&state->name, name);
		state->share = share;
		state->events = events;
		text_set(&state->meaning, meaning);
	}
	if (cause != EH_CAUSE_SETTING && (share >= least_share || events > 0))
		word_list_add(f->flags, cause == EH_CAUSE_POWER ? RECORD_FLAG_POWER_CAP :
		              RECORD_FLAG_THROTTLED);
}

/* The share of the time in which a bit is set: each reading holds until the next. */
static double share_of(const finding *f, const telemetry_log *log, uint64_t mask)
{
	double set = 0, all = 0;

	for (size_t i = 0; i + 1 < log->count; i++) {
		uint64_t left = log->times_ns[i] > f->from ? log->times_ns[i] : f->from;
		uint64_t right = log->times_ns[i + 1] < f->to ? log->times_ns[i + 1] : f->to;

		if (right <= left)
			continue;
		all += (double)(right - left);
		if (log->counts[i] & mask)
			set += (double)(right - left);
	}
	return all > 0 ? set / all : 0;
}

static void add_bits(const finding *f, const telemetry_log *log)
{
	for (uint32_t b = 0; b < log->info->bit_count; b++) {
		const eh_bit *bit = &log->info->bits[b];
		double share = bit->harmless ? 0 : share_of(f, log, bit->mask);

		if (share > 0)
			add_state(f, log, bit->name, share, NAN, bit->cause, bit->meaning);
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

static void add_counter(const finding *f, const telemetry_log *log)
{
	size_t a = reading_at(log, f->from), b = reading_at(log, f->to);
	double count, all;

	/* The reading after the end is nearer to it than one long before. */
	if (b + 1 < log->count && log->times_ns[b] < f->to)
		b++;
	count = (double)(log->counts[b] - log->counts[a]);
	all = log->natives[b] > log->natives[a] ? (double)(log->natives[b] - log->natives[a]) : 0;
	if (count == 0 || log->went_back)
		return;
	add_state(f, log, log->info->name, all > 0 ? fmin(1, count / all) : NAN, all > 0 ? NAN : count,
	          log->info->cause, "the hardware held the clocks down");
}

void telemetry_throttle_between(telemetry *t, uint64_t from_ns, uint64_t to_ns,
                                record_throttle_state_list *states, record_flag_list *flags)
{
	const finding f = { from_ns, to_ns, states, flags };

	if (t == NULL)
		return;
	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; i < t->reader_count; i++)
		for (uint32_t p = 0; p < t->readers[i].place_count; p++) {
			const telemetry_place *at = &t->readers[i].places[p];

			for (uint32_t c = 0; c < at->place->info.channel_count; c++) {
				const telemetry_log *log = &at->logs[c];

				if (log->info->kind != EH_CHANNEL_THROTTLE || log->count < 2 ||
				    !telemetry_is_subject(t, &at->place->info))
					continue;
				if (log->info->form == EH_FORM_BITS)
					add_bits(&f, log);
				else
					add_counter(&f, log);
			}
		}
	pthread_mutex_unlock(&t->lock);
}
