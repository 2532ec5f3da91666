/* SPDX-License-Identifier: Apache-2.0 */
#include "report/series_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/terminal.h"
#include "base/text.h"
#include "report/drawing.h"
#include "report/report.h"
#include "stat/statistics.h"

/* MARGIN: what stands left of the picture, and a column right of it.  WIDTH: the most columns. */
enum { WIDTH = 184, HEIGHT = 9, LABEL = 11, MARGIN = LABEL + 5, SHAPE = 24, SHAPE_LEAST = 6, SHAPE_EACH = 8 };

/* The range and the median of the samples behind one column of the picture. */
typedef struct bucket {
	double low, middle, high;
} bucket;

/* Columns of the picture. */
static size_t width_for(FILE *out, size_t n)
{
	size_t room = table_room(out) - MARGIN;

	room = room < WIDTH ? room : WIDTH;
	return n < room ? n : room;
}

/* First sample of a column. */
static size_t first_of(size_t column, size_t width, size_t n)
{
	return (size_t)((double)column * (double)n / (double)width);
}

/* The row of a value, 0 at the top; values beyond the picture are drawn at its edge. */
static size_t row_of(double value, double low, double high, size_t height)
{
	double place = (high - value) / (high - low) * (double)(height - 1) + 0.5;

	if (place < 0)
		return 0;
	return place >= (double)height ? height - 1 : (size_t)place;
}

static void buckets_make(bucket *buckets, size_t width, const double *values, size_t n)
{
	for (size_t x = 0; x < width; x++) {
		size_t first = first_of(x, width, n);
		size_t count = first_of(x + 1, width, n) - first;

		buckets[x].low = statistics_quantile(values + first, count, 0);
		buckets[x].middle = statistics_median(values + first, count);
		buckets[x].high = statistics_quantile(values + first, count, 1);
	}
}

/* The range that is drawn: all column medians, and the values without the lowest and highest 2 %:
 * one spike does not flatten the picture. */
static void range_of(const bucket *buckets, size_t width, const double *values, size_t n, double *low,
                     double *high)
{
	*low = statistics_quantile(values, n, 0.02);
	*high = statistics_quantile(values, n, 0.98);
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
	fprintf(out, "  %*s  %s\n", LABEL,
	        one->class == RECORD_SERIES_NO_STEADY_STATE ? "unsteady" :
	        one->class == RECORD_SERIES_SHORT ? "too short" : "steady =", line);
}

/* One column: '.' the range, 'o' the median, '^' and 'v' what is beyond the picture. */
static void draw_column(char picture[HEIGHT][WIDTH + 1], size_t x, const bucket *b, double low,
                        double high, size_t height)
{
	size_t bottom = row_of(b->low, low, high, height);

	for (size_t y = row_of(b->high, low, high, height); y <= bottom; y++)
		picture[y][x] = '.';
	if (b->high > high)
		picture[0][x] = '^';
	if (b->low < low)
		picture[height - 1][x] = 'v';
	picture[row_of(b->middle, low, high, height)][x] = 'o';
}

static void print_line(FILE *out, char *line, size_t width, double label)
{
	while (width > 0 && line[width - 1] == ' ')
		width--;
	line[width] = '\0';
	if (isnan(label))
		fprintf(out, "  %*s |%s\n", LABEL, "", line);
	else
		fprintf(out, "  %*.5g |%s\n", LABEL, label, line);
}

void series_draw(FILE *out, const double *values, size_t n, size_t height)
{
	size_t width = width_for(out, n);
	char picture[HEIGHT][WIDTH + 1];
	bucket buckets[WIDTH];
	double low, high;

	height = height < HEIGHT ? height : HEIGHT;
	memset(picture, ' ', sizeof(picture));
	buckets_make(buckets, width, values, n);
	range_of(buckets, width, values, n, &low, &high);
	for (size_t x = 0; x < width; x++)
		draw_column(picture, x, &buckets[x], low, high, height);
	for (size_t y = 0; y < height; y++)
		print_line(out, picture[y], width, y != 0 && y != height - 1 && y != height / 2 ? NAN :
		           high - (high - low) * (double)y / (double)(height - 1));
}

void series_plot(FILE *out, const series_one *one)
{
	series_draw(out, one->values, one->n, HEIGHT);
	print_segments(out, one, width_for(out, one->n));
}

void series_marks(FILE *out, const char *label, const size_t *firsts, size_t count, size_t n)
{
	size_t width = width_for(out, n);
	char line[WIDTH + 1];

	memset(line, '-', width);
	line[width] = '\0';
	for (size_t i = 0; i < count; i++) {
		size_t x = (size_t)((double)firsts[i] * (double)width / (double)n);

		line[x < width ? x : width - 1] = (char)('1' + i % 9);
	}
	fprintf(out, "  %*s  %s\n", LABEL, label, line);
}

char *series_shape(FILE *out, const double *values, size_t n)
{
	size_t width = n / SHAPE_EACH < SHAPE ? n / SHAPE_EACH : SHAPE;
	double low, high;
	char *drawing, *words;

	if (!terminal_is(out) || width < SHAPE_LEAST)
		return NULL;
	low = statistics_quantile(values, n, 0.02);
	high = statistics_quantile(values, n, 0.98);
	drawing = drawing_shape(values, n, low, high, width, terminal_unicode(out));
	words = memory_format("%.5g |%s| %.5g", low, drawing, high);
	free(drawing);
	return words;
}
