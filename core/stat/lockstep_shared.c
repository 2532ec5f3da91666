/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/plain_arithmetic.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "stat/lockstep_inside.h"
#include "stat/plain_math.h"

/* The standard error of a median of normal values, in their median absolute deviation. */
#define ERROR_OVER_MAD (1.2533141373155003 * 1.482602218505602)
#define SIMILAR 6
/* Smaller errors are not told apart: coarse clocks give the same value again and again. */
#define ERROR_LEAST 5e-4
/* The normal deviate that one of ten exceeds. */
#define ALIKE_DEVIATE 1.2815515655446004

static bool usable(double value)
{
	return isfinite(value) && value > 1e-300;
}

/* Appends the differences of the rounds that both have; false when a value is not above 0. */
static bool append(const lockstep_execution *a, const lockstep_execution *b, shared *s)
{
	size_t i = 0, k = 0;

	while (i < a->count && k < b->count) {
		if (a->rounds[i] < b->rounds[k]) {
			i++;
		} else if (a->rounds[i] > b->rounds[k]) {
			k++;
		} else {
			if (!usable(a->values[i]) || !usable(b->values[k]))
				return false;
			s->all[s->rounds++] = plain_log(a->values[i++]) - plain_log(b->values[k++]);
		}
	}
	return true;
}

static bool append_execution(const lockstep_execution *a, const lockstep_execution *b, shared *s)
{
	size_t before = s->rounds;
	bool fine = append(a, b, s);

	if (s->rounds - before < LOCKSTEP_LEAST)
		s->rounds = before;
	else
		s->parts[s->count++] = (part){ .d = s->all + before, .count = s->rounds - before };
	return fine;
}

static bool append_all(const lockstep_side *a, const lockstep_side *b, shared *s)
{
	bool fine = true;

	for (size_t i = 0, k = 0; i < a->count && k < b->count && fine;) {
		uint64_t x = a->executions[i].number;
		uint64_t y = b->executions[k].number;

		if (x == y)
			fine = append_execution(&a->executions[i], &b->executions[k], s);
		i += x <= y;
		k += y <= x;
	}
	return fine;
}

/* Exchanged sides are computed in one order. */
static void orient(shared *s)
{
	size_t i = 0;

	while (i < s->rounds && !(s->all[i] > 0) && !(s->all[i] < 0))
		i++;
	s->flipped = i < s->rounds && s->all[i] < 0;
	for (i = 0; s->flipped && i < s->rounds; i++)
		s->all[i] = -s->all[i];
}

/* By the median absolute deviation of all rounds from the center of their execution. */
static double sigma_of(const shared *s)
{
	double *deviations = memory_get((s->rounds + 1) * sizeof(*deviations));
	double sigma = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++)
		for (size_t k = 0; k < s->parts[i].count; k++)
			deviations[n++] = fabs(s->parts[i].d[k] - s->parts[i].center);
	if (n > s->count)
		sigma = ERROR_OVER_MAD * statistics_median(deviations, n) *
		        sqrt((double)n / (double)(n - s->count));
	free(deviations);
	return sigma;
}

/* Some executions fall into a noisy time, so each has an error of its own; as a few rounds tell it
 * badly, SIMILAR rounds of the spread of all count as well. */
static double error_of(const shared *s, const part *p)
{
	double n = (double)p->count;
	double own = ERROR_OVER_MAD * statistics_mad(p->d, p->count);

	return sqrt((n * own * own * n / (n - 1) + SIMILAR * s->sigma * s->sigma) / (n + SIMILAR) / n);
}

static void measure(shared *s)
{
	for (size_t i = 0; i < s->count; i++)
		s->parts[i].center = statistics_median(s->parts[i].d, s->parts[i].count);
	s->sigma = sigma_of(s);
	for (size_t i = 0; i < s->count; i++)
		s->parts[i].error = fmax(error_of(s, &s->parts[i]), ERROR_LEAST);
}

shared shared_make(const lockstep_side *a, const lockstep_side *b)
{
	shared s = { .parts = memory_get((a->count + 1) * sizeof(part)) };
	size_t room = 0;

	for (size_t i = 0; i < a->count; i++)
		room += a->executions[i].count;
	s.all = memory_get((room + 1) * sizeof(*s.all));
	if (!append_all(a, b, &s))
		s.count = s.rounds = 0;
	orient(&s);
	measure(&s);
	return s;
}

void shared_free(shared *s)
{
	free(s->all);
	free(s->parts);
}

/* What chi-squared with that many degrees of freedom exceeds in one of ten cases (Wilson and
 * Hilferty 1931). */
static double chi_squared_high(size_t freedom)
{
	double share = 2 / (9 * (double)freedom);
	double root = 1 - share + ALIKE_DEVIATE * sqrt(share);

	return (double)freedom * root * root * root;
}

/* Cochran's test of homogeneity. */
bool shared_alike(const shared *s)
{
	double weights = 0, mean = 0, squares = 0;

	for (size_t i = 0; i < s->count; i++) {
		double weight = 1 / (s->parts[i].error * s->parts[i].error);

		weights += weight;
		mean += weight * s->parts[i].center;
	}
	mean /= weights;
	for (size_t i = 0; i < s->count; i++) {
		double d = (s->parts[i].center - mean) / s->parts[i].error;

		squares += d * d;
	}
	return s->count < 2 || squares <= chi_squared_high(s->count - 1);
}

bool shared_beyond(const shared *s, double variance)
{
	double mean = 0, squares = 0;

	for (size_t i = 0; i < s->count; i++)
		mean += s->parts[i].center / (double)s->count;
	for (size_t i = 0; i < s->count; i++) {
		double d = s->parts[i].center - mean;

		squares += d * d;
	}
	return s->count > 1 && squares > variance * chi_squared_high(s->count - 1);
}
