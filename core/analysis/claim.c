/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/claim.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/stacks.h"
#include "base/text.h"

#define CONFIDENCE 0.95

/* Takes the sentence. */
static void conclude(claim_verdict *v, enum claim_answer answer, char *why)
{
	free(v->why);
	v->answer = answer;
	v->why = why;
}

/* ---- the two results ------------------------------------------------------------------------- */

static bool under_protocol(claim_verdict *v, const result *r)
{
	const claim *c = &v->claim;

	if (strcmp(r->record->protocol.name, c->protocol) != 0 || r->record->protocol.version != c->version)
		text_list_format(&v->notes, "%s (%s) is left out: it is of %s@%llu, and the claim is about "
		                 "%s@%llu.", r->record->executor.name, r->path, r->record->protocol.name,
		                 (unsigned long long)r->record->protocol.version, c->protocol,
		                 (unsigned long long)c->version);
	else if (c->digest != NULL && strcmp(r->record->protocol.digest, c->digest) != 0)
		text_list_format(&v->notes, "%s (%s) is left out: its protocol has the digest %.12s, not "
		                 "%.12s.", r->record->executor.name, r->path, r->record->protocol.digest, c->digest);
	else
		return true;
	return false;
}

/* The results that fit one side. */
typedef struct choice { const result *one; size_t count; text names; } choice;

static void choose(choice *c, const result *r)
{
	c->one = r;
	text_add(&c->names, "%s%s", c->count++ > 0 ? ", " : "", r->path);
}

/* NULL, with the reason, unless one result fits. */
static const result *settle(claim_verdict *v, const choice *c, const char *side,
                            const char *selector)
{
	if (c->count == 0)
		conclude(v, CLAIM_UNDECIDED, memory_format("No result fits %s = %s.", side, selector));
	else if (c->count > 1)
		conclude(v, CLAIM_UNDECIDED,
		         memory_format("%zu results fit %s = %s: %s.  Name the one to decide by.", c->count,
		                       side, selector, c->names.data));
	return c->count == 1 ? c->one : NULL;
}

static bool find_sides(claim_verdict *v, const result *const *results, size_t count,
                       const result *sides[2])
{
	choice a = { 0 }, b = { 0 };

	for (size_t i = 0; i < count; i++) {
		const record_executor *e = &results[i]->record->executor;
		bool is_a, is_b;

		if (!under_protocol(v, results[i]))
			continue;
		is_a = claim_selects(v->claim.a, e);
		is_b = claim_selects(v->claim.b, e);
		if (is_a)
			choose(&a, results[i]);
		if (is_b)
			choose(&b, results[i]);
		if (!is_a && !is_b)
			text_list_format(&v->notes, "%s (%s) is left out: it fits neither a nor b.", e->name,
			                 results[i]->path);
	}
	sides[0] = settle(v, &a, "a", v->claim.a);
	sides[1] = sides[0] != NULL ? settle(v, &b, "b", v->claim.b) : NULL;
	if (sides[1] != NULL && sides[0] == sides[1])
		conclude(v, CLAIM_UNDECIDED, memory_format("%s fits both a and b.", a.one->path));
	text_free(&a.names);
	text_free(&b.names);
	return sides[1] != NULL && sides[0] != sides[1];
}

/* ---- one layer ------------------------------------------------------------------------------- */

/* Whether the stacks differ as the claim says; else concludes. */
static bool about_subject(claim_verdict *v, const stack_group_list *groups)
{
	enum record_layer_kind subject = v->claim.subject;
	const char *name = record_layer_kind_word(subject);
	text list = { 0 };

	if (subject == 0 || (groups->count == 1 && groups->items[0].layer == subject))
		return true;
	for (size_t i = 0; i < groups->count; i++)
		text_add(&list, "%s%s", i > 0 ? "; " : "", groups->items[i].title);
	if (groups->count == 0)
		conclude(v, CLAIM_UNDECIDED,
		         memory_format("No layer differs, so the results say nothing about the %s.", name));
	else
		conclude(v, CLAIM_REFUSED,
		         memory_format("Confounded: the claim is about the %s, but %s: %s.", name,
		                       groups->count > 1 ? "more differs" : "something else differs",
		                       list.data));
	text_free(&list);
	return false;
}

/* Lists what differs between the stacks, and checks it. */
static bool compare_stacks(claim_verdict *v, const result *const sides[2])
{
	attribution_step *step = layout_new(attribution_step_layout());
	bool fits;

	(void)stacks_compare(&sides[1]->record->executor, &sides[0]->record->executor, false,
	                     &step->groups);
	for (size_t i = 0; i < step->groups.count; i++)
		text_list_add(&v->layers, step->groups.items[i].title);
	fits = about_subject(v, &step->groups);
	layout_free(attribution_step_layout(), step);
	return fits;
}

/* ---- one case -------------------------------------------------------------------------------- */

static void set_why(claim_case *c, enum claim_answer answer, const char *why, const char *detail)
{
	c->answer = answer;
	free(c->why);
	c->why = memory_format("%s%s", why, detail);
}

