/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/varied.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "measure/doubts.h"
#include "measure/proof_part.h"
#include "record/proven.h"
#include "stat/settle.h"
#include "stat/statistics.h"

/* Pairs, however long they take, after which a difference may be believed; and those it is believed
 * after, if they can be had in time: of noisy pairs all of the fewer differ now and then. */
enum { LEAST = 12, SURE = 32 };

/* The time left must be so many times that of a pair. */
static const double spare = 1.25;

typedef struct series {
	sampler *s;
	proof *p;
	record_varied *out;
	double each_ns;  /* that a pair is expected to take                                    */
	bool differed;   /* once there were LEAST pairs                                        */
} series;

static eh_status vary(prepared *p, uint32_t variant, eh_error *error)
{
	eh_status status = p->workload->vary(prepared_state(p, 1), variant, error);

	return status == EH_OK ? prepared_wait(p, error) : status;
}

static eh_status take_one(sampler *s, uint64_t *ns, eh_error *error)
{
	proof_part part = { 0 };
	eh_status status = proof_part_take(s, 1, &part, error);

	*ns = proof_part_single(s, &part);
	return status;
}

/* All pairs use one set, so that its buffers are in the caches, or not, for both operations alike. */
static eh_status take_pair(series *all, eh_error *error)
{
	prepared *p = all->s->p;
	uint32_t variant = ++all->p->variant;
	uint64_t fresh, repeated;
	eh_status status = vary(p, variant, error);

	if (status == EH_OK)
		status = take_one(all->s, &fresh, error);
	prepared_stay(p);
	if (status == EH_OK)
		status = vary(p, variant, error);
	if (status == EH_OK)
		status = take_one(all->s, &repeated, error);
	prepared_stay(p);
	if (status != EH_OK)
		return status;
	uint_list_add(&all->out->new_ns, fresh);
	uint_list_add(&all->out->repeated_ns, repeated);
	return EH_OK;
}

static double median_of(const uint_list *times)
{
	double *values = memory_get((times->count + 1) * sizeof(*values));
	double middle;

	for (size_t i = 0; i < times->count; i++)
		values[i] = (double)times->items[i];
	middle = times->count > 0 ? statistics_median(values, times->count) : 0;
	free(values);
	return middle;
}

static bool far_from_samples(sampler *s, const record_varied *is)
{
	return proven_inputs_far(is, sampler_median(s), s->clocks->launch_ns);
}

static bool takes_longer(sampler *s, const record_varied *is)
{
	return proven_inputs_differ(is, sampler_median(s), s->clocks->launch_ns);
}

static bool may_take_longer(sampler *s, const record_varied *is)
{
	return proven_inputs_may_differ(is, sampler_median(s), s->clocks->launch_ns);
}

/* ---- how many -------------------------------------------------------------------------------- */

static bool fits(const series *all)
{
	uint64_t deadline = all->p->deadline_ns;

	return deadline == 0 || (double)clock_now_ns() + spare * all->each_ns < (double)deadline;
}

/* As many as fit in half the time of the proof. */
static eh_status take_series(series *all, eh_error *error)
{
	double room = (double)all->s->rules.proof_ns / 2 / all->each_ns;
	size_t want = room < VARIED_PAIRS ? 1 + (size_t)room : VARIED_PAIRS;
	eh_status status = EH_OK;

	while (status == EH_OK && all->out->new_ns.count < want && fits(all))
		status = take_pair(all, error);
	return status;
}

/* Whether more pairs are needed to know that they differ grossly, or a little.  What those after LEAST
 * show in between does not end them, or some would be ended where chance has them agree. */
static bool is_open(series *all, record_doubt *d)
{
	size_t count = all->out->new_ns.count;

	proven_inputs_doubt(all->out, d);
	if (d->verdict != RECORD_DOUBT_CLEARED)
		return d->verdict == RECORD_DOUBT_OPEN;
	if (count < LEAST)
		return may_take_longer(all->s, all->out);
	all->differed = all->differed || takes_longer(all->s, all->out);
	return all->differed && count < SURE;
}

