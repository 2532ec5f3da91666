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

/* By how much the interval is widened: noise between runs makes a difference no surer, and an
 * equivalence is about the results at hand. */
static double widening_of(const comparison_row *row, enum claim_relation relation)
{
	if (isnan(row->noise_floor) || relation == CLAIM_EQUIVALENT || relation == CLAIM_WITHIN)
		return 1;
	return 1 + row->noise_floor;
}

/* The metric of a over that of b; the baseline of the comparison is b. */
static comparison_ratio measure_ratio(claim_case *c, const comparison *all, const claim *of,
                                      size_t share)
{
	comparison_ratio r = contract_speedup(all, c->row, share);
	double widen = widening_of(c->row, of->relation);

	if (of->metric != CLAIM_SPEED)
		r = (comparison_ratio){ 1 / r.ratio, { 1 / r.interval.high, 1 / r.interval.low } };
	r.interval.low /= widen;
	r.interval.high *= widen;
	/* A sample of no time leaves the ratio without an upper end, which JSON cannot say. */
	if (r.ratio > 0 && isfinite(r.ratio) && isfinite(r.interval.high)) {
		c->ratio = r.ratio;
		c->interval = layout_new(interval_layout());
		*c->interval = r.interval;
	}
	return r;
}

static enum claim_answer between(interval around, double low, double high)
{
	if (around.low >= low && around.high <= high)
		return CLAIM_SUPPORTED;
	return around.high < low || around.low > high ? CLAIM_REFUTED : CLAIM_UNDECIDED;
}

/* FASTER as in a comparison: the interval excludes 1, and the center is beyond the margin. */
static enum claim_answer faster(double center, interval around, double margin)
{
	if (around.low > 1 && center > 1 + margin)
		return CLAIM_SUPPORTED;
	return around.high <= 1 + margin ? CLAIM_REFUTED : CLAIM_UNDECIDED;
}

/* margin: the contract's. */
static enum claim_answer relate(const claim *of, comparison_ratio r, double margin)
{
	double m = isnan(of->margin) ? margin : of->margin;

	switch (of->relation) {
	case CLAIM_AT_LEAST:
		return between(r.interval, of->factor, HUGE_VAL);
	case CLAIM_AT_MOST:
		return between(r.interval, 0, of->factor);
	case CLAIM_WITHIN:
		return between(r.interval, of->factor * (1 - m), of->factor * (1 + m));
	case CLAIM_FASTER:
		return faster(r.ratio, r.interval, m);
	case CLAIM_SLOWER:
		return faster(1 / r.ratio, (interval){ 1 / r.interval.high, 1 / r.interval.low }, m);
	default:
		return between(r.interval, 1 / (1 + m), 1 + m);
	}
}

static void judge(claim_case *c, const comparison *all, const claim *of, const char *rules,
                  size_t share)
{
	const comparison_row *row = c->row;
	comparison_ratio r;

	if (row->verdict == VERDICT_ABSENT || row->a == NULL || row->b == NULL) {
		set_why(c, CLAIM_UNDECIDED, "the case is on one side only", "");
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
	r = measure_ratio(c, all, of, share);
	if (row->verdict == VERDICT_DESCRIPTION) {
		set_why(c, CLAIM_UNDECIDED, "no verdict: ", rules);
		return;
	}
	c->answer = relate(of, r, row->margin);
	if (c->answer == CLAIM_UNDECIDED)
		set_why(c, CLAIM_UNDECIDED, "the interval holds both answers", "");
}

static void judge_cases(claim_verdict *v)
{
	const comparison_row_list *rows = &v->comparison->cases;
	size_t count = 0;

	for (size_t i = 0; i < rows->count; i++)
		count += claim_names_case(&v->claim, rows->items[i].id);
	/* Among many cases one errs by chance: they share what may err. */
	if (count == 0 || v->claim.over == CLAIM_MEAN)
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
	double logs[3] = { 0, 0, 0 }, margin = 0, n = (double)v->cases.count;

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
	}
	v->mean = exp(logs[0] / n);
	v->mean_interval = layout_new(interval_layout());
	*v->mean_interval = (interval){ exp(logs[1] / n), exp(logs[2] / n) };
	conclude(v, relate(&v->claim, (comparison_ratio){ v->mean, *v->mean_interval }, margin),
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
	if (v->cases.count == 0)
		conclude(v, CLAIM_UNDECIDED, memory_format("No case of the results fits cases = %s.",
		                                           v->claim.cases));
	else if (v->claim.over == CLAIM_MEAN)
		decide_mean(v);
	else
		decide_each(v);
}

claim_verdict *claim_decide(const claim *c, const result *const *results,
                                     size_t count)
{
	claim_verdict *v = layout_new(claim_verdict_layout());
	const result *sides[2];

	layout_copy(claim_layout(), c, &v->claim);
	v->confidence = CONFIDENCE;
	if (!find_sides(v, results, count, sides))
		return v;
	v->a = memory_text(sides[0]->path);
	v->b = memory_text(sides[1]->path);
	v->comparison = contract_compare(sides[1], sides[0], 0);
	if (compare_stacks(v, sides))
		decide_numbers(v);
	return v;
}

void claim_verdict_free(claim_verdict *v)
{
	layout_free(claim_verdict_layout(), v);
}
