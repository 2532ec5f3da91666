/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/proof_part.h"

#include "base/clock.h"

/* Where clients ask whether a request is done instead of waiting for it. */
static bool is_polled(const sampler *s)
{
	return record_is_load(&s->rules) && s->rules.load_concurrency > 1;
}

/* Asks until the mark behind everything has passed. */
static eh_status poll(sampler *s, eh_error *error)
{
	const session *of = s->p->s;
	eh_queue *queue = s->p->bench.queue;
	eh_status status = of->ops->mark_record(queue, s->p->to, error);
	uint32_t passed = 0;

	if (status == EH_OK)
		status = session_flush(of, queue, error);
	while (status == EH_OK && passed == 0)
		status = of->ops->mark_passed(s->p->to, &passed, error);
	return status;
}

/* The same commands as a sample; *claimed_ns is what it would say by the host's clock,
 * *waited_ns until waiting returned. */
static eh_status run_one(sampler *s, uint64_t count, uint64_t start_ns, uint64_t *claimed_ns,
                         uint64_t *waited_ns, eh_error *error)
{
	bool before = s->region == EH_REGION_ENQUEUE || is_polled(s);
	eh_status status = prepared_enqueue(s->p, count, error);

	if (status == EH_OK && is_polled(s))
		status = poll(s, error);
	if (before)
		*claimed_ns = clock_now_ns() - start_ns;
	if (status == EH_OK && s->device)
		status = s->p->s->ops->mark_record(s->p->bench.queue, s->p->to, error);
	if (status == EH_OK)
		status = prepared_wait(s->p, error);
	*waited_ns = clock_now_ns() - start_ns;
	if (!before)
		*claimed_ns = *waited_ns;
	return status;
}

/* As sampler_take, but the wait is timed in every region, and no cache is emptied. */
eh_status proof_part_take(sampler *s, uint64_t count, proof_part *sum, eh_error *error)
{
	const eh_backend_ops *ops = s->p->s->ops;
	uint64_t claimed = 0;
	uint64_t start = clock_now_ns();
	uint64_t waited = 0;
	eh_status status = s->device ? ops->mark_record(s->p->bench.queue, s->p->from, error) : EH_OK;

	if (status == EH_OK)
		status = run_one(s, count, start, &claimed, &waited, error);
	if (status == EH_OK && s->device)
		status = ops->mark_elapsed(s->p->from, s->p->to, &claimed, error);
	if (status != EH_OK)
		return status;
	sum->operations += count;
	sum->claimed_ns += claimed;
	sum->waited_ns += waited;
	sum->last_ns = waited;
	if (!s->device)
		return EH_OK;
	sampler_compare_clocks(s, claimed, waited);
	if (waited > claimed && waited - claimed > sum->unclaimed_ns)
		sum->unclaimed_ns = waited - claimed;
	return EH_OK;
}

eh_status proof_part_ask(sampler *s, uint64_t count, uint64_t *ns, eh_error *error)
{
	uint64_t start = clock_now_ns();
	eh_status status = prepared_enqueue(s->p, count, error);

	if (status == EH_OK)
		status = poll(s, error);
	*ns = clock_now_ns() - start;
	return status == EH_OK ? prepared_wait(s->p, error) : status;
}

uint64_t proof_part_single(const sampler *s, const proof_part *part)
{
	return s->batch == 1 || s->region == EH_REGION_ENQUEUE ? part->claimed_ns : part->waited_ns;
}

eh_status proof_part_run(sampler *s, uint64_t takes, uint64_t count, proof_part *out,
                         proof_claims *claims, eh_error *error)
{
	eh_status status = EH_OK;

	*out = (proof_part){ 0 };
	for (; takes > 0 && status == EH_OK; takes--) {
		uint64_t before = out->claimed_ns;

		status = proof_part_take(s, count, out, error);
		if (status == EH_OK && claims != NULL && claims->count < claims->room)
			claims->ns[claims->count++] = out->claimed_ns - before;
	}
	return status == EH_OK ? prepared_drain(s->p, &out->drained_ns, error) : status;
}
