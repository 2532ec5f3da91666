/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/plain_arithmetic.h"

#include "stat/plain_math.h"

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
