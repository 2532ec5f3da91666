/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/claim.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "stat/percentile.h"
#include "stat/rounds.h"

#define CONFIDENCE 0.95

__attribute__((format(printf, 2, 3)))
static void note(claim_verdict *v, const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	v->notes = memory_grow(v->notes, (v->note_count + 1) * sizeof(*v->notes));
	v->notes[v->note_count++] = memory_text(line);
}

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
	const claim *c = v->claim;

	if (strcmp(r->protocol_name, c->protocol) != 0 || r->protocol_version != c->version)
		note(v, "%s (%s) is of %s@%llu and left out: the claim is about %s@%llu.", r->executor,
		     r->path, r->protocol_name, (unsigned long long)r->protocol_version, c->protocol,
		     (unsigned long long)c->version);
	else if (c->digest[0] != '\0' && strcmp(r->protocol_digest, c->digest) != 0)
		note(v, "%s (%s) is left out: its protocol has the digest %.12s, not %.12s.", r->executor,
		     r->path, r->protocol_digest, c->digest);
	else
		return true;
	return false;
}

typedef struct choice { const result *one; size_t count; text names; } choice;

static void choose(choice *c, const result *r)
{
	c->one = r;
	text_add(&c->names, "%s%s", c->count++ > 0 ? ", " : "", r->path);
}

static bool settle(claim_verdict *v, const choice *c, const char *side, const char *selector)
{
	if (c->count == 1)
		return true;
	if (c->count == 0)
		conclude(v, CLAIM_UNDECIDED, memory_format("No result is of %s = %s.", side, selector));
	else
		conclude(v, CLAIM_UNDECIDED,
		         memory_format("%zu results are of %s = %s: %s.  Give the one that is meant.",
		                       c->count, side, selector, c->names.data));
	return false;
}

static bool find_sides(claim_verdict *v, const result *const *results, size_t count)
{
	choice a = { 0 }, b = { 0 };
	bool found;

	for (size_t i = 0; i < count; i++) {
		bool is_a, is_b;

		if (!under_protocol(v, results[i]))
			continue;
		is_a = claim_selects(v->claim->a, results[i]);
		is_b = claim_selects(v->claim->b, results[i]);
		if (is_a)
			choose(&a, results[i]);
		if (is_b)
			choose(&b, results[i]);
		if (!is_a && !is_b)
			note(v, "%s (%s) is neither a nor b.", results[i]->executor, results[i]->path);
	}
	found = settle(v, &a, "a", v->claim->a) && settle(v, &b, "b", v->claim->b);
	if (found && a.one == b.one) {
		conclude(v, CLAIM_UNDECIDED, memory_format("%s is of both a and b.", a.one->path));
		found = false;
	}
	v->a = found ? a.one : NULL;
	v->b = found ? b.one : NULL;
	text_free(&a.names);
	text_free(&b.names);
	return found;
}

/* ---- one layer ------------------------------------------------------------------------------- */

/* False, with the answer, when the claim is about a layer and something else differs as well. */
static bool about_one_layer(claim_verdict *v)
{
	const stack_difference *d = v->stacks;
	const char *subject = v->claim->subject;
	text list = { 0 };

	if (strcmp(subject, "stack") == 0)
		return true;
	if (d->group_count == 1 && strcmp(d->groups[0].layer, subject) == 0)
		return true;
	for (size_t i = 0; i < d->group_count; i++)
		text_add(&list, "%s%s", i > 0 ? "; " : "", d->groups[i].title);
	if (d->group_count == 0)
		conclude(v, CLAIM_UNDECIDED,
		         memory_format("No layer differs, so nothing is said about the %s.", subject));
	else
		conclude(v, CLAIM_REFUSED,
		         memory_format("Confounded: the claim is about the %s, but %s: %s.", subject,
		                       d->group_count > 1 ? "more differs" : "something else differs",
		                       list.data));
	text_free(&list);
	return false;
}

/* ---- one case -------------------------------------------------------------------------------- */

static void set_why(claim_case *c, enum claim_answer answer, const char *why, const char *detail)
{
	c->answer = answer;
	(void)snprintf(c->why, sizeof(c->why), "%s%s", why, detail);
}

/* What A/A pairs differ by decides no claim. */
static double floor_of(const comparison_row *row)
{
	return contract_cites(&row->reasons, "noise-floor") ? row->margin : 0;
}

