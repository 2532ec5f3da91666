/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counter-based input data.  Word j of a stream is splitmix64's output function over
 * key + (j + 1) * golden, where the key mixes seed and stream, so any element is recomputed alone.
 * Normal values are Box and Muller's, with logarithm, sine and cosine from basic operations: the
 * same data on every machine, whatever its mathematical library.
 */
#include "measure/inputs.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* A fused multiply-add would round differently on machines that have one. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("fp-contract=off")
#endif

static const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static uint64_t stream_key(uint64_t seed, uint32_t stream)
{
	return mix(mix(seed + golden) ^ ((uint64_t)stream + 1) * UINT64_C(0xd1342543de82ef95));
}

static uint64_t word(uint64_t key, uint64_t j)
{
	return mix(key + (j + 1) * golden);
}

/* ---- formats --------------------------------------------------------------------------------- */

enum format { FORMAT_F64, FORMAT_F32, FORMAT_F16, FORMAT_BF16 };

static enum format format_of(const char *precision)
{
	if (strcmp(precision, "f64") == 0)
		return FORMAT_F64;
	if (strcmp(precision, "f16") == 0)
		return FORMAT_F16;
	if (strcmp(precision, "bf16") == 0)
		return FORMAT_BF16;
	return FORMAT_F32;
}

/* A 16-bit float with `fraction` bits of fraction, rounded from the double once, ties to even. */
static uint16_t small_encode(double value, unsigned fraction)
{
	unsigned exponent_bits = 15 - fraction;
	int64_t bias = (INT64_C(1) << (exponent_bits - 1)) - 1;
	uint64_t infinity = ((UINT64_C(1) << exponent_bits) - 1) << fraction;
	uint64_t bits;
	uint64_t sign;
	uint64_t significand;
	uint64_t result;
	uint64_t rest;
	uint64_t half;
	int64_t exponent;
	unsigned drop;

	memcpy(&bits, &value, sizeof(bits));
	sign = bits >> 63 << 15;
	exponent = (int64_t)(bits >> 52 & 0x7ff);
	significand = bits & ((UINT64_C(1) << 52) - 1);
	if (exponent == 0x7ff) /* a NaN stays one */
		return (uint16_t)(sign | infinity | (significand != 0 ? UINT64_C(1) << (fraction - 1) : 0));
	if (exponent == 0)
		return (uint16_t)sign; /* a double's subnormals are far below any 16-bit one */
	exponent -= 1023;
	if (exponent > bias)
		return (uint16_t)(sign | infinity);
	significand |= UINT64_C(1) << 52;
	drop = 52 - fraction;
	if (exponent < 1 - bias) {
		int64_t extra = 1 - bias - exponent;

		if (extra > (int64_t)fraction + 1)
			return (uint16_t)sign;
		drop += (unsigned)extra;
		result = significand >> drop;
	} else {
		result = (significand >> drop) + ((uint64_t)(exponent + bias - 1) << fraction);
	}
	rest = significand & ((UINT64_C(1) << drop) - 1);
	half = UINT64_C(1) << (drop - 1);
	/* A carry out of the fraction is the next exponent, and out of that infinity: as it should. */
	if (rest > half || (rest == half && (result & 1) != 0))
		result++;
	return (uint16_t)(sign | result);
}

static double small_decode(uint16_t value, unsigned fraction)
{
	unsigned exponent_bits = 15 - fraction;
	int bias = (1 << (exponent_bits - 1)) - 1;
	int exponent = value >> fraction & ((1 << exponent_bits) - 1);
	int bits = value & ((1 << fraction) - 1);
	double magnitude;

	if (exponent == (1 << exponent_bits) - 1)
		magnitude = bits != 0 ? NAN : INFINITY;
	else if (exponent == 0)
		magnitude = ldexp(bits, 1 - bias - (int)fraction);
	else
		magnitude = ldexp(bits + (1 << fraction), exponent - bias - (int)fraction);
	return (value & 0x8000) != 0 ? -magnitude : magnitude;
}

