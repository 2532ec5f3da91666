/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "contract/condition.h"

const char *comparison_verdict_name(enum comparison_verdict v)
{
	switch (v) {
	case VERDICT_FASTER: return "FASTER";
	case VERDICT_SLOWER: return "SLOWER";
	case VERDICT_EQUIVALENT: return "EQUIVALENT";
	case VERDICT_INCONCLUSIVE: return "INCONCLUSIVE";
	case VERDICT_DESCRIPTION: return "DESCRIPTION";
	case VERDICT_NOT_COMPARABLE: return "NOT COMPARABLE";
	case VERDICT_ABSENT: return "ABSENT";
	}
	return "NOT COMPARABLE";
}

void reason_add(contract_reason **reasons, size_t *count, const contract_rule *rule, bool certified,
                const char *detail)
{
	contract_reason *reason;

	*reasons = memory_grow(*reasons, (*count + 1) * sizeof(**reasons));
	reason = &(*reasons)[(*count)++];
	reason->rule = rule;
	reason->level = certified ? rule->certified : rule->level;
	snprintf(reason->detail, sizeof(reason->detail), "%s", detail);
}

/* Asks every rule of the scope; returns the most severe level among those that fire. */
static enum contract_level ask(const comparison *c, enum contract_scope scope, const case_facts *x,
                               const case_facts *y, contract_reason **reasons, size_t *count)
{
	const contract_rule *rules;
	size_t rule_count = contract_rules(&rules);
	enum contract_level level = CONTRACT_COMPARABLE;
	char detail[sizeof(((contract_reason *)0)->detail)];
	size_t i;

	for (i = 0; i < rule_count; i++) {
		const contract_rule *rule = &rules[i];

		/* Such a rule is a demand of certified comparisons alone. */
		bool asked = c->certified || rule->level > CONTRACT_COMPARABLE ||
		             rule->certified == CONTRACT_COMPARABLE;

		if (rule->scope != scope || !asked ||
		    !rule->fires(c->a, c->b, x, y, detail, sizeof(detail)))
			continue;
		reason_add(reasons, count, rule, c->certified, detail);
		level = (*reasons)[*count - 1].level > level ? (*reasons)[*count - 1].level : level;
		/* Without a case on both sides the other rules have nothing to look at. */
		if (rule->fires == condition_absent)
			break;
	}
	return level;
}

static void fill_center(const case_facts *f, double quantile, double *center, interval *around)
{
	statistics_side side;

	if (f == NULL || f->row->side.executions == 0)
		return;
	side = quantile_side(f->row, quantile);
	*center = statistics_center(&side);
	*around = quantile > 0 ? f->statistic : f->median;
}

/* Where the rounds of one run are compared, what differs from run to run is on both sides: noise
 * floors, which are measured between runs, say nothing of it. */
static void note_rounds(const comparison *c, comparison_row *row)
{
	char detail[48];

	snprintf(detail, sizeof(detail), "%zu rounds", row->rounds);
	reason_add(&row->reasons, &row->reason_count, rule_by_id("one-run"), c->certified, detail);
}

/* The least margin that all ask for: the protocols, the reader, the noise of the executors. */
static double margin_of(const comparison *c, comparison_row *row, double wish)
{
	double margin = fmax(condition_margin(row->a, row->b), wish);
	double floor_a = condition_floor(c->a, row->a);
	double floor_b = condition_floor(c->b, row->b);
	char detail[96];

	if (row->rounds > 0 || !(fmax(floor_a, floor_b) > margin))
		return margin;
	snprintf(detail, sizeof(detail), "baseline %.3g %%, other %.3g %%, declared %.3g %%",
	         floor_a * 100, floor_b * 100, margin * 100);
	reason_add(&row->reasons, &row->reason_count, rule_by_id("noise-floor"), c->certified,
	           detail);
	row->level = row->level > CONTRACT_CAVEAT ? row->level : CONTRACT_CAVEAT;
	return fmax(floor_a, floor_b);
}

