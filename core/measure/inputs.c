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

/* What the codes of a small format's largest exponent, and negative zero, mean. */
enum specials {
	SPECIALS_IEEE,  /* infinities and NaNs                                    */
	SPECIALS_FINITE, /* values, but for one NaN of either sign: OCP's e4m3     */
	SPECIALS_ZERO   /* values; negative zero is the one NaN: fnuz             */
};

/* Of at most 16 bits; bits 0: the value is a float, a double or an integer of bytes bytes. */
static const struct format {
	const char *name;
	uint32_t bytes;
	unsigned bits, fraction;
	int bias;
	enum specials specials;
} formats[] = {
	{ "f32", 4, 0, 23, 127, SPECIALS_IEEE },  { "f64", 8, 0, 52, 1023, SPECIALS_IEEE },
	{ "f16", 2, 16, 10, 15, SPECIALS_IEEE },  { "bf16", 2, 16, 7, 127, SPECIALS_IEEE },
	{ "e4m3", 1, 8, 3, 7, SPECIALS_FINITE },  { "e5m2", 1, 8, 2, 15, SPECIALS_IEEE },
	{ "e4m3z", 1, 8, 3, 8, SPECIALS_ZERO },   { "e5m2z", 1, 8, 2, 16, SPECIALS_ZERO },
	{ "i8", 1, 0, 7, 0, SPECIALS_IEEE },      { "i32", 4, 0, 31, 0, SPECIALS_IEEE },
};

static const struct format *format_of(const char *precision)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(formats[i].name, precision) == 0)
			return &formats[i];
	return &formats[0];
}

uint32_t inputs_element_bytes(const char *precision)
{
	return format_of(precision)->bytes;
}

static bool is_integer(const struct format *f)
{
	return f->name[0] == 'i';
}

/* The largest finite magnitude, as a code. */
static uint64_t largest_code(const struct format *f)
{
	uint64_t all = (UINT64_C(1) << (f->bits - 1)) - 1;

	if (f->specials == SPECIALS_IEEE)
		return (all >> f->fraction << f->fraction) - 1;
	return f->specials == SPECIALS_FINITE ? all - 1 : all;
}

/* Beyond the largest: infinity, where there is one; else the largest. */
static uint64_t overflow_code(const struct format *f)
{
	return largest_code(f) + (f->specials == SPECIALS_IEEE);
}

static uint16_t nan_code(const struct format *f, uint64_t sign)
{
	if (f->specials == SPECIALS_ZERO)
		return (uint16_t)(1U << (f->bits - 1));
	if (f->specials == SPECIALS_FINITE)
		return (uint16_t)(sign | (largest_code(f) + 1));
	return (uint16_t)(sign | overflow_code(f) | UINT64_C(1) << (f->fraction - 1));
}

/* The code of a small format, rounded from the double once, ties to even. */
static uint16_t small_encode(double value, const struct format *f)
{
	uint64_t bits;
	uint64_t sign;
	uint64_t significand;
	uint64_t result;
	uint64_t rest;
	uint64_t half;
	int64_t exponent;
	unsigned drop = 52 - f->fraction;

	memcpy(&bits, &value, sizeof(bits));
	sign = bits >> 63 << (f->bits - 1);
	exponent = (int64_t)(bits >> 52 & 0x7ff);
	significand = bits & ((UINT64_C(1) << 52) - 1);
	if (exponent == 0x7ff && significand != 0) /* a NaN stays one */
		return nan_code(f, sign);
	if (exponent == 0x7ff)
		return (uint16_t)(sign | overflow_code(f));
	exponent = exponent == 0 ? -1023 : exponent - 1023;
	significand |= UINT64_C(1) << 52;
	if (exponent < 1 - f->bias) {
		int64_t extra = 1 - f->bias - exponent;

		if (extra > (int64_t)f->fraction + 1)
			return (uint16_t)(f->specials == SPECIALS_ZERO ? 0 : sign);
		drop += (unsigned)extra;
		result = significand >> drop;
	} else {
		result = (significand >> drop) + ((uint64_t)(exponent + f->bias - 1) << f->fraction);
	}
	rest = significand & ((UINT64_C(1) << drop) - 1);
	half = UINT64_C(1) << (drop - 1);
	/* A carry out of the fraction is the next exponent, and out of that infinity: as it should. */
	if (rest > half || (rest == half && (result & 1) != 0))
		result++;
	if (result > largest_code(f))
		result = overflow_code(f);
	if (result == 0 && f->specials == SPECIALS_ZERO)
		return 0;
	return (uint16_t)(sign | result);
}

