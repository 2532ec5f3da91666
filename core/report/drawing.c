/* SPDX-License-Identifier: Apache-2.0 */
#include "report/drawing.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

/* Characters by their use, in Unicode and in ASCII. */
enum sign { EMPTY, MARK, END, AXIS, LINE, POINT, LESS, MORE };

static void add_sign(text *t, enum sign sign, bool unicode)
{
	static const struct { const char *unicode, *ascii; } signs[] = {
		[EMPTY] = { "\xc2\xb7", "." }, [MARK] = { "\xe2\x94\x8a", ":" }, [END] = { "\xe2\x94\x82", "|" },
		[AXIS] = { "\xe2\x94\x82", "|" },
		[LINE] = { "\xe2\x94\x80", "-" }, [POINT] = { "\xe2\x97\x8f", "o" },
		[LESS] = { "\xe2\x97\x80", "<" }, [MORE] = { "\xe2\x96\xb6", ">" },
	};

	text_add(t, "%s", unicode ? signs[sign].unicode : signs[sign].ascii);
}

/* ---- bars ------------------------------------------------------------------------------------ */

/* A column of which so many eighths are full. */
static void add_part(text *t, int eighths)
{
	static const char *const parts[] = { "", "\xe2\x96\x8f", "\xe2\x96\x8e", "\xe2\x96\x8d", "\xe2\x96\x8c",
		                             "\xe2\x96\x8b", "\xe2\x96\x8a", "\xe2\x96\x89", "\xe2\x96\x88" };

	text_add(t, "%s", parts[eighths]);
}

static bool marked(const double *marks, size_t count, size_t column, size_t width)
{
	for (size_t i = 0; i < count; i++)
		if ((size_t)(marks[i] * (double)width) == column + 1)
			return true;
	return false;
}

char *drawing_bar(double share, size_t width, const double *marks, size_t count, bool unicode)
{
	const double steps = unicode ? 8 : 1;
	const long full = lround(fmin(fmax(share, 0), 1) * (double)width * steps);
	text t = { 0 };

	for (size_t i = 0; i < width; i++) {
		long here = full - (long)(i * (size_t)steps);

		if (here > 0 && unicode)
			add_part(&t, here < 8 ? (int)here : 8);
		else if (here > 0)
			text_add(&t, "#");
		else
			add_sign(&t, marked(marks, count, i, width) ? MARK : EMPTY, unicode);
	}
	add_sign(&t, END, unicode);
	return t.data;
}

/* ---- distributions --------------------------------------------------------------------------- */

/* One of eight heights, 1 to 8. */
static void add_height(text *t, size_t height, bool unicode)
{
	static const char *const blocks[] = { "\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
		                              "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88" };
	static const char ascii[] = ":-=+*#%@";

	if (unicode)
		text_add(t, "%s", blocks[height - 1]);
	else
		text_add(t, "%c", ascii[height - 1]);
}

char *drawing_shape(const double *values, size_t n, double low, double high, size_t width, bool unicode)
{
	size_t *counts = memory_get((width + 1) * sizeof(*counts)), most = 1;
	text t = { 0 };

	for (size_t i = 0; i < n; i++) {
		double place = high > low ? (values[i] - low) / (high - low) * (double)width : 0;
		size_t part = place >= 0 && place < (double)width ? (size_t)place : width - 1;

		if (values[i] < low || values[i] > high)
			continue;
		counts[part]++;
		most = counts[part] > most ? counts[part] : most;
	}
	for (size_t i = 0; i < width; i++)
		if (counts[i] == 0)
			add_sign(&t, EMPTY, unicode);
		else
			add_height(&t, (counts[i] * 8 + most - 1) / most, unicode);
	free(counts);
	return t.data;
}

/* ---- ratios ---------------------------------------------------------------------------------- */

/* -1 and width for what is beyond an end. */
static long place_of(double ratio, double range, size_t width)
{
	double place = (log(ratio) / log(range) + 1) / 2 * (double)(width - 1);

	if (!(ratio > 0) || place < -0.5)
		return -1;
	return place >= (double)width - 0.5 ? (long)width : lround(place);
}

char *drawing_ratio(double ratio, double low, double high, double range, size_t width, bool unicode)
{
	const long first = place_of(low, range, width), last = place_of(high, range, width);
	const long point = place_of(ratio, range, width), end = (long)width - 1;
	text t = { 0 };

	for (long i = 0; i <= end; i++)
		if ((i == 0 && point < 0) || (i == 0 && first < 0 && point > 0))
			add_sign(&t, LESS, unicode);
		else if ((i == end && point > end) || (i == end && last > end && point < end))
			add_sign(&t, MORE, unicode);
		else if (i == point)
			add_sign(&t, POINT, unicode);
		else if (i >= first && i <= last)
			add_sign(&t, LINE, unicode);
		else if (i == end / 2)
			add_sign(&t, AXIS, unicode);
		else
			text_add(&t, " ");
	return t.data;
}