static bool tier_alone(const comparison *c, const comparison_row *row)
{
	size_t i;

	if (c->level == CONTRACT_REFUSED)
		return false;
	for (i = 0; i < row->reason_count; i++)
		if (row->reasons[i].level == CONTRACT_REFUSED &&
		    row->reasons[i].rule->fires != condition_tier)
			return false;
	return true;
}

static comparison_ratio row_ratio(const comparison_row *row)
{
	statistics_side a = quantile_side(row->a, row->quantile);
	statistics_side b = quantile_side(row->b, row->quantile);

	return ratio_of(&a, &b, row->rounds > 0);
}

static comparison_ratio row_judged(comparison_row *row)
{
	statistics_side a = quantile_side(row->a, row->quantile);
	statistics_side b = quantile_side(row->b, row->quantile);

	return ratio_judged(&a, &b, row->rounds > 0, row->margin, &row->alone, &row->p_value);
}

/* Whatever becomes of the energy changes nothing about the time. */
static void compare_energy(const comparison *c, comparison_row *row, const case_facts *x,
                           const case_facts *y)
{
	row->a_energy = x->energy;
	row->b_energy = y->energy;
	if (row->a_energy.joules > 0 && row->b_energy.joules > 0 &&
	    ask(c, CONTRACT_ENERGY, x, y, &row->reasons, &row->reason_count) < CONTRACT_REFUSED)
		row->energy_ratio = row->a_energy.joules / row->b_energy.joules;
}

/* x and y are the facts of row->a and row->b, NULL where that is. */
static void compare_row(comparison *c, comparison_row *row, const case_facts *x,
                        const case_facts *y, double wish)
{
	comparison_ratio speedup;

	row->quantile = x != NULL && y != NULL ? quantile_of(x, y) : 0;
	row->level = ask(c, CONTRACT_CASE, x, y, &row->reasons, &row->reason_count);
	fill_center(x, row->quantile, &row->a_center, &row->a_interval);
	fill_center(y, row->quantile, &row->b_center, &row->b_interval);
	if (x == NULL || y == NULL ||
	    (row->reason_count > 0 && row->reasons[0].rule->fires == condition_absent)) {
		row->verdict = VERDICT_ABSENT;
		return;
	}
	row->verdict = VERDICT_NOT_COMPARABLE;
	row->margin = fmax(condition_margin(row->a, row->b), wish);
	if (row->a->side.executions == 0 || row->b->side.executions == 0)
		return;
	row->rounds = rounds_shared(c, x, y) ? x->execution_count : 0;
	if (c->level == CONTRACT_REFUSED || row->level == CONTRACT_REFUSED) {
		if (tier_alone(c, row))
			row->tier_gain = row_ratio(row);
		return;
	}
	if (row->rounds > 0)
		note_rounds(c, row);
	row->margin = margin_of(c, row, wish);
	speedup = row_judged(row);
	compare_energy(c, row, x, y);
	row->speedup = speedup.ratio;
	row->speedup_interval = speedup.around;
	row->verdict = c->level == CONTRACT_DESCRIPTION || row->level == CONTRACT_DESCRIPTION ?
	               VERDICT_DESCRIPTION : VERDICT_INCONCLUSIVE;
}

/* ---- all rows -------------------------------------------------------------------------------- */

/* Fewer rows a thread are not worth a second one. */
enum { ROWS_OF_A_THREAD = 256, THREADS_MAX = 8 };

/* Every step-th row from first on: no two threads have a row in common. */
typedef struct share {
	comparison *c;
	double wish;
	size_t first, step;
	pthread_t thread;
} share;

/* What was kept when the result was read, else taken now, into `room` and the arena. */
static const case_facts *facts_of(const result_row *row, json_arena *arena, case_facts *room)
{
	if (row == NULL)
		return NULL;
	if (row->kept != NULL)
		return row->kept;
	if (row->json == NULL)
		abort(); /* the result was read for something else than comparing */
	facts_take(row, arena, room);
	return room;
}

