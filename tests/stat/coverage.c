/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often the 95 % interval holds the truth, and how often what spoils it is flagged.
 * usage: coverage [EXPERIMENTS]   default 1000; TAP on stdout, figures as comments
 */
#include <stdio.h>
#include <stdlib.h>

#include "stat/series.h"
#include "stat/statistics.h"
#include "truth.h"

enum kind { NORMAL, LOG_NORMAL, BIMODAL, HEAVY, AUTO_3, AUTO_6, AUTO_9, AUTO_99, DRIFT_2, DRIFT_4,
            RISE, WANDER, KINDS };

/* Dependent ones have the number of samples from which they must be flagged; 0 = shown only, for
 * what can be seen of them. */
static const struct { const char *name; int independent; size_t from; } kinds[KINDS] = {
	{ "normal", 1, 0 }, { "log-normal", 1, 0 }, { "bimodal", 1, 0 }, { "heavy tails", 1, 0 },
	{ "autocorrelated 0.3", 0, 0 }, { "autocorrelated 0.6", 0, 60 }, { "autocorrelated 0.9", 0, 60 },
	{ "autocorrelated 0.99", 0, 60 }, { "drifting by 2", 0, 0 }, { "drifting by 4", 0, 60 },
	{ "rising by 5 %", 0, 60 }, { "wandering", 0, 200 },
};

/* Fills values; returns the true median. */
static double make(random_state *r, enum kind kind, double *values, size_t n)
{
	double state = truth_normal(r);
	double rho = kind == AUTO_3 ? 0.3 : kind == AUTO_6 ? 0.6 : kind == AUTO_9 ? 0.9 : 0.99;
	double walk = 0;

	for (size_t i = 0; i < n; i++) {
		double x = truth_normal(r);

		switch (kind) {
		case NORMAL:
			values[i] = 1000 + 10 * x;
			break;
		case LOG_NORMAL:
			values[i] = 1000 * exp(0.3 * x);
			break;
		case BIMODAL: /* 70 % in one mode; the median lies inside it */
			values[i] = (random_unit(r) < 0.7 ? 1000 : 1100) + 10 * x;
			break;
		case HEAVY: /* Student's t of 2 degrees */
			values[i] = 1000 + 10 * x / sqrt(-log(1 - random_unit(r)));
			break;
		case DRIFT_2: /* by deviations from the first sample to the last */
		case DRIFT_4:
			values[i] = 1000 + 10 * x + (kind == DRIFT_2 ? 20 : 40) * (double)i / (double)n;
			break;
		case RISE:
			values[i] = 1000 * (1 + 0.05 * (double)i / (double)n) + 5 * x;
			break;
		case WANDER:
			walk += 5 * truth_normal(r);
			values[i] = 1000 + 10 * x + walk;
			break;
		default:
			values[i] = 1000 + 10 * state;
			state = rho * state + sqrt(1 - rho * rho) * x;
			break;
		}
	}
	if (kind == BIMODAL) /* P(x <= t) = 0.5 / 0.7 in the lower mode */
		return 1000 + 10 * 0.56594882193286;
	return 1000;
}

/* given: intervals that are given; right: those of them that hold the truth, widened. */
typedef struct tally {
	size_t inside, widened, flagged, modes, given, right;
} tally;

static tally experiment(enum kind kind, size_t n, size_t experiments)
{
	double *values = calloc(n, sizeof(*values));
	tally t = { 0 };
	random_state r;

	if (values == NULL)
		abort();
	random_seed(&r, 1000 * (uint64_t)kind + n);
	for (size_t k = 0; k < experiments; k++) {
		const char *flags[SERIES_FLAGS_MOST];
		double truth = make(&r, kind, values, n);
		series s;
		interval i;
		size_t count;

		series_analyse(values, n, &s);
		count = series_flags(&s, flags);
		/* Two modes are a property of the distribution and spoil no interval. */
		t.modes += s.multimodal;
		t.flagged += count > (s.multimodal ? 1U : 0U);
		if (statistics_fine_interval(values + s.steady_first, s.steady_count, 0.95, 1, &i))
			t.inside += i.low <= truth && truth <= i.high;
		if (statistics_fine_interval(values + s.steady_first, s.steady_count, 0.95,
		                             s.widening, &i))
			t.widened += i.low <= truth && truth <= i.high;
		t.given += series_has_interval(&s);
		t.right += series_has_interval(&s) && i.low <= truth && truth <= i.high;
		series_free(&s);
	}
	free(values);
	return t;
}

