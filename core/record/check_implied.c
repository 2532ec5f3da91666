/* SPDX-License-Identifier: Apache-2.0 */
/* Checks what the samples and instruments of executions imply: half-width, flags, disturbance, and
 * with them whether the status can be true. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "record/check.h"
#include "record/implied.h"
#include "record/proven.h"
#include "stat/settle.h"

/* One execution that counts. */
typedef struct subject {
	const row_check *c;
	const record_execution *e;
	size_t index;
	const series *series;
	const double *sorted;    /* all samples, ascending; NULL where only some count          */
} subject;

static void differs(const subject *s, const char *member, char *sentence)
{
	check_add(s->c, EH_E_ALTERED, CHECK_DERIVED, s->index, member, sentence);
}

/* ---- precision ------------------------------------------------------------------------------- */

/* Versions of evenhand differ by less than this share in how they interpolate. */
static const double width_tolerance = 1e-3;

static bool same_width(double a, double b)
{
	return isnan(a) ? isnan(b) : fabs(a - b) <= width_tolerance * b;
}

static char *width_text(double width)
{
	return isnan(width) ? memory_text("absent") : memory_format("%.6g", width);
}

static void check_stated_width(const subject *s, double width)
{
	char *stated = width_text(s->e->half_width);
	char *given = width_text(width);

	if (!same_width(s->e->half_width, width))
		differs(s, "half_width", memory_format("is %s but the samples give %s", stated, given));
	free(given);
	free(stated);
}

/* A load has the requests that were declared, however wide the interval. */
static void check_width(const subject *s)
{
	const record_settings *m = &s->c->row->measure;
	double width;

	if (!implied_half_width(m, s->e, s->series, s->sorted, &width) || findings_enough(s->c->f))
		return;
	check_stated_width(s, width);
	if (s->e->status == RECORD_VALID && !record_is_load(m) && !isnan(m->half_width) &&
	    !(width <= m->half_width * (1 + width_tolerance))) {
		char *reached = width_text(width);

		differs(s, "", memory_format("is valid with a half-width that is %s, but its measurement "
		                             "asks for %.4g", reached, m->half_width));
		free(reached);
	}
}

/* A series of samples ends early only when it lasted long enough. */
static void check_length(const subject *s)
{
	const record_settings *m = &s->c->row->measure;
	double spent = implied_host_ns(s->e);
	bool by_count = record_is_load(m) || m->regime == RECORD_REGIME_SUSTAINED || s->e->turns != NULL;

	if (by_count || s->e->status != RECORD_VALID || m->time_min_ns == LAYOUT_NO_UINT ||
	    s->e->samples_ns.count >= m->samples_max || !(spent < (double)m->time_min_ns) ||
	    findings_enough(s->c->f))
		return;
	differs(s, "", memory_format("is valid with samples of %.4g s in all, but its measurement asks for "
	                             "%.4g s", spent * 1e-9, (double)m->time_min_ns * 1e-9));
}

/* ---- flags ----------------------------------------------------------------------------------- */

static void check_flags(const subject *s)
{
	record_flag_list implied = { 0 };

	implied_flags(s->c->row, s->e, s->series, &implied);
	for (size_t i = 0; i < implied.count && !findings_enough(s->c->f); i++)
		if (!word_list_has(&s->e->flags, (int)implied.items[i]))
			differs(s, "flags", memory_format("lacks %s, which follows from the rest of the "
			                                  "execution", record_flag_word(implied.items[i])));
	free(implied.items);
}

static void check_disturbed(const subject *s)
{
	const record_execution *e = s->e;
	text_list words = { 0 };

	implied_disturbed(e, &words);
	if (e->disturbed.count < words.count && !findings_enough(s->c->f))
		differs(s, "disturbed", memory_format("has %zu sentences, but canary and guards give %zu: "
		                                      "%.100s", e->disturbed.count, words.count,
		                                      words.items[0]));
	text_list_clear(&words);
}

