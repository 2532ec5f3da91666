/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/conditions.h"

#include "base/text.h"
#include "contract/evidence.h"

/* A cause is enough when it can explain this share of the change, both as logarithms. */
static const double enough_share = 0.5;
/* Shares of the time, and threads, below which a difference says nothing. */
static const double least_steal = 0.01, least_threads = 1;

/* The two sides of a case that moved. */
typedef struct sides {
	const comparison_row *row;
	const result_row *slow, *fast;
	const evidence *of_slow, *of_fast;
	attribution_cause_list *out;
} sides;

static sides sides_of(const comparison_row *row, attribution_cause_list *out)
{
	if (row->verdict == VERDICT_SLOWER)
		return (sides){ row, row->b, row->a, &row->other->evidence, &row->baseline->evidence, out };
	return (sides){ row, row->a, row->b, &row->baseline->evidence, &row->other->evidence, out };
}

/* The time of the slow side over that of the fast one. */
static double change_of(const sides *s)
{
	return s->row->speedup > 1 ? s->row->speedup : 1 / s->row->speedup;
}

/* Takes the sentence. */
static void add(const sides *s, enum attribution_cause_kind kind, char *words, bool enough)
{
	attribution_cause *c = layout_append(attribution_cause_layout(), s->out);

	c->id = memory_text(s->row->id);
	c->kind = kind;
	c->evidence = words;
	c->enough = enough;
}

/* Whether a factor in time explains enough of the change. */
static bool explains(const sides *s, double factor)
{
	return log(factor) >= enough_share * log(change_of(s));
}

/* ---- means over the executions that count ----------------------------------------------------- */

typedef double execution_number(const record_execution *e); /* NAN where it is not recorded */

static double mean_of(const result_row *r, execution_number *number)
{
	const record_execution_list *all = &r->record->executions;
	double sum = 0, count = 0;

	for (size_t i = 0; i < all->count; i++) {
		double value = record_counts(all->items[i].status) ? number(&all->items[i]) : NAN;

		if (isnan(value))
			continue;
		sum += value;
		count++;
	}
	return count > 0 ? sum / count : NAN;
}

static double compute_ns(const record_execution *e)
{
	const record_canary *c = e->canary;

	return c != NULL ? (c->compute_before_ns + c->compute_after_ns) / 2 : NAN;
}

static double memory_ns(const record_execution *e)
{
	const record_canary *c = e->canary;

	return c != NULL ? (c->memory_before_ns + c->memory_after_ns) / 2 : NAN;
}

static double stolen(const record_execution *e)
{
	return e->load != NULL && e->load->wall_seconds > 0 ?
	       e->load->steal_seconds / e->load->wall_seconds : NAN;
}

static double known(uint64_t value)
{
	return value != LAYOUT_NO_UINT ? (double)value : NAN;
}

static double running(const record_execution *e)
{
	return e->guards != NULL ? (known(e->guards->running_before) + known(e->guards->running_after)) / 2
	                         : NAN;
}

static double limit(const record_execution *e)
{
	return e->guards != NULL ? e->guards->power_limit_watts : NAN;
}

/* ---- one cause each -------------------------------------------------------------------------- */

/* A rule that fires for the slow side alone. */
static const contract_reason *only_slow(const sides *s, const char *rule)
{
	return evidence_reason(s->of_fast, rule) == NULL ? evidence_reason(s->of_slow, rule) : NULL;
}

static void try_rule(const sides *s, const char *rule, enum attribution_cause_kind kind, bool enough)
{
	const contract_reason *reason = only_slow(s, rule);

	if (reason != NULL)
		add(s, kind, memory_format("%s: %s, only on the slower side", rule,
		                           reason->detail[0] != '\0' ? reason->detail : "flagged"), enough);
}

/* Canaries of other work do not compare; each record has one kind in all executions. */
static bool same_canary(const sides *s)
{
	const record_execution_list *x = &s->slow->record->executions, *y = &s->fast->record->executions;
	const record_canary *a = x->count > 0 ? x->items[0].canary : NULL;
	const record_canary *b = y->count > 0 ? y->items[0].canary : NULL;

	return a != NULL && b != NULL && a->compute_rounds == b->compute_rounds &&
	       a->memory_bytes == b->memory_bytes;
}

static void try_speed(const sides *s)
{
	double compute = mean_of(s->slow, compute_ns) / mean_of(s->fast, compute_ns);
	double memory = mean_of(s->slow, memory_ns) / mean_of(s->fast, memory_ns);
	double most = fmax(compute, memory);

	if (!same_canary(s) || !(most > 1 + s->row->margin))
		return;
	add(s, CAUSE_SPEED, memory_format("fixed %s took %.2f times as long around the slower side",
	                                  compute >= memory ? "arithmetic" : "copying", most),
	    explains(s, most));
}

static void try_steal(const sides *s)
{
	double slow = mean_of(s->slow, stolen), fast = mean_of(s->fast, stolen);

	if (slow - fast >= least_steal)
		add(s, CAUSE_STEAL, memory_format("the hypervisor took %.1f %% of the time, %.1f %% on the "
		                                  "faster side", slow * 100, fast * 100),
		    explains(s, (1 - fast) / fmax(1 - slow, 1e-9)));
}

static void try_neighbours(const sides *s)
{
	double slow = mean_of(s->slow, running), fast = mean_of(s->fast, running);

	if (slow - fast >= least_threads)
		add(s, CAUSE_NEIGHBOURS, memory_format("%.1f threads were running, %.1f on the faster side",
		                                       slow, fast), false);
}

static void try_limit(const sides *s)
{
	double slow = mean_of(s->slow, limit), fast = mean_of(s->fast, limit);

	if (slow < fast)
		add(s, CAUSE_LIMIT, memory_format("power limit of %.0f W, %.0f W on the faster side", slow,
		                                  fast), explains(s, fast / slow));
}

void conditions_find(const comparison *c, const comparison_row *row, attribution_cause_list *out)
{
	sides s = sides_of(row, out);

	try_rule(&s, "throttled", CAUSE_THROTTLING, true);
	try_limit(&s);
	try_rule(&s, "shared-device", CAUSE_NEIGHBOURS, false);
	/* What happens to the machine happens to both sides of one run that take turns. */
	if (c->one_run || row->lockstep)
		return;
	try_speed(&s);
	try_steal(&s);
	try_neighbours(&s);
	try_rule(&s, "disturbed", CAUSE_DISTURBED, false);
}