static double small_decode(uint16_t value, const struct format *f)
{
	bool negative = (value >> (f->bits - 1) & 1) != 0;
	uint64_t code = value & ((UINT64_C(1) << (f->bits - 1)) - 1);
	int exponent = (int)(code >> f->fraction);
	int bits = (int)(code & ((UINT64_C(1) << f->fraction) - 1));
	double magnitude;

	if (f->specials == SPECIALS_ZERO && negative && code == 0)
		return NAN;
	if (code > largest_code(f))
		magnitude = code == overflow_code(f) ? INFINITY : NAN;
	else if (exponent == 0)
		magnitude = ldexp(bits, 1 - f->bias - (int)f->fraction);
	else
		magnitude = ldexp(bits + (1 << f->fraction), exponent - f->bias - (int)f->fraction);
	return negative ? -magnitude : magnitude;
}

/* Stores value at element i of out; `below_one` keeps what rounds up to 1 under it.  An integer is 32
 * times the value, so that the values that are drawn fill its range. */
static void store(void *out, uint64_t i, const struct format *f, double value, bool below_one)
{
	uint16_t code;

	if (is_integer(f)) {
		double scaled = nearbyint(value * 32);

		scaled = scaled > 127 ? 127 : scaled < -127 ? -127 : scaled;
		if (f->bytes == 1)
			((int8_t *)out)[i] = (int8_t)scaled;
		else
			((int32_t *)out)[i] = (int32_t)scaled;
		return;
	}
	if (f->bytes == 8) {
		((double *)out)[i] = value;
		return;
	}
	if (f->bytes == 4) {
		float narrow = (float)value;

		((float *)out)[i] = below_one && narrow >= 1.0f ? 0x1.fffffep-1f : narrow;
		return;
	}
	code = small_encode(value, f);
	if (below_one && code == (uint16_t)(f->bias << f->fraction))
		code--;
	if (f->bytes == 2)
		((uint16_t *)out)[i] = code;
	else
		((uint8_t *)out)[i] = (uint8_t)code;
}

double inputs_to_double(const void *element, const char *precision)
{
	const struct format *f = format_of(precision);
	uint16_t h;
	float narrow;
	double d;
	int32_t integer;

	if (is_integer(f) && f->bytes == 4) {
		memcpy(&integer, element, sizeof(integer));
		return integer;
	}
	if (is_integer(f))
		return *(const int8_t *)element;
	switch (f->bytes) {
	case 8:
		memcpy(&d, element, sizeof(d));
		return d;
	case 4:
		memcpy(&narrow, element, sizeof(narrow));
		return narrow;
	case 2:
		memcpy(&h, element, sizeof(h));
		return small_decode(h, f);
	default:
		return small_decode(*(const uint8_t *)element, f);
	}
}

/* ---- distributions --------------------------------------------------------------------------- */

void inputs_fill_uniform(void *out, uint64_t first, uint64_t count, const char *precision,
                         uint64_t seed, uint32_t stream)
{
	uint64_t key = stream_key(seed, stream);
	const struct format *format = format_of(precision);

	if (format == &formats[0]) { /* the common one, kept free of the switch */
		float *f = out;

		for (uint64_t i = 0; i < count; i++) {
			float value = (float)((double)(int64_t)(word(key, first + i) >> 11) * 0x1p-52 - 1);

			f[i] = value >= 1.0f ? 0x1.fffffep-1f : value;
		}
		return;
	}
	for (uint64_t i = 0; i < count; i++)
		store(out, i, format, (double)(int64_t)(word(key, first + i) >> 11) * 0x1p-52 - 1, true);
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
	const struct format *format = format_of(precision);
	uint64_t i = 0;

	/* Elements 2j and 2j + 1 are one pair. */
	while (i < count) {
		double values[2 * LANES];
		uint64_t skipped = (first + i) % 2;
		uint64_t end = count - i < 2 * LANES - skipped ? count : i + 2 * LANES - skipped;

		normal_pairs(key, first + i - skipped, values);
		for (uint64_t k = skipped; i < end; k++)
			store(out, i++, format, values[k], false);
	}
}

void inputs_fill_dense(void *out, uint64_t first, uint64_t count, const char *precision,
                       uint64_t seed, uint32_t stream)
{
	static const uint64_t top = UINT64_C(1022) << 52; /* exponent of [1/2, 1) */
	uint64_t key = stream_key(seed, stream);
	const struct format *format = format_of(precision);
	/* Bits of the fraction that the format has: random ones beyond would be rounded. */
	unsigned bits = format->fraction;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t a = word(key, 2 * (first + i));
		uint64_t b = word(key, 2 * (first + i) + 1);
		uint64_t pattern = (b & 1) << 63 | (top - ((b >> 1 & 3) << 52)) |
		                   a >> (64 - bits) << (52 - bits);
		double value;

		memcpy(&value, &pattern, sizeof(value));
		store(out, i, format, value, false);
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
