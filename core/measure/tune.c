/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/tune.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/random.h"
#include "base/text.h"
#include "measure/sampler.h"

enum { MOST_AXES = 16, MOST_CANDIDATES = 65536 };
static const uint64_t shortest_trial_ns = 10000000;
static const uint64_t longest_trial_ns = 500000000;

typedef struct axis {
	const char *key;
	char **words;
	size_t count;
} axis;

typedef struct search {
	const session *s;
	const instrument *clocks;
	const plan_case *c;
	record_settings rules;  /* of one trial */
	uint64_t seed;
	axis axes[MOST_AXES];
	size_t axis_count;
	size_t total;            /* product of the axes */
	cJSON *trials;
	double best_ns;          /* 0 = none yet */
	tuned *out;
} search;

static void axis_add(search *s, const eh_param *param)
{
	axis *a = &s->axes[s->axis_count++];
	const char *at = param->tune;

	*a = (axis){ .key = param->key };
	while (*at != '\0') {
		size_t size = strcspn(at, ",");
		const char *from = at;
		size_t kept = size;

		while (kept > 0 && *from == ' ') {
			from++;
			kept--;
		}
		while (kept > 0 && from[kept - 1] == ' ')
			kept--;
		if (kept > 0) {
			a->words = memory_grow(a->words, (a->count + 1) * sizeof(*a->words));
			a->words[a->count++] = memory_format("%.*s", (int)kept, from);
		}
		at += size;
		if (*at == ',')
			at++;
	}
}

static void axes_free(search *s)
{
	for (size_t i = 0; i < s->axis_count; i++) {
		for (size_t k = 0; k < s->axes[i].count; k++)
			free(s->axes[i].words[k]);
		free(s->axes[i].words);
	}
}

static eh_status axes_make(search *s, eh_error *error)
{
	s->total = 1;
	for (const eh_param *p = s->c->workload->params; p != NULL && p->key != NULL; p++) {
		if (p->tune == NULL)
			continue;
		if (s->axis_count == MOST_AXES)
			return error_set(error, EH_E_INVALID_ARGUMENT,
			                 "Workload %s declares more than %d parameters to tune.",
			                 s->c->workload->name, MOST_AXES);
		axis_add(s, p);
		s->total *= s->axes[s->axis_count - 1].count;
		if (s->total == 0 || s->total > MOST_CANDIDATES)
			return error_set(error, EH_E_INVALID_ARGUMENT,
			                 "The tuning space of workload %s has no candidates or more than %d.",
			                 s->c->workload->name, MOST_CANDIDATES);
	}
	return EH_OK;
}

/* The words of candidate number `at`, one per axis. */
static void candidate(const search *s, size_t at, const char *words[MOST_AXES])
{
	for (size_t i = s->axis_count; i-- > 0;) {
		words[i] = s->axes[i].words[at % s->axes[i].count];
		at /= s->axes[i].count;
	}
}

typedef struct outcome { const char *status; double median_ns; size_t samples; } outcome;

/* Builds, verifies and times one candidate; only a lost device is an error. */
static eh_status measure_candidate(search *s, const eh_case *values, const eh_work *work,
                                   outcome *out, eh_error *error)
{
	char *missing = prepared_unsupported(s->s, work);
	verification v = { 0 };
	sampler sampling;
	const prepared_choice choice = {
		.cold = s->rules.cache == RECORD_CACHE_COLD ? cold_choose(&s->s->info, work) : (cold_plan){ 0 },
		.data = s->rules.input_data,
		.seed = s->seed,
	};
	prepared p;
	eh_status status;
	eh_error cause = ERROR_INIT;

	out->status = "unsupported";
	if (missing != NULL) {
		free(missing);
		return EH_OK;
	}
	status = prepared_open(&p, s->s, s->c->workload, values, work, &choice, NULL, &cause);
	if (status != EH_OK)
		goto judge;
	sampler_init(&sampling, &p, s->clocks, &s->rules, s->seed);
	status = verify_before(&p, &v, &cause);
	if (status == EH_OK) {
		char *wrong = verify_failure(&v);

		out->status = wrong == NULL ? "valid" : "invalid";
		free(wrong);
	}
	if (status == EH_OK && strcmp(out->status, "valid") == 0) {
		status = sampler_batch(&sampling, &cause);
		if (status == EH_OK)
			status = sampler_warm(&sampling, &cause);
		if (status == EH_OK)
			status = sampler_run(&sampling, NULL, &cause);
		out->samples = sampling.count;
		out->median_ns = sampler_median(&sampling);
		if (sampling.impossible[0] != '\0')
			out->status = "invalid";
	}
	sampler_free(&sampling);
	prepared_close(&p);
judge:
	if (status == EH_E_DEVICE_LOST) {
		if (error != NULL)
			*error = cause;
		return status;
	}
	if (status != EH_OK)
		out->status = status == EH_E_UNSUPPORTED ? "unsupported" : "failed";
	return EH_OK;
}

static void record(search *s, const char *const *words, const outcome *o)
{
	cJSON *trial = cJSON_CreateObject();
	cJSON *parameters = json_add_object(trial, "parameters");

	for (size_t i = 0; i < s->axis_count; i++)
		json_add_string(parameters, s->axes[i].key, words[i]);
	json_add_string(trial, "status", o->status);
	json_add_double(trial, "median_ns", o->median_ns);
	json_add_uint(trial, "samples", o->samples);
	cJSON_AddItemToArray(s->trials, trial);
}

