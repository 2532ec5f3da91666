/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of a proof show, and what is tried again because of it. */
#include "measure/proving.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "measure/doubts.h"
#include "record/proven.h"
#include "stat/settle.h"
#include "stat/statistics.h"

enum {
	OVERHEADS = 16,        /* that a long part drowns                                     */
	IDLES = 8,             /* idle drains that it lasts at least                          */
	LONGER = 4,            /* than the parts of the proof                                 */
	MOST_AT_ONCE = 65536,
	DOUBLINGS = 8,         /* of a pair's length                                          */
	TRIES = 5,             /* in turn, of which the quickest counts                       */
	LONE_FACTOR = 16       /* that an operation may be slower alone: caches, clocks       */
};
static const double least_nothings = 1.5; /* that a batch takes, to show anything */
static const uint64_t longest_part_ns = 500000000;
static const uint64_t longest_checked_ns = 2000000000; /* that a check ends */
/* For the machine to become as quick again as it was. */
static const uint64_t least_patience_ns = 250000000;
static const uint64_t most_patience_ns = 1000000000;

/* What a pair of a doubt needs. */
typedef struct trial {
	proving *r;
	uint64_t takes, count;   /* samples of a part, and operations of one                   */
	uint64_t least_ns;       /* that a part lasts to show anything                        */
	bool by_output;          /* ended by checking the output                               */
	unsigned doubled;        /* times that least_ns was                                    */
	double proved_ns;        /* of one operation of the newest part                        */
} trial;

/* ---- waiting and claims ---------------------------------------------------------------------- */

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* How long a part is that drowns what is not the work's: waking up, launching, reading back, and by how
 * much the check that ends it varies, 0 = none does. */
static uint64_t long_length(const proving *r, uint64_t check_ns)
{
	uint64_t most = r->s->clocks->launch_most_ns;
	uint64_t waking = most != LAYOUT_NO_UINT && r->unclaimed_ns > most ? most : r->unclaimed_ns;
	uint64_t length = larger(OVERHEADS * larger(waking, r->drained_ns),
	                         LONGER * larger(r->part_ns, check_ns));
	uint64_t checked = check_ns < longest_checked_ns / 2 ? 2 * check_ns : longest_checked_ns;

	length = length > longest_part_ns ? longest_part_ns : length;
	return larger(length, larger(IDLES * r->s->idle_ns, checked));
}

static trial long_part(proving *r, uint64_t check_ns)
{
	const proof_part *kept = &r->kept;
	double each = (double)(kept->waited_ns + kept->drained_ns) / (double)(kept->operations + 1) + 1;
	uint64_t length = long_length(r, check_ns);
	uint64_t count = (uint64_t)((double)length / each) + 1;
	trial t = { .r = r, .takes = 1, .least_ns = length / 2, .by_output = check_ns > 0 };

	t.count = count < r->s->batch ? r->s->batch : count;
	if (r->s->region == EH_REGION_ROUND_TRIP || t.count > MOST_AT_ONCE) {
		t.count = r->s->region == EH_REGION_ROUND_TRIP ? 1 : MOST_AT_ONCE;
		t.takes = count / t.count + 1;
	}
	return t;
}

static void add_operations(trial *t)
{
	if (t->count <= MOST_AT_ONCE / 2 && t->r->s->region != EH_REGION_ROUND_TRIP)
		t->count *= 2;
	else
		t->takes *= 2;
}

static bool lengthen(void *context)
{
	trial *t = context;

	if (t->doubled == DOUBLINGS)
		return false;
	t->doubled++;
	t->least_ns *= 2;
	add_operations(t);
	return true;
}

/* Runs the part.  Where the machine has become quicker it is too short: more operations next time. */
static eh_status run_long(trial *t, proof_part *part, bool *shows, eh_error *error)
{
	eh_status status = proof_part_run(t->r->s, t->takes, t->count, part, NULL, error);

	*shows = part->waited_ns + part->drained_ns >= t->least_ns;
	if (!*shows)
		add_operations(t);
	return status;
}

/* What the first of two reads took more than the second. */
static eh_status read_twice(const trial *t, uint64_t drained_ns, uint64_t *excess, eh_error *error)
{
	sampler *s = t->r->s;
	record_check *check = NULL;
	uint64_t first = drained_ns;
	uint64_t again = 0;
	eh_status status = EH_OK;

	if (!t->by_output) {
		status = prepared_drain(s->p, &again, error);
	} else {
		status = verify_check(s->p, t->r->v, &check, &first, error);
		if (status == EH_OK)
			status = verify_check(s->p, t->r->v, &check, &again, error);
		layout_free(record_check_layout(), check);
		first += drained_ns;
	}
	*excess = status == EH_OK && first > again ? first - again : 0;
	return status;
}

