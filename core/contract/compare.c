/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/text.h"
#include "contract/condition.h"
#include "contract/evidence.h"
#include "stat/ranks.h"

/* ---- one side -------------------------------------------------------------------------------- */

/* A time per operation as a rate, or in seconds: as the row's metric tells it. */
static double value_of(const result_row *row, double center, interval around,
                       interval *value_interval)
{
	double amount = row->amount > 0 ? row->amount : 1;

	if (row->metric == RECORD_METRIC_SECONDS) {
		*value_interval = (interval){ around.low / amount * 1e-9, around.high / amount * 1e-9 };
		return center / amount * 1e-9;
	}
	*value_interval = (interval){ amount / around.high * 1e9, amount / around.low * 1e9 };
	return amount / center * 1e9;
}

static interval *interval_kept(interval i)
{
	interval *kept = memory_get(sizeof(*kept));

	*kept = i;
	return kept;
}

/* As recorded; NaN for a side without numbers.  *around: {0, 0} without an interval. */
static double recorded(const result_row *r, enum record_statistic statistic, interval *around)
{
	const record_derived_number *n = number_by(r, statistic);
	const record_derived *d = r->record->derived;
	const number_list *both = d == NULL ? NULL : n != NULL ? &n->interval_ns : &d->interval_ns;

	*around = (interval){ 0, 0 };
	if (both == NULL)
		return NAN;
	if (both->count == 2)
		*around = (interval){ both->items[0], both->items[1] };
	return n != NULL ? n->ns : d->median_ns;
}

static void side_number(comparison_side *s, const result_row *r, enum record_statistic statistic)
{
	interval around;
	interval value_interval;
	double center = recorded(r, statistic, &around);
	bool known = around.low > 0;
	double value;

	if (!(center > 0) || (around.high > 0 && !known))
		return;
	s->median_ns = center;
	value = value_of(r, center, known ? around : (interval){ center, center }, &value_interval);
	if (known)
		s->interval_ns = interval_kept(around);
	if (!isfinite(value) || !isfinite(value_interval.low) || !isfinite(value_interval.high))
		return;
	s->value = value;
	if (known)
		s->value_interval = interval_kept(value_interval);
}

static comparison_side *side_by_statistic(const result *of, const result_row *r, const evidence *whole,
                                          bool certified, enum record_statistic statistic)
{
	comparison_side *s = layout_new(comparison_side_layout());

	s->status = r->record->status;
	evidence_judge_row(of, r, whole, certified, &s->evidence);
	s->metric = r->metric;
	s->executions = r->side.executions;
	if (r->side.executions > 0)
		side_number(s, r, statistic);
	return s;
}

static comparison_side *side_new(const comparison *c, const result *of, const result_row *r,
                                 enum record_statistic statistic)
{
	const evidence *whole = of == c->a ? &c->baseline.evidence : &c->other.evidence;

	return r != NULL ? side_by_statistic(of, r, whole, c->certified, statistic) : NULL;
}

comparison_side *contract_row_side(const result *of, const result_row *row, const evidence *whole)
{
	return side_by_statistic(of, row, whole, contract_declares_certified(of), statistic_of_both(row, row));
}

/* ---- one case -------------------------------------------------------------------------------- */

/* The noise between runs that FASTER and SLOWER have to exceed; 0 within one run. */
static double floor_of(const comparison *c, const comparison_row *row)
{
	if (row->rounds != LAYOUT_NO_UINT)
		return 0;
	return fmax(condition_floor(c->a, row->a), condition_floor(c->b, row->b));
}

static bool tier_alone(const comparison *c, const comparison_row *row)
{
	if (c->level == CONTRACT_REFUSED)
		return false;
	for (size_t i = 0; i < row->reasons.count; i++)
		if (row->reasons.items[i].level == CONTRACT_REFUSED &&
		    strcmp(row->reasons.items[i].rule, "tier") != 0)
			return false;
	return true;
}

