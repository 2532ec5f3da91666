/* SPDX-License-Identifier: Apache-2.0 */
/* All work is on differences of logarithms: log(time of a) - log(time of b). */
#include "stat/plain_arithmetic.h"

#include "stat/lockstep.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "stat/lockstep_inside.h"
#include "stat/plain_math.h"
#include "stat/processes.h"
#include "stat/rounds.h"
#include "stat/student.h"

#define LAST_SHARE 0.75
/* Of two executions, as if they were three, and of three. */
#define FEW_FREEDOM 2

/* ---- values of rounds ------------------------------------------------------------------------ */

size_t lockstep_round_values(const double *samples, const uint64_t *rounds, size_t n, double q,
                             uint64_t *numbers, double *values)
{
	size_t count = 0;

	for (size_t first = 0, end; first < n; first = end) {
		for (end = first + 1; end < n && rounds[end] == rounds[first];)
			end++;
		numbers[count] = rounds[first];
		values[count++] = statistics_quantile(samples + first, end - first, q);
	}
	return count;
}

/* ---- a ratio --------------------------------------------------------------------------------- */

static size_t most_of(size_t a, size_t b)
{
	return a > b ? a : b;
}

static bool excludes_zero(interval i)
{
	return i.low > 0 || i.high < 0;
}

/* The p-value of a median of 0, for a median on that side of it. */
static double p_of(const double *values, size_t n, double center)
{
	return center > 0 || center < 0 ? rounds_p(values, n, 0, center < 0) : 1;
}

/* From all rounds together. */
static estimate estimate_together(const shared *s, double confidence)
{
	estimate e = { .center = statistics_median(s->all, s->rounds) };

	if (!statistics_fine_interval(s->all, s->rounds, confidence, 1, &e.around))
		e.around = (interval){ -INFINITY, INFINITY };
	e.p = p_of(s->all, s->rounds, e.center);
	return e;
}

/* The standard deviation of the centers of executions, and their mean. */
static double spread_of(const shared *s, double *mean)
{
	double squares = 0;

	*mean = 0;
	for (size_t i = 0; i < s->count; i++)
		*mean += s->parts[i].center / (double)s->count;
	for (size_t i = 0; i < s->count; i++) {
		double d = s->parts[i].center - *mean;

		squares += d * d;
	}
	return s->count > 1 ? sqrt(squares / (double)(s->count - 1)) : INFINITY;
}

/*
 * From the centers of up to three executions, by Student's distribution; one degree of freedom would
 * leave nothing to say.  A process moves a time by PROCESSES_SPREAD at
 * most, which is taken for as good as known unless these processes say otherwise.
 */
static estimate estimate_between(const shared *s, double confidence)
{
	estimate e = { 0 };
	double root = sqrt((double)s->count);
	double error = spread_of(s, &e.center) / root;
	double distance = fabs(e.center);
	double half = INFINITY;

	e.p = 1;
	if (!shared_beyond(s, PROCESSES_SPREAD * PROCESSES_SPREAD)) {
		half = student_deviate(PROCESSES_FREEDOM, confidence) * PROCESSES_SPREAD / root;
		e.p = student_beyond(PROCESSES_FREEDOM, distance / (PROCESSES_SPREAD / root));
	}
	if (s->count > 1) {
		half = fmin(half, student_deviate(FEW_FREEDOM, confidence) * error);
		e.p = error > 0 ? fmin(e.p, student_beyond(FEW_FREEDOM, distance / error)) : 0;
	}
	e.around = (interval){ e.center - half, e.center + half };
	return e;
}

/* What both say: the wider interval and the larger p. */
static estimate estimate_both(estimate between, estimate together)
{
	return (estimate){ .center = between.center,
		           .around = { fmin(between.around.low, together.around.low),
		                       fmax(between.around.high, together.around.high) },
		           .p = fmax(between.p, together.p) };
}

/* Whether at least two executions show a difference to that side, each by its own rounds. */
static bool shown(const shared *s, double center)
{
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++) {
		const part *one = &s->parts[i];

		count += one->center * center > 0 && p_of(one->d, one->count, one->center) <= SHOWN_P;
	}
	return count >= 2;
}

static bool is_small(estimate e)
{
	return plain_exp(fabs(e.center)) < 1 + LOCKSTEP_SMALL;
}

/* ---- further rounds -------------------------------------------------------------------------- */

/* The least number of rounds whose p-value can be that small. */
static size_t rounds_least(double p)
{
	double least = 1;
	size_t n = 1;

	while (least > p) {
		least /= 2;
		n++;
	}
	return n;
}

/* By the rule that an interval narrows with the root of the number of rounds.  EQUIVALENT needs a
 * half-width of `margin` less the center, a difference needs one of the center.  0: too many. */
