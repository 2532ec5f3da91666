/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "measure/sampler.h"
#include "record/implied.h"

enum { MOST_AXES = 16, MOST_CANDIDATES = 65536 };
static const uint64_t shortest_trial_ns = 10000000;
static const uint64_t longest_trial_ns = 500000000;

typedef struct search {
	const session *s;
	const record_instrument *clocks;
	const plan_case *c;
	record_settings rules;  /* of one trial */
	uint64_t seed;
	size_t total;            /* product of the axes, which are record->space */
	record_tuning *record;
	double best_ns;          /* 0 = none yet */
	tune_winner *out;
} search;

/* Adds the words of a comma list as an axis. */
static void axis_add(texts_map *space, const char *key, const char *list)
{
	text_list *words = texts_map_add(space, key);

	for (const char *at = list; *at != '\0'; at += *at == ',') {
		size_t size = strcspn(at, ",");
		const char *end = at + size;

		while (size > 0 && *at == ' ') {
			at++;
			size--;
		}
		while (size > 0 && at[size - 1] == ' ')
			size--;
		if (size > 0)
			text_list_format(words, "%.*s", (int)size, at);
		at = end;
	}
}

static eh_status axes_make(search *s, eh_error *error)
{
	texts_map *space = &s->record->space;

	s->total = 1;
	for (const eh_param *p = s->c->workload->params; p != NULL && p->key != NULL; p++) {
		if (p->tune == NULL)
			continue;
		if (space->count == MOST_AXES)
			return error_set(error, EH_E_INVALID_ARGUMENT,
			                 "Workload %s declares more than %d parameters to tune.",
			                 s->c->workload->name, MOST_AXES);
		axis_add(space, p->key, p->tune);
		s->total *= space->items[space->count - 1].value.count;
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
	for (size_t i = s->record->space.count; i-- > 0;) {
		const text_list *axis = &s->record->space.items[i].value;

		words[i] = axis->items[at % axis->count];
		at /= axis->count;
	}
}

/* Verifies and times a candidate that is prepared. */
static eh_status time_candidate(search *s, prepared *p, record_trial *trial,
                                enum record_status *found, eh_error *error)
{
	record_verification record;
	verify_state v;
	sampler sampling;
	char *wrong;
	eh_status status;

	layout_init(record_verification_layout(), &record);
	verify_init(&v, &record);
	status = verify_before(p, &v, error);
	(void)prepared_memory(p);
	wrong = verify_failure(&v);
	layout_clear(record_verification_layout(), &record);
	*found = wrong == NULL ? RECORD_VALID : RECORD_INVALID;
	free(wrong);
	if (status != EH_OK || *found != RECORD_VALID)
		return status;
	sampler_init(&sampling, p, s->clocks, &s->rules, s->seed);
	status = sampler_batch(&sampling, error);
	if (status == EH_OK)
		status = sampler_warm(&sampling, error);
	if (status == EH_OK)
		status = sampler_run(&sampling, NULL, error);
	trial->samples = sampling.count;
	trial->median_ns = sampler_median(&sampling);
	if (sampling.impossible[0] != '\0')
		*found = RECORD_INVALID;
	sampler_free(&sampling);
	return status;
}

/* Builds, verifies and times one candidate; only a lost device is an error. */
static eh_status measure_candidate(search *s, const eh_case *values, const eh_work *work,
                                   record_trial *trial, enum record_status *found, eh_error *error)
{
	char *missing = prepared_unsupported(s->s, work);
	prepared_choice choice = { .data = s->rules.input_data, .seed = s->seed,
	                           .timed = sampler_on_device(s->clocks, &s->rules, work),
	                           .tier = RECORD_TIER_TUNED };
	prepared p;
	eh_status status;
	eh_error cause = ERROR_INIT;

	*found = RECORD_UNSUPPORTED;
	if (missing != NULL) {
		free(missing);
		return EH_OK;
	}
	if (s->rules.cache == RECORD_CACHE_COLD)
		choice.cold = cold_choose(&s->s->info, work);
	status = prepared_open(&p, s->s, s->c->workload, values, work, &choice, NULL, &cause);
	if (status == EH_OK) {
		status = time_candidate(s, &p, trial, found, &cause);
		prepared_close(&p);
	}
	if (status == EH_E_DEVICE_LOST) {
		if (error != NULL)
			*error = cause;
		return status;
	}
	if (status != EH_OK)
		*found = status == EH_E_UNSUPPORTED ? RECORD_UNSUPPORTED : RECORD_FAILED;
	return EH_OK;
}

/* A candidate may change how the work is done, never how much it is. */
static bool same_work(const eh_work *a, const eh_work *b)
{
	return a->amount == b->amount && a->metric == b->metric && a->region == b->region &&
	       strcmp(a->precision, b->precision) == 0;
}

/* Takes over values when they are the best so far. */
static eh_status try_words(search *s, const char *const *words, eh_error *error)
{
	record_trial *trial = layout_append(record_trial_layout(), &s->record->trials);
	enum record_status found = RECORD_UNSUPPORTED;
	const char *keys[MOST_AXES] = { NULL };
	eh_status status = EH_OK;
	eh_case values;
	eh_work work;

	trial->median_ns = 0;
	trial->samples = 0;
	text_set(&trial->status, record_status_word(found));
	for (size_t i = 0; i < s->record->space.count; i++) {
		keys[i] = s->record->space.items[i].key;
		text_map_add(&trial->parameters, keys[i], words[i]);
	}
	if (plan_values_with(s->c, keys, words, s->record->space.count, &values, &work, NULL) != EH_OK)
		return EH_OK;
	if (same_work(&work, &s->c->work))
		status = measure_candidate(s, &values, &work, trial, &found, error);
	text_set(&trial->status, record_status_word(found));
	if (status == EH_OK && found == RECORD_VALID && trial->samples > 0 &&
	    (s->best_ns == 0 || trial->median_ns < s->best_ns)) {
		if (s->best_ns > 0)
			plan_values_free(&s->out->values);
		s->best_ns = trial->median_ns > 0 ? trial->median_ns : 1;
		*s->out = (tune_winner){ values, work };
		return EH_OK;
	}
	plan_values_free(&values);
	return status;
}

static void tell(const search *s, measure_report report, void *context)
{
	measure_progress progress = {
		.stage = "tune",
		.samples = s->record->trials.count,
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

/* All candidates but the declared one, in random order, within the budget. */
static eh_status try_all(search *s, const char *const *base, measure_report report, void *context,
                         uint64_t begin_ns, eh_error *error)
{
	size_t *order = memory_get(s->total * sizeof(*order));
	const char *words[MOST_AXES] = { NULL };
	random_state r;
	eh_status status = EH_OK;

	for (size_t i = 0; i < s->total; i++)
		order[i] = i;
	random_seed(&r, random_derive(s->seed, "tune", 0));
	random_shuffle(&r, order, s->total);
	for (size_t i = 0; i < s->total && status == EH_OK; i++) {
		bool same = true;

		if (clock_now_ns() - begin_ns >= s->record->budget_ns)
			break;
		candidate(s, order[i], words);
		for (size_t k = 0; k < s->record->space.count; k++)
			same = same && strcmp(words[k], base[k]) == 0;
		if (same)
			continue;
		status = try_words(s, words, error);
		tell(s, report, context);
	}
	free(order);
	return status;
}

/* ---- searches that were made before ----------------------------------------------------------- */

static void add(digest *d, const char *what, const char *words)
{
	digest_add(d, what, strlen(what) + 1);
	digest_add(d, words, strlen(words) + 1);
}

/* What a search follows from, but for the executor and the seed.  false: the kernel has no text here. */
static bool key_of(const search *s, char key[65])
{
	const plan_case *c = s->c;
	char rules[96];
	eh_source *source = NULL;
	digest *d;

	if (c->work.kernel[0] != '\0' &&
	    session_source(c->work.kernel, c->work.defines, c->work.define_count, &source, NULL) != EH_OK)
		return false;
	d = digest_new();
	snprintf(rules, sizeof(rules), "1 %u %llu %d %d %d", c->workload->revision,
	         (unsigned long long)s->record->budget_ns, (int)s->rules.cache, (int)s->rules.input_data,
	         (int)s->rules.clock);
	add(d, c->workload->name, rules);
	add(d, "kernel", source != NULL ? source->digest : "");
	for (const eh_param *p = c->workload->params; p != NULL && p->key != NULL; p++)
		add(d, p->key, eh_case_text(&c->values, p->key));
	for (size_t i = 0; i < s->record->space.count; i++)
		for (size_t k = 0; k < s->record->space.items[i].value.count; k++)
			add(d, s->record->space.items[i].key, s->record->space.items[i].value.items[k]);
	digest_end(d, key);
	free(source);
	return true;
}

static bool same_space(const texts_map *a, const texts_map *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		const text_list *x = &a->items[i].value, *y = &b->items[i].value;

		if (strcmp(a->items[i].key, b->items[i].key) != 0 || x->count != y->count)
			return false;
		for (size_t k = 0; k < x->count; k++)
			if (strcmp(x->items[k], y->items[k]) != 0)
				return false;
	}
	return true;
}

/* Whether the earlier search has a winner for this case, which *s->out becomes; the record is its then. */
static bool take_earlier(search *s, record_tuning *earlier)
{
	const char *keys[MOST_AXES], *words[MOST_AXES];
	size_t count = earlier->chosen.count;

	if (count != s->record->space.count || earlier->budget_ns != s->record->budget_ns ||
	    !implied_chosen(earlier) || !same_space(&earlier->space, &s->record->space))
		return false;
	for (size_t i = 0; i < count; i++) {
		keys[i] = s->record->space.items[i].key;
		words[i] = text_map_get(&earlier->chosen, keys[i]);
		if (words[i] == NULL || (!text_list_has(&s->record->space.items[i].value, words[i]) &&
		                         strcmp(words[i], eh_case_text(&s->c->values, keys[i])) != 0))
			return false;
	}
	if (plan_values_with(s->c, keys, words, count, &s->out->values, &s->out->work, NULL) != EH_OK)
		return false;
	if (!same_work(&s->out->work, &s->c->work)) {
		plan_values_free(&s->out->values);
		return false;
	}
	layout_move(record_tuning_layout(), earlier, s->record);
	s->record->earlier = MAYBE_YES;
	return true;
}

static bool recall(search *s, const measure_winners *known, const char *key)
{
	record_tuning earlier;
	bool taken;

	layout_init(record_tuning_layout(), &earlier);
	taken = known->find(known->context, key, &earlier) && take_earlier(s, &earlier);
	layout_clear(record_tuning_layout(), &earlier);
	return taken;
}

/* ---- the search ------------------------------------------------------------------------------- */

eh_status tune_search(const session *opened, const record_instrument *clocks, const plan_case *c,
                      uint64_t seed, const measure_winners *known, measure_report report, void *context, record_tuning *record,
                      tune_winner *out, eh_error *error)
{
	search s = { .s = opened, .clocks = clocks, .c = c, .seed = seed, .record = record, .out = out };
	uint64_t begin = clock_now_ns();
	const char *base[MOST_AXES] = { NULL };
	char search_key[65];
	bool keeps;
	eh_status status;

	record->budget_ns = c->section->measure.tune_budget_ns;
	status = axes_make(&s, error);
	if (status != EH_OK)
		return status;
	set_rules(&s);
	keeps = known->find != NULL && key_of(&s, search_key);
	if (keeps && recall(&s, known, search_key))
		return EH_OK;
	for (size_t i = 0; i < record->space.count; i++)
		base[i] = eh_case_text(&c->values, record->space.items[i].key);
	status = try_words(&s, base, error);
	tell(&s, report, context);
	if (status == EH_OK)
		status = try_all(&s, base, report, context, begin, error);
	if (status == EH_OK && s.best_ns == 0)
		status = error_set(error, EH_E_UNSUPPORTED, "None of the candidates could be built, verified "
		                   "and timed here.");
	if (s.best_ns == 0)
		return status;
	for (size_t i = 0; i < record->space.count; i++) {
		const char *key = record->space.items[i].key;

		text_map_add(&record->chosen, key, eh_case_text(&out->values, key));
	}
	if (status != EH_OK)
		plan_values_free(&out->values);
	else if (keeps)
		known->keep(known->context, search_key, record);
	return status;
}
