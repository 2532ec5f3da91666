/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/plain_arithmetic.h"

#include "stat/sorted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Insertion sort is faster up to this many. */
enum { FEW = 24 };

static void insert_each(double *values, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		double value = values[i];
		size_t at = i;

		for (; at > 0 && values[at - 1] > value; at--)
			values[at] = values[at - 1];
		values[at] = value;
	}
}

/* Merges the sorted runs [0, middle) and [middle, n) of `from` into `to`. */
static void merge(const double *from, size_t middle, size_t n, double *to)
{
	size_t left = 0;
	size_t right = middle;

	while (left < middle && right < n)
		*to++ = from[left] <= from[right] ? from[left++] : from[right++];
	memcpy(to, from + left, (middle - left) * sizeof(*to));
	memcpy(to + (middle - left), from + right, (n - right) * sizeof(*to));
}

void sorted_make(double *values, size_t n)
{
	double *room;

	for (size_t i = 0; i < n; i += FEW)
		insert_each(values + i, n - i < FEW ? n - i : FEW);
	if (n <= FEW)
		return;
	room = memory_grow(NULL, n * sizeof(*room));
	for (size_t width = FEW; width < n; width *= 2) {
		for (size_t i = 0; i < n; i += 2 * width) {
			size_t size = n - i < 2 * width ? n - i : 2 * width;

			merge(values + i, size < width ? size : width, size, room + i);
		}
		memcpy(values, room, n * sizeof(*values));
	}
	free(room);
}

double *sorted_copy(const double *values, size_t n)
{
	double *copy = memory_grow(NULL, n * sizeof(*copy));

	memcpy(copy, values, n * sizeof(*copy));
	sorted_make(copy, n);
	return copy;
}

double sorted_median(const double *sorted, size_t n)
{
	double upper = sorted[n / 2];
	double lower;

	if (n % 2 == 1)
		return upper;
	lower = sorted[n / 2 - 1];
	return lower + (upper - lower) / 2;
}

double sorted_quantile(const double *sorted, size_t n, double q)
{
	double place = q * (double)(n - 1);
	size_t below = (size_t)floor(place);
	double result = sorted[below];

	if (place > (double)below && below + 1 < n)
		result += (place - (double)below) * (sorted[below + 1] - result);
	return result;
}

double sorted_distance(const double *sorted, size_t n, double center, size_t rank)
{
	size_t right = 0; /* the next value at or above the center */
	size_t left;      /* the next value below it is at left - 1 */
	double distance = 0;

	while (right < n && sorted[right] < center)
		right++;
	left = right;
	for (size_t i = 0; i <= rank; i++) {
		if (right < n && (left == 0 || sorted[right] - center <= center - sorted[left - 1]))
			distance = sorted[right++] - center;
		else
			distance = center - sorted[--left];
	}
	return distance;
}

double sorted_mad(const double *sorted, size_t n)
{
	double center = sorted_median(sorted, n);
	double upper = sorted_distance(sorted, n, center, n / 2);
	double lower;

	if (n % 2 == 1)
		return upper;
	lower = sorted_distance(sorted, n, center, n / 2 - 1);
	return lower + (upper - lower) / 2;
}
