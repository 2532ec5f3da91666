/* SPDX-License-Identifier: Apache-2.0 */
/* The numerics trial: contraction is allowed, other value-changing optimisation is not.  No test
 * here has a product that is added to, so contraction changes nothing; no result is subnormal, as
 * devices may replace such results by 0 in 32 bits; the sign of a zero is not looked at; and a division in 32 bits may be 2.5 units in
 * the last place off, as OpenCL allows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance_kit.h"

enum { PAIRS = 64, VALUES = 5, TERMS = 1000 };

/* What a value of cf_order shows, in its order there. */
static const char *const shown[VALUES] = {
	"y - ((x + y) - x): sums are reassociated (-fassociative-math)",
	"(x * huge) * tiny: products are reassociated (-fassociative-math)",
	"x != x ? 1 : 0: NaN is taken for impossible (-ffinite-math-only)",
	"x - x: infinity and NaN are taken for impossible (-ffinite-math-only)",
	"x / divisor: a division became a product (-freciprocal-math) or an estimate",
};

/* One function for each precision; volatile, so that this file's own compiler reorders nothing. */
#define ORDER_WANT(T, name)                                                                  \
	static void name(T x_in, T y_in, T tiny_in, T huge_in, T divisor, T want[VALUES])    \
	{                                                                                    \
		const volatile T x = x_in, y = y_in, tiny = tiny_in, huge = huge_in;         \
		volatile T sum = x + y, rest = sum - x, product = x * huge;                  \
                                                                                             \
		want[0] = y - rest;                                                          \
		want[1] = product * tiny;                                                    \
		want[2] = isnan(x) ? 1 : 0;                                                  \
		want[3] = x - x;                                                             \
		want[4] = x / divisor;                                                       \
	}
ORDER_WANT(float, want_32)
ORDER_WANT(double, want_64)

/* The sum of the terms in their order, and Kahan's. */
#define CHAIN_WANT(T, name)                                                                  \
	static void name(const T *terms, T want[2])                                          \
	{                                                                                    \
		volatile T sum = 0, kahan = 0, lost = 0;                                     \
                                                                                             \
		for (int i = 0; i < TERMS; i++) {                                            \
			volatile T term = terms[i] - lost, next = kahan + term;              \
			volatile T gain = next - kahan;                                      \
                                                                                             \
			sum = sum + terms[i];                                                \
			lost = gain - term;                                                  \
			kahan = next;                                                        \
		}                                                                            \
		want[0] = sum;                                                               \
		want[1] = kahan;                                                             \
	}
CHAIN_WANT(float, chain_32)
CHAIN_WANT(double, chain_64)

/* Numbers of many sizes, with the special ones among them. */
static double pick(int i)
{
	static const double special[] = { INFINITY, -INFINITY, NAN, -0.0, 0.0, 1e10, -1e10, 1 };
	const int count = (int)(sizeof(special) / sizeof(special[0]));

	return i < count ? special[i] : ldexp(1 + (double)((i * 7919) % 1009) / 1009, i % 23 - 8);
}

static double term(int i)
{
	return ldexp(1 + (double)((i * 104729) % 1013) / 1013, (i * 31) % 20) * (i % 3 == 1 ? -1 : 1);
}

static bool same_number(double got, double want, double slack)
{
	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got);
	return slack > 0 && isfinite(got) && isfinite(want) ? fabs(got - want) <= slack : got == want;
}

static bool check_order(kit *k, int bits, double x, double y, const double *got, const double *want)
{
	for (int v = 0; v < VALUES; v++) {
		const double slack = v == VALUES - 1 && bits == 32 ? 2.6 * ldexp(fabs(want[v]), -23) : 0;

		if (same_number(got[v], want[v], slack))
			continue;
		kit_fail(k, "program_build: a kernel with x = %a and y = %a in %d bits gave %a instead of %a "
		         "for %s", x, y, bits, got[v], want[v], shown[v]);
		return false;
	}
	return true;
}