static eh_status settle_series(series *all, record_doubt *d, eh_error *error)
{
	uint64_t begin = clock_now_ns();
	eh_status status = EH_OK;

	while (status == EH_OK && is_open(all, d) && fits(all) && d->first_ns.count < SETTLE_MOST &&
	       (d->first_ns.count < LEAST || clock_now_ns() - begin < DOUBTS_PATIENCE_NS))
		status = take_pair(all, error);
	return status;
}

/* ---- what they show -------------------------------------------------------------------------- */

static char *sentence(sampler *s, const record_varied *is)
{
	char fresh[32], repeated[32];

	text_format_ns(median_of(&is->new_ns), fresh);
	text_format_ns(median_of(&is->repeated_ns), repeated);
	if (far_from_samples(s, is))
		text_format_ns(sampler_median(s), repeated);
	return memory_format("An operation takes %s on new inputs and %s on repeated ones: the stack "
	                     "recognises repeated work, and the samples are of that.", fresh, repeated);
}

/* What the pairs show in the end. */
static void judge(series *all, const record_doubt *d, bool *differs)
{
	*differs = takes_longer(all->s, all->out);
	switch (d->verdict) {
	case RECORD_DOUBT_CONFIRMED:
		proof_find(all->p, RECORD_INVALID, sentence(all->s, all->out));
		break;
	case RECORD_DOUBT_OPEN:
		proof_find(all->p, RECORD_UNPROVEN,
		           doubts_open(d, "new inputs take more than twice as long as repeated ones"));
		break;
	default:
		if (*differs)
			proof_find(all->p, RECORD_UNPROVEN, sentence(all->s, all->out));
	}
}

/* Poison first, because what a check expects may have changed with the inputs.  A check that fails
 * replaces the one of the proof. */
static eh_status check_output(sampler *s, verify_state *v, eh_error *error)
{
	record_check *check = NULL;
	uint64_t ns;
	eh_status status = verify_poison(s->p, 1, error);

	if (status == EH_OK)
		status = prepared_enqueue(s->p, 1, error);
	if (status == EH_OK)
		status = prepared_wait(s->p, error);
	if (status == EH_OK)
		status = verify_check(s->p, v, &check, &ns, error);
	if (status == EH_OK && !check->passed) {
		record_check *passed = v->record->after;

		v->record->after = check;
		check = passed;
	}
	layout_free(record_check_layout(), check);
	return status;
}

static eh_status run(series *all, bool *differs, eh_error *error)
{
	eh_status status;

	uint_list_add(&all->out->new_ns, all->p->fresh_ns);
	uint_list_add(&all->out->repeated_ns, all->p->repeated_ns);
	all->out->first_variant = all->p->variant;
	status = prepared_touch(all->s->p, error);
	if (status == EH_OK)
		status = take_series(all, error);
	if (status == EH_OK && may_take_longer(all->s, all->out)) {
		record_doubt *d = doubts_add(all->s, RECORD_DOUBT_INPUTS, SETTLE_INPUTS);

		status = settle_series(all, d, error);
		if (status == EH_OK)
			judge(all, d, differs);
	}
	return status;
}

eh_status varied_run(sampler *s, verify_state *v, proof *p, record_varied *out, bool *differs,
                     eh_error *error)
{
	double operation = (double)p->fresh_ns + (double)s->clocks->launch_ns;
	series all = { .s = s, .p = p, .out = out, .each_ns = 2 * ((double)p->vary_ns + operation) };
	eh_status status;

	*differs = false;
	if (p->inputs_unchanged) {
		text_set(&out->skipped, "The inputs are zeros: there are no new ones.");
		return EH_OK;
	}
	if (!p->paired) {
		out->skipped = memory_format("Writing new inputs takes %.3g s: too long for what was left of "
		                             "the timeout.", (double)p->vary_ns * 1e-9);
		return EH_OK;
	}
	status = run(&all, differs, error);
	/* The proof checked the output of its own pair. */
	return status == EH_OK && out->new_ns.count > 1 ? check_output(s, v, error) : status;
}
