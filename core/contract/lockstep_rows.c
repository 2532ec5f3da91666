/* SPDX-License-Identifier: Apache-2.0 */
/* Sides that one run measured in lockstep: a few samples of each executor in turn. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "contract/condition.h"
#include "stat/lockstep.h"

/* More looks than this are not told apart. */
#define LOOKS_MOST 1000000

static bool in_lockstep(const result *r)
{
	return r->record->run.design != NULL &&
	       r->record->run.design->kind == RECORD_DESIGN_LOCKSTEP;
}

bool lockstep_row(const result *r, const result_row *x)
{
	return in_lockstep(r) && x->rounds != NULL;
}

/* ---- executions that took turns with each other ---------------------------------------------- */

/* An execution of each side, and its place among those that count. */
typedef struct both { const record_execution *x, *y; size_t at_x, at_y; } both;

static void step(const result_row *r, const record_execution **e, size_t *at)
{
	*at += *e != NULL;
	*e = condition_next(r, *e);
}

/* From { 0 } to the next; false at the end. */
static bool both_next(const result_row *x, const result_row *y, both *p)
{
	step(x, &p->x, &p->at_x);
	step(y, &p->y, &p->at_y);
	while (p->x != NULL && p->y != NULL) {
		if (p->x->execution < p->y->execution) {
			step(x, &p->x, &p->at_x);
		} else if (p->x->execution > p->y->execution) {
			step(y, &p->y, &p->at_y);
		} else if (p->x->turns->origin_ns != p->y->turns->origin_ns) {
			step(x, &p->x, &p->at_x);
			step(y, &p->y, &p->at_y);
		} else {
			return true;
		}
	}
	return false;
}

size_t lockstep_executions(const result *a, const result *b, const result_row *x,
                           const result_row *y)
{
	both p = { 0 };
	size_t count = 0;

	if (a == b || strcmp(a->record->run.id, b->record->run.id) != 0 || !lockstep_row(a, x) ||
	    !lockstep_row(b, y))
		return 0;
	while (both_next(x, y, &p))
		count++;
	return count;
}

/* ---- whether the rounds are real ------------------------------------------------------------- */

/* When the samples of a round began and ended, since the origin that both sides have. */
typedef struct span { uint64_t round, begin, end; } span;

/* Host time: a sample by the device's clock lasts longer on the host. */
static uint64_t duration_of(const record_execution *e, size_t i)
{
	return e->host_ns.count > i ? e->host_ns.items[i] : e->samples_ns.items[i];
}

/* malloc'd spans of an execution's rounds; NULL when its samples overlap or have no times. */
static span *spans_of(const record_execution *e, size_t *count)
{
	const uint64_t *rounds = e->turns->rounds.items;
	uint64_t before = e->turns->first_ns;
	span *spans;

	*count = 0;
	if (e->starts_ns.count != e->samples_ns.count)
		return NULL;
	spans = memory_get((e->samples_ns.count + 1) * sizeof(*spans));
	for (size_t i = 0; i < e->samples_ns.count; i++) {
		uint64_t begin = e->turns->first_ns + e->starts_ns.items[i];

		if (begin < before) {
			free(spans);
			return NULL;
		}
		before = begin + duration_of(e, i);
		if (*count == 0 || spans[*count - 1].round != rounds[i])
			spans[(*count)++] = (span){ rounds[i], begin, before };
		spans[*count - 1].end = before;
	}
	return spans;
}

/* Whether every round of both sides lies before every later round of either. */
static bool in_order(const span *a, size_t n, const span *b, size_t m)
{
	size_t i = 0, k = 0;
	uint64_t before = 0; /* the end of all earlier rounds */

	while (i < n && k < m) {
		uint64_t round = a[i].round < b[k].round ? a[i].round : b[k].round;
		uint64_t end = before;

		for (; i < n && a[i].round == round; i++) {
			if (a[i].begin < before)
				return false;
			end = a[i].end > end ? a[i].end : end;
		}
		for (; k < m && b[k].round == round; k++) {
			if (b[k].begin < before)
				return false;
			end = b[k].end > end ? b[k].end : end;
		}
		before = end;
	}
	return true;
}

typedef struct taken { uint64_t begin, end; } taken;

static int by_begin(const void *a, const void *b)
{
	const taken *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

static void add_taken(const record_execution *e, taken *all)
{
	for (size_t i = 0; i < e->samples_ns.count; i++) {
		uint64_t begin = e->turns->first_ns + e->starts_ns.items[i];

		all[i] = (taken){ begin, begin + duration_of(e, i) };
	}
}

/* Whether a sample of one side ran while one of the other did. */
static bool overlap(const record_execution *x, const record_execution *y)
{
	size_t count = x->samples_ns.count + y->samples_ns.count;
	taken *all = memory_get((count + 1) * sizeof(*all));
	bool found = false;

	add_taken(x, all);
	add_taken(y, all + x->samples_ns.count);
	qsort(all, count, sizeof(*all), by_begin);
	for (size_t i = 1; i < count; i++)
		found |= all[i].begin < all[i - 1].end;
	free(all);
	return found;
}

static const char *fault_of(const record_execution *x, const record_execution *y)
{
	size_t n, m;
	span *a = spans_of(x, &n);
	span *b = spans_of(y, &m);
	const char *fault = NULL;

	if (a == NULL || b == NULL)
		fault = "a side does not say when its samples began, or they overlap";
	else if (!in_order(a, n, b, m))
		fault = "a round of one side began before an earlier one of the other ended";
	else if (overlap(x, y))
		fault = "samples of both sides overlap";
	free(a);
	free(b);
	return fault;
}

CONDITION(condition_turns)
{
	both p = { 0 };

	if (lockstep_executions(a, b, x, y) == 0)
		return false;
	while (both_next(x, y, &p)) {
		const char *fault = fault_of(p.x, p.y);

		if (fault == NULL)
			continue;
		snprintf(detail, size, "execution %llu: %s", (unsigned long long)p.x->execution, fault);
		return true;
	}
	return false;
}

/* ---- the ratio of the rounds ----------------------------------------------------------------- */

static lockstep_execution execution_at(const result_row *r, const record_execution *e, size_t at)
{
	return (lockstep_execution){ e->execution, r->rounds[at], r->side.samples[at],
		                     r->side.counts[at] };
}

static size_t looks_of(const result *r)
{
	uint64_t looks = r->record->run.design->looks;

	if (looks == LAYOUT_NO_UINT || looks == 0)
		return 1;
	return looks < LOOKS_MOST ? (size_t)looks : LOOKS_MOST;
}

lockstep_ratio lockstep_of(const comparison *c, const comparison_row *row, double margin,
                           size_t share)
{
	size_t looks = looks_of(c->a) > looks_of(c->b) ? looks_of(c->a) : looks_of(c->b);
	size_t room = row->a->side.executions, count = 0;
	lockstep_execution *all = memory_get((2 * room + 1) * sizeof(*all));
	lockstep_ratio r;
	both p = { 0 };

	for (; both_next(row->a, row->b, &p); count++) {
		all[count] = execution_at(row->a, p.x, p.at_x);
		all[room + count] = execution_at(row->b, p.y, p.at_y);
	}
	r = lockstep_compare(&(lockstep_side){ all, count }, &(lockstep_side){ all + room, count },
	                     (lockstep_terms){ .margin = margin,
	                                       .share = lockstep_share(looks, true) / (double)share,
	                                       .cases = c->cases.count });
	free(all);
	return r;
}
