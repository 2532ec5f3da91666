/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/proof.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"

enum {
	PARTS = 64,            /* of the run at most, each ended by reading a word back       */
	ATTEMPTS = 24,         /* of each kind, while patience lasts, at least LEAST_ATTEMPTS */
	LEAST_ATTEMPTS = 8,
	GROWTH = 4,            /* times as many operations                                    */
	GROWTH_RUNS = 5,       /* of each number at most, the quickest counts                 */
	MOST_AT_ONCE = 16384,
	MOST_TIMES = 1 << 20,  /* that few operations are repeated for their growth            */
	IDLE_PART = 8,         /* idle drains that a part lasts at least                       */
	LONE_FACTOR = 16       /* that an operation may be slower alone: caches, clocks       */
};
static const double least_claim = 0.5;     /* of a sample, against the proof               */
static const double most_hidden = 0.25;    /* of the proof, seen only in the read-back     */
static const double least_growth = 2.5;    /* of the time of GROWTH times the work         */
static const uint64_t longest_ns = 2000000000;
static const uint64_t patience_ns = 2000000000;
static const uint64_t growth_ns = 250000000; /* after which two runs of each number are enough */

/*
 * The smallest of each number over all attempts at the run.  Disturbance only makes times longer,
 * so an honest backend passes in one attempt or another; a lie shows in each.
 */
typedef struct evidence {
	uint64_t length_ns;      /* of an attempt at least                                    */
	uint64_t parts;          /* of an attempt at most                                     */
	uint64_t operations;     /* of the newest attempt                                     */
	uint64_t total_ns;       /* of the newest attempt, until its output was read back     */
	double part;             /* time per operation of a part, each ended by draining      */
	double last;             /* of the last part, ended by reading the output back        */
	double hidden;           /* what reading back took too long, as a share of the waits  */
} evidence;

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

/* One attempt at the run. */
typedef struct attempt {
	uint64_t waited_ns;      /* until waits returned                                      */
	uint64_t drained_ns;     /* in the draining after them                                */
	uint64_t parts;
	uint64_t last_ns;        /* of the last part: in the region's meaning                 */
	uint64_t last_operations;
} attempt;

static eh_status run_parts(sampler *s, evidence *e, attempt *a, eh_error *error)
{
	bool enqueue_only = s->region == EH_REGION_ENQUEUE;
	uint64_t part = e->operations / e->parts > s->batch ? e->operations / e->parts : s->batch;
	uint64_t left = e->operations;

	*a = (attempt){ 0 };
	while (left > 0) {
		uint64_t now = left < 2 * part ? left : part; /* the last one takes the rest */
		uint64_t start = clock_now_ns();
		uint64_t enqueue;
		uint64_t rest;
		uint64_t took;
		eh_status status = sampler_operate(s, now, &enqueue, error);

		took = clock_now_ns() - start;
		if (status == EH_OK)
			status = prepared_drain(s->p, &rest, error);
		if (status != EH_OK)
			return status;
		a->last_ns = enqueue_only ? enqueue : took + rest;
		a->last_operations = now;
		a->waited_ns += took;
		a->drained_ns += rest;
		a->parts++;
		e->part = smaller(e->part, (double)a->last_ns / (double)now);
		left -= now;
	}
	return EH_OK;
}

/* Checks the output.  *excess_ns is the time beyond that of a usual check: a slow check is repeated,
 * because by then the data are surely there. */
static eh_status read_output(sampler *s, verify_state *v, uint64_t tolerated_ns,
                             uint64_t *excess_ns, eh_error *error)
{
	uint64_t known = v->check_ns;
	uint64_t first;
	uint64_t again;
	eh_status status = verify_check(s->p, v, &v->record->after, &first, error);

	*excess_ns = 0;
	if (status != EH_OK || !verify_passed(v->record->after) || first <= known + tolerated_ns)
		return status;
	status = verify_check(s->p, v, &v->record->after, &again, error);
	if (status != EH_OK)
		return status;
	if (again < known)
		again = known;
	if (first > again)
		*excess_ns = first - again;
	return EH_OK;
}