static bool check_chain(kit *k, int bits, const double *got, const double *want)
{
	static const char *const names[] = { "the sum of 1000 numbers in their order", "Kahan's sum" };

	for (int i = 0; i < 2; i++) {
		if (got[i] == want[i])
			continue;
		kit_fail(k, "program_build: a kernel gave %a instead of %a for %s in %d bits: sums are "
		         "reassociated (-fassociative-math)", got[i], want[i], names[i], bits);
		return false;
	}
	return true;
}

/* Uploads `in`, launches the kernel on it with the scalars behind it, downloads `out`. */
static bool compute(kit *k, const char *name, uint32_t items, const void *in, size_t in_bytes,
                    void *out, size_t out_bytes, const eh_arg *scalars, uint32_t count)
{
	eh_arg args[8] = { { .buffer = NULL } };
	eh_buffer *from, *to;
	eh_kernel *kernel;

	if (!kit_kernel(k, name, &kernel) || !kit_buffer(k, EH_MEMORY_DEVICE, in_bytes, &from) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, out_bytes, &to))
		return false;
	args[0].buffer = to;
	args[1].buffer = from;
	memcpy(args + 2, scalars, count * sizeof(*args));
	return kit_upload(k, from, 0, in, in_bytes) && kit_wait(k) &&
	       kit_launch_x(k, kernel, 1, items, args, 2 + count) &&
	       kit_download(k, out, to, 0, out_bytes);
}

#define NUMERICS(T, bits, scale)                                                             \
	static void numerics_##bits(kit *k)                                                  \
	{                                                                                    \
		const T tiny = (T)ldexp(1, -(scale)), huge = (T)ldexp(1, scale);             \
		const T divisor = (T)49;                                                     \
		const int32_t terms_count = TERMS;                                           \
		const eh_arg scalars[] = { ARG_VALUE(tiny), ARG_VALUE(huge),                 \
			                   ARG_VALUE(divisor) };                             \
		const eh_arg count[] = { ARG_VALUE(terms_count) };                           \
		T in[2 * PAIRS], out[PAIRS * VALUES], terms[TERMS], sums[2], want[VALUES];   \
		double got[VALUES], wanted[VALUES];                                          \
                                                                                             \
		for (int i = 0; i < PAIRS; i++) {                                            \
			in[2 * i] = (T)pick(i);                                              \
			in[2 * i + 1] = (T)(term(i) / 3e3);                                  \
		}                                                                            \
		for (int i = 0; i < TERMS; i++)                                              \
			terms[i] = (T)term(i);                                               \
		if (!compute(k, "cf_order" #bits, PAIRS, in, sizeof(in), out, sizeof(out),   \
		             scalars, 3))                                                    \
			return;                                                              \
		for (int i = 0; i < PAIRS; i++) {                                            \
			want_##bits(in[2 * i], in[2 * i + 1], tiny, huge, divisor, want);    \
			for (int v = 0; v < VALUES; v++) {                                   \
				got[v] = (double)out[i * VALUES + v];                        \
				wanted[v] = (double)want[v];                                 \
			}                                                                    \
			if (!check_order(k, bits, (double)in[2 * i], (double)in[2 * i + 1],  \
			                 got, wanted))                                       \
				return;                                                      \
		}                                                                            \
		if (!compute(k, "cf_chain" #bits, 1, terms, sizeof(terms), sums,             \
		             sizeof(sums), count, 1))                                        \
			return;                                                              \
		chain_##bits(terms, want);                                                   \
		for (int i = 0; i < 2; i++) {                                                \
			got[i] = (double)sums[i];                                            \
			wanted[i] = (double)want[i];                                         \
		}                                                                            \
		(void)check_chain(k, bits, got, wanted);                                     \
	}
NUMERICS(float, 32, 100)
NUMERICS(double, 64, 1000)

void conformance_kernel_order32(kit *k)
{
	numerics_32(k);
}

void conformance_kernel_order64(kit *k)
{
	if (kit_has(k, EH_CAP_FP64, "EH_CAP_FP64"))
		numerics_64(k);
}
