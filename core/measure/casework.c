/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/casework.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "record/implied.h"
#include "stat/series.h"

/* Returns where the reason goes.  A wide interval no longer matters when a later check shows that
 * the number is wrong. */
static text_list *set_status(casework *w, enum record_status status)
{
	if (record_counts(w->record->status))
		w->record->status = status;
	return &w->record->reasons;
}

void casework_conclude(casework *w, enum record_status status, const char *reason)
{
	text_list_add(set_status(w, status), reason);
}

void casework_fail(casework *w, eh_status status, const eh_error *error)
{
	casework_conclude(w, status == EH_E_UNSUPPORTED ? RECORD_UNSUPPORTED : RECORD_FAILED,
	                  prepared_sentence(error, status));
	if (status == EH_E_DEVICE_LOST)
		*w->lost = true;
}

void casework_flag(casework *w, enum record_flag flag)
{
	word_list_add(&w->record->flags, flag);
}

void casework_enter(const casework *w, const char *stage)
{
	measure_progress progress = { .stage = stage };

	if (w->report != NULL)
		w->report(w->context, &progress);
}

void casework_samples(casework *w, const sampler *s, bool starts)
{
	record_execution *r = w->record;

	r->clock = s->device ? RECORD_CLOCK_DEVICE : RECORD_CLOCK_HOST;
	r->batch = s->batch;
	uint_list_set(&r->samples_ns, s->times_ns, s->count);
	uint_list_set(&r->warmup_ns, s->warmup_ns, s->warmup_count);
	if (s->device)
		uint_list_set(&r->host_ns, s->host_ns, s->count);
	if (s->count == 0)
		return;
	w->first_ns = s->starts_ns[0];
	w->last_ns = s->end_ns;
	if (starts)
		uint_list_set(&r->starts_ns, s->starts_ns, s->count);
	for (size_t i = 0; i < r->starts_ns.count; i++)
		r->starts_ns.items[i] -= w->first_ns;
}

/* A percentile is stated from the samples that count. */
static void require_counted(casework *w, const sampler *s, const series *like)
{
	uint64_t least = protocol_statistic_samples(s->rules.statistic);

	/* casework_width reports samples that are too few in all. */
	if (like->steady_count >= least || s->count < least)
		return;
	text_list_format(set_status(w, RECORD_NOT_CONVERGED), "Only %zu of the %zu samples are of "
	                 "the steady part, which alone counts; the %s needs %llu.", like->steady_count,
	                 s->count, record_statistic_word(s->rules.statistic), (unsigned long long)least);
}

/* The device's clock against the host's, in the middle sample. */
static void compare_clocks(casework *w)
{
	double share = implied_clock_share(w->record);

	implied_clock_flags(share, &w->record->flags);
	if (share < IMPLIED_CLOCK_LEAST)
		text_list_format(set_status(w, RECORD_INVALID), "The device clock claims %.2f of the host "
		                 "clock's time for the same operations.", share);
}

void casework_series(casework *w, sampler *s)
{
	double *values;
	series like;

	if (!s->settled)
		casework_flag(w, RECORD_FLAG_WARM_UP_NOT_SETTLED);
	if (s->short_samples)
		casework_flag(w, RECORD_FLAG_SHORT_SAMPLES);
	if (s->count < 2)
		return;
	values = memory_get(s->count * sizeof(*values));
	for (size_t i = 0; i < s->count; i++)
		values[i] = (double)s->times_ns[i] / (double)s->batch;
	series_analyse(values, s->count, &like);
	implied_series_flags(&like, &w->record->flags);
	require_counted(w, s, &like);
	series_free(&like);
	if (s->device)
		compare_clocks(w);
	free(values);
}

void casework_width(casework *w, const sampler *s)
{
	const record_settings *rules = &s->rules;
	bool sustained = rules->regime == RECORD_REGIME_SUSTAINED;
	uint64_t budget = sustained ? rules->sustain_time_ns : rules->time_max_ns;
	const char *name = record_statistic_word(rules->statistic);

	if (isfinite(s->half_width))
		w->record->half_width = s->half_width;
	if (s->converged || s->impossible[0] != '\0')
		return;
	if (!isfinite(s->half_width) || (!sustained && s->count < s->samples_min))
		text_list_format(set_status(w, RECORD_NOT_CONVERGED), "Only %zu samples fit in the budget "
		                 "of %.3g s; at least %llu were asked for.", s->count,
		                 (double)budget * 1e-9, (unsigned long long)s->samples_min);
	else if (sustained)
		text_list_format(set_status(w, RECORD_NOT_CONVERGED), "The interval of the %s of the last "
		                 "quarter of the windows is ±%.2f %% wide; ±%.2f %% was asked for.", name,
		                 s->half_width * 100, rules->half_width * 100);
	else
		text_list_format(set_status(w, RECORD_NOT_CONVERGED), "The interval of the %s is ±%.2f %% "
		                 "wide after %zu samples; ±%.2f %% within %.3g s was asked for.", name,
		                 s->half_width * 100, s->count, rules->half_width * 100,
		                 (double)budget * 1e-9);
}