static size_t rounds_needed(const shared *s, estimate e, lockstep_terms terms)
{
	double error = DECISION_ERROR * terms.share;
	double margin = plain_log(1 + terms.margin);
	double distance = fabs(e.center);
	double target = distance > margin ? distance : margin - distance;
	interval around;
	double needed;

	if (distance > margin)
		error /= (double)terms.cases;
	else
		error *= 2;
	if (s->count >= WEIGHTED_LEAST) {
		needed = weighted_rounds(s, most_of(terms.executions, s->count), 1 - error, target);
	} else {
		if (!statistics_fine_interval(s->all, s->rounds, 1 - error, 1, &around))
			return rounds_least(error);
		needed = (around.high - around.low) / 2 / target;
		needed *= needed;
		needed *= (double)s->rounds;
	}
	return needed < MORE_MOST ? most_of((size_t)ceil(needed), 1) : 0;
}

/* e: what decides, or what all rounds say. */
static size_t more_of(const shared *s, const lockstep_ratio *r, estimate e, lockstep_terms terms)
{
	size_t needed;
	size_t least = 1;

	if (s->count == 1)
		least = LOCKSTEP_LEAST;
	else if (!r->agree && s->count < WEIGHTED_LEAST)
		least = s->rounds / 2; /* what all show, single executions show with half as many again */
	needed = rounds_needed(s, e, terms);
	if (needed == 0)
		return 0;
	return needed > s->rounds + least ? needed - s->rounds : least;
}

/* ---- the comparison -------------------------------------------------------------------------- */

/* Mirrors exactly. */
static double exp_of(double x)
{
	return x < 0 ? 1 / plain_exp(fmin(-x, 700)) : plain_exp(fmin(x, 700));
}

static interval exp_around(interval i)
{
	return (interval){ isinf(i.low) ? 0 : exp_of(i.low), isinf(i.high) ? INFINITY : exp_of(i.high) };
}

static estimate mirrored(estimate e)
{
	return (estimate){ -e.center, { -e.around.high, -e.around.low },
		           { -e.equal.high, -e.equal.low }, e.p };
}

static void conclude(const shared *s, estimate e, lockstep_terms terms, lockstep_ratio *out)
{
	decision_evidence evidence;

	if (s->flipped)
		e = mirrored(e);
	out->ratio = exp_of(e.center);
	out->around = exp_around(e.around);
	out->equal = exp_around(e.equal);
	out->p = fmin(1, e.p / terms.share);
	evidence = (decision_evidence){ out->ratio, out->around, out->equal,
		                        fmin(1, out->p * (double)terms.cases) };
	out->decision = decision_of(&evidence, terms.margin, 0);
}

/* Two or three executions say little of the spread between them: their rounds are put together where
 * they agree, and where at least two show a small difference. */
static bool are_one(const shared *s, double confidence)
{
	estimate together = estimate_together(s, confidence);

	return s->count > 1 && shared_alike(s) &&
	       !(is_small(together) && excludes_zero(together.around) && !shown(s, together.center));
}

static estimate estimate_of(const shared *s, bool one, double confidence)
{
	if (s->count >= WEIGHTED_LEAST)
		return weighted_estimate(s, confidence);
	return one ? estimate_together(s, confidence) :
	             estimate_both(estimate_between(s, confidence), estimate_together(s, confidence));
}

static void compare_shared(const shared *s, lockstep_terms terms, lockstep_ratio *out)
{
	double error = DECISION_ERROR * terms.share;
	bool few = s->count < WEIGHTED_LEAST, alike = shared_alike(s);
	bool one = few && are_one(s, 1 - error);
	estimate e = estimate_of(s, one, 1 - error);

	e.equal = estimate_of(s, one, 1 - 2 * error).around;
	out->rounds = s->rounds;
	out->executions = s->count;
	out->agree = few ? one : alike;
	conclude(s, e, terms, out);
	if (out->decision == DECISION_OPEN && (!few || alike))
		out->more = more_of(s, out, few ? estimate_together(s, 1 - error) : e, terms);
}

double lockstep_share(size_t looks, bool last)
{
	if (looks <= 1)
		return 1;
	return last ? LAST_SHARE : (1 - LAST_SHARE) / (double)(looks - 1);
}

lockstep_ratio lockstep_compare(const lockstep_side *a, const lockstep_side *b, lockstep_terms terms)
{
	lockstep_ratio out = { .around = { 0, INFINITY }, .p = 1 };
	shared s = shared_make(a, b);

	terms.share = terms.share > 0 ? terms.share : 1;
	terms.cases = most_of(terms.cases, 1);
	if (s.count > 0)
		compare_shared(&s, terms, &out);
	shared_free(&s);
	return out;
}
