/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often a series gets the class it was made to have, and which other one else.
 * usage: classifier [SERIES]      how many of each class; default 1000
 *        classifier LABELLED...   stored series: the class is the file's name up to the last '-'
 * TAP on stdout, the confusion matrix as comments.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stat/series.h"
#include "truth.h"

enum { MOST = 2000 };

/* What parts the levels: at least 4 deviations of the noise and 3 % of the level, so that there is
 * a truth to be found, and up to ten times that. */
static double step_of(random_state *r, double noise)
{
	double least = 4 * noise > 0.03 ? 4 * noise : 0.03;

	return truth_between(r, least, 10 * least);
}

/* The level of each sample relative to the steady one. */
static void level_flat(random_state *r, double *level, size_t n, double noise)
{
	/* Differences within the band of 1 % are none. */
	double small = random_unit(r) < 0.3 ? 0.004 : 0;
	size_t at = (size_t)(truth_between(r, 0.1, 0.9) * (double)n);

	(void)noise;
	for (size_t i = 0; i < n; i++)
		level[i] = i < at ? 1 + small : 1;
}

static void level_warm_up(random_state *r, double *level, size_t n, double noise)
{
	double step = step_of(r, noise);
	size_t end = (size_t)(truth_between(r, 0.1, 0.6) * (double)n);
	int gradual = random_unit(r) < 0.5;
	int stairs = !gradual && random_unit(r) < 0.3;

	for (size_t i = 0; i < n; i++) {
		double rest = (double)i / (double)end;

		if (gradual) /* a fifth of it is left at a third of the way, nothing at the end */
			level[i] = 1 + step * exp(-5 * rest);
		else if (stairs)
			level[i] = i < end / 2 ? 1 + 2 * step : i < end ? 1 + step : 1;
		else
			level[i] = i < end ? 1 + step : 1;
	}
}

static void level_slowdown(random_state *r, double *level, size_t n, double noise)
{
	double step = step_of(r, noise) * 0.8;
	double end = truth_between(r, 0.15, 0.6) * (double)n;
	double ramp = random_unit(r) < 0.5 ? 0 : 0.5 * end;
	int warm = random_unit(r) < 0.3; /* and before it a warm-up */

	for (size_t i = 0; i < n; i++) {
		double at = (double)i;

		if (warm && at < 0.3 * end)
			level[i] = 1 + step;
		else if (at < end - ramp)
			level[i] = 1 / (1 + step);
		else if (at < end)
			level[i] = 1 / (1 + step * (end - at) / ramp);
		else
			level[i] = 1;
	}
}

static void level_unsteady(random_state *r, double *level, size_t n, double noise)
{
	double step = step_of(r, noise);
	double kind = random_unit(r);
	double at = truth_between(r, 0.8, 0.93) * (double)n;
	size_t period = n / (5 + (size_t)random_below(r, 4));
	size_t phase = (size_t)random_below(r, period);

	for (size_t i = 0; i < n; i++) {
		if (kind < 0.3)       /* late, up */
			level[i] = (double)i < at ? 1 : 1 + step;
		else if (kind < 0.5)  /* late, down */
			level[i] = (double)i < at ? 1 + step : 1;
		else if (kind < 0.75) /* to and fro, six to twelve times */
			level[i] = (i + phase) % period < period / 2 ? 1 : 1 + step;
		else                  /* without an end, so that the last quarter holds a step of it */
			level[i] = 1 + 4 * step * (double)i / (double)n;
	}
}

typedef void (*maker)(random_state *r, double *level, size_t n, double noise);
static const struct { enum series_class class; maker make; } makers[] = {
	{ SERIES_FLAT, level_flat }, { SERIES_WARM_UP, level_warm_up },
	{ SERIES_SLOWDOWN, level_slowdown }, { SERIES_NO_STEADY_STATE, level_unsteady },
};
enum { CLASSES = sizeof(makers) / sizeof(makers[0]), ANSWERS = SERIES_NO_STEADY_STATE + 1 };

