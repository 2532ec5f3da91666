/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of rules about what a case computed on and with: its proof, its inputs, its program,
 * and whether its samples are its own. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "contract/condition.h"

#define UNUSED_RESULTS() ((void)a, (void)b)

/* The engine finds an execution invalid whose quickest sample claims so little of the proof. */
static const double least_claim = 0.5;

CONDITION(condition_proof)
{
	bool on_x = x->claim < least_claim;
	bool on_y = y->claim < least_claim;

	UNUSED_RESULTS();
	if (!on_x && !on_y)
		return false;
	snprintf(detail, size, "%s: %.3g of the proof's time per operation",
	         on_x && on_y ? "both sides, at the least" : on_x ? "the baseline" :
	         "the other side", fmin(x->claim, y->claim));
	return true;
}

CONDITION(condition_varied)
{
	UNUSED_RESULTS();
	return condition_either(x->recognises, y->recognises, "another time on new inputs", detail,
	                        size);
}

/* Not where neither side tells of it at all: then nothing sets one apart from the other. */
CONDITION(condition_not_varied)
{
	UNUSED_RESULTS();
	return condition_either(x->untried, y->untried, "no operations on new inputs", detail, size) &&
	       (x->varied || y->varied);
}

/* ---- inputs and program ---------------------------------------------------------------------- */

/* The counted execution of that number. */
static const execution_facts *execution_of(const case_facts *f, uint64_t number)
{
	for (size_t i = 0; i < f->execution_count; i++)
		if (f->executions[i].number == number)
			return &f->executions[i];
	return NULL;
}

static const char *declared_data(const case_facts *f)
{
	return facts_setting(f->row, "input_data", "standard");
}

/* The distribution that a counted execution records, where it is not the declared one. */
static const char *other_distribution(const case_facts *f)
{
	for (size_t i = 0; i < f->execution_count; i++) {
		const char *is = f->executions[i].distribution;

		if (is != NULL && strcmp(is, declared_data(f)) != 0)
			return is;
	}
	return NULL;
}

static bool data_differ(const char *what, const char *dx, const char *dy, char *detail, size_t size)
{
	if (strcmp(dx, dy) == 0)
		return false;
	snprintf(detail, size, "%s: %.16s | %.16s", what, dx, dy);
	return true;
}

static bool inputs_differ(const case_facts *x, const case_facts *y, char *detail, size_t size)
{
	for (size_t i = 0; i < x->execution_count; i++) {
		const execution_facts *ex = &x->executions[i];
		const execution_facts *ey = ex->distribution != NULL ? execution_of(y, ex->number) : NULL;

		if (ey == NULL || ey->distribution == NULL)
			continue;
		if (data_differ("distribution", ex->distribution, ey->distribution, detail, size) ||
		    data_differ("sha256", ex->data_sha256, ey->data_sha256, detail, size))
			return true;
	}
	return false;
}

CONDITION(condition_input_data)
{
	const char *ox = other_distribution(x);
	const char *oy = other_distribution(y);

	UNUSED_RESULTS();
	if (condition_differ(declared_data(x), declared_data(y), detail, size))
		return true;
	if (ox == NULL && oy == NULL)
		return inputs_differ(x, y, detail, size);
	snprintf(detail, size, "declared %s, recorded %s on %s", declared_data(x),
	         ox != NULL ? ox : oy, ox != NULL && oy != NULL ? "both sides" :
	         ox != NULL ? "the baseline" : "the other side");
	return true;
}

enum disclosure { DISCLOSED_BY_NONE, DISCLOSED_BY_ALL, DISCLOSED_BY_SOME };

/* Which of the counted executions record their inputs. */
static enum disclosure data_disclosed(const case_facts *f)
{
	size_t with = 0;

	for (size_t i = 0; i < f->execution_count; i++)
		with += f->executions[i].distribution != NULL;
	return with == 0 ? DISCLOSED_BY_NONE : with == f->execution_count ? DISCLOSED_BY_ALL :
	       DISCLOSED_BY_SOME;
}

/* Whether an execution of the same number counts on both sides. */
static bool share_a_number(const case_facts *x, const case_facts *y)
{
	for (size_t i = 0; i < x->execution_count; i++)
		if (execution_of(y, x->executions[i].number) != NULL)
			return true;
	return false;
}

