/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/proof.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/text.h"
#include "measure/proving.h"
#include "stat/settle.h"

enum {
	MOST_CLAIMS = 4096,
	PARTS = 8,             /* the declared time is enough for, at least                   */
	IDLE_PARTS = 8,        /* idle drains that a part lasts                               */
	MOST_TAKES = 1 << 20,
	GROWTH = 4             /* a whole batch has so many times the operations of a part of it */
};
static const double most_hidden = 0.25;   /* of the waits, seen only in reading back       */
/* Variants 0 and 1 are those of the samples, and of a fixed choice. */
static const uint32_t first_variant = 2;
static const uint32_t most_variants = UINT32_C(1) << 20;
static const uint32_t variants_each = 128; /* that a case may use                          */
static const double spare = 1.25;         /* of the time left for writing inputs again     */

void proof_find(proof *out, enum record_status verdict, char *sentence)
{
	if (verdict <= out->verdict) {
		free(sentence);
		return;
	}
	free(out->failure);
	out->failure = sentence;
	out->verdict = verdict;
}

/* ---- new inputs ------------------------------------------------------------------------------ */

/* By chance, not from the protocol's seed: a stack that remembers inputs beyond a case, a process or
 * a run has not seen these. */
static uint32_t choose_variant(void)
{
	random_state random;

	random_seed(&random, random_derive(clock_now_ns(), "varied", (uint64_t)getpid()));
	return first_variant +
	       (uint32_t)random_below(&random, most_variants / variants_each) * variants_each;
}

/* New inputs for all sets but the next one. */
static eh_status vary_others(prepared *p, proof *out, eh_error *error)
{
	eh_status status = EH_OK;

	out->variant = choose_variant();
	for (size_t i = 0; i < p->set_count && status == EH_OK; i++)
		if (p->states[i] != prepared_state(p, 1))
			status = p->workload->vary(p->states[i], out->variant, error);
	return status;
}

