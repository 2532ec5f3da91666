/* SPDX-License-Identifier: Apache-2.0 */
/* The record's "telemetry". */
#include <math.h>

#include "measure/telemetry.h"
#include "measure/telemetry_state.h"

/* Nine significant digits are more than any sensor has. */
static double shortened(double value)
{
	double unit;

	if (!isfinite(value) || value == 0)
		return 0;
	unit = pow(10, floor(log10(fabs(value))) - 8);
	return unit >= 1 ? round(value) : round(value / unit) * unit;
}

static void add_channel(record_telemetry *to, const telemetry_reader *r, const telemetry_place *p,
                        const telemetry_log *log, uint64_t origin_ns)
{
	static const enum record_channel_form forms[] = {
		[EH_FORM_INSTANT] = RECORD_FORM_INSTANT, [EH_FORM_AVERAGE] = RECORD_FORM_AVERAGE,
		[EH_FORM_COUNTER] = RECORD_FORM_COUNTER, [EH_FORM_BITS] = RECORD_FORM_BITS,
	};
	record_telemetry_channel *c = layout_append(record_telemetry_channel_layout(), &to->channels);
	bool whole = log->info->form == EH_FORM_COUNTER || log->info->form == EH_FORM_BITS;

	text_set(&c->probe, r->probe.name);
	text_set(&c->place, p->place->info.id);
	text_set(&c->name, log->info->name);
	text_set(&c->kind, probes_kind(log->info->kind));
	text_set(&c->part, probes_part(log->info->part));
	c->form = forms[log->info->form];
	text_set(&c->unit, log->info->unit);
	if (log->info->window_ns > 0)
		c->window_ns = log->info->window_ns;
	for (size_t i = 0; i < log->count; i++) {
		/* Whole numbers below 2^53, as a double holds them. */
		number_list_add(&c->times_ns, (double)(int64_t)(log->times_ns[i] - origin_ns));
		number_list_add(&c->values, whole ? (double)log->counts[i] : shortened(log->values[i]));
	}
}

static void add_gap(record_telemetry *to, const telemetry_reader *r, const telemetry_place *p,
                    const telemetry_log *log, const char *reason)
{
	record_telemetry_gap *gap = layout_append(record_telemetry_gap_layout(), &to->gaps);

	text_set(&gap->probe, r->probe.name);
	text_set(&gap->place, p->place->info.id);
	text_set(&gap->name, log->info->name);
	text_set(&gap->reason, reason);
	if (log->failures > 0)
		gap->failures = log->failures;
}

static void add_place(record_telemetry *to, const telemetry_reader *r, const telemetry_place *p,
                      uint64_t origin_ns)
{
	to->simulated = to->simulated || (p->place->info.flags & EH_PLACE_SIMULATED) != 0;
	for (uint32_t c = 0; c < p->place->info.channel_count; c++) {
		const telemetry_log *log = &p->logs[c];

		if (log->count > 0)
			add_channel(to, r, p, log, origin_ns);
		if (log->went_back)
			add_gap(to, r, p, log, "the counter fell during the recording, so its differences "
			        "mean nothing");
		else if (log->given_up || log->hanging || log->failures > 0)
			add_gap(to, r, p, log, log->reason);
	}
}

record_telemetry *telemetry_record(telemetry *t, uint64_t origin_ns)
{
	record_telemetry *out;
	uint64_t longest_ns = 0;

	if (t == NULL || t->recording_number == 0)
		return NULL;
	out = layout_new(record_telemetry_layout());
	layout_copy(record_telemetry_layout(), &t->empty, out);
	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; i < t->reader_count; i++) {
		const telemetry_reader *r = &t->readers[i];

		out->overhead_ns += r->cpu_ns;
		out->readings += r->rounds;
		longest_ns = r->period_ns > longest_ns ? r->period_ns : longest_ns;
		for (uint32_t p = 0; p < r->place_count; p++)
			add_place(out, r, &r->places[p], origin_ns == 0 ? t->begin_ns : origin_ns);
	}
	out->period_ns = t->period_ns;
	/* Memory was full: readings were dropped and taken less often. */
	if (longest_ns > t->period_ns)
		out->grown_period_ns = longest_ns;
	if (t->end_ns > t->begin_ns)
		out->overhead_share = (double)out->overhead_ns / (double)(t->end_ns - t->begin_ns);
	pthread_mutex_unlock(&t->lock);
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
