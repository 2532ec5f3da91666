/* SPDX-License-Identifier: Apache-2.0 */
/* Elements in the types of products. */
#include <math.h>
#include <string.h>

#include "tlt_state.h"

uint64_t tlt_bytes(cudaDataType_t type)
{
	switch (type) {
	case CUDA_R_64F:
		return 8;
	case CUDA_R_32F:
	case CUDA_R_32I:
		return 4;
	case CUDA_R_16F:
	case CUDA_R_16BF:
		return 2;
	case CUDA_R_8I:
	case CUDA_R_8F_E4M3:
	case CUDA_R_8F_E5M2:
		return 1;
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

double tlt_tf32(double value)
{
	return nearest(value, 11, -125);
}

double tlt_get(const char *at, cudaDataType_t type, uint64_t index)
{
	const uint64_t bytes = tlt_bytes(type);
	double f64;
	float f32;
	int32_t i32;
	uint16_t half;

	at += index * bytes;
	switch (type) {
	case CUDA_R_64F:
		memcpy(&f64, at, sizeof(f64));
		return f64;
	case CUDA_R_32F:
		memcpy(&f32, at, sizeof(f32));
		return (double)f32;
	case CUDA_R_32I:
		memcpy(&i32, at, sizeof(i32));
		return i32;
	case CUDA_R_16F:
		memcpy(&half, at, sizeof(half));
		return unpack(half, 5, 10, true);
	case CUDA_R_16BF:
		memcpy(&half, at, sizeof(half));
		return unpack(half, 8, 7, true);
	case CUDA_R_8I:
		return *(const signed char *)at;
	case CUDA_R_8F_E4M3:
		return unpack(*(const unsigned char *)at, 4, 3, false);
	case CUDA_R_8F_E5M2:
		return unpack(*(const unsigned char *)at, 5, 2, true);
	}
	return NAN;
}

void tlt_put(char *at, cudaDataType_t type, uint64_t index, double value)
{
	const uint64_t bytes = tlt_bytes(type);
	const float f32 = (float)(type == CUDA_R_16BF ? nearest(value, 8, -125) : value);
	const int32_t i32 = type == CUDA_R_32I ? (int32_t)(int64_t)value : 0;
	uint16_t half = 0;
	uint32_t bits;

	at += index * bytes;
	switch (type) {
	case CUDA_R_64F:
		memcpy(at, &value, sizeof(value));
		break;
	case CUDA_R_32F:
		memcpy(at, &f32, sizeof(f32));
		break;
	case CUDA_R_32I:
		memcpy(at, &i32, sizeof(i32));
		break;
	case CUDA_R_16F:
		half = (uint16_t)to_half(value);
		memcpy(at, &half, sizeof(half));
		break;
	case CUDA_R_16BF:
		memcpy(&bits, &f32, sizeof(bits));
		half = (uint16_t)(bits >> 16);
		memcpy(at, &half, sizeof(half));
		break;
	case CUDA_R_8I:
	case CUDA_R_8F_E4M3:
	case CUDA_R_8F_E5M2:
		break; /* no products are made in these */
	}
}