/* The same inputs for the next set: new ones when it is the first time. */
static eh_status vary_next(prepared *p, proof *out, eh_error *error)
{
	bool zeros = p->data.kind == RECORD_DATA_ZEROS;
	inputdata_log asked = { .kind = p->data.kind, .open = zeros };
	uint64_t begin = clock_now_ns();
	eh_status status;

	p->bench.core = &asked;
	status = p->workload->vary(prepared_state(p, 1), out->variant, error);
	p->bench.core = &p->data;
	out->vary_ns = clock_now_ns() - begin;
	out->inputs_unchanged = zeros && asked.requests > 0;
	return status;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void keep(proving *r, const proof_part *part)
{
	record_proof *record = r->out->record;

	if (!r->again) {
		uint_list_add(&record->claimed_ns, part->claimed_ns);
		uint_list_add(&record->waited_ns, part->waited_ns);
		uint_list_add(&record->drained_ns, part->drained_ns);
	}
	r->parts++;
	r->kept.operations += part->operations;
	r->kept.claimed_ns += part->claimed_ns;
	r->kept.waited_ns += part->waited_ns;
	r->kept.drained_ns += part->drained_ns;
}

static void note_overhead(proving *r, const proof_part *part)
{
	if (part->unclaimed_ns > r->unclaimed_ns)
		r->unclaimed_ns = part->unclaimed_ns;
	if (part->drained_ns > r->drained_ns)
		r->drained_ns = part->drained_ns;
}

/* After a whole batch, a part of one: what of it is left out shows. */
static eh_status take_few(proving *r, const proof_part *part, eh_error *error)
{
	proof_part few = { 0 };
	eh_status status = proof_part_take(r->s, r->few, &few, error);

	uint_list_add(&r->few_ns, few.waited_ns);
	uint_list_add(&r->many_ns, part->last_ns);
	return status;
}

/* One part; it is kept when it was long enough. */
static eh_status run_part(proving *r, eh_error *error)
{
	size_t before = r->claims.count;
	proof_part part;
	eh_status status = proof_part_run(r->s, r->takes, r->s->batch, &part, &r->claims, error);

	if (status != EH_OK)
		return status;
	r->part_ns = part.waited_ns + part.drained_ns;
	note_overhead(r, &part);
	if (r->part_ns >= r->least_ns || r->takes >= MOST_TAKES) {
		keep(r, &part);
		return r->few > 0 ? take_few(r, &part, error) : EH_OK;
	}
	r->claims.count = before;
	r->takes = r->takes * r->least_ns / (r->part_ns + 1) + 1 < 4 * r->takes ?
	           r->takes * r->least_ns / (r->part_ns + 1) + 1 : 4 * r->takes;
	return EH_OK;
}

static bool enough(size_t parts, uint64_t spent_ns, size_t least, uint64_t least_ns)
{
	return spent_ns >= least_ns && (parts >= least || spent_ns >= SETTLE_LONG_NS);
}

eh_status proving_parts(proving *r, size_t least, uint64_t least_ns, eh_error *error)
{
	const size_t parts = r->parts;
	const uint64_t spent = r->kept.waited_ns + r->kept.drained_ns;
	eh_status status = EH_OK;

	while (status == EH_OK) {
		size_t more = r->parts - parts;
		uint64_t took = r->kept.waited_ns + r->kept.drained_ns - spent;

		if (enough(more, took, least, least_ns))
			break;
		if (enough(more + 1, took + r->part_ns, least, least_ns))
			status = verify_poison(r->s->p, r->takes * r->s->batch, error);
		if (status == EH_OK)
			status = run_part(r, error);
	}
	return status;
}

/* ---- single operations ----------------------------------------------------------------------- */

/* One operation on inputs just written and on overwritten output, as a sample of one operation. */
static eh_status run_single(proving *r, proof_part *part, eh_error *error)
{
	eh_status status = vary_next(r->s->p, r->out, error);

	if (status == EH_OK)
		status = verify_poison(r->s->p, 1, error);
	if (status == EH_OK)
		status = proof_part_run(r->s, 1, 1, part, NULL, error);
	if (status != EH_OK)
		return status;
	r->part_ns = part->waited_ns + part->drained_ns;
	note_overhead(r, part);
	/* It is a part where samples are single operations that last long enough. */
	if (r->s->batch == 1 && r->part_ns >= r->least_ns) {
		keep(r, part);
		r->claims.ns[r->claims.count++] = part->claimed_ns;
	}
	return EH_OK;
}

static bool time_to_write_again(const proof *out)
{
	uint64_t now = clock_now_ns();

	return out->deadline_ns == 0 ||
	       (double)now + spare * (double)out->vary_ns < (double)out->deadline_ns;
}

/* One operation on new inputs, and one on the same inputs, written once more, in the same set. */
static eh_status run_pair(proving *r, eh_error *error)
{
	prepared *p = r->s->p;
	proof *out = r->out;
	proof_part part = { 0 };
	eh_status status = prepared_touch(p, error);

	if (status == EH_OK)
		status = run_single(r, &part, error);
	r->lone_ns = part.waited_ns;
	out->fresh_ns = proof_part_single(r->s, &part);
	if (status != EH_OK || out->inputs_unchanged || !time_to_write_again(out))
		return status;
	prepared_stay(p);
	status = run_single(r, &part, error);
	out->repeated_ns = proof_part_single(r->s, &part);
	out->paired = status == EH_OK;
	return status;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Checks the output.  A slow check is repeated, because by then the data are surely there; what the
 * first took more is work that was reported as complete. */
static eh_status read_output(proving *r, eh_error *error)
{
	verify_state *v = r->v;
	uint64_t known = v->check_ns;
	uint64_t tolerated = (uint64_t)(most_hidden * (double)r->kept.waited_ns);
	uint64_t first;
	uint64_t again;
	eh_status status = verify_check(r->s->p, v, &v->record->after, &first, error);

	if (status != EH_OK || !verify_passed(v->record->after) || first <= known + tolerated)
		return status;
	status = verify_check(r->s->p, v, &v->record->after, &again, error);
	again = again < known ? known : again;
	r->excess_ns = first > again + tolerated ? first - again : 0;
	return status;
}

static void prepare(proving *r)
{
	sampler *s = r->s;
	uint64_t length = s->rules.proof_ns;

	r->takes = 1;
	r->least_ns = IDLE_PARTS * s->idle_ns > length / PARTS ? IDLE_PARTS * s->idle_ns : length / PARTS;
	/* Only within one sample could operations be left out that another one follows.  Where caches are
	 * emptied the time need not grow with the work; there verify_each looks at every output. */
	if (s->batch > 1 && s->p->evictor == NULL && s->region == EH_REGION_EXECUTION)
		r->few = s->batch > GROWTH ? s->batch / GROWTH : 1;
	r->claims.room = MOST_CLAIMS;
	r->claims.ns = memory_get(MOST_CLAIMS * sizeof(*r->claims.ns));
}

static eh_status run(proving *r, eh_error *error)
{
	sampler *s = r->s;
	eh_status status = run_pair(r, error);
	uint64_t spent = r->kept.waited_ns + r->kept.drained_ns;
	size_t least = r->parts < SETTLE_LEAST && spent < SETTLE_LONG_NS ? SETTLE_LEAST - r->parts : 0;
	uint64_t length = s->rules.proof_ns > spent ? s->rules.proof_ns - spent : 0;

	if (status == EH_OK)
		status = proving_parts(r, least, length, error);
	if (status == EH_OK)
		status = read_output(r, error);
	if (status == EH_OK && verify_passed(r->v->record->after))
		status = verify_each(s->p, r->v, s->region == EH_REGION_ROUND_TRIP ? 1 : s->batch, error);
	return status;
}

static void note_run(proving *r)
{
	record_proof *record = r->out->record;

	record->operations = r->kept.operations;
	record->host_ns = r->kept.waited_ns + r->kept.drained_ns;
	record->idle_ns = r->s->idle_ns;
}

eh_status proof_run(sampler *s, verify_state *v, proof *out, eh_error *error)
{
	proving r = { .s = s, .v = v, .out = out };
	eh_status status = vary_others(s->p, out, error);

	out->verdict = RECORD_VALID;
	/* By draining, not by a mark: work left over by an early wait would be counted below. */
	if (status == EH_OK)
		status = prepared_idle(s->p, &s->idle_ns, error);
	if (status == EH_OK) {
		prepare(&r);
		status = run(&r, error);
	}
	if (status == EH_OK) {
		note_run(&r);
		if (verify_passed(v->record->after))
			status = proving_judge(&r, error);
	}
	free(r.claims.ns);
	free(r.few_ns.items);
	free(r.many_ns.items);
	return status;
}
