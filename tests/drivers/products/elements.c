/* SPDX-License-Identifier: Apache-2.0 */
/* Elements in the types of products. */
#include <math.h>
#include <string.h>

#include "products.h"

uint64_t product_bytes(product_type type)
{
	switch (type) {
	case PRODUCT_F64:
		return 8;
	case PRODUCT_F32:
	case PRODUCT_I32:
		return 4;
	case PRODUCT_F16:
	case PRODUCT_BF16:
		return 2;
	case PRODUCT_I8:
	case PRODUCT_E4M3:
	case PRODUCT_E5M2:
	case PRODUCT_E4M3Z:
	case PRODUCT_E5M2Z:
		return 1;
	case PRODUCT_NONE:
		break;
	}
	return 0;
}

/* A float of a sign, `exponent` bits and `part` bits; whole: it has infinities, as IEEE 754 says, and
 * else only all ones are no number. */
static double unpack(unsigned bits, int exponent, int part, bool whole)
{
	const int bias = (1 << (exponent - 1)) - 1;
	const int power = (int)(bits >> part) & ((1 << exponent) - 1);
	const unsigned fraction = bits & ((1u << part) - 1);
	const double sign = bits >> (exponent + part) & 1 ? -1 : 1;

	if (power == (1 << exponent) - 1 && (whole || fraction == (1u << part) - 1))
		return whole && fraction == 0 ? sign * INFINITY : NAN;
	if (power == 0)
		return sign * ldexp(fraction, 1 - bias - part);
	return sign * ldexp(fraction + (1u << part), power - bias - part);
}

/* The same without infinities, where minus zero is the one that is no number, and the bias is larger. */
static double unpack_z(unsigned bits, int exponent, int part)
{
	const int bias = 1 << (exponent - 1);
	const int power = (int)(bits >> part) & ((1 << exponent) - 1);
	const unsigned fraction = bits & ((1u << part) - 1);
	const double sign = bits >> (exponent + part) & 1 ? -1 : 1;

	if (bits == 0x80)
		return NAN;
	return sign * (power == 0 ? ldexp(fraction, 1 - bias - part)
	                          : ldexp(fraction + (1u << part), power - bias - part));
}

/* The nearest of `bits` bits of precision, ties to even, with least exponents of `least`. */
static double nearest(double value, int bits, int least)
{
	int power;
	double unit;

	if (value == 0 || !isfinite(value))
		return value;
	(void)frexp(value, &power);
	unit = ldexp(1, (power > least ? power : least) - bits);
	return nearbyint(value / unit) * unit;
}

static unsigned to_half(double value)
{
	const double rounded = nearest(value, 11, -13);
	const unsigned sign = signbit(value) ? 0x8000u : 0;
	int power;
	double part;

	if (isnan(value))
		return 0x7e00;
	if (fabs(rounded) > 65504)
		return sign | 0x7c00;
	part = frexp(fabs(rounded), &power);
	if (rounded == 0)
		return sign;
	if (power < -13)
		return sign | (unsigned)ldexp(part, power + 24);
	return sign | (unsigned)(power + 14) << 10 | ((unsigned)ldexp(part, 11) & 0x3ff);
}

double product_tf32(double value)
{
	return nearest(value, 11, -125);
}

double product_flushed(double value, product_type type)
{
	static const int normal[] = {
		[PRODUCT_F64] = -1022, [PRODUCT_F32] = -126, [PRODUCT_F16] = -14, [PRODUCT_BF16] = -126,
		[PRODUCT_E4M3] = -6, [PRODUCT_E5M2] = -14, [PRODUCT_E4M3Z] = -7, [PRODUCT_E5M2Z] = -15,
	};

	return fabs(value) < ldexp(1, normal[type]) ? 0 : value;
}

double product_cut(double value, int bits)
{
	int power;
	double unit;

	if (value == 0 || !isfinite(value))
		return value;
	(void)frexp(value, &power);
	unit = ldexp(1, power - bits);
	return trunc(value / unit) * unit;
}

double product_get(const char *at, product_type type, uint64_t index)
{
	const uint64_t bytes = product_bytes(type);
	double f64;
	float f32;
	int32_t i32;
	uint16_t half;

	at += index * bytes;
	switch (type) {
	case PRODUCT_F64:
		memcpy(&f64, at, sizeof(f64));
		return f64;
	case PRODUCT_F32:
		memcpy(&f32, at, sizeof(f32));
		return (double)f32;
	case PRODUCT_I32:
		memcpy(&i32, at, sizeof(i32));
		return i32;
	case PRODUCT_F16:
		memcpy(&half, at, sizeof(half));
		return unpack(half, 5, 10, true);
	case PRODUCT_BF16:
		memcpy(&half, at, sizeof(half));
		return unpack(half, 8, 7, true);
	case PRODUCT_I8:
		return *(const signed char *)at;
	case PRODUCT_E4M3:
		return unpack(*(const unsigned char *)at, 4, 3, false);
	case PRODUCT_E5M2:
		return unpack(*(const unsigned char *)at, 5, 2, true);
	case PRODUCT_E4M3Z:
		return unpack_z(*(const unsigned char *)at, 4, 3);
	case PRODUCT_E5M2Z:
		return unpack_z(*(const unsigned char *)at, 5, 2);
	case PRODUCT_NONE:
		break;
	}
	return NAN;
}

void product_put(char *at, product_type type, uint64_t index, double value)
{
	const uint64_t bytes = product_bytes(type);
	const float f32 = (float)(type == PRODUCT_BF16 ? nearest(value, 8, -125) : value);
	const int32_t i32 = type == PRODUCT_I32 ? (int32_t)(int64_t)value : 0;
	uint16_t half = 0;
	uint32_t bits;

	at += index * bytes;
	switch (type) {
	case PRODUCT_F64:
		memcpy(at, &value, sizeof(value));
		break;
	case PRODUCT_F32:
		memcpy(at, &f32, sizeof(f32));
		break;
	case PRODUCT_I32:
		memcpy(at, &i32, sizeof(i32));
		break;
	case PRODUCT_F16:
		half = (uint16_t)to_half(value);
		memcpy(at, &half, sizeof(half));
		break;
	case PRODUCT_BF16:
		memcpy(&bits, &f32, sizeof(bits));
		half = (uint16_t)(bits >> 16);
		memcpy(at, &half, sizeof(half));
		break;
	case PRODUCT_I8:
	case PRODUCT_E4M3:
	case PRODUCT_E5M2:
	case PRODUCT_E4M3Z:
	case PRODUCT_E5M2Z:
	case PRODUCT_NONE:
		break; /* no products are made in these */
	}
}
