/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The density is the number of values in a window that slides over the sorted values.  Modes are
 * peaks separated by significant valleys.  A valley is significant when its window has less than
 * half of the values of the smaller peak's window, when the difference is more than `deviations`
 * standard deviations of such counts, and when each side has at least `share_least` of all values.
 */
#include "stat/plain_arithmetic.h"

#include "stat/modes.h"

#include <math.h>
#include <stdbool.h>

#include "stat/plain_math.h"

static const double deviations = 3.2;
static const double valley_share = 0.5;
static const double share_least = 0.05;
/* With fewer values no difference of two windows exceeds `deviations`. */
static const size_t values_least = 22;
enum { PLACES = 256 };

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

/* How many of the sorted values are below x; at least `before` are. */
static size_t count_below(const double *sorted, size_t n, double x, size_t before)
{
	while (before < n && sorted[before] < x)
		before++;
	return before;
}

/* Half the width of the window.  The window is a box whose standard deviation is half the bandwidth
 * of Silverman's rule of thumb. */
static double reach_of(const double *sorted, size_t n, double spread_least)
{
	double quarters = sorted[n - 1 - n / 4] - sorted[n / 4];
	double tenths = sorted[n - 1 - n / 10] - sorted[n / 10];
	/* Both estimate the deviation of a normal distribution; the smaller one is robust against
	 * tails and several modes. */
	double spread = smaller(quarters / 1.349, tenths / 2.563);
	double reach = 0.5 * 0.9 * 1.7320508 * spread / plain_fifth_root((double)n);

	return reach > spread_least ? reach : spread_least;
}

/* Whether the valley separates the peaks; both are counts of values in a window. */
static bool parts(double peak, double valley)
{
	return valley < valley_share * peak &&
	       peak - valley > deviations * sqrt(peak + valley);
}

/* The number of peaks of the density that significant valleys separate. */
static size_t count_peaks(const double *density, const size_t *below, size_t places, size_t n)
{
	double least = share_least * (double)n;
	size_t count = 1;
	double peak = density[0];    /* of the current mode */
	double valley = density[0];  /* the lowest since that peak */
	size_t valley_at = 0;
	size_t begun = 0;            /* values below the current mode */

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
	/* Without the outer hundredths: outliers would make the grid coarse. */
	first = sorted[n / 100] - reach;
	step = (sorted[n - 1 - n / 100] + reach - first) / (PLACES - 1);
	/* Places further apart than a window would miss values between them. */
	if (step > 2 * reach)
		reach = step / 2;
	for (size_t i = 0; i < PLACES; i++) {
		double x = first + (double)i * step;

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
