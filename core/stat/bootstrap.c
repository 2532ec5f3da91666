/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hierarchical bootstrap of statistics.h, without drawing anything.
 *
 * A resample draws executions with replacement, and from each drawn execution as many samples as it
 * has, with replacement.  Its center is the median of the medians.
 *
 * The median of n draws is at or below a value exactly when more than half of the draws are.  Each
 * draw is with probability k / n, where k samples are at or below the value.  So the probability is
 * a binomial tail.  All executions are drawn with the same probability, so the probability F that
 * the median of a drawn execution is at or below the value is the mean over the executions.  The
 * center is at or below the value when more than half of the drawn executions are: a binomial tail
 * of F.
 *
 * An even number of draws has two middle values, and either is taken with the same probability: the
 * case that exactly half of the draws are at or below the value counts half.  For a percentile
 * instead of an execution's median, the first step is the tail from the percentile's rank on.
 */
#include "stat/plain_arithmetic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "stat/binomial.h"
#include "stat/percentile.h"
#include "stat/sorted.h"
#include "stat/statistics.h"

/* ---- the center of one side ------------------------------------------------------------------ */

/* The distribution of the center: ascending values, each with its probability and its cumulative
 * probability. */
typedef struct distribution {
	double *values, *chances, *upto;
	size_t count;
} distribution;

typedef struct point {
	double value;
	size_t execution;
} point;

/* Merges the ascending runs [from, middle) and [middle, to); of equal points the left comes
 * first. */
static void points_merge(const point *points, size_t from, size_t middle, size_t to, point *out)
{
	size_t left = from;
	size_t right = middle;

	for (size_t at = from; at < to; at++)
		out[at] = right >= to || (left < middle && points[left].value <= points[right].value) ?
		          points[left++] : points[right++];
}

/* malloc'd: all samples in ascending order, equal ones by their execution, so that sums are in the
 * same order on every machine. */
static point *points_make(const statistics_side *side, size_t total)
{
	point *points = memory_grow(NULL, total * sizeof(*points));
	point *room = memory_grow(NULL, total * sizeof(*points));
	size_t runs = side->executions;
	size_t *firsts = memory_get((runs + 1) * sizeof(*firsts));

	for (size_t e = 0; e < runs; e++) {
		size_t count = side->counts[e];
		const double *values = side->sorted != NULL ? side->sorted[e] : NULL;
		double *own = values == NULL ? sorted_copy(side->samples[e], count) : NULL;

		if (values == NULL)
			values = own;

		for (size_t i = 0; i < count; i++)
			points[firsts[e] + i] = (point){ values[i], e };
		firsts[e + 1] = firsts[e] + count;
		free(own);
	}
	for (size_t width = 1; width < runs; width *= 2) {
		point *swap = points;

		for (size_t e = 0; e < runs; e += 2 * width) {
			size_t middle = e + width < runs ? e + width : runs;
			size_t end = middle + width < runs ? middle + width : runs;

			points_merge(points, firsts[e], firsts[middle], firsts[end], room);
		}
		points = room;
		room = swap;
	}
	free(firsts);
	free(room);
	return points;
}

/* The same for another quantile: at least rank + 1 of the draws are among the k smallest. */
static double *quantile_chances(size_t n, double q)
{
	double *table = memory_get((n + 1) * sizeof(*table));
	size_t rank = percentile_rank(n, q);
	size_t k;

	for (k = n; k > 0; k--) {
		table[k] = binomial_at_least(n, (double)k / (double)n, rank + 1);
		if (table[k] < 1e-18)
			break;
	}
	return table;
}

/* malloc'd; table[k] is the probability that the median of n draws is among the k smallest
 * samples. */
static double *median_chances(size_t n)
{
	double *table = memory_get((n + 1) * sizeof(*table));
	size_t k;

	for (k = n / 2; k > 0; k--) {
		double chance = 2 * k == n ? 0.5 : binomial_majority(n, (double)k / (double)n);

		if (chance < 1e-18)
			break;
		table[k] = chance;
	}
	for (k = n / 2 + 1; k <= n; k++)
		table[k] = 1 - table[n - k];
	return table;
}

/* The table of each execution; executions of equal size share one.  Free with tables_free. */
static double **tables_make(const statistics_side *side)
{
	double **tables = memory_get(side->executions * sizeof(*tables));

	for (size_t e = 0; e < side->executions; e++) {
		for (size_t d = 0; d < e && tables[e] == NULL; d++)
			if (side->counts[d] == side->counts[e])
				tables[e] = tables[d];
		if (tables[e] == NULL)
			tables[e] = side->quantile > 0 ?
			            quantile_chances(side->counts[e], side->quantile) :
			            median_chances(side->counts[e]);
	}
	return tables;
}

