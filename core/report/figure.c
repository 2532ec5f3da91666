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

	snprintf(out, FIGURE_SIZE, "%.*f [%.*f-%.*f] %s%s", after, center / scale, after,
	         around.low / scale, after, around.high / scale, prefixes[power + 4], unit);
}

void figure_ratio(double center, interval around, char out[FIGURE_SIZE])
{
	int after = decimals(center);

	snprintf(out, FIGURE_SIZE, "%.*f [%.*f-%.*f]", after, center, after, around.low, after,
	         around.high);
}

void figure_value(const result_row *row, double center, interval around, double *value,
                  interval *value_interval)
{
	double amount = row->amount > 0 ? row->amount : 1;

	if (strcmp(row->metric, "s") == 0) {
		*value = center / amount * 1e-9;
		*value_interval = (interval){ around.low / amount * 1e-9,
			                      around.high / amount * 1e-9 };
	} else {
		*value = amount / center * 1e9;
		*value_interval = (interval){ amount / around.high * 1e9,
			                      amount / around.low * 1e9 };
	}
}

void figure_row(const result_row *row, double center, interval around, char out[FIGURE_SIZE])
{
	double value;
	interval ci;

	out[0] = '\0';
	if (row == NULL || !(center > 0) || !(around.low > 0))
		return;
	figure_value(row, center, around, &value, &ci);
	figure_interval(value, ci, strcmp(row->metric, "bytes/s") == 0 ? "B/s" :
	                strcmp(row->metric, "flop/s") == 0 ? "FLOP/s" : "s", out);
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
	case VERDICT_ABSENT: return COLOUR_NONE;
	}
	return COLOUR_NONE;
}
