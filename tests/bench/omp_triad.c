/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The peer of stream's triad on the host: the same loop under OpenMP, first touch by the same
 * static schedule.  Prints "median_ns best_ns" of one triad.
 * usage: omp_triad ELEMENTS REPETITIONS   (precision by -DREAL=float or double)
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#ifndef REAL
#define REAL float
#endif

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static REAL *array(size_t n)
{
	size_t bytes = (n * sizeof(REAL) + (2u << 20) - 1) & ~(size_t)((2u << 20) - 1);
	REAL *p = aligned_alloc(2u << 20, bytes);
	if (p == NULL) {
		fprintf(stderr, "omp_triad: out of memory\n");
		exit(5);
	}
	madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

int main(int argc, char **argv)
{
	const long n = argc > 1 ? atol(argv[1]) : 0;
	const int repetitions = argc > 2 ? atoi(argv[2]) : 0;
	const REAL s = (REAL)0.4;
	double *times;
	REAL *a, *b, *c;

	if (n <= 0 || repetitions <= 0) {
		fprintf(stderr, "usage: omp_triad ELEMENTS REPETITIONS\n");
		return 4;
	}
	a = array((size_t)n);
	b = array((size_t)n);
	c = array((size_t)n);
	times = calloc((size_t)repetitions, sizeof(*times));
	if (times == NULL)
		return 5;
#pragma omp parallel for schedule(static)
	for (long i = 0; i < n; i++) {
		a[i] = 0;
		b[i] = (REAL)(i % 1013) / 1013;
		c[i] = (REAL)(i % 509) / 509;
	}
	for (int r = -2; r < repetitions; r++) {
		const double start = now();
#pragma omp parallel for schedule(static)
		for (long i = 0; i < n; i++)
			a[i] = b[i] + s * c[i];
		if (r >= 0)
			times[r] = now() - start;
	}
	for (long i = 0; i < n; i += 4099)
		if (a[i] < b[i]) {
			fprintf(stderr, "omp_triad: wrong result\n");
			return 1;
		}
	qsort(times, (size_t)repetitions, sizeof(*times), ascending);
	printf("%.0f %.0f\n", times[repetitions / 2], times[0]);
	return 0;
}