static void tables_free(double **tables, const statistics_side *side)
{
	for (size_t e = 0; e < side->executions; e++) {
		bool shared = false;

		for (size_t d = 0; d < e && !shared; d++)
			shared = side->counts[d] == side->counts[e];
		if (!shared)
			free(tables[e]);
	}
	free(tables);
}

static distribution distribution_make(const statistics_side *side)
{
	double **tables = tables_make(side);
	size_t *taken = memory_get(side->executions * sizeof(*taken));
	distribution d = { 0 };
	double sum = 0; /* over the executions: P(their median is at or below this value) */
	double before = 0;
	point *points;
	size_t total = 0;

	for (size_t e = 0; e < side->executions; e++)
		total += side->counts[e];
	points = points_make(side, total);
	d.values = memory_grow(NULL, 3 * total * sizeof(*d.values));
	d.chances = d.values + total;
	d.upto = d.chances + total;
	for (size_t i = 0; i < total; i++) {
		size_t e = points[i].execution;
		double chance;

		taken[e]++;
		sum += tables[e][taken[e]] - tables[e][taken[e] - 1];
		if (i + 1 < total && points[i + 1].value <= points[i].value)
			continue;
		chance = i + 1 == total ? 1 :
		         binomial_majority(side->executions, sum / (double)side->executions);
		if (chance <= before)
			continue;
		d.values[d.count] = points[i].value;
		d.chances[d.count] = chance - before;
		d.upto[d.count++] = chance;
		before = chance;
	}
	free(points);
	free(taken);
	tables_free(tables, side);
	return d;
}

static void distribution_free(distribution *d)
{
	free(d->values);
}

/* The smallest value that the center does not exceed with the given probability. */
static double distribution_quantile(const distribution *d, double level)
{
	size_t low = 0;
	size_t high = d->count - 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (d->upto[middle] >= level)
			high = middle;
		else
			low = middle + 1;
	}
	return d->values[low];
}

size_t statistics_samples(const statistics_side *side)
{
	size_t sum = 0;

	for (size_t i = 0; i < side->executions; i++)
		sum += side->counts[i];
	return sum;
}

double statistics_execution(const statistics_side *side, size_t e)
{
	size_t n = side->counts[e];

	if (side->sorted != NULL)
		return side->quantile > 0 ? side->sorted[e][percentile_rank(n, side->quantile)] :
		                            sorted_median(side->sorted[e], n);
	return side->quantile > 0 ? percentile_value(side->samples[e], n, side->quantile) :
	                            statistics_median(side->samples[e], n);
}

double statistics_center(const statistics_side *side)
{
	double *medians = memory_get(side->executions * sizeof(*medians));
	double result;

	for (size_t e = 0; e < side->executions; e++)
		medians[e] = statistics_execution(side, e);
	sorted_make(medians, side->executions);
	result = sorted_median(medians, side->executions);
	free(medians);
	return result;
}

interval statistics_center_interval(const statistics_side *side, double confidence)
{
	distribution d = distribution_make(side);
	interval out;

	out.low = distribution_quantile(&d, (1 - confidence) / 2);
	out.high = distribution_quantile(&d, 1 - (1 - confidence) / 2);
	distribution_free(&d);
	return out;
}

/* ---- the ratio of two ------------------------------------------------------------------------ */

struct statistics_pair {
	const statistics_side *a, *b;
	distribution under, over; /* of a, of b */
};

/* The probability that b / a is at most r, or with `strictly` below r.  It is monotonic in r, as
 * rounding is.  Unless NULL, reached[i] gets the number of b's values counted with a's i-th. */
static double ratio_chance(const statistics_pair *p, double r, bool strictly, size_t *reached)
{
	const distribution *a = &p->under;
	const distribution *b = &p->over;
	double sum = 0;
	size_t at = 0; /* the number of b's values counted */

	for (size_t i = 0; i < a->count; i++) {
		double limit = r * a->values[i];

		if (strictly)
			while (at < b->count && b->values[at] < limit)
				at++;
		else
			while (at < b->count && b->values[at] <= limit)
				at++;
		if (at > 0)
			sum += a->chances[i] * b->upto[at - 1];
		if (reached != NULL)
			reached[i] = at;
	}
	return sum;
}