static void *compare_share(void *context)
{
	const share *s = context;
	comparison *c = s->c;
	json_arena *arena = json_arena_new();
	size_t i;

	for (i = s->first; i < c->row_count; i += s->step) {
		comparison_row *row = &c->rows[i];
		case_facts a;
		case_facts b;

		json_arena_reset(arena);
		compare_row(c, row, facts_of(row->a, arena, &a), facts_of(row->b, arena, &b), s->wish);
	}
	json_arena_free(arena);
	return NULL;
}

static void compare_rows(comparison *c, double wish)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t count = c->row_count / ROWS_OF_A_THREAD;
	size_t started = 1;
	share shares[THREADS_MAX];
	size_t i;

	if (processors < 1 || count < 1)
		count = 1;
	else if (count > (size_t)processors)
		count = (size_t)processors;
	if (count > THREADS_MAX)
		count = THREADS_MAX;
	for (i = 0; i < count; i++)
		shares[i] = (share){ .c = c, .wish = wish, .first = i, .step = count };
	while (started < count && pthread_create(&shares[started].thread, NULL, compare_share,
	                                         &shares[started]) == 0)
		started++;
	(void)compare_share(&shares[0]);
	/* What no thread could be had for. */
	for (i = started; i < count; i++)
		(void)compare_share(&shares[i]);
	for (i = 1; i < started; i++)
		(void)pthread_join(shares[i].thread, NULL);
}

static bool declares_certified(const result *r)
{
	return strcmp(json_string(json_path(r->root, "protocol.canonical"), "level", ""),
	              "certified") == 0;
}

eh_status contract_read(const char *path, result **out, eh_error *error)
{
	return result_read_keeping(path, &facts_keeper, out, error);
}

comparison *contract_compare_with(const result *a, const result *b, contract_options options)
{
	comparison *c = memory_get(sizeof(*c));
	size_t i;

	c->a = a;
	c->b = b;
	c->certified = options.certified || declares_certified(a) || declares_certified(b);
	c->one_run = rounds_of_one_run(a, b);
	c->level = ask(c, CONTRACT_RESULT, NULL, NULL, &c->reasons, &c->reason_count);
	pairing_fill(c);
	compare_rows(c, options.margin);
	verdict_fill(c);
	gain_fill(c);
	mean_fill(c);
	for (i = 0; i < c->row_count; i++)
		c->counts[c->rows[i].verdict]++;
	return c;
}

comparison *contract_compare(const result *a, const result *b, double margin)
{
	return contract_compare_with(a, b, (contract_options){ .margin = margin });
}

void comparison_free(comparison *c)
{
	size_t i;

	if (c == NULL)
		return;
	for (i = 0; i < c->row_count; i++)
		free(c->rows[i].reasons);
	free(c->rows);
	free(c->by_id);
	free(c->reasons);
	free(c);
}

int comparison_exit_code(const comparison *c, bool strict)
{
	size_t judged = c->counts[VERDICT_FASTER] + c->counts[VERDICT_EQUIVALENT] +
	                c->counts[VERDICT_INCONCLUSIVE] + c->counts[VERDICT_DESCRIPTION];

	if (c->counts[VERDICT_SLOWER] > 0)
		return EXIT_CODE_NEGATIVE;
	if (c->level == CONTRACT_REFUSED || c->counts[VERDICT_NOT_COMPARABLE] > 0 || judged == 0)
		return EXIT_CODE_NOT_COMPARABLE;
	if (strict && c->counts[VERDICT_INCONCLUSIVE] + c->counts[VERDICT_DESCRIPTION] +
	              c->counts[VERDICT_ABSENT] > 0)
		return EXIT_CODE_INCONCLUSIVE;
	return EXIT_CODE_OK;
}