/* A run over overwritten outputs, in parts like samples, ended by the check. */
static eh_status run_once(sampler *s, verify_state *v, evidence *e, eh_error *error)
{
	attempt a;
	uint64_t excess;
	uint64_t idle;
	double hidden;
	eh_status status = verify_poison(s->p, e->operations, error);

	if (status == EH_OK)
		status = run_parts(s, e, &a, error);
	if (status == EH_OK)
		status = read_output(s, v, (uint64_t)(most_hidden * (double)a.waited_ns), &excess, error);
	if (status == EH_OK)
		status = prepared_drain(s->p, &idle, error);
	if (status != EH_OK)
		return status;
	hidden = (double)excess + (double)a.drained_ns - (double)idle * (double)a.parts;
	e->hidden = smaller(e->hidden, hidden / (double)a.waited_ns);
	if (s->region != EH_REGION_ENQUEUE)
		a.last_ns += excess;
	e->last = smaller(e->last, (double)a.last_ns / (double)a.last_operations);
	e->total_ns = a.waited_ns + a.drained_ns + excess;
	return EH_OK;
}

/* `count` operations, in the way of the samples, until the queue is drained: a backend that waits
 * too little or claims too short times cannot shorten that. */
static eh_status drained_run(sampler *s, uint64_t count, uint64_t *ns, eh_error *error)
{
	uint64_t start = clock_now_ns();
	uint64_t enqueue;
	uint64_t rest;
	eh_status status = sampler_operate(s, count, &enqueue, error);

	if (status == EH_OK)
		status = prepared_drain(s->p, &rest, error);
	*ns = clock_now_ns() - start;
	return status;
}

/* Chooses the length and the parts of a run, and by trial how many operations last so long. */
static eh_status choose(sampler *s, const verify_state *v, evidence *e, eh_error *error)
{
	uint64_t check = v->check_ns / 2 < longest_ns ? v->check_ns / 2 : longest_ns;
	uint64_t least = check > s->rules.proof_ns ? check : s->rules.proof_ns;
	uint64_t length = prepared_outlast(s->idle_ns, least);
	uint64_t parts = length / (IDLE_PART * s->idle_ns + 1);
	uint64_t count = s->batch;

	/* Reading back must drown neither the run nor a part of it. */
	e->length_ns = length;
	e->parts = parts > PARTS ? PARTS : parts < 1 ? 1 : parts;
	for (;;) {
		uint64_t took;
		eh_status status = drained_run(s, count, &took, error);

		if (status != EH_OK)
			return status;
		if (took >= length / 8 || count >= UINT64_C(1) << 32) {
			double needed = (double)count * (double)length * 1.1 / (double)(took + 1);

			e->operations = (uint64_t)needed + 1;
			return EH_OK;
		}
		count *= 4;
	}
}

/* `times` times `count` operations enqueued at once, until the queue is drained. */
static eh_status run_at_once(sampler *s, uint64_t count, uint64_t times, uint64_t *ns,
                             eh_error *error)
{
	uint64_t start = clock_now_ns();
	uint64_t rest;
	eh_status status = EH_OK;

	for (; times > 0 && status == EH_OK; times--) {
		status = prepared_enqueue(s->p, count, error);
		if (status == EH_OK)
			status = prepared_wait(s->p, error);
	}
	if (status == EH_OK)
		status = prepared_drain(s->p, &rest, error);
	*ns = clock_now_ns() - start;
	return status;
}

/* Whether to stop before attempt number i, from 0. */
static bool impatient(int i, uint64_t begin_ns)
{
	return i >= LEAST_ATTEMPTS && clock_now_ns() - begin_ns > patience_ns;
}

/* The quickest of all runs of a batch, and of GROWTH times as many operations. */
typedef struct growth { uint64_t few_ns, many_ns; } growth;

