/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of rules about the proof, the inputs and the program of a case. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "contract/condition.h"
#include "record/row_evidence.h"
#include "stat/pairs.h"

/* ---- evidence -------------------------------------------------------------------------------- */

/* What is wrong with the proof of an execution that counts; NULL where nothing is.  *claim is the
 * smallest share of the proof's time that the samples claim. */
static const char *proof_fault(const result_row *r, double *claim)
{
	const char *fault = NULL;

	*claim = INFINITY;
	for EACH_COUNTED(e, r) {
		if (e->samples_ns.count == 0)
			continue;
		if (e->status != RECORD_UNPROVEN)
			*claim = fmin(*claim, row_evidence_claim(r->record, e));
		if (fault == NULL)
			fault = row_evidence_proof(r->record, e);
	}
	return fault;
}

SIDE(side_proof)
{
	double claim;
	const char *fault = proof_fault(x, &claim);

	if (fault == NULL)
		return false;
	if (claim < row_evidence_least_claim)
		snprintf(detail, size, "%.3g of the proof's time per operation", claim);
	else
		snprintf(detail, size, "its proof is %s", fault);
	return true;
}

/* The first evidence that an execution of the row lacks. */
SIDE(side_evidence)
{
	row_evidence of = row_evidence_of(a->record, x->record);

	for EACH_COUNTED(e, x)
		if (row_evidence_missing(&of, e) != NULL) {
			snprintf(detail, size, "%s", row_evidence_missing(&of, e));
			return true;
		}
	return false;
}

/* The same work has inputs on every backend, so the other side shows whether there was a digest to
 * record. */
CONDITION(condition_evidence)
{
	row_evidence ex = row_evidence_of(a->record, x->record);
	row_evidence ey = row_evidence_of(b->record, y->record);

	if (ex.data == ey.data || !condition_both_count(x, y))
		return false;
	snprintf(detail, size, "%s: a digest of the inputs, which the other side has",
	         ex.data ? "the other side" : "the baseline");
	return true;
}

/* ---- new inputs ------------------------------------------------------------------------------ */

static size_t pairs_of(const record_execution *e)
{
	size_t n = e->varied != NULL ? e->varied->new_ns.count : 0;
	size_t m = e->varied != NULL ? e->varied->repeated_ns.count : 0;

	return n < m ? n : m;
}

/* Whether an operation takes another time on new inputs.  Pairs of all executions together: an
 * execution has few of them where writing new inputs takes long. */
static bool inputs_matter(const result_row *r)
{
	uint_list fresh = { 0 };
	uint_list repeated = { 0 };
	bool differs;

	for EACH_COUNTED(e, r)
		for (size_t i = 0; i < pairs_of(e); i++) {
			uint_list_add(&fresh, e->varied->new_ns.items[i]);
			uint_list_add(&repeated, e->varied->repeated_ns.items[i]);
		}
	differs = pairs_differ(fresh.items, repeated.items, fresh.count);
	free(repeated.items);
	free(fresh.items);
	return differs;
}

SIDE(side_varied)
{
	return inputs_matter(x);
}

static bool has_pairs(const result_row *r)
{
	for EACH_COUNTED(e, r)
		if (e->varied != NULL)
			return true;
	return false;
}

/* One in each execution is enough where there are several executions. */
static bool too_few_pairs(const result_row *r)
{
	size_t all = 0;

	if (condition_next(r, NULL) == NULL)
		return false;
	for EACH_COUNTED(e, r) {
		if (pairs_of(e) == 0)
			return true;
		all += pairs_of(e);
	}
	return all < PAIRS_FEW;
}

/* Not where the record has nothing of new inputs: records of another kind have none. */
SIDE(side_not_varied)
{
	return (has_pairs(x) || word_list_has(&x->record->flags, RECORD_FLAG_INPUTS_NOT_VARIED)) &&
	       too_few_pairs(x);
}