/* Executions that differ, as real ones do: the exact bootstrap of the median of their medians. */
static size_t executions_cover(size_t executions, double between, size_t experiments)
{
	enum { MOST = 10, SAMPLES = 40 };
	double values[MOST][SAMPLES];
	const double *rows[MOST];
	size_t counts[MOST];
	statistics_side side = { .samples = rows, .counts = counts, .executions = executions };
	size_t inside = 0;
	random_state r;

	random_seed(&r, 77 + executions);
	for (size_t k = 0; k < experiments; k++) {
		interval i;

		for (size_t e = 0; e < executions; e++) {
			double level = 1000 + between * truth_normal(&r);

			for (size_t j = 0; j < SAMPLES; j++)
				values[e][j] = level + 10 * truth_normal(&r);
			rows[e] = values[e];
			counts[e] = SAMPLES;
		}
		i = statistics_center_interval(&side, 0.95);
		inside += i.low <= 1000 && 1000 <= i.high;
	}
	return inside;
}

static int tests;
static int bad;

static void check(int holds, const char *what, size_t n, const char *more)
{
	tests++;
	bad |= !holds;
	printf("%sok %d - %s, %zu samples: %s\n", holds ? "" : "not ", tests, what, n, more);
}

int main(int argc, char **argv)
{
	size_t experiments = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 1000;
	static const size_t sizes[] = { 60, 200, 1000 };
	/* Of fewer experiments the figure itself varies more: two deviations are allowed on top. */
	double slack = experiments >= 1000 ? 0 : 2 * sqrt(0.05 * 0.95 / (double)experiments);

	printf("# %zu experiments each; share of intervals that hold the truth, in percent\n"
	       "# %-20s %8s %8s %8s %8s %8s %8s %8s\n", experiments, "series", "samples", "covers",
	       "widened", "flagged", "modes>1", "given", "of them");
	for (int k = 0; k < KINDS; k++) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			tally t = experiment((enum kind)k, sizes[i], experiments);
			double all = (double)experiments;
			double covers = (double)t.inside / all;
			double flagged = (double)t.flagged / all;

			printf("# %-20s %8zu %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f\n", kinds[k].name,
			       sizes[i], 100 * covers, 100 * (double)t.widened / all, 100 * flagged,
			       100 * (double)t.modes / all, 100 * (double)t.given / all,
			       t.given > 0 ? 100 * (double)t.right / (double)t.given : 0);
			if (k == AUTO_99 || k == RISE)
				check((double)t.given <= (0.05 + slack) * all, kinds[k].name, sizes[i],
				      "no interval in at least 95 of 100");
			if (kinds[k].independent) {
				check(covers >= 0.93 - slack && covers <= 0.97 + slack, kinds[k].name,
				      sizes[i], "covers in 93 to 97 of 100");
				check((double)t.given >= (0.98 - slack) * all, kinds[k].name, sizes[i],
				      "an interval in at least 98 of 100");
				check(flagged <= 0.02 + slack, kinds[k].name, sizes[i],
				      "flagged in at most 2 of 100");
			} else if (kinds[k].from > 0 && sizes[i] >= kinds[k].from) {
				check(flagged >= 0.95 - slack, kinds[k].name, sizes[i],
				      "flagged in at least 95 of 100");
			}
		}
	}
	for (size_t executions = 5; executions <= 10; executions += 5) {
		for (int k = 0; k < 3; k++) {
			double between = (double[]){ 0, 3, 10 }[k];
			double covers = (double)executions_cover(executions, between, 4 * experiments) /
			                (double)experiments / 4;

			printf("# %zu executions of 40, differing by %.1f deviations: %.1f covered\n",
			       executions, between / 10, 100 * covers);
			check(covers >= 0.93 - slack, "executions", executions, "cover in at least 93 of 100");
		}
	}
	printf("1..%d\n", tests);
	return bad;
}