/* Whatever becomes of the energy changes nothing about the time. */
static void compare_energy(const comparison *c, comparison_row *row)
{
	energy a = energy_of(row->a);
	energy b = energy_of(row->b);

	row->baseline_joules = a.joules;
	row->other_joules = b.joules;
	if (!(a.joules > 0) || !(b.joules > 0) ||
	    reasons_fill(c, CONTRACT_ENERGY, row, NULL, NULL, &row->reasons) == CONTRACT_REFUSED)
		return;
	row->energy_ratio = a.joules / b.joules;
	text_set(&row->energy_means, a.means);
}

static enum comparison_verdict verdict_word_of(enum decision d)
{
	switch (d) {
	case DECISION_FASTER: return VERDICT_FASTER;
	case DECISION_SLOWER: return VERDICT_SLOWER;
	case DECISION_EQUIVALENT: return VERDICT_EQUIVALENT;
	case DECISION_OPEN: break;
	}
	return VERDICT_INCONCLUSIVE;
}

const interval *contract_interval(const comparison_row *row)
{
	return row->verdict == VERDICT_EQUIVALENT ? row->equal_interval : row->speedup_interval;
}

enum comparison_verdict contract_verdict(comparison_ratio r, double margin, double floor)
{
	decision_evidence e = { r.ratio, r.interval, r.interval, 0 };

	return verdict_word_of(decision_of(&e, margin, floor));
}

/* What the interval says alone.  Holm's rule looks at the p-value later. */
static void judge_alone(const comparison *c, comparison_row *row, decision_evidence e)
{
	double noise = floor_of(c, row);
	char detail[96];

	row->p_value = e.p;
	row->alone = VERDICT_INCONCLUSIVE;
	if (!(e.center > 0))
		return;
	e.p = 0;
	row->alone = verdict_word_of(decision_of(&e, row->margin, noise));
	if (noise > 0)
		row->noise_floor = noise;
	if (decision_of(&e, row->margin, 0) == decision_of(&e, row->margin, noise))
		return;
	snprintf(detail, sizeof(detail), "baseline %.3g %%, other %.3g %%",
	         condition_floor(c->a, row->a) * 100, condition_floor(c->b, row->b) * 100);
	reason_judged(c, row, "noise-floor", detail);
}

/* By the rounds of one run, taken in lockstep. */
static decision_evidence evidence_in_lockstep(const comparison *c, comparison_row *row)
{
	lockstep_ratio r = lockstep_of(c, row, row->margin, 1);
	char detail[64];

	row->rounds = r.rounds;
	if (r.more > 0)
		row->more_rounds = r.more;
	snprintf(detail, sizeof(detail), "%zu rounds of %zu executions", r.rounds, r.executions);
	reason_judged(c, row, "lockstep", detail);
	if (r.executions > 1 && !r.agree)
		reason_judged(c, row, "processes-differ", "");
	return (decision_evidence){ isfinite(r.around.high) ? r.ratio : 0, r.around, r.equal, r.p };
}

/* By executions; where one run took them in turns, by its rounds. */
static decision_evidence evidence_by_executions(const comparison *c, comparison_row *row)
{
	size_t rounds = rounds_shared(c, row->a, row->b);
	statistics_side a = side_by(row->a, row->statistic);
	statistics_side b = side_by(row->b, row->statistic);
	char detail[48];

	if (rounds > 0) {
		row->rounds = rounds;
		snprintf(detail, sizeof(detail), "%zu rounds", rounds);
		reason_judged(c, row, "one-run", detail);
	}
	return ratio_evidence(&a, &b, rounds > 0);
}

static void compare_times(const comparison *c, comparison_row *row, double wish)
{
	decision_evidence e;

	row->margin = fmax(condition_margin(row->a, row->b), wish);
	e = row->lockstep ? evidence_in_lockstep(c, row) : evidence_by_executions(c, row);
	judge_alone(c, row, e);
	if (e.center > 0) {
		row->speedup = e.center;
		row->speedup_interval = interval_kept(e.around);
		row->equal_interval = interval_kept(e.equal);
	}
	row->verdict = c->level == CONTRACT_DESCRIPTION || row->level == CONTRACT_DESCRIPTION ?
	               VERDICT_DESCRIPTION : VERDICT_INCONCLUSIVE;
}

static void compare_tiers(comparison_row *row)
{
	statistics_side a = side_by(row->a, row->statistic);
	statistics_side b = side_by(row->b, row->statistic);

	row->tier_gain = ratio_kept(ratio_of(&a, &b, false, 1 - DECISION_ERROR));
}