/* over / under, round by round where they share them. */
static double side_ratio(const statistics_side *under, const statistics_side *over, bool rounds,
                         double confidence, interval *around)
{
	double *ratios;
	double ratio;

	if (!rounds)
		return statistics_ratio(under, over, confidence, around);
	ratios = rounds_ratios(under, over);
	ratio = rounds_ratio(ratios, under->executions, confidence, around);
	free(ratios);
	return ratio;
}

/* The metric of a over that of b, with an interval of that confidence. */
static void measure_ratio(claim_case *c, const claim *of, double confidence)
{
	const comparison_row *row = c->row;
	statistics_side b = row->a->side, a = row->b->side;
	double widen = 1 + floor_of(row);

	a.quantile = b.quantile = row->quantile;
	if (of->metric == CLAIM_SPEED)
		c->ratio = side_ratio(&a, &b, row->rounds != LAYOUT_NO_UINT, confidence, &c->around);
	else
		c->ratio = side_ratio(&b, &a, row->rounds != LAYOUT_NO_UINT, confidence, &c->around);
	c->around.low /= widen;
	c->around.high *= widen;
}

static enum claim_answer between(double ratio_low, double ratio_high, double low, double high)
{
	if (ratio_low >= low && ratio_high <= high)
		return CLAIM_SUPPORTED;
	return ratio_high < low || ratio_low > high ? CLAIM_REFUTED : CLAIM_UNDECIDED;
}

/* margin: of the contract, where the claim has none. */
static enum claim_answer relate(const claim *of, interval around, double margin)
{
	double m = of->margin > 0 ? of->margin : margin;

	switch (of->relation) {
	case CLAIM_AT_LEAST:
		return between(around.low, around.high, of->factor, HUGE_VAL);
	case CLAIM_AT_MOST:
		return between(around.low, around.high, 0, of->factor);
	case CLAIM_WITHIN:
		return between(around.low, around.high, of->factor * (1 - m), of->factor * (1 + m));
	case CLAIM_FASTER:
		return between(around.low, around.high, 1 + m, HUGE_VAL);
	case CLAIM_SLOWER:
		return between(around.low, around.high, 0, 1 / (1 + m));
	default:
		return between(around.low, around.high, 1 / (1 + m), 1 + m);
	}
}

static const char *statistic_of(const comparison_row *row)
{
	for (size_t i = 0; i < PERCENTILE_COUNT; i++)
		if (fabs(percentile_table[i].quantile - row->quantile) < 1e-12)
			return percentile_table[i].name;
	return "median";
}

/* The rules of that level or above, "a, b". */
static void rules_of(const comparison_row *row, enum contract_level level, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < row->reasons.count; i++)
		if (row->reasons.items[i].level >= level && used + 1 < size) {
			int n = snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "",
			                 row->reasons.items[i].rule);

			used += n > 0 ? (size_t)n : 0;
		}
}

static void judge(claim_case *c, const claim *of, double confidence)
{
	const comparison_row *row = c->row;
	char rules[120];

	rules_of(row, CONTRACT_DESCRIPTION, rules, sizeof(rules));
	if (row->verdict == VERDICT_ABSENT || row->a == NULL || row->b == NULL) {
		set_why(c, CLAIM_UNDECIDED, "the case is on one side only", "");
		return;
	}
	if (row->verdict == VERDICT_NOT_COMPARABLE || row->level == CONTRACT_REFUSED ||
	    row->a->side.executions == 0 || row->b->side.executions == 0) {
		set_why(c, CLAIM_REFUSED, "not comparable: ", rules);
		return;
	}
	if (of->statistic[0] != '\0' && strcmp(of->statistic, statistic_of(row)) != 0) {
		set_why(c, CLAIM_UNDECIDED, "what is compared here is the ", statistic_of(row));
		return;
	}
	measure_ratio(c, of, confidence);
	if (row->verdict == VERDICT_DESCRIPTION) {
		set_why(c, CLAIM_UNDECIDED, "no verdict: ", rules);
		return;
	}
	c->answer = relate(of, c->around, row->margin);
	if (c->answer == CLAIM_UNDECIDED)
		set_why(c, CLAIM_UNDECIDED, "the interval holds both answers", "");
}

static void take_cases(claim_verdict *v)
{
	const comparison *n = v->numbers;

	v->cases = memory_get((n->cases.count + 1) * sizeof(*v->cases));
	for (size_t i = 0; i < n->cases.count; i++)
		if (claim_names_case(v->claim, n->cases.items[i].id))
			v->cases[v->case_count++].row = &n->cases.items[i];
	/* Of many true statements one may look false by chance, and the other way round. */
	v->confidence = v->case_count > 1 && v->claim->over != CLAIM_MEAN ?
	                1 - (1 - CONFIDENCE) / (double)v->case_count : CONFIDENCE;
	for (size_t i = 0; i < v->case_count; i++)
		judge(&v->cases[i], v->claim, v->confidence);
}

