/* SPDX-License-Identifier: Apache-2.0 */
/* The same work on the same device by other software.  Where that is faster, the hardware was not
 * the limit, whatever the share of a ceiling. */
#include <string.h>

#include "analysis/ceilings.h"
#include "analysis/diagnose.h"

#define NOTE(c, ...) text_list_format(&(c)->notes, __VA_ARGS__)

static diagnosis_case *case_of(const diagnosis *d, const char *id)
{
	for (size_t i = 0; i < d->cases.count; i++)
		if (strcmp(d->cases.items[i].id, id) == 0)
			return &d->cases.items[i];
	return NULL;
}

static bool is_measured(const diagnosis_case *c)
{
	return c->answer != DIAGNOSIS_INVALID && c->answer != DIAGNOSIS_ABSENT;
}

/* Whether a faster run may overrule the answer. */
static bool open_to_proof(const diagnosis_case *c)
{
	return is_measured(c) && c->answer != DIAGNOSIS_DEFECT;
}

/* Whether both sides have evidence that a proof may rest on. */
static bool provable(const diagnosis_case *c, const comparison_side *by)
{
	return c->evidence.level < EVIDENCE_UNPROVEN && by->evidence.level < EVIDENCE_UNPROVEN;
}

static void prove(diagnosis_case *c, enum diagnosis_limit limit)
{
	c->answer = DIAGNOSIS_SOFTWARE;
	c->limit = limit;
}

/* ---- another tier ---------------------------------------------------------------------------- */

/* The plan names a tier of a case by a suffix: gemm and gemm.tuned. */
static bool is_portable_of(const record_case *row, const record_case *tuned)
{
	size_t size = strlen(row->id);

	return row->tier == RECORD_TIER_PORTABLE && strncmp(row->id, tuned->id, size) == 0 &&
	       tuned->id[size] == '.' &&
	       strcmp(tuned->id + size + 1, record_tier_word(tuned->tier)) == 0 &&
	       strcmp(row->workload, tuned->workload) == 0 &&
	       strcmp(row->precision, tuned->precision) == 0;
}

static diagnosis_case *portable_of(const diagnosis *d, const record_case *tuned)
{
	for (size_t i = 0; i < d->cases.count; i++)
		if (is_portable_of(d->cases.items[i].row, tuned))
			return &d->cases.items[i];
	return NULL;
}

/* self: the result compared with itself, for the gains over the portable tier. */
static void look_at_tiers(const diagnosis *d, const comparison *self)
{
	for (size_t i = 0; i < self->cases.count; i++) {
		const comparison_row *pair = &self->cases.items[i];
		const comparison_ratio *gain = pair->baseline_tuning_gain;
		diagnosis_case *c;

		if (gain == NULL)
			continue;
		c = portable_of(d, pair->a->record);
		if (c == NULL || !is_measured(c))
			continue;
		NOTE(c, "%s does the same work %.2fx as fast [%.2f-%.2f] on this device.", pair->id,
		     gain->ratio, gain->interval.low, gain->interval.high);
		if (open_to_proof(c) && gain->interval.low >= DIAGNOSE_OTHER && provable(c, pair->baseline))
			prove(c, DIAGNOSIS_BY_TUNING);
	}
}

/* ---- graphs ---------------------------------------------------------------------------------- */

static bool launches(const diagnosis_case *c)
{
	return strcmp(c->row->workload, "launch") == 0 ||
	       (c->answer == DIAGNOSIS_SOFTWARE && c->limit == DIAGNOSIS_BY_LAUNCH);
}

static void look_at_graphs(const diagnosis *d)
{
	const ceiling *graph = ceilings_of(&d->ceilings, CEILING_GRAPH, NULL);
	const ceiling *empty = ceilings_of(&d->ceilings, CEILING_EMPTY, NULL);
	double gain;
	bool confirms;

	if (graph == NULL || empty == NULL)
		return;
	gain = empty->ns / graph->ns;
	confirms = gain >= DIAGNOSE_GRAPH && graph->evidence < EVIDENCE_UNPROVEN &&
	           empty->evidence < EVIDENCE_UNPROVEN;
	for (size_t i = 0; i < d->cases.count; i++) {
		diagnosis_case *c = &d->cases.items[i];

		if (launches(c) && open_to_proof(c))
			NOTE(c, "Replayed in a graph an empty kernel takes 1/%.2f of the time (%s against %s)%s.",
			     gain, graph->by, empty->by,
			     confirms ? ": that confirms that launching limits" : "");
	}
}

/* ---- other executors on the same device ------------------------------------------------------ */

static void look_at_row(diagnosis_case *c, const comparison_row *pair, const char *other)
{
	if (pair->level == CONTRACT_REFUSED || !(pair->speedup > 0)) {
		NOTE(c, "%s does not compare with it: %s.", other,
		     pair->reasons.count > 0 ? pair->reasons.items[0].rule :
		     comparison_verdict_word(pair->verdict));
		return;
	}
	NOTE(c, "%s does it %.2fx as fast [%.2f-%.2f] on the same device (%s).", other, pair->speedup,
	     pair->speedup_interval->low, pair->speedup_interval->high,
	     comparison_verdict_word(pair->verdict));
	if (pair->speedup_interval->low >= DIAGNOSE_OTHER && pair->verdict == VERDICT_FASTER)
		prove(c, DIAGNOSIS_BY_PROVIDER);
}

static void look_at_rows(diagnosis *d, const comparison *c, const char *other)
{
	const char *why = "";

	for (size_t i = 0; i < c->reasons.count; i++)
		why = c->reasons.items[i].level == CONTRACT_REFUSED ? c->reasons.items[i].rule : why;
	if (c->level == CONTRACT_REFUSED) {
		text_list_format(&d->notes, "%s is left out: the contract refuses to compare it (%s).", other,
		                 why);
		return;
	}
	for (size_t i = 0; i < c->cases.count; i++) {
		const comparison_row *pair = &c->cases.items[i];
		diagnosis_case *one = pair->a != NULL ? case_of(d, pair->a->id) : NULL;

		if (one != NULL && pair->b != NULL && open_to_proof(one))
			look_at_row(one, pair, other);
	}
}

static void look_at_other(diagnosis *d, const result *of, const result *other)
{
	comparison *c;

	if (!diagnose_same_device(&of->record->executor, &other->record->executor)) {
		text_list_format(&d->notes, "%s is left out: the records do not show that it is the same "
		                 "device.", other->record->executor.name);
		return;
	}
	c = contract_compare(of, other, 0);
	look_at_rows(d, c, other->record->executor.name);
	comparison_free(c);
}

void diagnose_counterfactuals(diagnosis *d, const result *of, const result *const *others,
                              size_t other_count)
{
	comparison *self = contract_compare(of, of, 0);

	look_at_tiers(d, self);
	comparison_free(self);
	look_at_graphs(d);
	for (size_t i = 0; i < other_count; i++)
		look_at_other(d, of, others[i]);
}