/* Takes over values when they are the best so far. */
static eh_status try_words(search *s, const char *const *words, eh_error *error)
{
	const char *keys[MOST_AXES];
	outcome o = { .status = "unsupported" };
	const eh_work *declared = &s->c->work;
	eh_status status;
	eh_case values;
	eh_work work;

	for (size_t i = 0; i < s->axis_count; i++)
		keys[i] = s->axes[i].key;
	if (plan_values_with(s->c, keys, words, s->axis_count, &values, &work, NULL) != EH_OK) {
		record(s, words, &o);
		return EH_OK;
	}
	/* A candidate may change how the work is done, never how much it is. */
	if (work.amount != declared->amount || work.metric != declared->metric ||
	    work.region != declared->region || strcmp(work.precision, declared->precision) != 0)
		status = EH_OK;
	else
		status = measure_candidate(s, &values, &work, &o, error);
	if (status == EH_OK)
		record(s, words, &o);
	if (status == EH_OK && strcmp(o.status, "valid") == 0 && o.samples > 0 &&
	    (s->best_ns == 0 || o.median_ns < s->best_ns)) {
		if (s->best_ns > 0)
			plan_values_free(&s->out->values);
		s->best_ns = o.median_ns > 0 ? o.median_ns : 1;
		s->out->values = values;
		s->out->work = work;
		return EH_OK;
	}
	plan_values_free(&values);
	return status;
}

static void tell(const search *s, measure_report report, void *context)
{
	measure_progress progress = {
		.stage = "tune",
		.samples = (uint64_t)cJSON_GetArraySize(s->trials),
		.median_ns = s->best_ns,
	};

	if (report != NULL)
		report(context, &progress);
}

static void set_rules(search *s)
{
	uint64_t each = s->c->section->measure.tune_budget_ns / (2 * (s->total + (s->total == 0)));

	s->rules = s->c->section->measure;
	/* A trial only ranks candidates. */
	s->rules.statistic = RECORD_STATISTIC_MEDIAN;
	s->rules.regime = RECORD_REGIME_BURST;
	if (each < shortest_trial_ns)
		each = shortest_trial_ns;
	if (each > longest_trial_ns)
		each = longest_trial_ns;
	s->rules.warmup_min_ns = each / 5;
	s->rules.warmup_max_ns = each / 2;
	s->rules.samples_min = 7;
	s->rules.samples_max = 200;
	s->rules.time_min_ns = 0;
	s->rules.time_max_ns = each;
}

static void describe_space(search *s)
{
	cJSON *space = json_add_object(s->out->record, "space");

	for (size_t i = 0; i < s->axis_count; i++) {
		cJSON *words = json_add_array(space, s->axes[i].key);

		for (size_t k = 0; k < s->axes[i].count; k++)
			json_append_string(words, s->axes[i].words[k]);
	}
	json_add_uint(s->out->record, "budget_ns", s->c->section->measure.tune_budget_ns);
	s->trials = json_add_array(s->out->record, "trials");
}

eh_status tune_search(const session *opened, const instrument *clocks, const plan_case *c,
                      uint64_t seed, measure_report report, void *context, tuned *out,
                      eh_error *error)
{
	search s = { .s = opened, .clocks = clocks, .c = c, .seed = seed, .out = out };
	uint64_t begin = clock_now_ns();
	const char *base[MOST_AXES];
	const char *words[MOST_AXES];
	size_t *order = NULL;
	cJSON *chosen;
	random_state r;
	eh_status status;

	*out = (tuned){ .record = cJSON_CreateObject() };
	status = axes_make(&s, error);
	describe_space(&s);
	if (status != EH_OK)
		goto undo_axes;
	set_rules(&s);
	for (size_t i = 0; i < s.axis_count; i++)
		base[i] = eh_case_text(&c->values, s.axes[i].key);
	status = try_words(&s, base, error);
	tell(&s, report, context);
	order = memory_get(s.total * sizeof(*order));
	for (size_t i = 0; i < s.total; i++)
		order[i] = i;
	random_seed(&r, random_derive(seed, "tune", 0));
	random_shuffle(&r, order, s.total);
	for (size_t i = 0; i < s.total && status == EH_OK; i++) {
		bool same = true;

		if (clock_now_ns() - begin >= c->section->measure.tune_budget_ns)
			break;
		candidate(&s, order[i], words);
		for (size_t k = 0; k < s.axis_count; k++)
			same = same && strcmp(words[k], base[k]) == 0;
		if (same)
			continue;
		status = try_words(&s, words, error);
		tell(&s, report, context);
	}
	free(order);
	if (status == EH_OK && s.best_ns == 0)
		status = error_set(error, EH_E_UNSUPPORTED,
		                   "None of the candidates that were tuned could be built, verified and "
		                   "timed here.");
	if (s.best_ns > 0) {
		chosen = json_add_object(out->record, "chosen");
		for (size_t i = 0; i < s.axis_count; i++)
			json_add_string(chosen, s.axes[i].key, eh_case_text(&out->values, s.axes[i].key));
		if (status != EH_OK)
			plan_values_free(&out->values);
	}
undo_axes:
	axes_free(&s);
	return status;
}

void tune_free(tuned *t)
{
	plan_values_free(&t->values);
}