/* The metric of a over that of b; the baseline of the comparison is b. */
static comparison_ratio turned(comparison_ratio speedup, enum claim_metric metric)
{
	return metric == CLAIM_SPEED ? speedup :
	       (comparison_ratio){ 1 / speedup.ratio, { 1 / speedup.interval.high,
		                                        1 / speedup.interval.low } };
}

/* A difference between runs is no surer than their noise; verdicts look at it themselves, and
 * `within` is about the results at hand. */
static comparison_ratio widened(const comparison_row *row, comparison_ratio r,
                                enum claim_relation relation)
{
	bool asked = relation == CLAIM_AT_LEAST || relation == CLAIM_AT_MOST;
	double widen = asked && !isnan(row->noise_floor) ? 1 + row->noise_floor : 1;

	return (comparison_ratio){ r.ratio, { r.interval.low / widen, r.interval.high * widen } };
}

static void set_ratio(claim_case *c, comparison_ratio r)
{
	/* A sample of no time leaves the ratio without an upper end, which JSON cannot say. */
	if (!(r.ratio > 0) || !isfinite(r.ratio) || !isfinite(r.interval.high))
		return;
	c->ratio = r.ratio;
	c->interval = layout_new(interval_layout());
	*c->interval = r.interval;
}

static enum claim_answer between(interval around, double low, double high)
{
	if (around.low >= low && around.high <= high)
		return CLAIM_SUPPORTED;
	return around.high < low || around.low > high ? CLAIM_REFUTED : CLAIM_UNDECIDED;
}

/* Of a claim that one is faster, slower or as fast: that is a verdict of the contract. */
static enum claim_answer by_verdict(enum claim_relation relation, enum comparison_verdict verdict)
{
	enum comparison_verdict claimed = relation == CLAIM_FASTER ? VERDICT_FASTER :
	                                  relation == CLAIM_SLOWER ? VERDICT_SLOWER :
	                                                             VERDICT_EQUIVALENT;

	if (verdict == claimed)
		return CLAIM_SUPPORTED;
	return verdict == VERDICT_FASTER || verdict == VERDICT_SLOWER ||
	       verdict == VERDICT_EQUIVALENT ? CLAIM_REFUTED : CLAIM_UNDECIDED;
}

static bool is_verdict(const claim *of)
{
	return of->relation >= CLAIM_FASTER;
}

/* Of a claim with a factor. */
static enum claim_answer by_factor(const claim *of, interval around)
{
	switch (of->relation) {
	case CLAIM_AT_LEAST:
		return between(around, of->factor, HUGE_VAL);
	case CLAIM_AT_MOST:
		return between(around, 0, of->factor);
	default:
		return between(around, of->factor * (1 - of->margin), of->factor * (1 + of->margin));
	}
}

static void judge(claim_case *c, const comparison *all, const claim *of, const char *rules,
                  size_t share)
{
	const comparison_row *row = c->row;

	if (row->verdict == VERDICT_ABSENT || row->a == NULL || row->b == NULL) {
		set_why(c, CLAIM_UNDECIDED, "the case was not measured on both sides", "");
		return;
	}
	if (row->verdict == VERDICT_NOT_COMPARABLE || row->level == CONTRACT_REFUSED ||
	    row->a->side.executions == 0 || row->b->side.executions == 0) {
		set_why(c, CLAIM_REFUSED, "not comparable: ", rules);
		return;
	}
	if (of->statistic != 0 && of->statistic != row->statistic) {
		set_why(c, CLAIM_UNDECIDED, "the protocol compares the ",
		        record_statistic_word(row->statistic));
		return;
	}
	set_ratio(c, widened(row, turned(contract_speedup(all, row, share), of->metric), of->relation));
	if (row->verdict == VERDICT_DESCRIPTION) {
		set_why(c, CLAIM_UNDECIDED, "no verdict: ", rules);
		return;
	}
	if (is_verdict(of))
		c->answer = by_verdict(of->relation, row->verdict);
	else if (c->interval != NULL)
		c->answer = by_factor(of, *c->interval);
	else
		c->answer = CLAIM_UNDECIDED;
	if (c->answer == CLAIM_UNDECIDED)
		set_why(c, CLAIM_UNDECIDED, "the interval holds both answers", "");
}

static void judge_cases(claim_verdict *v)
{
	const comparison_row_list *rows = &v->comparison->cases;
	size_t count = 0;

	for (size_t i = 0; i < rows->count; i++)
		count += claim_names_case(&v->claim, rows->items[i].id);
	/* Among many cases one errs by chance: they share what may err.  Verdicts share it already. */
	if (count == 0 || v->claim.over == CLAIM_MEAN || is_verdict(&v->claim))
		count = 1;
	v->confidence = 1 - (1 - CONFIDENCE) / (double)count;
	for (size_t i = 0; i < rows->count; i++) {
		claim_case *c;
		char *rules;

		if (!claim_names_case(&v->claim, rows->items[i].id))
			continue;
		c = layout_append(claim_case_layout(), &v->cases);
		c->row = &rows->items[i];
		c->id = memory_text(c->row->id);
		rules = analysis_rules_against(c->row);
		judge(c, v->comparison, &v->claim, rules, count);
		free(rules);
	}
}