/* ---- over the cases -------------------------------------------------------------------------- */

static size_t count_of(const claim_verdict *v, enum claim_answer answer)
{
	size_t count = 0;

	for (size_t i = 0; i < v->case_count; i++)
		count += v->cases[i].answer == answer;
	return count;
}

/* The geometric means of the ratios and of the ends of their intervals; the latter hold the mean
 * at least as surely as each holds its own. */
static void decide_mean(claim_verdict *v)
{
	double logs[3] = { 0, 0, 0 }, margin = 0;
	double n = (double)v->case_count;

	for (size_t i = 0; i < v->case_count; i++) {
		const claim_case *c = &v->cases[i];

		if (c->ratio <= 0 || c->around.low <= 0 || c->row->verdict == VERDICT_DESCRIPTION) {
			conclude(v, c->answer == CLAIM_REFUSED ? CLAIM_REFUSED : CLAIM_UNDECIDED,
			         memory_format("There is no mean without %s: %s.", c->row->id, c->why));
			return;
		}
		logs[0] += log(c->ratio);
		logs[1] += log(c->around.low);
		logs[2] += log(c->around.high);
		margin = fmax(margin, c->row->margin);
	}
	v->mean = exp(logs[0] / n);
	v->mean_interval = (interval){ exp(logs[1] / n), exp(logs[2] / n) };
	conclude(v, relate(v->claim, v->mean_interval, margin),
	         memory_format("The geometric mean over %zu case%s decides.", v->case_count,
	                       v->case_count == 1 ? "" : "s"));
}

static void decide_each(claim_verdict *v)
{
	size_t yes = count_of(v, CLAIM_SUPPORTED), no = count_of(v, CLAIM_REFUTED);
	size_t refused = count_of(v, CLAIM_REFUSED);
	bool any = v->claim->over == CLAIM_ANY;
	enum claim_answer answer = CLAIM_UNDECIDED;

	if (any ? yes > 0 : yes == v->case_count)
		answer = CLAIM_SUPPORTED;
	else if (any ? no == v->case_count : no > 0)
		answer = CLAIM_REFUTED;
	else if (refused == v->case_count)
		answer = CLAIM_REFUSED;
	conclude(v, answer, memory_format("Of %zu case%s %zu hold%s, %zu do not, %zu cannot be told.",
	                                  v->case_count, v->case_count == 1 ? "" : "s", yes,
	                                  yes == 1 ? "s" : "", no, v->case_count - yes - no));
}

static void decide_numbers(claim_verdict *v)
{
	for (size_t i = 0; i < v->numbers->reasons.count; i++)
		if (v->numbers->reasons.items[i].level == CONTRACT_REFUSED) {
			conclude(v, CLAIM_REFUSED,
			         memory_format("The contract refuses the comparison: %s.",
			                       v->numbers->reasons.items[i].rule));
			return;
		}
	take_cases(v);
	if (v->case_count == 0)
		conclude(v, CLAIM_UNDECIDED, memory_format("No case of the results is of cases = %s.",
		                                           v->claim->cases));
	else if (v->claim->over == CLAIM_MEAN)
		decide_mean(v);
	else
		decide_each(v);
}

claim_verdict *claim_decide(const claim *c, const result *const *results, size_t count)
{
	claim_verdict *v = memory_get(sizeof(*v));

	v->claim = c;
	v->confidence = CONFIDENCE;
	if (!find_sides(v, results, count))
		return v;
	v->stacks = stacks_compare(json_path(v->b->root, "executor"), json_path(v->a->root, "executor"),
	                           false);
	v->numbers = contract_compare(v->b, v->a, 0);
	if (about_one_layer(v))
		decide_numbers(v);
	return v;
}

void claim_verdict_free(claim_verdict *v)
{
	if (v == NULL)
		return;
	for (size_t i = 0; i < v->note_count; i++)
		free(v->notes[i]);
	free(v->notes);
	free(v->cases);
	free(v->why);
	comparison_free(v->numbers);
	stacks_free(v->stacks);
	free(v);
}

const char *claim_answer_name(enum claim_answer answer)
{
	static const char *const names[] = { "supported", "refuted", "undecided", "refused" };

	return names[answer];
}