/* The next double above or below a positive one. */
static double next_to(double value, int step)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	bits += (uint64_t)(int64_t)step;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* The smallest r for which the rounded product of r and `under` is not below `over`. */
static double reaching(double under, double over)
{
	double r = over / under;

	while (r * under >= over)
		r = next_to(r, -1);
	while (r * under < over)
		r = next_to(r, 1);
	return r;
}

/* Up to this many steps are tried one by one. */
enum { STEPS_FEW = 8 };

/* The values of r at which the probability steps between two bounds, ascending.  Returns their
 * number, 0 when they are more than STEPS_FEW. */
static size_t steps_between(const statistics_pair *p, const size_t *below, const size_t *above,
                            double steps[STEPS_FEW])
{
	size_t count = 0;
	size_t more = 0;

	for (size_t i = 0; i < p->under.count; i++)
		more += above[i] - below[i];
	for (size_t i = 0; i < p->under.count && more <= STEPS_FEW; i++)
		for (size_t k = below[i]; k < above[i]; k++)
			steps[count++] = reaching(p->under.values[i], p->over.values[k]);
	sorted_make(steps, count);
	return count;
}

/* The smallest r in (low, high] that b / a does not exceed with the given probability, exact to the
 * last bit; high when there is none.  The probability is a step function of r, so bisection ends as
 * soon as few steps are left. */
static double ratio_between(const statistics_pair *p, double low, double high, double level,
                            size_t *reached)
{
	size_t n = p->under.count;
	size_t *below = reached;
	size_t *above = reached + n;
	size_t *middling = reached + 2 * n;

	(void)ratio_chance(p, low, false, below);
	(void)ratio_chance(p, high, false, above);
	for (;;) {
		double steps[STEPS_FEW];
		size_t count = steps_between(p, below, above, steps);
		double middle = low + (high - low) / 2;
		size_t *swap = middling;

		for (size_t i = 0; i < count; i++)
			if (ratio_chance(p, steps[i], false, NULL) >= level)
				return steps[i];
		if (count > 0 || !(middle > low && middle < high))
			return high;
		if (ratio_chance(p, middle, false, middling) >= level) {
			high = middle;
			middling = above;
			above = swap;
		} else {
			low = middle;
			middling = below;
			below = swap;
		}
	}
}

/* The smallest r that b / a does not exceed with the given probability. */
static double ratio_quantile(const statistics_pair *p, double level)
{
	const distribution *a = &p->under;
	const distribution *b = &p->over;
	double low = b->values[0] / a->values[a->count - 1];
	double high = b->values[b->count - 1] / a->values[0];
	size_t *reached;
	double result;

	if (ratio_chance(p, low, false, NULL) >= level)
		return low;
	reached = memory_get(3 * a->count * sizeof(*reached));
	result = ratio_between(p, low, high, level, reached);
	free(reached);
	return result;
}

statistics_pair *statistics_pair_new(const statistics_side *a, const statistics_side *b)
{
	statistics_pair *p = memory_get(sizeof(*p));

	*p = (statistics_pair){ a, b, distribution_make(a), distribution_make(b) };
	return p;
}

void statistics_pair_free(statistics_pair *p)
{
	if (p == NULL)
		return;
	distribution_free(&p->under);
	distribution_free(&p->over);
	free(p);
}

double statistics_pair_ratio(const statistics_pair *p, double confidence, interval *out)
{
	const distribution *over = &p->over;

	if (p->under.values[0] > 0 && isfinite(over->values[over->count - 1] / p->under.values[0])) {
		out->low = ratio_quantile(p, (1 - confidence) / 2);
		out->high = ratio_quantile(p, 1 - (1 - confidence) / 2);
	} else {
		*out = (interval){ 0, INFINITY };
	}
	return statistics_center(p->b) / statistics_center(p->a);
}

void statistics_pair_tails(const statistics_pair *p, double threshold, double *below,
                           double *above)
{
	double rest = 1 - ratio_chance(p, threshold, false, NULL);

	*below = ratio_chance(p, threshold, true, NULL);
	*above = rest > 0 ? rest : 0;
}

double statistics_ratio(const statistics_side *a, const statistics_side *b, double confidence,
                        interval *out)
{
	statistics_pair *p = statistics_pair_new(a, b);
	double ratio = statistics_pair_ratio(p, confidence, out);

	statistics_pair_free(p);
	return ratio;
}
