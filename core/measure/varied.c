/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/varied.h"

#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/text.h"
#include "stat/pairs.h"
#include "stat/statistics.h"

/* Variants 0 and 1 are those of the samples and of the proof. */
#define FIRST_VARIANT 2
#define MOST_VARIANTS (UINT32_C(1) << 20)

/* Data that was just written may be farther from the processor than data that is used again and
 * again, by at most this factor: the same as for an operation alone in proof.c. */
static const double written_factor = 16;

/* Time for pairs that are too few for a test of the medians. */
static const double few_ns = 250e6;
/* The time left must be so many times the expected time of the pairs. */
static const double spare = 1.25;

static eh_status vary(prepared *p, uint32_t variant, eh_error *error)
{
	eh_status status = p->workload->vary(prepared_state(p, 1), variant, error);

	return status == EH_OK ? prepared_wait(p, error) : status;
}

static eh_status take_pair(sampler *s, uint32_t variant, uint64_t *fresh, uint64_t *repeated,
                           eh_error *error)
{
	uint64_t host;
	eh_status status = vary(s->p, variant, error);

	if (status == EH_OK)
		status = sampler_take(s, fresh, &host, error);
	/* With several sets of buffers the next operation uses another one. */
	if (status == EH_OK && s->p->set_count > 1)
		s->p->next = (s->p->next + s->p->set_count - 1) % s->p->set_count;
	if (status == EH_OK)
		status = vary(s->p, variant, error);
	return status == EH_OK ? sampler_take(s, repeated, &host, error) : status;
}

static eh_status take_series(sampler *s, uint64_t first, size_t pairs, record_varied *out,
                             eh_error *error)
{
	eh_status status = EH_OK;

	layout_clear(record_varied_layout(), out);
	out->first_variant = first;
	for (size_t i = 0; i < pairs && status == EH_OK; i++) {
		uint64_t fresh, repeated;

		status = take_pair(s, (uint32_t)(first + i), &fresh, &repeated, error);
		if (status != EH_OK || s->impossible[0] != '\0')
			break;
		uint_list_add(&out->new_ns, fresh);
		uint_list_add(&out->repeated_ns, repeated);
	}
	return status;
}

/* In all pairs new inputs cost more than data that was just written can. */
static bool far_from_samples(sampler *s, const record_varied *is)
{
	double allowed = written_factor * sampler_median(s) + 2 * (double)s->clocks->launch_ns;
	size_t beyond = 0;

	for (size_t i = 0; i < is->new_ns.count; i++)
		beyond += (double)is->new_ns.items[i] > allowed &&
		          (double)is->repeated_ns.items[i] > allowed;
	return beyond >= PAIRS_FEW && beyond == is->new_ns.count;
}

static bool suspicious(sampler *s, const record_varied *is)
{
	return pairs_differ(is->new_ns.items, is->repeated_ns.items, is->new_ns.count) ||
	       far_from_samples(s, is);
}

/*
 * How many pairs fit into half the time of the samples, else a few into a little time; at least the
 * fewest that prove something, unless the timeout would end the case.
 */
static size_t pairs_that_fit(const sampler *s, const verify_state *v, double each, double left_ns)
{
	double budget = (double)s->rules.time_max_ns;
	double room = budget / 2 - (double)v->check_ns;
	double least = 2 * PAIRS_FEW * each + (double)v->check_ns; /* a second series is due at times */

	if (room >= each * VARIED_PAIRS)
		return VARIED_PAIRS;
	if (room >= each * PAIRS_LEAST)
		return (size_t)(room / each);
	room = budget * 3 < few_ns ? budget * 3 : few_ns;
	if (room >= each * PAIRS_LEAST)
		return PAIRS_LEAST - 1;
	if (room >= each * PAIRS_FEW)
		return (size_t)(room / each);
	return least * spare < left_ns ? PAIRS_FEW : 0;
}

/*
 * The first variant of two series.  By chance, not from the protocol's seed: a stack that remembers
 * inputs beyond a case, a process or a run has not seen these.
 */
static uint32_t choose_variant(void)
{
	random_state random;

	random_seed(&random, random_derive(clock_now_ns(), "varied", (uint64_t)getpid()));
	return FIRST_VARIANT +
	       (uint32_t)random_below(&random, MOST_VARIANTS / (2 * VARIED_PAIRS)) * 2 * VARIED_PAIRS;
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

static eh_status run(sampler *s, verify_state *v, size_t pairs, record_varied *out, bool *differs,
                     eh_error *error)
{
	uint64_t first = choose_variant();
	record_varied again;
	eh_status status = take_series(s, first, pairs, out, error);

	if (status == EH_OK && suspicious(s, out)) {
		layout_init(record_varied_layout(), &again);
		status = take_series(s, first + VARIED_PAIRS, pairs, &again, error);
		*differs = status == EH_OK && suspicious(s, &again);
		/* A difference that does not show again was a disturbance: the quiet series is recorded. */
		if (status == EH_OK && !*differs) {
			record_varied disturbed = *out;

			*out = again;
			again = disturbed;
		}
		layout_clear(record_varied_layout(), &again);
	}
	return status == EH_OK ? check_output(s, v, error) : status;
}

eh_status varied_run(sampler *s, verify_state *v, const proof *p, uint64_t deadline_ns,
                     record_varied *out, bool *differs, eh_error *error)
{
	uint64_t batch = s->batch;
	uint64_t now = clock_now_ns();
	double each = 2 * ((double)p->vary_ns + sampler_median(s) + (double)s->clocks->launch_ns);
	double left = deadline_ns == 0 ? INFINITY : deadline_ns > now ? (double)(deadline_ns - now) : 0;
	size_t pairs = pairs_that_fit(s, v, each, left);
	eh_status status;

	*differs = false;
	if (p->inputs_unchanged) {
		text_set(&out->skipped, "The inputs are zeros: there are no new ones.");
		return EH_OK;
	}
	if (pairs == 0) {
		out->skipped = memory_format("Writing new inputs takes %.3g s: too long for the %.3g s that "
		                             "were left of the timeout.", (double)p->vary_ns * 1e-9,
		                             left * 1e-9);
		return EH_OK;
	}
	s->batch = 1;
	status = run(s, v, pairs, out, differs, error);
	s->batch = batch;
	return status;
}