CONDITION(condition_not_varied)
{
	if (!condition_both_count(x, y) || has_pairs(x) == has_pairs(y))
		return false;
	snprintf(detail, size, "%s", has_pairs(x) ? "other" : "baseline");
	return true;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* The execution of that number, where it counts. */
static const record_execution *execution_of(const result_row *r, uint64_t number)
{
	for EACH_COUNTED(e, r)
		if (e->execution == number)
			return e;
	return NULL;
}

static enum record_distribution declared_data(const result_row *r)
{
	enum record_distribution declared = condition_settings(r)->input_data;

	return declared != 0 ? declared : RECORD_DATA_STANDARD;
}

/* The distribution that a counted execution records where it is not the declared one, else 0. */
static enum record_distribution other_distribution(const result_row *r)
{
	for EACH_COUNTED(e, r)
		if (e->data != NULL && e->data->distribution != declared_data(r))
			return e->data->distribution;
	return record_distribution_absent;
}

SIDE(side_input_data)
{
	enum record_distribution other = other_distribution(x);

	if (other == 0)
		return false;
	snprintf(detail, size, "declared %s, recorded %s", record_distribution_word(declared_data(x)),
	         record_distribution_word(other));
	return true;
}

static bool data_differ(const char *what, const char *dx, const char *dy, char *detail, size_t size)
{
	if (strcmp(dx, dy) == 0)
		return false;
	snprintf(detail, size, "%s: %.16s | %.16s", what, dx, dy);
	return true;
}

static bool inputs_differ(const result_row *x, const result_row *y, char *detail, size_t size)
{
	for EACH_COUNTED(ex, x) {
		const record_execution *ey = ex->data != NULL ? execution_of(y, ex->execution) : NULL;

		if (ey == NULL || ey->data == NULL)
			continue;
		if (data_differ("distribution", record_distribution_word(ex->data->distribution),
		                record_distribution_word(ey->data->distribution), detail, size) ||
		    data_differ("sha256", ex->data->sha256, ey->data->sha256, detail, size))
			return true;
	}
	return false;
}

CONDITION(condition_input_data)
{
	return condition_differ(record_distribution_word(declared_data(x)),
	                        record_distribution_word(declared_data(y)), detail, size) ||
	       inputs_differ(x, y, detail, size);
}

enum data_disclosure { DISCLOSED_BY_NONE, DISCLOSED_BY_ALL, DISCLOSED_BY_SOME };

/* Which of the counted executions record their inputs. */
static enum data_disclosure data_disclosed(const result_row *r)
{
	size_t all = 0;
	size_t with = 0;

	for EACH_COUNTED(e, r) {
		all++;
		with += e->data != NULL;
	}
	return with == 0 ? DISCLOSED_BY_NONE : with == all ? DISCLOSED_BY_ALL : DISCLOSED_BY_SOME;
}

/* Whether an execution of the same number counts on both sides. */
static bool share_a_number(const result_row *x, const result_row *y)
{
	for EACH_COUNTED(e, x)
		if (execution_of(y, e->execution) != NULL)
			return true;
	return false;
}

CONDITION(condition_input_undisclosed)
{
	enum data_disclosure dx = data_disclosed(x);
	enum data_disclosure dy = data_disclosed(y);

	if (dx == DISCLOSED_BY_ALL && dy == DISCLOSED_BY_ALL) {
		if (share_a_number(x, y))
			return false;
		snprintf(detail, size, "no execution of the same number on both sides");
		return true;
	}
	if (!condition_both_count(x, y) || (dx == dy && dx != DISCLOSED_BY_SOME))
		return false;
	return condition_either(dx != DISCLOSED_BY_ALL, dy != DISCLOSED_BY_ALL,
	                        "no digest of the inputs", detail, size);
}

/* ---- the program ----------------------------------------------------------------------------- */

/* Of the first execution that records one, else "". */
static const char *source_of(const result_row *r)
{
	for EACH_COUNTED(e, r)
		if (e->program != NULL && e->program->source_sha256 != NULL &&
		    e->program->source_sha256[0] != '\0')
			return e->program->source_sha256;
	return "";
}

CONDITION(condition_source)
{
	const char *sx = source_of(x);
	const char *sy = source_of(y);

	if (x->planned->tier != RECORD_TIER_PORTABLE || y->planned->tier != RECORD_TIER_PORTABLE ||
	    sx[0] == '\0' || sy[0] == '\0' || strcmp(sx, sy) == 0)
		return false;
	snprintf(detail, size, "%.12s | %.12s", sx, sy);
	return true;
}

size_t contract_binaries(const result_row *r)
{
	text_list different = { 0 };
	size_t count;

	for EACH_COUNTED(e, r) {
		/* Of a library what it says of the kernel that it ran. */
		const char *identity = e->program != NULL ? e->program->binary_sha256 :
		                       e->library != NULL ? e->library->detail : NULL;

		if (identity != NULL && identity[0] != '\0' && !text_list_has(&different, identity))
			text_list_add(&different, identity);
	}
	count = different.count;
	for (size_t i = 0; i < count; i++)
		free(different.items[i]);
	free(different.items);
	return count;
}

SIDE(side_binary)
{
	size_t count = contract_binaries(x);

	if (count > 1)
		snprintf(detail, size, "%zu binaries", count);
	return count > 1;
}

/* The budget that the last execution records; LAYOUT_NO_UINT unless every execution records its
 * trials and their choice. */
static uint64_t tuning_budget(const result_row *r)
{
	uint64_t budget = LAYOUT_NO_UINT;

	for EACH_COUNTED(e, r) {
		if (e->tuning == NULL || e->tuning->chosen.items == NULL)
			return LAYOUT_NO_UINT;
		budget = e->tuning->budget_ns;
	}
	return budget;
}

SIDE(side_tuning)
{
	if (x->planned->tier != RECORD_TIER_TUNED || condition_next(x, NULL) == NULL ||
	    tuning_budget(x) != LAYOUT_NO_UINT)
		return false;
	snprintf(detail, size, "not recorded");
	return true;
}

CONDITION(condition_tuning)
{
	uint64_t bx = tuning_budget(x);
	uint64_t by = tuning_budget(y);

	if (x->planned->tier != RECORD_TIER_TUNED || y->planned->tier != RECORD_TIER_TUNED ||
	    bx == LAYOUT_NO_UINT || by == LAYOUT_NO_UINT || bx == by)
		return false;
	snprintf(detail, size, "%llu ns | %llu ns", (unsigned long long)bx, (unsigned long long)by);
	return true;
}
