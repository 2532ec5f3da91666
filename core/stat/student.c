/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/plain_arithmetic.h"

#include "stat/student.h"

#include <math.h>

#include "stat/plain_math.h"

#define PI 3.14159265358979323846
#define MOST 1e9

/* With t = sqrt(freedom) tan(angle). */
double student_beyond(size_t freedom, double t)
{
	double tangent = (t < MOST ? t : MOST) / sqrt((double)freedom);
	double cosine = 1 / sqrt(1 + tangent * tangent);
	double sine = tangent * cosine;
	double term = freedom % 2 == 1 ? cosine : 1;
	double sum = freedom == 1 ? 0 : term;

	for (size_t k = freedom % 2 == 1 ? 3 : 2; k + 2 <= freedom; k += 2) {
		term *= cosine * cosine * (double)(k - 1) / (double)k;
		sum += term;
	}
	return 1 - (freedom % 2 == 1 ? (plain_atan(tangent) + sine * sum) * 2 / PI : sine * sum);
}

double student_deviate(size_t freedom, double confidence)
{
	double low = 0;
	double high = 1;

	while (student_beyond(freedom, high) > 1 - confidence && high < MOST)
		high *= 2;
	for (int i = 0; i < 100; i++) {
		double middle = low + (high - low) / 2;

		if (student_beyond(freedom, middle) > 1 - confidence)
			low = middle;
		else
			high = middle;
	}
	return high;
}