/* Stores value at element i of out; `below_one` keeps what rounds up to 1 under it. */
static void store(void *out, uint64_t i, enum format format, double value, int below_one)
{
	switch (format) {
	case FORMAT_F64:
		((double *)out)[i] = value;
		break;
	case FORMAT_F32: {
		float f = (float)value;

		((float *)out)[i] = below_one && f >= 1.0f ? 0x1.fffffep-1f : f;
		break;
	}
	case FORMAT_F16:
	case FORMAT_BF16: {
		unsigned fraction = format == FORMAT_F16 ? 10 : 7;
		uint16_t h = small_encode(value, fraction);
		uint16_t one = (uint16_t)(((1U << (14 - fraction)) - 1) << fraction);

		((uint16_t *)out)[i] = below_one && h == one ? (uint16_t)(one - 1) : h;
		break;
	}
	}
}

double inputs_to_double(const void *element, const char *precision)
{
	uint16_t h;
	float f;
	double d;

	switch (format_of(precision)) {
	case FORMAT_F64:
		memcpy(&d, element, sizeof(d));
		return d;
	case FORMAT_F16:
		memcpy(&h, element, sizeof(h));
		return small_decode(h, 10);
	case FORMAT_BF16:
		memcpy(&h, element, sizeof(h));
		return small_decode(h, 7);
	case FORMAT_F32:
		break;
	}
	memcpy(&f, element, sizeof(f));
	return f;
}

/* ---- distributions --------------------------------------------------------------------------- */

void inputs_fill_uniform(void *out, uint64_t first, uint64_t count, const char *precision,
                         uint64_t seed, uint32_t stream)
{
	uint64_t key = stream_key(seed, stream);
	enum format format = format_of(precision);

	if (format == FORMAT_F32) { /* the common one, kept free of the switch */
		float *f = out;

		for (uint64_t i = 0; i < count; i++) {
			float value = (float)((double)(int64_t)(word(key, first + i) >> 11) * 0x1p-52 - 1);

			f[i] = value >= 1.0f ? 0x1.fffffep-1f : value;
		}
		return;
	}
	for (uint64_t i = 0; i < count; i++)
		store(out, i, format, (double)(int64_t)(word(key, first + i) >> 11) * 0x1p-52 - 1, 1);
}

/* Divisions take long, so this many pairs are made side by side. */
enum { LANES = 8 };

