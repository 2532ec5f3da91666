/* SPDX-License-Identifier: Apache-2.0 */
#include "record/row_evidence.h"

#include <math.h>

#include "record/implied.h"
#include "record/proven.h"
#include "stat/settle.h"

const double row_evidence_least_claim = SETTLE_CLAIM;
/* A proof is at least this share of the time that the protocol asks for. */
static const double least_proof = 0.5;

/* ---- the proof ------------------------------------------------------------------------------- */

double row_evidence_claim(const record_case *row, const record_execution *e)
{
	enum record_scenario_kind scenario = row->measure.scenario;
	double proved = e->proof != NULL ? e->proof->ns_per_operation : NAN;

	if (scenario != record_scenario_kind_absent && scenario != RECORD_SCENARIO_NONE)
		return INFINITY;
	return proved > 0 ? proven_claimed(e->samples_ns.items, e->samples_ns.count, e->batch,
	                                   row->measure.statistic) / proved : INFINITY;
}

static bool parts_hold_together(const record_proof *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->waited_ns.count && i < p->drained_ns.count; i++)
		sum += p->waited_ns.items[i] + p->drained_ns.items[i];
	return p->waited_ns.count == p->drained_ns.count && p->claimed_ns.count == p->drained_ns.count &&
	       sum == p->host_ns;
}

static bool proof_holds_together(const record_settings *m, const record_proof *p)
{
	double asked = m->proof_ns != LAYOUT_NO_UINT ? (double)m->proof_ns : 0;

	return p->operations > 0 && p->ns_per_operation > 0 && parts_hold_together(p) &&
	       (double)p->host_ns >= least_proof * asked;
}

const char *row_evidence_proof(const record_case *row, const record_execution *e)
{
	if (e->proof == NULL)
		return "absent";
	if (e->proof->waited_ns.count == 0)
		return "without its parts";
	if (!proof_holds_together(&row->measure, e->proof))
		return "in contradiction to itself";
	/* What could not be settled is said by the status. */
	return e->status != RECORD_UNPROVEN && row_evidence_claim(row, e) < row_evidence_least_claim ?
	       "in contradiction to the samples" : NULL;
}

/* ---- the verification ------------------------------------------------------------------------ */

/* As the harness judges a check: one that compared nothing did not pass. */
static bool check_passed(const record_check *c)
{
	return c->passed && c->checked != LAYOUT_NO_UINT && c->checked > 0 && c->failed == 0;
}

const char *row_evidence_verification(const record_execution *e)
{
	const record_verification *v = e->verification;

	if (v == NULL || v->before == NULL || v->after == NULL)
		return "absent";
	if (!check_passed(v->before) || !check_passed(v->after) ||
	    (v->during_failed != LAYOUT_NO_UINT && v->during_failed > 0) ||
	    (v->selftest != NULL && !v->selftest->passed))
		return "failed";
	return NULL;
}

/* ---- the rest -------------------------------------------------------------------------------- */

static bool has_canary(const record_execution *e)
{
	const record_canary *c = e->canary;

	return c != NULL && c->compute_before_ns > 0 && c->compute_after_ns > 0 &&
	       c->memory_before_ns > 0 && c->memory_after_ns > 0 && c->reference_compute_ns > 0 &&
	       c->reference_memory_ns > 0;
}

row_evidence row_evidence_of(const record_result *r, const record_case *row)
{
	row_evidence of = { .result = r, .row = row };

	for (size_t i = 0; i < row->executions.count; i++) {
		const record_execution *e = &row->executions.items[i];

		if (!record_counts(e->status))
			continue;
		of.data = of.data || e->data != NULL;
		of.program = of.program || e->program != NULL;
	}
	return of;
}

/* What the settings of the case ask for. */
static const char *asked_for(const record_settings *m, const record_execution *e)
{
	trace_summary requests;

	if (e->turns != NULL && e->starts_ns.count != e->samples_ns.count)
		return "the times of its turns";
	if (m->cache == RECORD_CACHE_COLD && e->cache == NULL)
		return "how its caches were made cold";
	if (m->regime == RECORD_REGIME_SUSTAINED &&
	    (e->sustained == NULL || e->starts_ns.count != e->samples_ns.count))
		return "the windows of the sustained regime";
	if (record_is_load(m) && !implied_requests(m, e, &requests))
		return "the requests that its samples are the latencies of";
	return NULL;
}

/* What other executions of the row record. */
static const char *others_have(const row_evidence *of, const record_execution *e)
{
	if (of->data && e->data == NULL)
		return "a digest of its inputs, which other executions have";
	if (of->program && e->program == NULL)
		return "its program, which other executions have";
	return NULL;
}

const char *row_evidence_missing(const row_evidence *of, const record_execution *e)
{
	const char *asked = asked_for(&of->row->measure, e);

	if (of->result->protocol.canonical.canary && !has_canary(e) &&
	    !word_list_has(&e->flags, RECORD_FLAG_NO_CANARY))
		return "a canary, which the protocol declares";
	if (record_instrument_of(&of->result->instruments, e->execution) == NULL)
		return "an instrument: nothing says how good its clocks were";
	if (e->load == NULL || !(e->load->wall_seconds > 0))
		return "the wall time in which it was measured";
	if (e->clock == RECORD_CLOCK_DEVICE && e->host_ns.count != e->samples_ns.count)
		return "the host's times beside those of the device";
	return asked != NULL ? asked : others_have(of, e);
}
