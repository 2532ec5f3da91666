/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A peer of the fma ceiling: OpenBLAS's GEMM, n x n x n, all threads.
 * Prints "precision GFLOP/s" for fp32 and fp64 (best of REPETITIONS).
 * usage: blas_gemm N REPETITIONS
 */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : 0;
	const int repetitions = argc > 2 ? atoi(argv[2]) : 0;
	const size_t count = (size_t)n * (size_t)n;
	const double flops = 2.0 * n * (double)n * n;
	float *fa, *fb, *fc;
	double *da, *db, *dc;
	double best32 = 1e30, best64 = 1e30;

	if (n <= 0 || repetitions <= 0) {
		fprintf(stderr, "usage: blas_gemm N REPETITIONS\n");
		return 4;
	}
	fa = malloc(count * sizeof(*fa));
	fb = malloc(count * sizeof(*fb));
	fc = malloc(count * sizeof(*fc));
	da = malloc(count * sizeof(*da));
	db = malloc(count * sizeof(*db));
	dc = malloc(count * sizeof(*dc));
	if (fa == NULL || fb == NULL || fc == NULL || da == NULL || db == NULL || dc == NULL)
		return 5;
	for (size_t i = 0; i < count; i++) {
		da[i] = (double)((i * 7919) % 1009) / 1009 - 0.5;
		db[i] = (double)((i * 104729) % 997) / 997 - 0.5;
		fa[i] = (float)da[i];
		fb[i] = (float)db[i];
	}
	for (int r = 0; r <= repetitions; r++) {
		double start = now(), t;
		cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, fa, n, fb, n, 0, fc, n);
		t = now() - start;
		if (r > 0 && t < best32)
			best32 = t;
		start = now();
		cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, da, n, db, n, 0, dc, n);
		t = now() - start;
		if (r > 0 && t < best64)
			best64 = t;
	}
	printf("f32 %.1f\nf64 %.1f\n", flops / best32 * 1e-9, flops / best64 * 1e-9);
	return 0;
}