/* ---- over the cases -------------------------------------------------------------------------- */

static size_t count_of(const claim_verdict *v, enum claim_answer answer)
{
	size_t count = 0;

	for (size_t i = 0; i < v->cases.count; i++)
		count += v->cases.items[i].answer == answer;
	return count;
}

/* The geometric means of the ratios and of the ends of their intervals; the latter hold the mean
 * at least as surely as each holds its own. */
static void decide_mean(claim_verdict *v)
{
	double logs[3] = { 0, 0, 0 }, margin = 0, floor = 0, n = (double)v->cases.count;
	enum comparison_verdict verdict;

	for (size_t i = 0; i < v->cases.count; i++) {
		const claim_case *c = &v->cases.items[i];

		if (isnan(c->ratio) || !(c->interval->low > 0) || c->row->verdict == VERDICT_DESCRIPTION) {
			conclude(v, c->answer == CLAIM_REFUSED ? CLAIM_REFUSED : CLAIM_UNDECIDED,
			         memory_format("There is no mean without %s: %s.", c->id,
			                       c->why != NULL ? c->why : "a sample took no time"));
			return;
		}
		logs[0] += log(c->ratio);
		logs[1] += log(c->interval->low);
		logs[2] += log(c->interval->high);
		margin = fmax(margin, c->row->margin);
		floor = fmax(floor, c->row->noise_floor);
	}
	v->mean = exp(logs[0] / n);
	v->mean_interval = layout_new(interval_layout());
	*v->mean_interval = (interval){ exp(logs[1] / n), exp(logs[2] / n) };
	verdict = contract_verdict((comparison_ratio){ v->mean, *v->mean_interval }, margin, floor);
	conclude(v, is_verdict(&v->claim) ? by_verdict(v->claim.relation, verdict)
	                                  : by_factor(&v->claim, *v->mean_interval),
	         memory_format("The geometric mean over %zu case%s decides.", v->cases.count,
	                       v->cases.count == 1 ? "" : "s"));
}

static void decide_each(claim_verdict *v)
{
	size_t yes = count_of(v, CLAIM_SUPPORTED), no = count_of(v, CLAIM_REFUTED);
	size_t refused = count_of(v, CLAIM_REFUSED), all = v->cases.count;
	bool any = v->claim.over == CLAIM_ANY;
	enum claim_answer answer = CLAIM_UNDECIDED;

	if (any ? yes > 0 : yes == all)
		answer = CLAIM_SUPPORTED;
	else if (any ? no == all : no > 0)
		answer = CLAIM_REFUTED;
	else if (refused == all)
		answer = CLAIM_REFUSED;
	conclude(v, answer, memory_format("%zu case%s: %zu supported, %zu refuted, %zu undecided, %zu "
	                                  "refused.", all, all == 1 ? "" : "s", yes, no,
	                                  all - yes - no - refused, refused));
}

static void decide_numbers(claim_verdict *v)
{
	const contract_reason_list *reasons = &v->comparison->reasons;

	for (size_t i = 0; i < reasons->count; i++)
		if (reasons->items[i].level == CONTRACT_REFUSED) {
			conclude(v, CLAIM_REFUSED, memory_format("The contract refuses the comparison: %s.",
			                                         reasons->items[i].rule));
			return;
		}
	judge_cases(v);
	if (v->claim.over == CLAIM_MEAN)
		decide_mean(v);
	else
		decide_each(v);
}

/* Whether every pattern of the claim fits a case that one of the results has. */
static eh_status check_patterns(const claim *c, const comparison *of, eh_error *error)
{
	const char **ids = memory_get((of->cases.count + 1) * sizeof(*ids));
	eh_status status = EH_OK;
	char *idle;

	for (size_t i = 0; i < of->cases.count; i++)
		ids[i] = of->cases.items[i].id;
	idle = claim_idle_pattern(c, ids, of->cases.count);
	if (idle != NULL)
		status = error_set(error, EH_E_USAGE, "%s: no case of the results fits '%.80s' of cases = "
		                   "%.80s", c->name, idle, c->cases);
	free(idle);
	free(ids);
	return status;
}

claim_verdict *claim_decide(const claim *c, const result *const *results, size_t count,
                            eh_error *error)
{
	claim_verdict *v = layout_new(claim_verdict_layout());
	const result *sides[2];

	layout_copy(claim_layout(), c, &v->claim);
	v->confidence = CONFIDENCE;
	if (!find_sides(v, results, count, sides))
		return v;
	v->a = memory_text(sides[0]->path);
	v->b = memory_text(sides[1]->path);
	v->comparison = contract_compare(sides[1], sides[0], is_verdict(c) && c->margin > 0 ? c->margin : 0);
	if (check_patterns(c, v->comparison, error) != EH_OK) {
		claim_verdict_free(v);
		return NULL;
	}
	if (compare_stacks(v, sides))
		decide_numbers(v);
	return v;
}

void claim_verdict_free(claim_verdict *v)
{
	layout_free(claim_verdict_layout(), v);
}
