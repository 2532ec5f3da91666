/* SPDX-License-Identifier: Apache-2.0 */
#include "report/series_report.h"

#include <string.h>

#include "stat/statistics.h"

enum { WIDTH = 72, HEIGHT = 9, LABEL = 11 };

/* The range and the median of the samples behind one column of the picture. */
typedef struct bucket {
	double low, middle, high;
} bucket;

static size_t width_for(size_t n)
{
	return n < WIDTH ? n : WIDTH;
}

/* First sample of a column. */
static size_t first_of(size_t column, size_t width, size_t n)
{
	return (size_t)((double)column * (double)n / (double)width);
}

/* The row of a value, 0 at the top; values beyond the picture are drawn at its edge. */
static size_t row_of(double value, double low, double high)
{
	double place = (high - value) / (high - low) * (HEIGHT - 1) + 0.5;

	if (place < 0)
		return 0;
	return place >= HEIGHT ? HEIGHT - 1 : (size_t)place;
}

static void buckets_make(bucket *buckets, size_t width, const series_one *one)
{
	for (size_t x = 0; x < width; x++) {
		size_t first = first_of(x, width, one->n);
		size_t count = first_of(x + 1, width, one->n) - first;
		const double *values = one->values + first;

		buckets[x].low = statistics_quantile(values, count, 0);
		buckets[x].middle = statistics_median(values, count);
		buckets[x].high = statistics_quantile(values, count, 1);
	}
}

/* The range that is drawn: all column medians, and all but the lowest and highest 2 % of the values,
 * so that one spike does not flatten the picture. */
static void range_of(const bucket *buckets, size_t width, const series_one *one, double *low,
                     double *high)
{
	*low = statistics_quantile(one->values, one->n, 0.02);
	*high = statistics_quantile(one->values, one->n, 0.98);
	for (size_t x = 0; x < width; x++) {
		if (buckets[x].middle < *low)
			*low = buckets[x].middle;
		if (buckets[x].middle > *high)
			*high = buckets[x].middle;
	}
	if (!(*high > *low)) {
		*high += *high > 0 ? *high * 0.01 : 1;
		*low -= *low * 0.01;
	}
}

/* Below the picture: '=' samples that count, '-' those that do not, '|' where a segment begins. */
static void print_segments(FILE *out, const series_one *one, size_t width)
{
	char line[WIDTH + 1];

	for (size_t x = 0; x < width; x++)
		line[x] = first_of(x, width, one->n) >= one->steady_first ? '=' : '-';
	for (size_t i = 0; i < one->segments.count; i++) {
		size_t x = 0;

		while (x + 1 < width && first_of(x, width, one->n) < one->segments.items[i].first)
			x++;
		line[x] = '|';
	}
	line[width] = '\0';
	fprintf(out, "  %*s  %s\n", LABEL, one->class == RECORD_SERIES_NO_STEADY_STATE ? "unsteady" :
	        one->class == RECORD_SERIES_SHORT ? "too short" : "steady =", line);
}

void series_plot(FILE *out, const series_one *one)
{
	size_t width = width_for(one->n);
	char picture[HEIGHT][WIDTH + 1];
	bucket buckets[WIDTH];
	double low;
	double high;

	memset(picture, ' ', sizeof(picture));
	buckets_make(buckets, width, one);
	range_of(buckets, width, one, &low, &high);
	for (size_t x = 0; x < width; x++) {
		size_t bottom = row_of(buckets[x].low, low, high);

		for (size_t y = row_of(buckets[x].high, low, high); y <= bottom; y++)
			picture[y][x] = '.';
		if (buckets[x].high > high)
			picture[0][x] = '^';
		if (buckets[x].low < low)
			picture[HEIGHT - 1][x] = 'v';
		picture[row_of(buckets[x].middle, low, high)][x] = 'o';
	}
	for (size_t y = 0; y < HEIGHT; y++) {
		size_t end = width;

		while (end > 0 && picture[y][end - 1] == ' ')
			end--;
		picture[y][end] = '\0';
		if (y == 0 || y == HEIGHT - 1 || y == HEIGHT / 2)
			fprintf(out, "  %*.5g |%s\n", LABEL,
			        high - (high - low) * (double)y / (HEIGHT - 1), picture[y]);
		else
			fprintf(out, "  %*s |%s\n", LABEL, "", picture[y]);
	}
	print_segments(out, one, width);
}