/* ---- the proof ------------------------------------------------------------------------------- */

/* By what is doubted; docs/method.md has them. */
static double limit_of(enum record_doubt_kind kind)
{
	switch (kind) {
	case RECORD_DOUBT_WAIT:
		return SETTLE_WAIT;
	case RECORD_DOUBT_CLAIM:
		return SETTLE_CLAIM;
	case RECORD_DOUBT_LONE:
		return SETTLE_LONE;
	case RECORD_DOUBT_INPUTS:
		return SETTLE_INPUTS;
	default:
		return SETTLE_GROWTH_PAIRS;
	}
}

static void check_doubt(const subject *s, const record_doubt *d, size_t i)
{
	char *member = memory_format("doubts[%zu]", i);

	if (d->first_ns.count != d->second_ns.count)
		differs(s, member, memory_format("has %zu first times and %zu second ones", d->first_ns.count,
		                                 d->second_ns.count));
	else if (d->limit != limit_of(d->kind))
		differs(s, member, memory_format("has the limit %.4g, and doubts of its kind have %.4g",
		                                 d->limit, limit_of(d->kind)));
	else if (d->verdict != proven_verdict(d))
		differs(s, member, memory_format("is %s, but its pairs give %s",
		                                 record_doubt_verdict_word(d->verdict),
		                                 record_doubt_verdict_word(proven_verdict(d))));
	free(member);
}

/* Whether the status, and the flag of new inputs, are those that proof and doubts allow. */
static void check_proof(const subject *s)
{
	const record_instrument_list *all = &s->c->result->instruments;
	const record_instrument *i = record_instrument_of(all, s->e->execution);
	const char *why;
	enum record_status least = proven_least(s->c->row, s->e, i, &why);

	for (size_t k = 0; k < s->e->doubts.count && !findings_enough(s->c->f); k++)
		check_doubt(s, &s->e->doubts.items[k], k);
	if (least > s->e->status && !findings_enough(s->c->f))
		differs(s, "", memory_format("is %s, but %s: it is %s", record_status_word(s->e->status), why,
		                             record_status_word(least)));
	if (proven_varied(s->e, i) && !word_list_has(&s->e->flags, RECORD_FLAG_VARIED_DIFFERS) &&
	    !findings_enough(s->c->f))
		differs(s, "flags", memory_text("lacks varied-differs, which follows from its pairs"));
}

/* ---- requests -------------------------------------------------------------------------------- */

static void check_requests(const subject *s)
{
	const record_settings *m = &s->c->row->measure;
	trace_summary requests;
	bool knee = m->scenario == RECORD_SCENARIO_KNEE;

	if (findings_enough(s->c->f) || !implied_requests(m, s->e, &requests))
		return;
	if (requests.late)
		differs(s, "", memory_text("counts, but its requests were issued too late"));
	else if (s->e->status == RECORD_VALID && (!requests.known || (knee && !requests.met)))
		differs(s, "", memory_text("is valid, but its requests do not show the statistic or the limit "
		                           "that its measurement asks for"));
}

/* ---- the row --------------------------------------------------------------------------------- */

static void check_one(const subject *s)
{
	check_width(s);
	check_length(s);
	check_proof(s);
	check_requests(s);
	check_flags(s);
	check_disturbed(s);
}

void check_implied(const row_check *c, const record_pool *pool)
{
	const record_execution_list *all = &c->row->executions;
	size_t at = 0;

	for (size_t i = 0; i < all->count && at < pool->executions && !findings_enough(c->f); i++) {
		const record_execution *e = &all->items[i];
		subject s = { .c = c, .e = e, .index = i, .series = &pool->series[at] };

		/* As in record_pool_fill. */
		if (!record_execution_counts(e) || e->batch == LAYOUT_NO_UINT || e->batch == 0)
			continue;
		if (pool->steady_counts[at] == pool->counts[at])
			s.sorted = pool->sorted[at];
		check_one(&s);
		at++;
	}
}