static eh_status grow(sampler *s, uint64_t few, uint64_t times, growth *g, eh_error *error)
{
	uint64_t begin = clock_now_ns();

	for (int i = 0; i < GROWTH_RUNS; i++) {
		uint64_t took;
		eh_status status = run_at_once(s, few, times, &took, error);

		if (status != EH_OK)
			return status;
		g->few_ns = took < g->few_ns ? took : g->few_ns;
		status = run_at_once(s, few * GROWTH, times, &took, error);
		if (status != EH_OK)
			return status;
		g->many_ns = took < g->many_ns ? took : g->many_ns;
		/* Long runs are disturbed less, relatively. */
		if (i >= 1 && clock_now_ns() - begin > growth_ns)
			break;
	}
	return EH_OK;
}

/* How often a batch is repeated, so that the draining at its end, which is the same for more
 * operations, does not hide how they grow. */
static eh_status repeats(sampler *s, uint64_t few, uint64_t *times, eh_error *error)
{
	uint64_t idle;
	uint64_t took;
	/* Draining may have been disturbed when it was measured. */
	eh_status status = prepared_idle(s->p, &idle, error);

	idle = s->idle_ns < idle ? s->idle_ns : idle;
	for (*times = 1; status == EH_OK; *times *= 2) {
		status = run_at_once(s, few, *times, &took, error);
		if (took >= IDLE_PART * idle || *times >= MOST_TIMES)
			break;
	}
	return status;
}

/* One operation whose output was overwritten just before. */
static eh_status run_lone(sampler *s, uint64_t *ns, eh_error *error)
{
	uint64_t rest;
	uint64_t start;
	eh_status status = verify_poison(s->p, 1, error);

	if (status == EH_OK)
		status = prepared_drain(s->p, &rest, error);
	start = clock_now_ns();
	if (status == EH_OK)
		status = prepared_enqueue(s->p, 1, error);
	if (status == EH_OK)
		status = prepared_wait(s->p, error);
	*ns = clock_now_ns() - start;
	return status;
}

static double quickest_sample(const sampler *s)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < s->count; i++)
		if (s->times_ns[i] < least)
			least = s->times_ns[i];
	return (double)least / (double)s->batch;
}

/* NULL when the evidence is consistent with itself and the samples. */
static char *contradiction(sampler *s, const evidence *e)
{
	double least = quickest_sample(s);
	double middle = sampler_median(s);
	char claimed[32];
	char proved[32];

	if (e->hidden > most_hidden)
		return memory_format("Waiting returned early: reading back work that was reported as "
		                     "complete took %.2f times as long as the waits.", e->hidden);
	if (least < least_claim * e->part) {
		text_format_ns(least, claimed);
		text_format_ns(e->part, proved);
		return memory_format("A sample claims %s per operation, but the same operations took at "
		                     "least %s each by the host clock up to the data read back.",
		                     claimed, proved);
	}
	if (middle < least_claim * e->last) {
		text_format_ns(middle, claimed);
		text_format_ns(e->last, proved);
		return memory_format("The samples claim %s per operation, but the same operations took %s "
		                     "each by the host clock up to their output read back.",
		                     claimed, proved);
	}
	return NULL;
}

static eh_status try_run(sampler *s, verify_state *v, proof *out, eh_error *error)
{
	evidence e = { .part = INFINITY, .last = INFINITY, .hidden = INFINITY };
	uint64_t begin = clock_now_ns();
	eh_status status = choose(s, v, &e, error);

	for (int i = 0; i < ATTEMPTS && status == EH_OK && !impatient(i, begin); i++) {
		status = run_once(s, v, &e, error);
		if (status != EH_OK || !verify_passed(v->record->after))
			break;
		out->record->ns_per_operation = e.part;
		out->record->operations = e.operations;
		out->record->host_ns = e.total_ns;
		free(out->failure);
		out->failure = contradiction(s, &e);
		if (e.total_ns < e.length_ns)
			e.operations = (uint64_t)((double)e.operations * 1.2 * (double)e.length_ns /
			                          (double)e.total_ns) + 1;
		else if (out->failure == NULL)
			break;
	}
	return status;
}