static void compare_sides(const comparison *c, comparison_row *row, double wish)
{
	row->verdict = VERDICT_NOT_COMPARABLE;
	if (row->a->side.executions == 0 || row->b->side.executions == 0)
		return;
	if (c->level == CONTRACT_REFUSED || row->level == CONTRACT_REFUSED) {
		if (tier_alone(c, row))
			compare_tiers(row);
		return;
	}
	row->lockstep = lockstep_executions(c->a, c->b, row->a, row->b) > 0;
	compare_times(c, row, wish);
	compare_energy(c, row);
}

static const evidence *evidence_of(const comparison_side *s)
{
	return s != NULL ? &s->evidence : NULL;
}

static void rest_sides(const comparison *c, const comparison_row *row)
{
	if (row->a != NULL)
		result_row_rest(c->a, row->a);
	if (row->b != NULL)
		result_row_rest(c->b, row->b);
}

static void compare_row(const comparison *c, comparison_row *row, double wish)
{
	row->statistic = row->a != NULL && row->b != NULL ? statistic_of_both(row->a, row->b) :
	                                                   RECORD_STATISTIC_MEDIAN;
	row->baseline = side_new(c, c->a, row->a, row->statistic);
	row->other = side_new(c, c->b, row->b, row->statistic);
	row->level = reasons_fill(c, CONTRACT_CASE, row, evidence_of(row->baseline),
	                          evidence_of(row->other), &row->reasons);
	if (contract_cites(&row->reasons, "not-run"))
		row->verdict = VERDICT_ABSENT;
	else
		compare_sides(c, row, wish);
	rest_sides(c, row);
}

comparison_ratio contract_speedup(const comparison *c, const comparison_row *row, size_t share)
{
	bool rounds = row->rounds != LAYOUT_NO_UINT;
	statistics_side a = side_by(row->a, row->statistic);
	statistics_side b = side_by(row->b, row->statistic);
	double error = DECISION_ERROR / (double)share;
	comparison_ratio r;

	if (row->lockstep) {
		lockstep_ratio l = lockstep_of(c, row, row->margin, share);

		return (comparison_ratio){ l.ratio, l.around };
	}
	r = ratio_of(&a, &b, rounds, 1 - error);
	if (share > 1 && !rounds && error < ranks_least(a.executions, b.executions))
		r.interval = (interval){ 0, INFINITY };
	return r;
}

/* ---- all cases ------------------------------------------------------------------------------- */

typedef struct wished { comparison *c; double wish; } wished;

static void compare_one(void *context, size_t i)
{
	const wished *w = context;

	compare_row(w->c, &w->c->cases.items[i], w->wish);
}

static void compare_cases(comparison *c, double wish)
{
	wished w = { c, wish };

	parallel_each(c->cases.count, compare_one, &w);
}

/* ---- the comparison -------------------------------------------------------------------------- */

static void source_fill(comparison_source *s, const result *r, bool certified)
{
	text_set(&s->path, r->path);
	text_set(&s->executor, r->record->executor.name);
	text_set(&s->digest, r->record->digest);
	text_set(&s->protocol, r->record->protocol.name);
	s->protocol_version = r->record->protocol.version;
	text_set(&s->protocol_digest, r->record->protocol.digest);
	evidence_judge(r, NULL, certified, &s->evidence);
}

static void cites_fill(comparison *c)
{
	for (size_t i = 0; i < c->cases.count; i++) {
		comparison_row *row = &c->cases.items[i];

		for (size_t k = 0; k < c->reasons.count; k++)
			text_list_add(&row->cites, c->reasons.items[k].rule);
		for (size_t k = 0; k < row->reasons.count; k++)
			text_list_add(&row->cites, row->reasons.items[k].rule);
	}
}

static void counts_fill(comparison *c)
{
	size_t counts[VERDICT_ABSENT + 1] = { 0 };

	for (size_t i = 0; i < c->cases.count; i++)
		counts[c->cases.items[i].verdict]++;
	for (int v = VERDICT_FASTER; v <= VERDICT_ABSENT; v++)
		number_map_add(&c->counts, comparison_verdict_word((enum comparison_verdict)v),
		               (double)counts[v]);
}