static eh_status take_wait(void *context, uint64_t *first, uint64_t *second, eh_error *error)
{
	trial *t = context;
	uint64_t excess = 0;
	proof_part part = { 0 };
	bool shows = false;
	eh_status status = EH_OK;

	if (t->by_output)
		status = verify_poison(t->r->s->p, t->takes * t->count, error);
	if (status == EH_OK)
		status = run_long(t, &part, &shows, error);
	if (status == EH_OK)
		status = read_twice(t, part.drained_ns, &excess, error);
	*first = shows ? part.waited_ns : 0;
	*second = shows ? part.waited_ns + excess : 0;
	return status;
}

/* As of a sample. */
static void note_claim(proving *r, const proof_part *part)
{
	r->claims.ns[r->claims.count++] = (uint64_t)((double)part->claimed_ns * (double)r->s->batch /
	                                             (double)part->operations);
}

static eh_status take_claim(void *context, uint64_t *first, uint64_t *second, eh_error *error)
{
	trial *t = context;
	proof_part part = { 0 };
	bool shows = false;
	eh_status status = run_long(t, &part, &shows, error);

	*first = shows ? part.claimed_ns : 0;
	*second = shows ? part.waited_ns + part.drained_ns : 0;
	t->proved_ns = (double)(part.waited_ns + part.drained_ns) / (double)(part.operations + 1);
	if (shows)
		note_claim(t->r, &part);
	return status;
}

static eh_status judge_waits(proving *r, eh_error *error)
{
	trial t = long_part(r, r->excess_ns > 0 ? r->v->check_ns : 0);
	const doubts_way way = { RECORD_DOUBT_WAIT, SETTLE_WAIT, take_wait, &t, lengthen };
	record_doubt *d;
	eh_status status;

	if (!t.by_output && proven_waits(r->out->record))
		return EH_OK;
	status = doubts_settle(r->s, &way, &d, error);
	if (status != EH_OK || d->verdict == RECORD_DOUBT_CLEARED)
		return status;
	if (d->verdict == RECORD_DOUBT_OPEN)
		proof_find(r->out, RECORD_UNPROVEN, doubts_open(d, "waiting returned early"));
	else
		proof_find(r->out, RECORD_INVALID,
		           memory_format("Waiting returned early: reading back work that was reported as "
		                         "complete took %.2f times as long as the waits.",
		                         1 / (doubts_ratio(d) + 1e-3) - 1));
	return EH_OK;
}

static char *claim_sentence(double claim, double proved)
{
	char claimed[32], took[32];

	text_format_ns(claim, claimed);
	text_format_ns(proved, took);
	return memory_format("The samples claim %s per operation, but the same operations took %s each by "
	                     "the host clock up to the data read back.", claimed, took);
}

/* A device clock that lacks what is not the work's, however long the part, is wrong; one that lacks
 * it in short parts only is right, and the samples are then held to the long ones. */
static eh_status judge_claims(proving *r, eh_error *error)
{
	trial t = long_part(r, 0);
	const doubts_way way = { RECORD_DOUBT_CLAIM, SETTLE_CLAIM, take_claim, &t, lengthen };
	record_doubt *d;
	eh_status status;

	if (r->s->region == EH_REGION_ENQUEUE || proven_claims(r->out->record))
		return EH_OK;
	r->claims.count = 0;
	status = doubts_settle(r->s, &way, &d, error);
	if (status != EH_OK)
		return status;
	if (d->verdict == RECORD_DOUBT_OPEN)
		proof_find(r->out, RECORD_UNPROVEN,
		           doubts_open(d, "samples claim less than half of the time until their data were "
		                          "read back"));
	if (d->verdict == RECORD_DOUBT_CONFIRMED)
		proof_find(r->out, RECORD_INVALID, claim_sentence(sampler_median(r->s), t.proved_ns));
	return EH_OK;
}

/* ---- the speed of the samples ---------------------------------------------------------------- */

/* The quick samples of the proof, because it may have been disturbed more. */
static double proved_of(const proving *r)
{
	bool quartile = r->s->rules.statistic == RECORD_STATISTIC_QUARTILE;

	return proven_quantile(r->claims.ns, r->claims.count, quartile ? 0.1 : 0.25) / (double)r->s->batch;
}

/* As long as the samples took, within limits. */
static uint64_t patience_ns(const sampler *s)
{
	const uint64_t *times = s->host_ns != NULL ? s->host_ns : s->times_ns;
	uint64_t spent = 0;

	for (size_t i = 0; i < s->count && spent < most_patience_ns; i++)
		spent += times[i];
	return spent < least_patience_ns ? least_patience_ns :
	       spent > most_patience_ns ? most_patience_ns : spent;
}

