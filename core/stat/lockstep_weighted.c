/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mean of executions that differ by more than their rounds explain, or may.  The spread between
 * them is that of Paule and Mandel (1982); weights are 1 / (its square + that of the error); the
 * interval is that of Hartung and Knapp (2001), by Student's distribution.  Where an execution had
 * many rounds and others few it neither drowns them nor counts like one of them.  Four executions
 * alone say little, and most executors' processes do not differ: so fewer than six count as six, of
 * which the others are as far apart as rounds explain.  That finds 3 % where processes agree, and
 * costs more wrong verdicts where they differ (docs/method.md, "Processes").
 */
#include "stat/plain_arithmetic.h"

#include <math.h>

#include "stat/lockstep_inside.h"
#include "stat/student.h"

#define HALVINGS 60
#define FREEDOM_LEAST 5

/* The mean for a variance between executions, and how far they are from it. */
typedef struct mean { double center, weights, squares; } mean;

static mean mean_for(const shared *s, double variance)
{
	mean m = { 0 };

	for (size_t i = 0; i < s->count; i++) {
		double weight = 1 / (variance + s->parts[i].error * s->parts[i].error);

		m.weights += weight;
		m.center += weight * s->parts[i].center;
	}
	m.center /= m.weights;
	for (size_t i = 0; i < s->count; i++) {
		double d = s->parts[i].center - m.center;

		m.squares += d * d / (variance + s->parts[i].error * s->parts[i].error);
	}
	return m;
}

/* The variance between executions with which they are as far apart as expected. */
static double variance_between(const shared *s)
{
	double expected = (double)s->count - 1, low = 0, high = 0;

	if (mean_for(s, 0).squares <= expected)
		return 0;
	for (size_t i = 0; i < s->count; i++)
		high += s->parts[i].center * s->parts[i].center;
	for (int i = 0; i < HALVINGS; i++) {
		double middle = (low + high) / 2;

		if (mean_for(s, middle).squares > expected)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static size_t freedom_of(size_t executions)
{
	return executions - 1 > FREEDOM_LEAST ? executions - 1 : FREEDOM_LEAST;
}

estimate weighted_estimate(const shared *s, double confidence)
{
	size_t freedom = freedom_of(s->count), added = freedom - (s->count - 1);
	double variance = variance_between(s);
	mean m = mean_for(s, variance);
	double squares = variance > 0 ? (double)freedom : m.squares + (double)added;
	double error = sqrt(squares / (double)freedom / m.weights);
	double half = student_deviate(freedom, confidence) * error;
	double p = 1;

	if (m.center > 0 || m.center < 0)
		p = error > 0 ? student_beyond(freedom, fabs(m.center) / error) : 0;
	return (estimate){ .center = m.center, .around = { m.center - half, m.center + half }, .p = p };
}

double weighted_rounds(const shared *s, size_t executions, double confidence, double half_width)
{
	double error = half_width / student_deviate(freedom_of(executions), confidence);
	double rest = error * error - variance_between(s) / (double)executions;

	return rest > 0 ? s->sigma * s->sigma / rest : INFINITY;
}
