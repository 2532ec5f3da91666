/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/casework.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "stat/series.h"
#include "stat/statistics.h"

static const double canary_change = 0.10;  /* beyond this the row is flagged               */
static const double device_share = 0.8;    /* device time to host time of the middle sample */
static const double device_least = 0.5;

cJSON *casework_record(const char *status)
{
	cJSON *record = cJSON_CreateObject();

	json_add_string(record, "status", status);
	json_add_array(record, "reasons");
	json_add_array(record, "flags");
	return record;
}

void casework_conclude(casework *w, const char *status, const char *reason)
{
	const char *so_far = json_string(w->record, "status", "");

	/* A number that is merely wide is none once something shows that it is wrong. */
	if (strcmp(so_far, "valid") == 0 || strcmp(so_far, "not-converged") == 0)
		json_set(w->record, "status", cJSON_CreateString(status));
	json_append_string(w->reasons, reason);
}

void casework_conclude_free(casework *w, const char *status, char *reason)
{
	casework_conclude(w, status, reason);
	free(reason);
}

void casework_fail(casework *w, eh_status status, const eh_error *error)
{
	casework_conclude(w, status == EH_E_UNSUPPORTED ? "unsupported" : "failed",
	                  prepared_sentence(error, status));
	if (status == EH_E_DEVICE_LOST)
		*w->lost = true;
}

void casework_flag(casework *w, const char *flag)
{
	json_append_string(w->flags, flag);
}

void casework_enter(const casework *w, const char *stage)
{
	measure_progress progress = { .stage = stage };

	if (w->report != NULL)
		w->report(w->context, &progress);
}

void casework_samples(casework *w, const sampler *s, bool starts)
{
	json_add_string(w->record, "clock", s->device ? "device" : "host");
	json_add_uint(w->record, "batch", s->batch);
	json_add_uints(w->record, "samples_ns", s->times_ns, s->count);
	if (s->device)
		json_add_uints(w->record, "host_ns", s->host_ns, s->count);
	w->first_ns = s->count > 0 ? s->starts_ns[0] : 0;
	if (starts && s->count > 0) {
		uint64_t *relative = memory_get(s->count * sizeof(*relative));

		for (size_t i = 0; i < s->count; i++)
			relative[i] = s->starts_ns[i] - s->starts_ns[0];
		json_add_uints(w->record, "starts_ns", relative, s->count);
		free(relative);
	}
	json_add_uints(w->record, "warmup_ns", s->warmup_ns, s->warmup_count);
}

/* A percentile is stated from the samples that count alone. */
static void require_counted(casework *w, const sampler *s, const series *like)
{
	uint64_t least = protocol_statistic_samples(s->rules.statistic);

	/* Too few in all are casework_width's to tell. */
	if (like->steady_count >= least || s->count < least)
		return;
	casework_conclude_free(w, "not-converged",
	                       memory_format("Only %zu of the %zu samples are of the steady part, which "
	                                     "alone counts; the %s is stated from %llu on.",
	                                     like->steady_count, s->count,
	                                     record_statistic_word(s->rules.statistic),
	                                     (unsigned long long)least));
}

void casework_series(casework *w, sampler *s)
{
	const char *flags[SERIES_FLAGS_MOST];
	double *ratios;
	double middle;
	size_t count;
	series like;

	if (!s->settled)
		casework_flag(w, "warm-up-not-settled");
	if (s->short_samples)
		casework_flag(w, "short-samples");
	if (s->count < 2)
		return;
	ratios = memory_get(s->count * sizeof(*ratios));
	for (size_t i = 0; i < s->count; i++)
		ratios[i] = (double)s->times_ns[i] / (double)s->batch;
	series_analyse(ratios, s->count, &like);
	count = series_flags(&like, flags);
	for (size_t i = 0; i < count; i++)
		casework_flag(w, flags[i]);
	require_counted(w, s, &like);
	series_free(&like);
	if (s->device) {
		for (size_t i = 0; i < s->count; i++)
			ratios[i] = (double)s->times_ns[i] / (double)(s->host_ns[i] + 1);
		middle = statistics_median(ratios, s->count);
		if (middle < device_least)
			casework_conclude_free(w, "invalid",
			                       memory_format("The device clock claims %.2f of the host "
			                                     "clock's time for the same operations.",
			                                     middle));
		else if (middle < device_share)
			casework_flag(w, "device-clock-low");
	}
	free(ratios);
}

void casework_width(casework *w, const sampler *s)
{
	const record_settings *rules = &s->rules;
	bool sustained = rules->regime == RECORD_REGIME_SUSTAINED;
	uint64_t budget = sustained ? rules->sustain_time_ns : rules->time_max_ns;
	const char *name = record_statistic_word(rules->statistic);

	if (isfinite(s->half_width))
		json_add_double(w->record, "half_width", s->half_width);
	if (s->converged || s->impossible[0] != '\0')
		return;
	if (!isfinite(s->half_width) || (!sustained && s->count < s->samples_min))
		casework_conclude_free(w, "not-converged",
		                       memory_format("Only %zu samples fit in the budget of %.3g s; at "
		                                     "least %llu were asked for.", s->count,
		                                     (double)budget * 1e-9,
		                                     (unsigned long long)s->samples_min));
	else if (sustained)
		casework_conclude_free(w, "not-converged",
		                       memory_format("The interval of the %s of the last quarter of the "
		                                     "windows is +-%.2f %% wide; +-%.2f %% was asked "
		                                     "for.", name, s->half_width * 100,
		                                     rules->half_width * 100));
	else
		casework_conclude_free(w, "not-converged",
		                       memory_format("The interval of the %s is +-%.2f %% wide after %zu "
		                                     "samples; +-%.2f %% within %.3g s was asked for.",
		                                     name, s->half_width * 100, s->count,
		                                     rules->half_width * 100, (double)budget * 1e-9));
}

static double change(uint64_t now, uint64_t reference)
{
	return reference == 0 ? 0 : fabs((double)now / (double)reference - 1);
}

void casework_canary(casework *w, const canary_times *before, const canary_times *after)
{
	const canary_times *first = canary_reference(w->canary);
	const canary_amounts work = canary_work(w->canary);
	cJSON *out = cJSON_CreateObject();

	json_add_uint(out, "compute_before_ns", before->compute_ns);
	json_add_uint(out, "compute_after_ns", after->compute_ns);
	json_add_uint(out, "memory_before_ns", before->memory_ns);
	json_add_uint(out, "memory_after_ns", after->memory_ns);
	json_add_uint(out, "reference_compute_ns", first->compute_ns);
	json_add_uint(out, "reference_memory_ns", first->memory_ns);
	json_add_uint(out, "compute_rounds", work.compute_rounds);
	json_add_uint(out, "memory_bytes", work.memory_bytes);
	json_set(w->record, "canary", out);
	if (change(before->compute_ns, first->compute_ns) > canary_change ||
	    change(after->compute_ns, first->compute_ns) > canary_change ||
	    change(before->memory_ns, first->memory_ns) > canary_change ||
	    change(after->memory_ns, first->memory_ns) > canary_change)
		casework_flag(w, "canary-moved");
}
