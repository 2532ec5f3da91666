/* SPDX-License-Identifier: Apache-2.0 */
#include "report/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

void figure_interval(double center, interval around, const char *unit, char out[FIGURE_SIZE])
{
	static const char *const prefixes[] = { "p", "n", "u", "m", "", "k",
		                                "M", "G", "T", "P", "E" };
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

bool figure_colours(FILE *out)
{
	const char *no = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	return (no == NULL || no[0] == '\0') && isatty(fileno(out)) == 1 &&
	       (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

enum table_colour figure_verdict_colour(enum comparison_verdict v)
{
	switch (v) {
	case VERDICT_FASTER: return COLOUR_GREEN;
	case VERDICT_SLOWER: return COLOUR_RED;
	case VERDICT_INCONCLUSIVE:
	case VERDICT_NOT_COMPARABLE: return COLOUR_YELLOW;
	case VERDICT_EQUIVALENT:
	case VERDICT_DESCRIPTION:
	case VERDICT_ABSENT:
	case comparison_verdict_absent: return COLOUR_NONE;
	}
	return COLOUR_NONE;
}
