/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/plain_arithmetic.h"

#include "stat/plain_math.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

double plain_log(double x)
{
	uint64_t bits;
	int exponent;
	double m;
	double s;
	double t;
	double sum;

	/* x = m 2^exponent with m in [1/sqrt 2, sqrt 2). */
	memcpy(&bits, &x, sizeof(bits));
	exponent = (int)(bits >> 52 & 0x7ff) - 1022;
	bits = (bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x3fe0000000000000);
	memcpy(&m, &bits, sizeof(m));
	if (m < 0.70710678118654752440) {
		m *= 2;
		exponent--;
	}
	/* ln m = 2 artanh s. */
	s = (m - 1) / (m + 1);
	t = s * s;
	sum = 1.0 / 21;
	sum = sum * t + 1.0 / 19;
	sum = sum * t + 1.0 / 17;
	sum = sum * t + 1.0 / 15;
	sum = sum * t + 1.0 / 13;
	sum = sum * t + 1.0 / 11;
	sum = sum * t + 1.0 / 9;
	sum = sum * t + 1.0 / 7;
	sum = sum * t + 1.0 / 5;
	sum = sum * t + 1.0 / 3;
	sum = sum * t + 1;
	return exponent * 0.69314718055994530942 + 2 * s * sum;
}

double plain_fifth_root(double x)
{
	double y = 1;

	while (y * y * y * y * y < x)
		y *= 2;
	/* Newton's steps descend to the root; rounding ends the descent. */
	for (;;) {
		double fourth = y * y * y * y;
		double next = y - (y * fourth - x) / (5 * fourth);

		if (!(next < y))
			return y;
		y = next;
	}
}

/* 2 to the power of a whole number from -1022 to 1023. */
static double power_of_two(int exponent)
{
	uint64_t bits = (uint64_t)(exponent + 1023) << 52;
	double power;

	memcpy(&power, &bits, sizeof(power));
	return power;
}

double plain_exp(double x)
{
	/* The logarithm of 2 in two parts, so that the rest of x is exact enough. */
	static const double upper = 6.93147180369123816490e-01;
	static const double lower = 1.90821492927058770002e-10;
	int twos = (int)(x / (upper + lower) + (x < 0 ? -0.5 : 0.5));
	double rest = (x - twos * upper) - twos * lower;
	double sum = 1;

	for (int k = 17; k > 0; k--)
		sum = 1 + rest * sum / k;
	return sum * power_of_two(twos);
}

double plain_atan(double x)
{
	enum { HALVINGS = 4 };
	double square, sum = 0;

	for (int i = 0; i < HALVINGS; i++)
		x = x > 1 ? 1 / (1 / x + sqrt(1 + 1 / x / x)) : x / (1 + sqrt(1 + x * x));
	square = x * x;
	for (int k = 25; k > 0; k -= 2)
		sum = 1.0 / k - square * sum;
	return (1 << HALVINGS) * x * sum;
}
