/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The family error of FASTER and SLOWER: how often a comparison of results of one executor has at
 * least one of them, among 1 to 100 cases and with 5 to 20 executions that differ.  The ratios,
 * p-values and Holm's rule are those of the contract.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/random.h"
#include "base/text.h"
#include "contract/condition.h"
#include "truth.h"

enum { SAMPLES = 8, EXECUTIONS_MOST = 20 };

/* How executions differ, relative to the noise of samples, which is 1 %. */
typedef struct world {
	const char *name;
	double spread;
	double (*draw)(random_state *r);
} world;

static double two_modes(random_state *r)
{
	return random_unit(r) < 0.5 ? -1 : 1;
}

static double heavy(random_state *r)
{
	double u = random_unit(r);

	return random_unit(r) < 0.1 ? 10 * u : u;
}

static const world worlds[] = {
	{ "alike", 0, truth_normal },
	{ "0.3 % apart", 0.003, truth_normal },
	{ "3 % apart", 0.03, truth_normal },
	{ "10 % apart", 0.10, truth_normal },
	{ "of two modes, 5 % apart", 0.025, two_modes },
	{ "1 of 10 slower by up to 30 %", 0.03, heavy },
};

typedef struct side {
	double values[EXECUTIONS_MOST][SAMPLES];
	const double *samples[EXECUTIONS_MOST];
	size_t counts[EXECUTIONS_MOST];
	statistics_side side;
} side;

static void side_make(side *s, random_state *r, const world *w, size_t executions)
{
	for (size_t e = 0; e < executions; e++) {
		double own = w->spread * w->draw(r);

		for (size_t i = 0; i < SAMPLES; i++)
			s->values[e][i] = 1000 * exp(own + 0.01 * truth_normal(r));
		s->samples[e] = s->values[e];
		s->counts[e] = SAMPLES;
	}
	s->side = (statistics_side){ .samples = s->samples, .counts = s->counts,
		                     .executions = executions };
}

/* Whether a comparison of that many cases claims a difference, with a margin of 0. */
static bool claims(random_state *r, const world *w, size_t executions, size_t cases)
{
	comparison *c = layout_new(comparison_layout());
	bool any = false;

	for (size_t i = 0; i < cases; i++) {
		comparison_row *row = layout_append(comparison_row_layout(), &c->cases);
		decision_evidence e;
		side a, b;

		side_make(&a, r, w, executions);
		side_make(&b, r, w, executions);
		e = ratio_evidence(&a.side, &b.side, false);
		row->speedup = e.center;
		row->p_value = e.p;
		row->alone = e.around.low > 1 ? VERDICT_FASTER :
		             e.around.high < 1 ? VERDICT_SLOWER : VERDICT_INCONCLUSIVE;
		row->verdict = VERDICT_INCONCLUSIVE;
	}
	verdict_fill(c);
	for (size_t i = 0; i < cases; i++)
		any |= c->cases.items[i].verdict != VERDICT_INCONCLUSIVE;
	comparison_free(c);
	return any;
}

typedef struct trial { const world *w; size_t executions, cases; uint64_t seed; bool *any; } trial;

static void try_one(void *context, size_t i)
{
	const trial *t = context;
	random_state r;

	random_seed(&r, random_derive(t->seed, "family", i));
	t->any[i] = claims(&r, t->w, t->executions, t->cases);
}

/* The share of trials in percent; prints a line. */
static double error_of(const world *w, size_t executions, size_t cases, size_t trials)
{
	trial t = { w, executions, cases, executions * 1000 + cases,
		    memory_get(trials * sizeof(*t.any)) };
	size_t wrong = 0;

	parallel_each(trials, try_one, &t);
	for (size_t i = 0; i < trials; i++)
		wrong += t.any[i];
	free(t.any);
	printf("# executions %s: %zu of them, %3zu cases: %.1f %% of %zu comparisons\n", w->name,
	       executions, cases, 100.0 * (double)wrong / (double)trials, trials);
	return 100.0 * (double)wrong / (double)trials;
}

/* The largest error of all numbers of executions and cases; *fits: each is 5 % or less, as far as so
 * many trials can tell. */
static double worst_of(const world *w, size_t trials, bool *fits)
{
	static const size_t executions[] = { 5, 7, 10, 20 }, cases[] = { 1, 9, 40, 100 };
	double worst = 0;

	for (size_t e = 0; e < 4; e++)
		for (size_t k = 0; k < 4; k++) {
			size_t n = cases[k] == 1 ? 10 * trials : trials;
			double error = error_of(w, executions[e], cases[k], n);

			worst = fmax(worst, error);
			*fits &= error <= 5 + 3 * sqrt(5.0 * 95 / (double)n);
		}
	return worst;
}

/* usage: family [TRIALS]   default 400; TAP on stdout, figures as comments */
int main(int argc, char **argv)
{
	size_t trials = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 400;
	size_t count = sizeof(worlds) / sizeof(worlds[0]);
	int bad = 0;

	printf("1..%zu\n", count);
	for (size_t i = 0; i < count; i++) {
		bool fits = true;
		double worst = worst_of(&worlds[i], trials, &fits);

		printf("%s %zu - executions %s: at most %.1f %% of families err\n", fits ? "ok" : "not ok",
		       i + 1, worlds[i].name, worst);
		bad |= !fits;
	}
	return bad;
}