size_t comparison_count(const comparison *c, enum comparison_verdict verdict)
{
	const char *word = comparison_verdict_word(verdict);

	for (size_t i = 0; i < c->counts.count; i++)
		if (strcmp(c->counts.items[i].key, word) == 0)
			return (size_t)c->counts.items[i].value;
	return 0;
}

bool comparison_asked(const comparison *c, const comparison_row *row)
{
	return (row->a != NULL && record_asked(&c->a->record->run.asked, row->a->id)) ||
	       (row->b != NULL && record_asked(&c->b->record->run.asked, row->b->id));
}

bool contract_declares_certified(const result *r)
{
	return r->record->protocol.canonical.level == RECORD_LEVEL_CERTIFIED;
}

void contract_compare_into(comparison *c, const result *a, const result *b,
                           contract_options options)
{
	c->a = a;
	c->b = b;
	c->certified = options.certified || contract_declares_certified(a) ||
	               contract_declares_certified(b);
	source_fill(&c->baseline, a, c->certified);
	source_fill(&c->other, b, c->certified);
	c->one_run = rounds_of_one_run(a, b);
	c->level = reasons_fill(c, CONTRACT_RESULT, NULL, &c->baseline.evidence, &c->other.evidence,
	                        &c->reasons);
	if (options.agreed != NULL)
		agreed_fill(c, options.agreed);
	pairing_fill(c);
	compare_cases(c, options.margin);
	verdict_fill(c);
	open_fill(c);
	gain_fill(c);
	mean_fill(c);
	cites_fill(c);
	counts_fill(c);
}

comparison *contract_compare_with(const result *a, const result *b, contract_options options)
{
	comparison *c = layout_new(comparison_layout());

	contract_compare_into(c, a, b, options);
	return c;
}

comparison *contract_compare(const result *a, const result *b, double margin)
{
	return contract_compare_with(a, b, (contract_options){ .margin = margin });
}

void comparison_free(comparison *c)
{
	layout_free(comparison_layout(), c);
}

void comparison_keep(comparison *c, const text_list *ids)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->cases.count; i++) {
		comparison_row *row = &c->cases.items[i];

		if (text_list_has(ids, row->id) || (row->b != NULL && text_list_has(ids, row->b->id)))
			c->cases.items[kept++] = *row;
		else
			layout_clear(comparison_row_layout(), row);
	}
	c->cases.count = kept;
	number_map_clear(&c->counts);
	counts_fill(c);
	layout_list_clear(comparison_mean_layout(), &c->means);
	mean_fill(c);
}

static size_t count_all(const comparison_list *all, enum comparison_verdict verdict)
{
	size_t count = 0;

	for (size_t i = 0; i < all->count; i++)
		count += comparison_count(&all->items[i], verdict);
	return count;
}

int comparison_exit_code(const comparison_list *all, unsigned fail_on)
{
	size_t faster = count_all(all, VERDICT_FASTER), slower = count_all(all, VERDICT_SLOWER);
	size_t open = count_all(all, VERDICT_INCONCLUSIVE) + count_all(all, VERDICT_DESCRIPTION);
	size_t missing = count_all(all, VERDICT_NOT_COMPARABLE) + count_all(all, VERDICT_ABSENT);

	for (size_t i = 0; i < all->count; i++)
		if (comparison_departure(&all->items[i], NULL) != NULL)
			return EXIT_CODE_NOT_COMPARABLE;
	if ((slower > 0 && (fail_on & COMPARISON_SLOWER) != 0) ||
	    (faster > 0 && (fail_on & COMPARISON_FASTER) != 0))
		return EXIT_CODE_NEGATIVE;
	if ((missing > 0 && (fail_on & COMPARISON_NOT_MEASURED) != 0) ||
	    faster + slower + open + count_all(all, VERDICT_EQUIVALENT) == 0)
		return EXIT_CODE_NOT_COMPARABLE;
	return open > 0 && (fail_on & COMPARISON_OPEN) != 0 ? EXIT_CODE_INCONCLUSIVE : EXIT_CODE_OK;
}