static size_t make(random_state *r, maker make_level, double *values)
{
	static double level[MOST];
	size_t n = (size_t)truth_between(r, 40, MOST);
	double noise = truth_between(r, 0.001, 0.03);
	enum truth_noise kind = (enum truth_noise)random_below(r, NOISE_KINDS);

	make_level(r, level, n, noise);
	for (size_t i = 0; i < n; i++) {
		double value = 100000 * level[i] * (1 + noise * truth_noise(r, kind));

		values[i] = value > 1 ? value : 1;
	}
	return n;
}

static int judge_corpus(size_t each)
{
	static double values[MOST];
	size_t answers[CLASSES][ANSWERS] = { 0 };
	size_t right = 0;
	size_t least = each;
	random_state r;
	int bad;

	random_seed(&r, 2);
	for (size_t c = 0; c < CLASSES; c++) {
		for (size_t k = 0; k < each; k++) {
			size_t n = make(&r, makers[c].make, values);
			series s;

			series_analyse(values, n, &s);
			answers[c][s.class]++;
			series_free(&s);
		}
		right += answers[c][makers[c].class];
		if (answers[c][makers[c].class] < least)
			least = answers[c][makers[c].class];
	}
	printf("# %zu series of each class, %d to %d samples; rows: made as, columns: found\n# %-16s",
	       each, 40, MOST, "");
	for (int a = SERIES_FLAT; a < ANSWERS; a++)
		printf(" %16s", series_class_name((enum series_class)a));
	for (size_t c = 0; c < CLASSES; c++) {
		printf("\n# %-16s", series_class_name(makers[c].class));
		for (int a = SERIES_FLAT; a < ANSWERS; a++)
			printf(" %16zu", answers[c][a]);
	}
	printf("\n# right: %.2f of 100; in the worst class %.2f\n",
	       100 * (double)right / (double)(CLASSES * each), 100 * (double)least / (double)each);
	bad = (double)right < 0.95 * (double)(CLASSES * each);
	printf("%sok 1 - at least 95 of 100 series get the class they were made to have\n",
	       bad ? "not " : "");
	bad |= (double)least < 0.9 * (double)each;
	printf("%sok 2 - and at least 90 of 100 of each class\n1..2\n",
	       (double)least < 0.9 * (double)each ? "not " : "");
	return bad;
}

/* One number a line; -1 with a message when the file cannot be read. */
static long load(const char *path, double *values)
{
	FILE *f = fopen(path, "r");
	char line[256];
	long n = 0;

	if (f == NULL) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	while (n < MOST && fgets(line, sizeof(line), f) != NULL)
		if (line[0] != '#' && line[0] != '\n')
			values[n++] = strtod(line, NULL);
	fclose(f);
	return n;
}

static int judge_files(int count, char **paths)
{
	static double values[MOST];
	int bad = 0;

	for (int i = 0; i < count; i++) {
		const char *slash = strrchr(paths[i], '/');
		const char *name = slash != NULL ? slash + 1 : paths[i];
		const char *dash = strrchr(name, '-');
		long n = load(paths[i], values);
		bool right = false;
		series s;

		if (n > 0 && dash != NULL) {
			series_analyse(values, (size_t)n, &s);
			right = strlen(series_class_name(s.class)) == (size_t)(dash - name) &&
			        strncmp(series_class_name(s.class), name, (size_t)(dash - name)) == 0;
			if (!right)
				printf("# found %s\n", series_class_name(s.class));
			series_free(&s);
		}
		printf("%sok %d - %s\n", right ? "" : "not ", i + 1, name);
		bad |= !right;
	}
	printf("1..%d\n", count);
	return bad;
}

int main(int argc, char **argv)
{
	char *end;
	unsigned long each = argc > 1 ? strtoul(argv[1], &end, 10) : 1000;

	if (argc > 1 && *end != '\0')
		return judge_files(argc - 1, argv + 1);
	return judge_corpus(each);
}