static char *speed_sentence(double claimed, double proved)
{
	char then[32], now[32];

	text_format_ns(claimed, then);
	text_format_ns(proved, now);
	return memory_format("Not settled: the samples claim %s per operation, and the proof after them "
	                     "took %s: the machine may have become slower since.", then, now);
}

/* The samples must be as quick as those of the proof have been at some time. */
static eh_status judge_speed(proving *r, eh_error *error)
{
	double claimed = proven_claimed(r->s->times_ns, r->s->count, r->s->batch, r->s->rules.statistic);
	double proved = proved_of(r);
	uint64_t begin = clock_now_ns();
	uint64_t patience = patience_ns(r->s);
	eh_status status = EH_OK;

	r->again = true;
	while (status == EH_OK && claimed < SETTLE_CLAIM * proved && clock_now_ns() - begin < patience) {
		double again;

		r->claims.count = 0;
		status = proving_parts(r, SETTLE_LEAST, r->s->rules.proof_ns, error);
		again = proved_of(r);
		proved = again < proved ? again : proved;
	}
	r->out->record->ns_per_operation = proved;
	if (proven_speed(claimed, proved) == RECORD_INVALID)
		proof_find(r->out, RECORD_INVALID, claim_sentence(claimed, proved));
	else if (proven_speed(claimed, proved) == RECORD_UNPROVEN)
		proof_find(r->out, RECORD_UNPROVEN, speed_sentence(claimed, proved));
	return status;
}

/* ---- operations left out --------------------------------------------------------------------- */

/* Time of an operation among others, until it was waited for. */
static double repeated_ns(const proving *r)
{
	return r->s->region != EH_REGION_ENQUEUE ? r->out->record->ns_per_operation :
	       (double)r->kept.waited_ns / (double)(r->kept.operations + 1);
}

/* The most that an operation on overwritten output may take. */
static uint64_t allowed_alone(const proving *r, uint64_t nothing_ns)
{
	return (uint64_t)(LONE_FACTOR * repeated_ns(r)) + 2 * larger(r->s->clocks->launch_ns, nothing_ns);
}

/* What one command costs that does next to nothing, and the wait for it. */
static eh_status take_nothing(sampler *s, uint64_t *ns, eh_error *error)
{
	prepared *p = s->p;
	uint64_t start = clock_now_ns();
	eh_status status = p->s->ops->fill(p->bench.queue, p->probe, 0, sizeof(uint32_t), 0, error);

	if (status == EH_OK)
		status = prepared_wait(p, error);
	*ns = clock_now_ns() - start;
	return status;
}

static eh_status take_alone(sampler *s, uint64_t *ns, eh_error *error)
{
	proof_part alone = { 0 };
	uint64_t rest;
	eh_status status = verify_poison(s->p, 1, error);

	if (status == EH_OK)
		status = prepared_drain(s->p, &rest, error);
	if (status == EH_OK)
		status = proof_part_take(s, 1, &alone, error);
	*ns = alone.waited_ns;
	return status;
}

/* The quickest of several, because waking up may take longer than an operation. */
static eh_status take_lone(void *context, uint64_t *first, uint64_t *second, eh_error *error)
{
	const trial *t = context;
	uint64_t nothing = UINT64_MAX;
	eh_status status = EH_OK;

	*second = UINT64_MAX;
	for (int i = 0; i < TRIES && status == EH_OK; i++) {
		uint64_t alone = 0;
		uint64_t empty = 0;

		status = take_alone(t->r->s, &alone, error);
		if (status == EH_OK)
			status = take_nothing(t->r->s, &empty, error);
		*second = alone < *second ? alone : *second;
		nothing = empty < nothing ? empty : nothing;
	}
	*first = allowed_alone(t->r, nothing);
	return status;
}

static char *lone_sentence(const record_doubt *d, double repeated)
{
	double *alone = memory_get(d->second_ns.count * sizeof(*alone));
	char once[32], often[32];

	for (size_t i = 0; i < d->second_ns.count; i++)
		alone[i] = (double)d->second_ns.items[i];
	text_format_ns(statistics_median(alone, d->second_ns.count), once);
	text_format_ns(repeated, often);
	free(alone);
	return memory_format("An operation takes %s when its output was overwritten before, and %s when "
	                     "it is repeated: repeated ones cannot all have run.", once, often);
}

