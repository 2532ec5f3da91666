/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values in a window that slides over the sorted ones are a density.  A mode is a peak of it
 * that a valley deeper than chance parts from the next one: the valley's window holds less than
 * half of what the smaller peak's does, the difference is more than `deviations` of what counting
 * such numbers varies by, and each side of the valley holds at least `share_least` of all values.
 */
#include "stat/plain_arithmetic.h"

#include "stat/modes.h"

#include <math.h>
#include <stdbool.h>

#include "stat/plain_math.h"

static const double deviations = 3.2;
static const double valley_share = 0.5;
static const double share_least = 0.05;
/* Of fewer, no two windows hold enough to be told apart by `deviations`. */
static const size_t values_least = 22;
enum { PLACES = 256 };

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

/* How many of the sorted values are below x, of which `before` are known to be. */
static size_t count_below(const double *sorted, size_t n, double x, size_t before)
{
	while (before < n && sorted[before] < x)
		before++;
	return before;
}

/* Half the width of the window: half of Silverman's rule of thumb, as a box of that deviation. */
static double reach_of(const double *sorted, size_t n, double spread_least)
{
	double quarters = sorted[n - 1 - n / 4] - sorted[n / 4];
	double tenths = sorted[n - 1 - n / 10] - sorted[n / 10];
	/* Either is one deviation of a normal distribution; the smaller resists tails and modes. */
	double spread = smaller(quarters / 1.349, tenths / 2.563);
	double reach = 0.5 * 0.9 * 1.7320508 * spread / plain_fifth_root((double)n);

	return reach > spread_least ? reach : spread_least;
}

/* Whether the valley parts the peaks, both as counts in the window. */
static bool parts(double peak, double valley)
{
	return valley < valley_share * peak &&
	       peak - valley > deviations * sqrt(peak + valley);
}

/* Counts peaks parted by valleys along the density. */
static size_t count_peaks(const double *density, const size_t *below, size_t places, size_t n)
{
	double least = share_least * (double)n;
	size_t count = 1;
	double peak = density[0];    /* of the mode being passed */
	double valley = density[0];  /* lowest since that peak */
	size_t valley_at = 0;
	size_t begun = 0;            /* values below the mode being passed */

	for (size_t i = 1; i < places; i++) {
		size_t here;

		if (density[i] < valley) {
			valley = density[i];
			valley_at = i;
		}
		here = below[valley_at];
		if (parts(peak, valley) && parts(density[i], valley) &&
		    (double)(here - begun) >= least && (double)(n - here) >= least) {
			count++;
			begun = here;
			peak = density[i];
			valley = density[i];
			valley_at = i;
		} else if (density[i] > peak) {
			peak = density[i];
			valley = density[i];
			valley_at = i;
		}
	}
	return count;
}

size_t modes_of_sorted(const double *sorted, size_t n, double spread_least)
{
	double density[PLACES];
	size_t below[PLACES];
	double reach;
	double first;
	double step;
	size_t left = 0;
	size_t middle = 0;
	size_t right = 0;
	size_t count = 1;

	if (n < values_least)
		return 1;
	reach = reach_of(sorted, n, spread_least);
	/* Outliers beyond the outer hundredths would make the places coarse. */
	first = sorted[n / 100] - reach;
	step = (sorted[n - 1 - n / 100] + reach - first) / (PLACES - 1);
	/* Places further apart than the window is wide would miss what lies between. */
	if (step > 2 * reach)
		reach = step / 2;
	for (size_t i = 0; i < PLACES; i++) {
		double x = first + (double)i * step;

		/* The places ascend. */
		left = count_below(sorted, n, x - reach, left);
		middle = count_below(sorted, n, x, middle);
		right = count_below(sorted, n, x + reach, right);
		below[i] = middle;
		density[i] = (double)(right - left);
	}
	if (step > 0)
		count = count_peaks(density, below, PLACES, n);
	return count;
}
