/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/casework.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "record/implied.h"
#include "stat/series.h"

/* Returns where the reason goes.  The first status without a number stays, else the most severe. */
static text_list *set_status(casework *w, enum record_status status)
{
	if (record_counts(w->record->status) && status > w->record->status)
		w->record->status = status;
	return &w->record->reasons;
}

void casework_conclude(casework *w, enum record_status status, const char *reason)
{
	text_list_add(set_status(w, status), reason);
}

void casework_fail(casework *w, eh_status status, eh_error *error)
{
	casework_conclude(w, status == EH_E_UNSUPPORTED ? RECORD_UNSUPPORTED : RECORD_FAILED,
	                  error_sentence(error, status));
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

/* The stop rule takes samples for independent ones of one level. */
static void require_interval(casework *w, const sampler *s, const series *like)
{
	if (s->rules.regime == RECORD_REGIME_SUSTAINED)
		return; /* which is judged by its windows */
	if (like->class == SERIES_NO_STEADY_STATE)
		text_list_add(set_status(w, RECORD_NOT_CONVERGED),
		              "The samples reached no steady state, so they give no interval.");
	else if (like->dependent)
		text_list_format(set_status(w, RECORD_NOT_CONVERGED), "The samples depend on each other: "
		                 "they are worth fewer than %d independent ones, which give no interval.",
		                 SERIES_EFFECTIVE);
}

/* The device's clock against the host's, in the middle sample.  Whether it is wrong is for the proof:
 * waking up may take longer than the work. */
static void compare_clocks(casework *w)
{
	implied_clock_flags(implied_clock_share(w->record), &w->record->flags);
}

static void look_at_series(casework *w, const sampler *s, double *values)
{
	series like;

	for (size_t i = 0; i < s->count; i++)
		values[i] = (double)s->times_ns[i] / (double)s->batch;
	series_analyse(values, s->count, &like);
	implied_series_flags(&like, &w->record->flags);
	require_counted(w, s, &like);
	require_interval(w, s, &like);
	series_free(&like);
}

void casework_series(casework *w, sampler *s)
{
	double *values;

	if (!s->settled)
		casework_flag(w, RECORD_FLAG_WARM_UP_NOT_SETTLED);
	if (s->short_samples)
		casework_flag(w, RECORD_FLAG_SHORT_SAMPLES);
	if (s->count < 2)
		return;
	values = memory_get(s->count * sizeof(*values));
	/* Samples of turns are no series: what others do lies between them. */
	if (s->rounds == NULL)
		look_at_series(w, s, values);
	if (s->device)
		compare_clocks(w);
	free(values);
}

/* The same of rounds. */
static void conclude_rounds(casework *w, const sampler *s)
{
	if (!isfinite(s->half_width))
		text_list_add(set_status(w, RECORD_NOT_CONVERGED), "Too few rounds fit in the time: they have "
		              "no interval.");
	else if (s->count < s->samples_min)
		text_list_format(set_status(w, RECORD_NOT_CONVERGED), "Only %zu samples were taken in turns; "
		                 "at least %llu were asked for.", s->count, (unsigned long long)s->samples_min);
	else
		text_list_format(set_status(w, RECORD_NOT_CONVERGED), "The interval of the rounds is "
		                 "±%.2f %% wide; ±%.2f %% was asked for.", s->half_width * 100,
		                 s->rules.half_width * 100);
}

/* After casework_series. */
static bool gives_interval(const casework *w)
{
	return !word_list_has(&w->record->flags, RECORD_FLAG_NO_STEADY_STATE) &&
	       !word_list_has(&w->record->flags, RECORD_FLAG_DEPENDENT);
}

void casework_width(casework *w, const sampler *s)
{
	const record_settings *rules = &s->rules;
	bool sustained = rules->regime == RECORD_REGIME_SUSTAINED;
	uint64_t budget = sustained ? rules->sustain_time_ns : rules->time_max_ns;
	const char *name = record_statistic_word(rules->statistic);

	if (isfinite(s->half_width) && (sustained || gives_interval(w)))
		w->record->half_width = s->half_width;
	if (s->converged || s->impossible[0] != '\0')
		return;
	if (s->rounds != NULL)
		conclude_rounds(w, s);
	else if (!sustained && s->count < s->samples_min)
		text_list_format(set_status(w, RECORD_NOT_CONVERGED), "Only %zu sample%s in the budget of "
		                 "%.3g s; at least %llu were asked for.", s->count,
		                 s->count == 1 ? " fits" : "s fit", (double)budget * 1e-9,
		                 (unsigned long long)s->samples_min);
	else if (!isfinite(s->half_width))
		text_list_format(set_status(w, RECORD_NOT_CONVERGED), "The samples that fit in the %.3g s are "
		                 "too few for an interval.", (double)budget * 1e-9);
	else if (sustained)
		text_list_format(set_status(w, RECORD_NOT_CONVERGED), "The interval of the %s of the last "
		                 "quarter of the windows is ±%.2f %% wide; ±%.2f %% was asked for.", name,
		                 s->half_width * 100, rules->half_width * 100);
	else if (s->half_width <= rules->half_width)
		text_list_format(set_status(w, RECORD_NOT_CONVERGED), "Only %.3g s of samples fit in the budget "
		                 "of %.3g s; at least %.3g s were asked for.", implied_host_ns(w->record) * 1e-9,
		                 (double)budget * 1e-9, (double)rules->time_min_ns * 1e-9);
	else
		text_list_format(set_status(w, RECORD_NOT_CONVERGED), "The interval of the %s is ±%.2f %% "
		                 "wide after %zu samples; ±%.2f %% within %.3g s was asked for.", name,
		                 s->half_width * 100, s->count, rules->half_width * 100,
		                 (double)budget * 1e-9);
}
