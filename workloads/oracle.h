/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts that the oracles of products share: inputs that repeat, crafted ones whose sums are exact,
 * samples, and the limits of gate B (docs/workloads.md).
 */
#ifndef WORKLOADS_ORACLE_H
#define WORKLOADS_ORACLE_H

#include "support.h"

/* Inputs repeat with this period (a prime), so an element is known from its index. */
#define ORACLE_BLOCK UINT64_C(262147)

/* ---- inputs --------------------------------------------------------------------------------- */

/* The doubles of `count` elements. */
SUPPORT_INLINE void oracle_values(const eh_bench *b, double *out, const void *elements, uint64_t count,
                                  const char *precision)
{
	const uint64_t bytes = support_element_bytes(precision);
	uint64_t i;
	for (i = 0; i < count; i++)
		out[i] = support_value_of(b, (const char *)elements + i * bytes, precision);
}

SUPPORT_INLINE void oracle_signs(const eh_bench *b, double *sign, uint64_t count, uint32_t stream)
{
	uint64_t i;
	uint8_t byte;
	for (i = 0; i < count; i++) {
		b->fill_bytes(b, &byte, i, 1, b->values->seed, stream);
		sign[i] = (byte & 1) != 0 ? 1 : -1;
	}
}

/*
 * The share of crafted elements that are not zero, of 256: a sum of k products stays below what the
 * output holds exactly, by eight standard deviations.  `spread` is how much scales add to one.
 */
SUPPORT_INLINE uint32_t oracle_density(const char *output, uint64_t k, double spread)
{
	const double range = strcmp(output, "f16") == 0    ? 0x1p11
	                     : strcmp(output, "bf16") == 0 ? 0x1p8
	                                                   : 0x1p24;
	const double share = range / 8 / spread / sqrt((double)k);
	return share >= 0.75 ? 192 : (uint32_t)(share * 256);
}

/* -1, 0 or 1 from a random byte. */
SUPPORT_INLINE int oracle_unit(uint32_t random, uint32_t density)
{
	return random >= density ? 0 : (random & 1) != 0 ? 1 : -1;
}

/* Stores -1, 0 or 1 as an element, or any integer as an i8. */
SUPPORT_INLINE void oracle_encode_whole(void *out, int x, const char *precision)
{
	static const struct { const char *precision; uint8_t one; } small[] = {
		{"e4m3", 0x38}, {"e5m2", 0x3c}, {"e4m3z", 0x40}, {"e5m2z", 0x40}};
	const double wide = x;
	const int8_t integer = (int8_t)x;
	size_t i;
	if (strcmp(precision, "f64") == 0) {
		memcpy(out, &wide, sizeof wide);
		return;
	}
	if (precision[0] == 'i') {
		memcpy(out, &integer, sizeof integer);
		return;
	}
	for (i = 0; i < sizeof small / sizeof small[0]; i++) {
		const uint8_t code = (uint8_t)(x == 0 ? 0 : small[i].one | (x < 0 ? 0x80 : 0));
		if (strcmp(precision, small[i].precision) != 0)
			continue;
		memcpy(out, &code, sizeof code);
		return;
	}
	support_encode(out, (float)x, strcmp(precision, "tf32") == 0 ? "f32" : precision);
}

/* ---- checking ------------------------------------------------------------------------------- */

/* The repeated elements from `index` on, times x; *magnitude receives the sum of the products'
 * magnitudes. */
SUPPORT_INLINE double oracle_times(const double *block, uint64_t index, const double *x, uint64_t count,
                                   double *magnitude)
{
	double sum = 0, size = 0;
	uint64_t done = 0, i, at = index % ORACLE_BLOCK;
	while (done < count) {
		const uint64_t left = ORACLE_BLOCK - at;
		const uint64_t run = count - done < left ? count - done : left;
		const double *v = block + at;
		double part[4] = {0, 0, 0, 0}, sizes[4] = {0, 0, 0, 0};
		for (i = 0; i + 4 <= run; i += 4) {
			int lane;
			for (lane = 0; lane < 4; lane++) {
				const double product = v[i + lane] * x[done + i + lane];
				part[lane] += product;
				sizes[lane] += fabs(product);
			}
		}
		for (; i < run; i++) {
			sum += v[i] * x[done + i];
			size += fabs(v[i] * x[done + i]);
		}
		sum += part[0] + part[1] + (part[2] + part[3]);
		size += sizes[0] + sizes[1] + (sizes[2] + sizes[3]);
		done += run;
		at = 0;
	}
	*magnitude = size;
	return sum;
}

/* Position i of `samples` spread over 0..size-1: both ends, and one place at random in between. */
SUPPORT_INLINE uint64_t oracle_sample(const eh_bench *b, uint64_t i, uint64_t samples, uint64_t size,
                                      uint32_t stream)
{
	uint32_t random;
	uint64_t from, width;
	if (samples == size || i == 0)
		return i;
	if (i == samples - 1)
		return size - 1;
	from = i * size / samples;
	width = (i + 1) * size / samples - from;
	b->fill_bytes(b, &random, i * sizeof random, sizeof random, b->values->seed, stream);
	return from + random % width;
}

/* For k products of what has that precision, which are added up in f32, of f64 in f64. */
SUPPORT_INLINE double oracle_accumulate_constant(const char *precision, uint64_t k)
{
	if (strcmp(precision, "f64") != 0 && strcmp(precision, "f32") != 0)
		return 0x1p-24 * fmax(8, 0.5 * sqrt((double)k));
	return 8 * support_unit(precision);
}

SUPPORT_INLINE double oracle_output_unit(const char *output)
{
	if (strcmp(output, "f16") == 0)
		return 0x1p-11;
	return strcmp(output, "bf16") == 0 ? 0x1p-8 : support_unit(output);
}

/* Half the distance of f16's subnormal numbers; those of the other outputs are far below any sum. */
SUPPORT_INLINE double oracle_smallest_error(const char *output)
{
	return strcmp(output, "f16") == 0 ? 0x1p-25 : 0;
}

SUPPORT_INLINE double oracle_rho_limit(const char *output)
{
	if (strcmp(output, "bf16") == 0)
		return 3e-3;
	if (strcmp(output, "f16") == 0)
		return 4e-4;
	return strcmp(output, "f64") == 0 ? 1e-13 : 1e-5;
}

#endif