static eh_status judge_lone(proving *r, eh_error *error)
{
	trial t = { .r = r };
	const doubts_way way = { RECORD_DOUBT_LONE, SETTLE_LONE, take_lone, &t, NULL };
	record_doubt *d;
	eh_status status;

	if (r->lone_ns <= allowed_alone(r, 0))
		return EH_OK;
	status = doubts_settle(r->s, &way, &d, error);
	if (status == EH_OK && d->verdict == RECORD_DOUBT_OPEN)
		proof_find(r->out, RECORD_UNPROVEN,
		           doubts_open(d, "an operation is slower when its output was overwritten before"));
	if (status == EH_OK && d->verdict == RECORD_DOUBT_CONFIRMED)
		proof_find(r->out, RECORD_INVALID, lone_sentence(d, repeated_ns(r)));
	return status;
}

/* Times of operations, and of four times as many. */
typedef struct growth {
	uint64_t few, many;
} growth;

static void keep_least(uint64_t *least, uint64_t ns)
{
	*least = ns < *least ? ns : *least;
}

static double times_of(const growth *g)
{
	return (double)g->many / (double)(g->few + 1);
}

/* The quickest of several, in turn, because waking up may take longer than a batch.  Where it is so
 * slow throughout that a batch hardly takes longer than nothing, this shows nothing.  A wait that
 * sleeps only when it lasts shows in no empty wait what waking up takes, so marks are asked as well,
 * which wakes nobody: operations that are left out are left out both ways. */
static eh_status take_growth(void *context, uint64_t *first, uint64_t *second, eh_error *error)
{
	const trial *t = context;
	sampler *s = t->r->s;
	const uint64_t counts[] = { t->count, t->count * SETTLE_GROWTH_TIMES };
	growth waited = { UINT64_MAX, UINT64_MAX };
	growth asked = { UINT64_MAX, UINT64_MAX };
	uint64_t nothing = UINT64_MAX;
	eh_status status = EH_OK;
	bool shows;

	for (int i = 0; i < TRIES && status == EH_OK; i++) {
		uint64_t empty = 0;

		for (int k = 0; k < 2 && status == EH_OK; k++) {
			proof_part part = { 0 };
			uint64_t ns = 0;

			status = proof_part_take(s, counts[k], &part, error);
			if (status == EH_OK)
				status = proof_part_ask(s, counts[k], &ns, error);
			keep_least(k == 0 ? &waited.few : &waited.many, part.waited_ns);
			keep_least(k == 0 ? &asked.few : &asked.many, ns);
		}
		if (status == EH_OK)
			status = take_nothing(s, &empty, error);
		keep_least(&nothing, empty);
	}
	shows = (double)waited.few >= least_nothings * (double)nothing;
	if (times_of(&asked) > times_of(&waited))
		waited = asked;
	shows = shows || times_of(&waited) >= SETTLE_GROWTH_PAIRS;
	*first = shows ? waited.many : 0;
	*second = shows ? waited.few : 0;
	return status;
}

static eh_status judge_growth(proving *r, eh_error *error)
{
	uint64_t most = MOST_AT_ONCE / SETTLE_GROWTH_TIMES;
	trial t = { .r = r, .count = r->s->batch < most ? r->s->batch : most };
	const doubts_way way = { RECORD_DOUBT_GROWTH, SETTLE_GROWTH_PAIRS, take_growth, &t, NULL };
	double times = r->few > 0 ? (double)r->s->batch / (double)r->few : 1;
	record_doubt *d;
	eh_status status;

	if (r->few == 0 || settle_pairs(r->many_ns.items, r->few_ns.items, r->few_ns.count,
	                                SETTLE_GROWTH * times) == SETTLE_CLEARED)
		return EH_OK;
	status = doubts_settle(r->s, &way, &d, error);
	if (status == EH_OK && d->verdict == RECORD_DOUBT_OPEN)
		proof_find(r->out, RECORD_UNPROVEN,
		           doubts_open(d, "the time does not grow with the number of operations"));
	if (status == EH_OK && d->verdict == RECORD_DOUBT_CONFIRMED)
		proof_find(r->out, RECORD_INVALID,
		           memory_format("The time does not grow with the work: %d times as many operations "
		                         "took %.2f times as long, so not all of them can have run.", SETTLE_GROWTH_TIMES,
		                         doubts_ratio(d)));
	return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

eh_status proving_judge(proving *r, eh_error *error)
{
	static eh_status (*const judges[])(proving *r, eh_error *error) = {
		judge_waits, judge_claims, judge_speed, judge_lone, judge_growth,
	};
	eh_status status = EH_OK;

	for (size_t i = 0; i < sizeof(judges) / sizeof(judges[0]); i++)
		if (status == EH_OK && r->out->verdict != RECORD_INVALID)
			status = judges[i](r, error);
	return status;
}