/*
 * Only where a batch is as long as it has to be: after an eviction it may be so short, or so much
 * quicker once the caches are warm, that starting and waiting are most of it.  There each operation
 * of a batch has an output of its own, and verify_each looks at all of them.
 */
static eh_status try_growth(sampler *s, proof *out, eh_error *error)
{
	uint64_t few = s->batch < MOST_AT_ONCE / GROWTH ? s->batch : MOST_AT_ONCE / GROWTH;
	uint64_t begin = clock_now_ns();
	growth seen = { UINT64_MAX, UINT64_MAX };
	uint64_t times;
	double ratio = 0;
	eh_status status = repeats(s, few, &times, error);

	for (int i = 0; i < ATTEMPTS && ratio < least_growth && !impatient(i, begin); i++) {
		if (status == EH_OK)
			status = grow(s, few, times, &seen, error);
		if (status != EH_OK)
			return status;
		ratio = (double)seen.many_ns / (double)seen.few_ns;
	}
	if (ratio < least_growth)
		out->failure = memory_format("The time does not grow with the work: %d times as many "
		                             "operations took %.2f times as long, so not all of them can "
		                             "have run.", GROWTH, ratio);
	return EH_OK;
}

static eh_status try_lone(sampler *s, proof *out, eh_error *error)
{
	double repeated = (double)out->record->host_ns / (double)out->record->operations;
	double allowed = LONE_FACTOR * repeated + 2 * (double)s->clocks->launch_ns;
	uint64_t least = UINT64_MAX;
	uint64_t begin = clock_now_ns();
	char alone[32];
	char often[32];

	for (int i = 0; i < ATTEMPTS && (double)least > allowed && !impatient(i, begin); i++) {
		uint64_t took;
		eh_status status = run_lone(s, &took, error);

		if (status != EH_OK)
			return status;
		least = took < least ? took : least;
	}
	if ((double)least <= allowed)
		return EH_OK;
	text_format_ns((double)least, alone);
	text_format_ns(repeated, often);
	out->failure = memory_format("An operation takes %s when its output was overwritten before, and "
	                             "%s when it is repeated: repeated ones cannot all have run.",
	                             alone, often);
	return EH_OK;
}

/* Changes the inputs of every set. */
static eh_status vary_sets(prepared *p, proof *out, eh_error *error)
{
	inputdata_log varied = { 0 };
	uint64_t begin = clock_now_ns();
	eh_status status = EH_OK;

	for (size_t i = 0; i < p->set_count && status == EH_OK; i++) {
		if (i == 0)
			inputdata_begin(&varied, p->data.kind);
		status = p->workload->vary(p->states[i], 1, error);
		inputdata_end();
	}
	out->vary_ns = (clock_now_ns() - begin) / (p->set_count > 0 ? p->set_count : 1);
	out->inputs_unchanged = varied.requests > 0 && p->data.kind == RECORD_DATA_ZEROS;
	return status;
}

eh_status proof_run(sampler *s, verify_state *v, proof *out, eh_error *error)
{
	eh_status status = vary_sets(s->p, out, error);

	/* By draining, not by a mark: work left over by an early wait would be counted below. */
	if (status == EH_OK)
		status = prepared_idle(s->p, &s->idle_ns, error);
	if (status == EH_OK)
		status = try_run(s, v, out, error);
	if (status == EH_OK && verify_passed(v->record->after))
		status = verify_each(s->p, v, s->region == EH_REGION_ROUND_TRIP ? 1 : s->batch, error);
	if (status != EH_OK || !verify_passed(v->record->after) || out->failure != NULL)
		return status;
	status = try_lone(s, out, error);
	/* Only within one sample could operations be left out that another one follows. */
	if (status == EH_OK && out->failure == NULL && s->batch > 1 && s->p->evictor == NULL &&
	    s->region == EH_REGION_EXECUTION)
		status = try_growth(s, out, error);
	return status;
}