/* The natural logarithms of x, each in (0, 1]. */
static void natural_logs(const double *x, double *out)
{
	static const double parts[] = { 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9,
		                        1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0 };
	double exponents[LANES], s[LANES], sum[LANES];

	for (int k = 0; k < LANES; k++) {
		int exponent;
		double m = frexp(x[k], &exponent);

		if (m < 0.70710678118654752440) {
			m *= 2;
			exponent--;
		}
		exponents[k] = exponent;
		s[k] = (m - 1) / (m + 1);
		sum[k] = 1.0 / 21;
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		for (int k = 0; k < LANES; k++)
			sum[k] = sum[k] * (s[k] * s[k]) + parts[i];
	for (int k = 0; k < LANES; k++)
		out[k] = exponents[k] * 0.69314718055994530942 + 2 * s[k] * sum[k];
}

/* Sines and cosines of x, each in [0, pi/4]. */
static void small_turns(const double *x, double *sines, double *cosines)
{
	double t[LANES];

	for (int k = 0; k < LANES; k++) {
		t[k] = x[k] * x[k];
		sines[k] = cosines[k] = 1;
	}
	for (int i = 16; i >= 2; i -= 2)
		for (int k = 0; k < LANES; k++) {
			sines[k] = 1 - sines[k] * t[k] / (i * (i + 1));
			cosines[k] = 1 - cosines[k] * t[k] / (i * (i - 1));
		}
	for (int k = 0; k < LANES; k++)
		sines[k] *= x[k];
}

/* Sines and cosines of u whole turns, each in [0, 1). */
static void turns(const double *u, double *sines, double *cosines)
{
	double rests[LANES];

	for (int k = 0; k < LANES; k++) {
		int eighth = (int)(u[k] * 8);
		double rest = u[k] * 8 - eighth; /* exact */

		rests[k] = (eighth % 2 == 1 ? 1 - rest : rest) * 0.78539816339744830962;
	}
	small_turns(rests, sines, cosines);
	for (int k = 0; k < LANES; k++) {
		int eighth = (int)(u[k] * 8);
		bool swapped = eighth % 4 == 1 || eighth % 4 == 2;
		double s = swapped ? cosines[k] : sines[k];
		double c = swapped ? sines[k] : cosines[k];

		sines[k] = eighth >= 4 ? -s : s;
		cosines[k] = eighth >= 2 && eighth < 6 ? -c : c;
	}
}

/* LANES pairs from an even element on. */
static void normal_pairs(uint64_t key, uint64_t at, double out[2 * LANES])
{
	double u[LANES], v[LANES], logs[LANES], sines[LANES], cosines[LANES];

	for (uint64_t k = 0; k < LANES; k++) {
		v[k] = (double)(int64_t)(word(key, at + 2 * k) >> 11) * 0x1p-53;
		u[k] = (double)(int64_t)((word(key, at + 2 * k + 1) >> 11) + 1) * 0x1p-53;
	}
	natural_logs(u, logs);
	turns(v, sines, cosines);
	for (int k = 0; k < LANES; k++) {
		double radius = sqrt(-2 * logs[k]);

		out[2 * k] = radius * cosines[k];
		out[2 * k + 1] = radius * sines[k];
	}
}

void inputs_fill_normal(void *out, uint64_t first, uint64_t count, const char *precision,
                        uint64_t seed, uint32_t stream)
{
	uint64_t key = stream_key(seed, stream);
	enum format format = format_of(precision);
	uint64_t i = 0;

	/* Elements 2j and 2j + 1 are one pair. */
	while (i < count) {
		double values[2 * LANES];
		uint64_t skipped = (first + i) % 2;
		uint64_t end = count - i < 2 * LANES - skipped ? count : i + 2 * LANES - skipped;

		normal_pairs(key, first + i - skipped, values);
		for (uint64_t k = skipped; i < end; k++)
			store(out, i++, format, values[k], 0);
	}
}

void inputs_fill_dense(void *out, uint64_t first, uint64_t count, const char *precision,
                       uint64_t seed, uint32_t stream)
{
	static const uint64_t top = UINT64_C(1022) << 52; /* exponent of [1/2, 1) */
	uint64_t key = stream_key(seed, stream);
	enum format format = format_of(precision);
	/* Bits of the fraction that the format has: random ones beyond would be rounded. */
	unsigned bits = format == FORMAT_F64 ? 52 : format == FORMAT_F32 ? 23 :
	                format == FORMAT_F16 ? 10 : 7;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t a = word(key, 2 * (first + i));
		uint64_t b = word(key, 2 * (first + i) + 1);
		uint64_t pattern = (b & 1) << 63 | (top - ((b >> 1 & 3) << 52)) |
		                   a >> (64 - bits) << (52 - bits);
		double value;

		memcpy(&value, &pattern, sizeof(value));
		store(out, i, format, value, 0);
	}
}

void inputs_fill_bytes(void *out, uint64_t first, uint64_t count, uint64_t seed, uint32_t stream)
{
	uint64_t key = stream_key(seed, stream);
	unsigned char *bytes = out;
	uint64_t i = 0;

	while (i < count) {
		uint64_t at = first + i;
		uint64_t w = word(key, at / 8) >> (at % 8 * 8);

		for (uint64_t k = at % 8; k < 8 && i < count; k++) {
			bytes[i++] = (unsigned char)w;
			w >>= 8;
		}
	}
}