CONDITION(condition_input_undisclosed)
{
	enum disclosure dx = data_disclosed(x);
	enum disclosure dy = data_disclosed(y);

	UNUSED_RESULTS();
	if (dx == DISCLOSED_BY_ALL && dy == DISCLOSED_BY_ALL) {
		if (share_a_number(x, y))
			return false;
		snprintf(detail, size, "no execution of the same number on both sides");
		return true;
	}
	if (dx == dy && dx != DISCLOSED_BY_SOME)
		return false;
	return condition_either(dx != DISCLOSED_BY_ALL, dy != DISCLOSED_BY_ALL,
	                        "no digest of the inputs", detail, size);
}

CONDITION(condition_source)
{
	const char *sx = x->source_sha256;
	const char *sy = y->source_sha256;

	UNUSED_RESULTS();
	if (strcmp(x->row->tier, "portable") != 0 || strcmp(y->row->tier, "portable") != 0 ||
	    sx[0] == '\0' || sy[0] == '\0' || strcmp(sx, sy) == 0)
		return false;
	snprintf(detail, size, "%.12s | %.12s", sx, sy);
	return true;
}

CONDITION(condition_binary)
{
	UNUSED_RESULTS();
	return condition_either(x->binaries > 1, y->binaries > 1, "different binaries",
	                        detail, size);
}

/* ---- whose samples they are ------------------------------------------------------------------ */

/* Fewer values that differ could be the same by chance, where a clock is coarse. */
enum { VALUES_OF_AN_EXECUTION = 8 };

static bool same_samples(const statistics_side *s, size_t i, const statistics_side *t, size_t j)
{
	const double *p = s->samples[i];
	const double *q = t->samples[j];
	double seen[VALUES_OF_AN_EXECUTION];
	size_t values = 0;
	size_t k;

	if (s->counts[i] != t->counts[j])
		return false;
	for (k = 0; k < s->counts[i]; k++) {
		size_t n = 0;

		if (p[k] < q[k] || p[k] > q[k])
			return false;
		while (n < values && (p[k] < seen[n] || p[k] > seen[n]))
			n++;
		if (n == values && values < VALUES_OF_AN_EXECUTION)
			seen[values++] = p[k];
	}
	return values == VALUES_OF_AN_EXECUTION;
}

/* How many executions of s, one side's, stand again in t, or further on in s itself (t NULL). */
static size_t copies_in(const statistics_side *s, const statistics_side *t)
{
	size_t count = 0;
	size_t i;
	size_t j;

	for (i = 0; i < s->executions; i++) {
		const statistics_side *other = t != NULL ? t : s;

		for (j = t != NULL ? 0 : i + 1; j < other->executions; j++)
			if (same_samples(s, i, other, j))
				break;
		count += j < other->executions;
	}
	return count;
}

static bool tells_apart(const statistics_side *s)
{
	size_t total = 0;
	size_t changes = 0;
	size_t i;
	size_t k;

	for (i = 0; i < s->executions; i++) {
		total += s->counts[i];
		for (k = 1; k < s->counts[i]; k++)
			changes += s->samples[i][k] > s->samples[i][k - 1] ||
			           s->samples[i][k] < s->samples[i][k - 1];
	}
	return total >= 10 && changes >= total / 2;
}

CONDITION(condition_copied)
{
	const statistics_side *sx = &x->row->side;
	const statistics_side *sy = &y->row->side;
	size_t within_x = copies_in(sx, NULL);
	size_t within_y = copies_in(sy, NULL);
	size_t across;

	if (within_x > 0 || within_y > 0) {
		snprintf(detail, size, "executions that stand there twice: baseline %zu, other %zu",
		         within_x, within_y);
		return true;
	}
	if (strcmp(json_string(a->root, "digest", "?"), json_string(b->root, "digest", "")) == 0)
		return false;
	across = copies_in(sx, sy);
	if (across > 0) {
		snprintf(detail, size, "%zu of %zu executions of the baseline stand in the other",
		         across, sx->executions);
		return true;
	}
	if (sx->executions == 0 || !ratio_same_samples(sx, sy) || !tells_apart(sx))
		return false;
	snprintf(detail, size, "every sample is the same");
	return true;
}
