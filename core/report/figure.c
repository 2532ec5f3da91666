/* SPDX-License-Identifier: Apache-2.0 */
#include "report/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* The power of a thousand that brings value into [1, 1000), within what has a letter. */
static int thousands(double value)
{
	int power = 0;

	while (value >= 999.95 && power < 6) {
		value /= 1000;
		power++;
	}
	while (value > 0 && value < 0.99995 && power > -4) {
		value *= 1000;
		power--;
	}
	return power;
}

/* Digits after the point that give four significant ones. */
static int decimals(double value)
{
	return value >= 99.995 ? 1 : value >= 9.9995 ? 2 : 3;
}

static const char *const prefixes[] = { "p", "n", "u", "m", "", "k", "M", "G", "T", "P", "E" };

/* Rounded to a number of significant digits; *after gets those behind the point. */
static double significant(double value, int digits, int *after)
{
	int whole = (int)floor(log10(value)) + 1;
	double step = pow(10, digits - whole);

	*after = digits > whole ? digits - whole : 0;
	return round(value * step) / step;
}

/* Digits whose last one is not finer than the width of the interval; at least 2, at most 4. */
static int digits_of(double center, interval around)
{
	double width = around.high - around.low;
	double digits = width > 0 ? floor(log10(center)) - floor(log10(width)) + 1 : 3;

	return digits < 2 ? 2 : digits > 4 ? 4 : (int)digits;
}

void figure_value(double center, interval around, const char *unit, char number[FIGURE_SIZE],
                  char prefixed[FIGURE_SIZE])
{
	int power = thousands(center), after = 0;
	double value = center / pow(1000, power);

	if (value > 0)
		value = significant(value, digits_of(center, around), &after);
	snprintf(number, FIGURE_SIZE, "%.*f", after, value);
	snprintf(prefixed, FIGURE_SIZE, "%s%s", prefixes[power + 4], unit);
}

void figure_half_width(double center, interval around, const char *unit, char number[FIGURE_SIZE],
                       char half[FIGURE_SIZE], char prefixed[FIGURE_SIZE])
{
	int power = thousands(center), after = 0, most = decimals(center / pow(1000, power));
	double scale = pow(1000, power), width = (around.high - around.low) / 2 / scale;
	double shown = width > 0 ? significant(width, 1, &after) : 0;

	if (!(width > 0))
		after = most - 1; /* a clock that does not resolve differences */
	/* Beyond four digits of the value nobody reads on. */
	after = after < most ? after : most;
	snprintf(number, FIGURE_SIZE, "%.*f", after, center / scale);
	snprintf(half, FIGURE_SIZE, "%.*f", shown > 0 ? after : 0, after > 0 ? width : shown);
	snprintf(prefixed, FIGURE_SIZE, "%s%s", prefixes[power + 4], unit);
}

void figure_times(double ratio, char out[FIGURE_SIZE])
{
	int after = ratio >= 99.95 ? 0 : ratio >= 9.995 ? 1 : 2, ignored;

	if (ratio < 0.02) {
		snprintf(out, FIGURE_SIZE, "1/%.0fx", significant(1 / ratio, 3, &ignored));
		return;
	}
	while (after < 5 && fabs(ratio - 1) < 0.5 * pow(10, -after))
		after++;
	snprintf(out, FIGURE_SIZE, "%.*fx", after, ratio);
}

static bool is_number(const char *s)
{
	return s[0] >= '0' && s[0] <= '9';
}

void figure_align(char **numbers, size_t count)
{
	size_t before = 0, after = 0;

	for (size_t i = 0; i < count; i++) {
		size_t whole = strcspn(numbers[i], "."), rest = strlen(numbers[i]) - whole;

		before = is_number(numbers[i]) && whole > before ? whole : before;
		after = is_number(numbers[i]) && rest > after ? rest : after;
	}
	for (size_t i = 0; i < count; i++) {
		size_t whole = strcspn(numbers[i], "."), rest = strlen(numbers[i]) - whole;
		char *padded;

		if (!is_number(numbers[i]))
			continue;
		padded = memory_format("%*s%s%*s", (int)(before - whole), "", numbers[i], (int)(after - rest), "");
		free(numbers[i]);
		numbers[i] = padded;
	}
}

/* One end of a range, without the zero before the point. */
static void range_end(double value, bool up, char out[FIGURE_SIZE])
{
	double step = value >= 10 ? 1 : 100;
	double shown = (up ? ceil(value * step - 1e-9) : floor(value * step + 1e-9)) / step;

	snprintf(out, FIGURE_SIZE, "%.*f", value >= 10 ? 0 : 2, shown);
	if (out[0] == '0' && out[1] == '.')
		memmove(out, out + 1, strlen(out));
}

void figure_range(interval around, char out[FIGURE_SIZE])
{
	char low[FIGURE_SIZE], high[FIGURE_SIZE];

	if (around.high < 0.02 && around.low > 0) {
		snprintf(out, FIGURE_SIZE, "1/%.0f-1/%.0f", 1 / around.low, 1 / around.high);
		return;
	}
	range_end(around.low, false, low);
	range_end(around.high, true, high);
	snprintf(out, FIGURE_SIZE, "%.40s-%.40s", low, high);
}

void figure_interval(double center, interval around, const char *unit, char out[FIGURE_SIZE])
{
	int power = thousands(center);
	double scale = pow(1000, power);
	int after = decimals(center / scale);

	if (around.high > 0)
		snprintf(out, FIGURE_SIZE, "%.*f [%.*f-%.*f] %s%s", after, center / scale, after,
		         around.low / scale, after, around.high / scale, prefixes[power + 4], unit);
	else
		snprintf(out, FIGURE_SIZE, "%.*f %s%s", after, center / scale, prefixes[power + 4], unit);
}

void figure_ratio(double center, interval around, char out[FIGURE_SIZE])
{
	int after = decimals(center);

	snprintf(out, FIGURE_SIZE, "%.*f [%.*f-%.*f]", after, center, after, around.low, after,
	         around.high);
}

const char *figure_unit(enum record_metric metric)
{
	return metric == RECORD_METRIC_BYTES ? "B/s" : metric == RECORD_METRIC_FLOPS ? "FLOP/s" : "s";
}
