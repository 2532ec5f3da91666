/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every operation that the test driver of CUDA claims, against C written independently of it: all
 * pairs (and a third operand) of values chosen to hurt.  One small kernel per operation, all in one
 * module; a form that no row covers fails the last test.
 */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "skipping.h"

typedef unsigned long long device_address;
typedef uint64_t u64;
typedef __float128 quad;

typedef struct row {
	const char *op;       /* "add.s32 D, A, B;"                                             */
	const char *types;    /* of D A B C: "s32 s32 s32"                                      */
	u64 (*reference)(u64 a, u64 b, u64 c);
	int ulps;             /* allowed, for what the ISA itself calls approximate              */
} row;

/* ---- values as bits ---- */
static float F(u64 x) { const uint32_t v = (uint32_t)x; float f; memcpy(&f, &v, 4); return f; }
static double D(u64 x) { double f; memcpy(&f, &x, 8); return f; }
static u64 fb(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }
static u64 db(double f) { u64 u; memcpy(&u, &f, 8); return u; }

/* The exact sum s + e to a float or double, towards mode: n z d u. */
static float to_float(quad s, quad e, char mode)
{
	float r = (float)s;
	const quad left = isinf(r) || r != r ? 0 : s - (quad)r;
	const int side = left > 0 || (left == 0 && e > 0) ? 1 : left < 0 || e < 0 ? -1 : 0;

	if (r != r || mode == 'n' || (isinf(r) && isinf((double)s) && (s > (quad)1e4900Q || s < -(quad)1e4900Q)))
		return r;
	if (isinf(r)) { /* finite, but too large */
		if (mode == 'z' || mode == (r > 0 ? 'd' : 'u'))
			r = r > 0 ? 0x1.fffffep127f : -0x1.fffffep127f;
		return r;
	}
	if (side > 0 && (mode == 'u' || (mode == 'z' && s < 0)))
		return nextafterf(r, INFINITY);
	if (side < 0 && (mode == 'd' || (mode == 'z' && s > 0)))
		return nextafterf(r, -INFINITY);
	return r;
}
static float sum(float a, float b, char mode)
{
	const quad s = (quad)a + b, bb = s - a, e = ((quad)a - (s - bb)) + ((quad)b - bb);

	if (s == 0 && mode == 'd' && !(a == 0 && b == 0 && !signbit(a) && !signbit(b)))
		return -0.0f;
	if (s == 0)
		return signbit(a) && signbit(b) ? -0.0f : 0.0f;
	return to_float(s, s - s == 0 ? e : 0, mode);
}

#define REF(name, expression) \
	__attribute__((unused)) static u64 name(u64 a, u64 b, u64 c) { (void)a; (void)b; (void)c; return (u64)(expression); }
#define INTS(T, W, N) \
	REF(add_##N, (T)((T)a + (W)(T)b)) REF(sub_##N, (T)((W)(T)a - (W)(T)b)) \
	REF(lo_##N, (T)((unsigned __int128)(T)a * (unsigned __int128)(T)b)) \
	REF(hi_##N, (T)((W)(T)a * (W)(T)b >> (8 * sizeof(T)))) \
	REF(madlo_##N, (T)((unsigned __int128)(T)a * (unsigned __int128)(T)b + (unsigned __int128)(T)c)) \
	REF(madhi_##N, (T)(((W)(T)a * (W)(T)b >> (8 * sizeof(T))) + (W)(T)c)) \
	REF(div_##N, (T)b == 0 ? (T)-1 : (T)((W)(T)a / (W)(T)b)) \
	REF(rem_##N, (T)b == 0 ? (T)a : (T)((W)(T)a % (W)(T)b)) \
	REF(min_##N, (T)a < (T)b ? (T)a : (T)b) REF(max_##N, (T)a > (T)b ? (T)a : (T)b) \
	REF(neg_##N, (T)(0 - (W)(T)a)) REF(abs_##N, (double)(T)a < 0 ? (T)(0 - (W)(T)a) : (T)a) \
	REF(shr_##N, (T)((__int128)(T)a >> ((uint32_t)b > 64 ? 64 : (uint32_t)b))) \
	REF(wide_##N, (W)(T)a * (W)(T)b) REF(madwide_##N, (u64)((W)(T)a * (W)(T)b) + c) \
	REF(lt_##N, (T)a < (T)b) REF(le_##N, !((T)b < (T)a)) REF(gt_##N, (T)b < (T)a) \
	REF(ge_##N, !((T)a < (T)b)) REF(eq_##N, (T)a == (T)b) REF(ne_##N, (T)((T)a ^ (T)b) != 0)
INTS(int16_t, int32_t, s16) INTS(int32_t, int64_t, s32) INTS(int64_t, __int128, s64)
INTS(uint16_t, uint32_t, u16) INTS(uint32_t, uint64_t, u32) INTS(uint64_t, unsigned __int128, u64)
#define BITS(T, N) REF(and_##N, (T)(a & b)) REF(or_##N, (T)(a | b)) REF(xor_##N, (T)(a ^ b)) \
	REF(not_##N, (T)~a) REF(cnot_##N, (T)a ? 0 : 1) REF(sel_##N, (T)((uint32_t)c & 1 ? a : b)) \
	REF(mov_##N, (T)a) REF(shl_##N, (T)((unsigned __int128)a << ((uint32_t)b > 64 ? 64 : (uint32_t)b)))
BITS(uint16_t, 16) BITS(uint32_t, 32) BITS(uint64_t, 64)
REF(andp, a & b & 1) REF(orp, (a | b) & 1) REF(xorp, (a ^ b) & 1) REF(notp, ~a & 1) REF(movp, a & 1)
static u64 count(u64 a, int bits) { u64 n = 0; for (int i = 0; i < bits; i++) n += a >> i & 1; return n; }
static u64 top(u64 a, int bits) { for (int i = bits; i-- > 0;) if (a >> i & 1) return (u64)i; return ~0ull; }
static u64 flip(u64 a, int bits) { u64 r = 0; for (int i = 0; i < bits; i++) { r = r << 1 | (a & 1); a >>= 1; } return r; }
REF(popc32, count(a, 32)) REF(popc64, count(a, 64)) REF(brev32, flip(a, 32)) REF(brev64, flip(a, 64))
REF(clz32, 31 - (int64_t)(int32_t)top(a, 32)) REF(clz64, 63 - (int64_t)(int32_t)top(a, 64))
REF(find_u32, (uint32_t)top(a, 32)) REF(find_u64, (uint32_t)top(a, 64))
REF(find_s32, (uint32_t)top((int32_t)a < 0 ? (uint32_t)~a : a, 32))
REF(find_s64, (uint32_t)top((int64_t)a < 0 ? ~a : a, 64))
static u64 extract(u64 a, u64 b, u64 c, int bits, int is_signed)
{
	const int pos = (int)(b & 255), len = (int)(c & 255);
	const __int128 whole = is_signed ? bits == 32 ? (__int128)(int32_t)a : (__int128)(int64_t)a
	                                 : (__int128)(bits == 32 ? (uint32_t)a : a);
	const __int128 shifted = pos > 100 ? (is_signed && whole < 0 ? -1 : 0) : whole >> pos;
	const __int128 mask = len >= 100 ? (__int128)-1 : ((__int128)1 << len) - 1;
	__int128 r = shifted & mask;

	if (is_signed && len > 0 && len < 100 && r >> (len - 1) & 1)
		r |= ~mask;
	return bits == 32 ? (uint32_t)r : (u64)r;
}
REF(bfe_u32, extract(a, b, c, 32, 0)) REF(bfe_s32, extract(a, b, c, 32, 1))
REF(bfe_u64, extract(a, b, c, 64, 0)) REF(bfe_s64, extract(a, b, c, 64, 1))
static u64 insert(u64 a, u64 b, u64 pos, u64 len, int bits)
{
	const unsigned __int128 one = 1;
	const unsigned __int128 mask = pos >= (u64)bits ? 0 : ((len > 64 ? ~(one * 0) : (one << len) - 1) << pos);
	const u64 r = (u64)((b & ~mask) | (((unsigned __int128)a << (pos >= (u64)bits ? 0 : pos)) & mask));

	return bits == 32 ? (uint32_t)r : r;
}
REF(bfi32, insert((uint32_t)a, (uint32_t)b, c & 255, 5, 32)) REF(bfi64, insert(a, b, c & 255, 40, 64))
static u64 dot4(u64 a, u64 b, u64 c, int is_signed)
{
	long long sum = (int32_t)c;
	int i;
	for (i = 0; i < 4; i++) {
		const int x = (int)(a >> 8 * i & 255), y = (int)(b >> 8 * i & 255);
		sum += is_signed ? (x > 127 ? x - 256 : x) * (y > 127 ? y - 256 : y) : x * y;
	}
	return (uint32_t)sum;
}
REF(dot4_s32, dot4(a, b, c, 1)) REF(dot4_u32, dot4(a, b, c, 0))
static u64 bytes(u64 a, u64 b, u64 c)
{
	uint8_t p[8], r[4];
	uint32_t out;
	memcpy(p, &a, 4);
	memcpy(p + 4, &b, 4);
	for (int i = 0; i < 4; i++) {
		const u64 s = c >> (4 * i);
		r[i] = s & 8 ? (uint8_t)((int8_t)p[s & 7] >> 7) : p[s & 7];
	}
	memcpy(&out, r, 4);
	return out;
}
REF(lop3, (uint32_t)((a & b) ^ ~c)) /* its table is 0x95 */
REF(shfl_wrap, (uint32_t)(c & 31 ? (uint32_t)b << (c & 31) | (uint32_t)a >> (32 - (c & 31)) : b))
REF(shfr_clamp, (uint32_t)((uint32_t)c >= 32 ? b : c & 31 ? (uint32_t)a >> (c & 31) | (uint32_t)b << (32 - (c & 31)) : a))
#define FLOATS(N, T, V, P, one) \
	REF(add_##N, P(V(a) + V(b))) REF(sub_##N, P(V(a) - V(b))) REF(mul_##N, P(V(a) * V(b))) \
	REF(div_##N, P(V(a) / V(b))) REF(fma_##N, P(one(V(a), V(b), V(c)))) REF(rcp_##N, P(1 / V(a))) \
	REF(neg_##N, P(V(a)) ^ 1ull << (8 * sizeof(T) - 1)) \
	REF(abs_##N, P(V(a)) & ~(1ull << (8 * sizeof(T) - 1))) \
	REF(cps_##N, (P(V(b)) & ~(1ull << (8 * sizeof(T) - 1))) | (P(V(a)) & 1ull << (8 * sizeof(T) - 1))) \
	REF(min_##N, P(isnan(V(a)) ? V(b) : isnan(V(b)) ? V(a) : V(a) == 0 && V(b) == 0 ? (signbit(V(a)) ? V(a) : V(b)) : V(b) < V(a) ? V(b) : V(a))) \
	REF(max_##N, P(isnan(V(a)) ? V(b) : isnan(V(b)) ? V(a) : V(a) == 0 && V(b) == 0 ? (signbit(V(a)) ? V(b) : V(a)) : V(a) < V(b) ? V(b) : V(a))) \
	REF(minnan_##N, isnan(V(a)) || isnan(V(b)) ? P((T)NAN) : min_##N(a, b, c)) \
	REF(eq_##N, !isunordered(V(a), V(b)) && !islessgreater(V(a), V(b))) REF(ne_##N, islessgreater(V(a), V(b))) \
	REF(lt_##N, isless(V(a), V(b))) REF(le_##N, islessequal(V(a), V(b))) REF(gt_##N, isgreater(V(a), V(b))) \
	REF(ge_##N, isgreaterequal(V(a), V(b))) REF(equ_##N, !islessgreater(V(a), V(b))) \
	REF(neu_##N, isunordered(V(a), V(b)) || islessgreater(V(a), V(b))) \
	REF(ltu_##N, !isgreaterequal(V(a), V(b))) REF(leu_##N, !isgreater(V(a), V(b))) \
	REF(gtu_##N, !islessequal(V(a), V(b))) REF(geu_##N, !isless(V(a), V(b))) \
	REF(num_##N, !isunordered(V(a), V(b))) REF(nan_##N, isunordered(V(a), V(b))) \
	REF(fin_##N, isfinite(V(a)) != 0) REF(inf_##N, isinf(V(a)) != 0) REF(isn_##N, isnan(V(a)) != 0) \
	REF(nor_##N, isnormal(V(a)) != 0) REF(sat_##N, P(V(a) > 1 ? 1 : V(a) > 0 ? V(a) : 0))
FLOATS(f32, float, F, fb, fmaf) FLOATS(f64, double, D, db, fma)
REF(sqrt_f32, fb(sqrtf(F(a)))) REF(sqrt_f64, db(sqrt(D(a))))
REF(rsq_f32, fb(1 / sqrtf(F(a)))) REF(rsq_f64, db(1 / sqrt(D(a)))) REF(ex2, fb(exp2f(F(a)))) REF(lg2, fb(log2f(F(a))))
REF(sin_, fb(sinf(F(a)))) REF(cos_, fb(cosf(F(a)))) REF(tanh_, fb(tanhf(F(a))))
REF(addz, fb(sum(F(a), F(b), 'z'))) REF(addm, fb(sum(F(a), F(b), 'd'))) REF(addp, fb(sum(F(a), F(b), 'u')))
REF(mulz, fb(to_float((quad)F(a) * F(b), 0, 'z'))) REF(mulp, fb(to_float((quad)F(a) * F(b), 0, 'u')))
static float flush(float x) { return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x; }
REF(addftz, fb(flush(flush(F(a)) + flush(F(b)))))

/* ---- conversions: the destination in the first, the source in the second ---- */
static u64 whole(long double x, int bits, int is_signed, int large)
{
	const long double high = is_signed ? ldexpl(1, bits - 1) : ldexpl(1, bits);
	const u64 mask = bits == 64 ? ~0ull : (1ull << bits) - 1;

	if (isnan(x))
		return large ? 1ull << (bits - 1) : 0;
	if (x >= high)
		return is_signed ? mask >> 1 : mask;
	if (is_signed ? x < -high : x <= 0)
		return is_signed ? 1ull << (bits - 1) : 0;
	return (is_signed ? (u64)(int64_t)x : (u64)x) & mask;
}
#define TO_INT(T, N, bits, sign) \
	REF(rzi_##N##_f32, whole(truncl(F(a)), bits, sign, bits == 64)) REF(rni_##N##_f32, whole(rintl(F(a)), bits, sign, bits == 64)) \
	REF(rmi_##N##_f64, whole(floorl(D(a)), bits, sign, 1)) REF(rpi_##N##_f64, whole(ceill(D(a)), bits, sign, 1)) \
	REF(to_##N, (T)a) REF(f32_##N, fb((float)(T)a)) REF(f64_##N, db((double)(T)a))
TO_INT(uint8_t, u8, 8, 0) TO_INT(int8_t, s8, 8, 1) TO_INT(uint16_t, u16, 16, 0) TO_INT(int16_t, s16, 16, 1)
TO_INT(uint32_t, u32, 32, 0) TO_INT(int32_t, s32, 32, 1) TO_INT(uint64_t, u64, 64, 0) TO_INT(int64_t, s64, 64, 1)
REF(sx_s8, (int64_t)(int8_t)a) REF(sx_s16, (int64_t)(int16_t)a) REF(sx_s32, (int64_t)(int32_t)a)
REF(sat_u8, (int32_t)a < 0 ? 0 : (int32_t)a > 255 ? 255 : (uint8_t)a)
REF(sat_s8, (uint8_t)((int32_t)a < -128 ? -128 : (int32_t)a > 127 ? 127 : (int8_t)a))
static double half_value(u64 h, int exponent_bits, int fraction_bits)
{
	const int e = (int)(h >> fraction_bits & ((1u << exponent_bits) - 1)), bias = (1 << (exponent_bits - 1)) - 1;
	const double m = (double)(h & ((1u << fraction_bits) - 1)) / (1 << fraction_bits);
	const double r = e == (1 << exponent_bits) - 1 ? (m > 0 ? (double)NAN : (double)INFINITY)
	                 : e == 0 ? m * exp2(1 - bias) : (1 + m) * exp2(e - bias);

	return h >> 15 & 1 ? -r : r;
}
/* By search: the neighbours of x among all 65536, and which of them the mode takes. */
static u64 half_bits(double x, int eb, int fb_, char mode)
{
	const u64 inf = ((1ull << eb) - 1) << fb_, sign = signbit(x) ? 0x8000 : 0;
	u64 low = 0, high = inf;
	const double v = fabs(x);

	if (isnan(x))
		return 0x7fff;
	while (high - low > 1) {
		const u64 middle = (low + high) / 2;
		if (half_value(middle, eb, fb_) <= v) low = middle; else high = middle;
	}
	if (half_value(low, eb, fb_) == v)
		return sign | low;
	if (isinf(x))
		return sign | inf;
	if (mode == 'z' || mode == (sign ? 'u' : 'd'))
		return sign | low;
	if (mode != 'n')
		return sign | high;
	const double above = high == inf ? half_value(low, eb, fb_) * 2 - half_value(low - 1, eb, fb_) : half_value(high, eb, fb_);
	const double to_low = v - half_value(low, eb, fb_), to_high = above - v;
	return sign | (to_low < to_high || (to_low == to_high && low % 2 == 0) ? low : high);
}
REF(h_f32, half_bits(F(a), 5, 10, 'n')) REF(hz_f32, half_bits(F(a), 5, 10, 'z')) REF(hm_f32, half_bits(F(a), 5, 10, 'd'))
REF(hp_f32, half_bits(F(a), 5, 10, 'u')) REF(h_f64, half_bits(D(a), 5, 10, 'n')) REF(g_f32, half_bits(F(a), 8, 7, 'n'))
REF(gz_f32, half_bits(F(a), 8, 7, 'z')) REF(f32_h, fb((float)half_value(a & 0xffff, 5, 10)))
REF(f64_h, db(half_value(a & 0xffff, 5, 10))) REF(f32_g, fb((float)half_value(a & 0xffff, 8, 7)))
REF(h_s32, half_bits((int32_t)a, 5, 10, 'n')) REF(u32_h, whole(truncl(half_value(a & 0xffff, 5, 10)), 32, 0, 0))
REF(s32_g, whole(truncl(half_value(a & 0xffff, 8, 7)), 32, 1, 0))
REF(f32_f64, fb((float)D(a))) REF(f32z_f64, fb(to_float(D(a), 0, 'z'))) REF(f32m_f64, fb(to_float(D(a), 0, 'd')))
REF(f32p_f64, fb(to_float(D(a), 0, 'u'))) REF(f64_f32, db((double)F(a))) REF(rint_f32, fb(rintf(F(a)))) REF(floor_f64, db(floor(D(a))))
static double half_at(u64 pair, int k) { return half_value(pair >> 16 * k & 0xffff, 5, 10); }
static u64 half_sum(quad a, quad b) { return half_bits((double)(a + b), 5, 10, 'n'); }
REF(addh2, half_sum(half_at(a, 1), half_at(b, 1)) << 16 | half_sum(half_at(a, 0), half_at(b, 0)))
REF(fmah2, half_sum((quad)half_at(a, 1) * half_at(b, 1), half_at(c, 1)) << 16 |
           half_sum((quad)half_at(a, 0) * half_at(b, 0), half_at(c, 0)))
REF(packh, half_bits(F(a), 5, 10, 'n') << 16 | half_bits(F(b), 5, 10, 'n'))
REF(f32z_s64, fb(to_float((quad)(int64_t)a, 0, 'z'))) REF(f32p_u32, fb(to_float((quad)(uint32_t)a, 0, 'u')))
REF(setand, isless(F(a), F(b)) && (c & 1)) REF(setor, !isless(F(a), F(b)) || (c & 1))
REF(low32, (uint32_t)a) REF(pair, (u64)(uint32_t)b << 32 | (uint32_t)a) REF(high32, (uint32_t)(a >> 32))
REF(bits8, (uint8_t)a) REF(plus_f32, fb(F(a) + F(b))) REF(plus_f64, db(D(a) + D(b)))
REF(inc, (uint32_t)a >= (uint32_t)b ? 0 : (uint32_t)a + 1) REF(dec, (uint32_t)a == 0 || (uint32_t)a > (uint32_t)b ? (uint32_t)b : (uint32_t)a - 1)
REF(second32, (uint32_t)b) REF(cas32, (uint32_t)a == (uint32_t)b ? (uint32_t)c : (uint32_t)a) REF(cas64, a == b ? c : a) REF(old32, (uint32_t)a)
REF(none, 0) REF(tagged, (uint32_t)a + 7)

#define INT_ROWS(N, WN, B) \
	{ "add." #N " D, A, B;", #N " " #N " " #N, add_##N, 0 }, { "sub." #N " D, A, B;", #N " " #N " " #N, sub_##N, 0 }, \
	{ "mul.lo." #N " D, A, B;", #N " " #N " " #N, lo_##N, 0 }, { "mul.hi." #N " D, A, B;", #N " " #N " " #N, hi_##N, 0 }, \
	{ "mad.lo." #N " D, A, B, C;", #N " " #N " " #N " " #N, madlo_##N, 0 }, \
	{ "mad.hi." #N " D, A, B, C;", #N " " #N " " #N " " #N, madhi_##N, 0 }, \
	{ "div." #N " D, A, B;", #N " " #N " " #N, div_##N, 0 }, { "rem." #N " D, A, B;", #N " " #N " " #N, rem_##N, 0 }, \
	{ "min." #N " D, A, B;", #N " " #N " " #N, min_##N, 0 }, { "max." #N " D, A, B;", #N " " #N " " #N, max_##N, 0 }, \
	{ "shr." #N " D, A, B;", #N " " #N " u32", shr_##N, 0 }, { "selp." #N " D, A, B, C;", #N " " #N " " #N " pred", sel_##B, 0 }, \
	{ "mov." #N " D, A;", #N " " #N, mov_##B, 0 }, \
	{ "setp.lt." #N " D, A, B;", "pred " #N " " #N, lt_##N, 0 }, { "setp.le." #N " D, A, B;", "pred " #N " " #N, le_##N, 0 }, \
	{ "setp.gt." #N " D, A, B;", "pred " #N " " #N, gt_##N, 0 }, { "setp.ge." #N " D, A, B;", "pred " #N " " #N, ge_##N, 0 }, \
	{ "setp.eq." #N " D, A, B;", "pred " #N " " #N, eq_##N, 0 }, { "setp.ne." #N " D, A, B;", "pred " #N " " #N, ne_##N, 0 }, \
	{ "ld.global." #N " D, [P];", #N " " #N, mov_##B, 0 }, { "st.global." #N " [Q], A; ld.global." #N " D, [Q];", #N " " #N, mov_##B, 0 },
#define WIDE_ROWS(N, W) { "mul.wide." #N " D, A, B;", #W " " #N " " #N, wide_##N, 0 }, \
	{ "mad.wide." #N " D, A, B, C;", #W " " #N " " #N " " #W, madwide_##N, 0 },
#define SIGN_ROWS(N) { "neg." #N " D, A;", #N " " #N, neg_##N, 0 }, { "abs." #N " D, A;", #N " " #N, abs_##N, 0 },
#define BIT_ROWS(B) \
	{ "and.b" #B " D, A, B;", "b" #B " b" #B " b" #B, and_##B, 0 }, { "or.b" #B " D, A, B;", "b" #B " b" #B " b" #B, or_##B, 0 }, \
	{ "xor.b" #B " D, A, B;", "b" #B " b" #B " b" #B, xor_##B, 0 }, { "not.b" #B " D, A;", "b" #B " b" #B, not_##B, 0 }, \
	{ "cnot.b" #B " D, A;", "b" #B " b" #B, cnot_##B, 0 }, { "shl.b" #B " D, A, B;", "b" #B " b" #B " u32", shl_##B, 0 }, \
	{ "shr.b" #B " D, A, B;", "b" #B " b" #B " u32", shr_u##B, 0 }, { "selp.b" #B " D, A, B, C;", "b" #B " b" #B " b" #B " pred", sel_##B, 0 }, \
	{ "mov.b" #B " D, A;", "b" #B " b" #B, mov_##B, 0 }, { "setp.eq.b" #B " D, A, B;", "pred b" #B " b" #B, eq_u##B, 0 }, \
	{ "setp.ne.b" #B " D, A, B;", "pred b" #B " b" #B, ne_u##B, 0 }, { "ld.global.b" #B " D, [P];", "b" #B " b" #B, mov_##B, 0 }, \
	{ "st.global.b" #B " [Q], A; ld.global.b" #B " D, [Q];", "b" #B " b" #B, mov_##B, 0 },
#define CMP(N, w) { "setp." #w "." #N " D, A, B;", "pred " #N " " #N, w##_##N, 0 },
#define FLOAT_ROWS(N, B, rn) \
	{ "add." #N " D, A, B;", #N " " #N " " #N, add_##N, 0 }, { "sub.rn." #N " D, A, B;", #N " " #N " " #N, sub_##N, 0 }, \
	{ "mul." #N " D, A, B;", #N " " #N " " #N, mul_##N, 0 }, { "div.rn." #N " D, A, B;", #N " " #N " " #N, div_##N, 0 }, \
	{ "fma.rn." #N " D, A, B, C;", #N " " #N " " #N " " #N, fma_##N, 0 }, { "mad.rn." #N " D, A, B, C;", #N " " #N " " #N " " #N, fma_##N, 0 }, \
	{ "rcp.rn." #N " D, A;", #N " " #N, rcp_##N, 0 }, { "sqrt.rn." #N " D, A;", #N " " #N, sqrt_##N, 0 }, \
	{ "rsqrt.approx." #N " D, A;", #N " " #N, rsq_##N, 2 }, \
	{ "neg." #N " D, A;", #N " " #N, neg_##N, 0 }, { "abs." #N " D, A;", #N " " #N, abs_##N, 0 }, \
	{ "copysign." #N " D, A, B;", #N " " #N " " #N, cps_##N, 0 }, { "min." #N " D, A, B;", #N " " #N " " #N, min_##N, 0 }, \
	{ "max." #N " D, A, B;", #N " " #N " " #N, max_##N, 0 }, { "min.NaN." #N " D, A, B;", #N " " #N " " #N, minnan_##N, 0 }, \
	CMP(N, eq) CMP(N, ne) CMP(N, lt) CMP(N, le) CMP(N, gt) CMP(N, ge) CMP(N, equ) CMP(N, neu) CMP(N, ltu) CMP(N, leu) CMP(N, gtu) \
	CMP(N, geu) CMP(N, num) CMP(N, nan) \
	{ "testp.finite." #N " D, A;", "pred " #N, fin_##N, 0 }, { "testp.infinite." #N " D, A;", "pred " #N, inf_##N, 0 }, \
	{ "testp.notanumber." #N " D, A;", "pred " #N, isn_##N, 0 }, { "testp.normal." #N " D, A;", "pred " #N, nor_##N, 0 }, \
	{ "selp." #N " D, A, B, C;", #N " " #N " " #N " pred", sel_##B, 0 }, { "mov." #N " D, A;", #N " " #N, mov_##B, 0 }, \
	{ "ld.global." #N " D, [P];", #N " " #N, mov_##B, 0 }, { "st.global." #N " [Q], A; ld.global." #N " D, [Q];", #N " " #N, mov_##B, 0 }, \
	{ "cvt.sat." #N "." #N " D, A;", #N " " #N, sat_##N, 0 },
#define CVT_ROWS(N) { "cvt.rzi." #N ".f32 D, A;", #N " f32", rzi_##N##_f32, 0 }, { "cvt.rni." #N ".f32 D, A;", #N " f32", rni_##N##_f32, 0 }, \
	{ "cvt.rmi." #N ".f64 D, A;", #N " f64", rmi_##N##_f64, 0 }, { "cvt.rpi." #N ".f64 D, A;", #N " f64", rpi_##N##_f64, 0 }, \
	{ "cvt.rn.f32." #N " D, A;", "f32 " #N, f32_##N, 0 }, { "cvt.rn.f64." #N " D, A;", "f64 " #N, f64_##N, 0 }, \
	{ "cvt." #N ".u64 D, A;", #N " u64", to_##N, 0 }, { "cvt." #N ".s32 D, A;", #N " s32", to_##N##_s, 0 },
#define NARROW(N, T) REF(to_##N##_s, (T)(int64_t)(int32_t)a)
NARROW(u8, uint8_t) NARROW(s8, int8_t) NARROW(u16, uint16_t) NARROW(s16, int16_t) NARROW(u32, uint32_t) NARROW(s32, int32_t)
NARROW(u64, uint64_t) NARROW(s64, int64_t)
/* An atomic on a copy of A, and what it leaves there. */
#define ATOM(form, T, reference) \
	{ "st.global." T " [Q], A; atom.global." form " D, [Q], B; ld.global." T " D, [Q];", T " " T " " T, reference, 0 }, \
	{ "st.global." T " [Q], A; red.global." form " [Q], B; ld.global." T " D, [Q];", T " " T " " T, reference, 0 },

static const row rows[] = {
	INT_ROWS(s16, s32, 16) INT_ROWS(u16, u32, 16) INT_ROWS(s32, s64, 32) INT_ROWS(u32, u64, 32) INT_ROWS(s64, s64, 64) INT_ROWS(u64, u64, 64)
	WIDE_ROWS(s16, s32) WIDE_ROWS(u16, u32) WIDE_ROWS(s32, s64) WIDE_ROWS(u32, u64) SIGN_ROWS(s16) SIGN_ROWS(s32) SIGN_ROWS(s64)
	BIT_ROWS(16) BIT_ROWS(32) BIT_ROWS(64) FLOAT_ROWS(f32, 32, rn) FLOAT_ROWS(f64, 64, rn)
	{ "and.pred D, A, B;", "pred pred pred", andp, 0 }, { "or.pred D, A, B;", "pred pred pred", orp, 0 },
	{ "xor.pred D, A, B;", "pred pred pred", xorp, 0 }, { "not.pred D, A;", "pred pred", notp, 0 }, { "mov.pred D, A;", "pred pred", movp, 0 },
	{ "popc.b32 D, A;", "u32 b32", popc32, 0 }, { "popc.b64 D, A;", "u32 b64", popc64, 0 }, { "clz.b32 D, A;", "u32 b32", clz32, 0 },
	{ "clz.b64 D, A;", "u32 b64", clz64, 0 }, { "brev.b32 D, A;", "b32 b32", brev32, 0 }, { "brev.b64 D, A;", "b64 b64", brev64, 0 },
	{ "bfind.u32 D, A;", "u32 u32", find_u32, 0 }, { "bfind.s32 D, A;", "u32 s32", find_s32, 0 },
	{ "bfind.u64 D, A;", "u32 u64", find_u64, 0 }, { "bfind.s64 D, A;", "u32 s64", find_s64, 0 },
	{ "bfe.u32 D, A, B, C;", "u32 u32 u32 u32", bfe_u32, 0 }, { "bfe.s32 D, A, B, C;", "s32 s32 u32 u32", bfe_s32, 0 },
	{ "bfe.u64 D, A, B, C;", "u64 u64 u32 u32", bfe_u64, 0 }, { "bfe.s64 D, A, B, C;", "s64 s64 u32 u32", bfe_s64, 0 },
	{ "bfi.b32 D, A, B, C, 5;", "b32 b32 b32 u32", bfi32, 0 }, { "bfi.b64 D, A, B, C, 40;", "b64 b64 b64 u32", bfi64, 0 },
	{ "prmt.b32 D, A, B, C;", "b32 b32 b32 b32", bytes, 0 }, { "lop3.b32 D, A, B, C, 0x95;", "b32 b32 b32 b32", lop3, 0 },
	{ "dp4a.s32.s32 D, A, B, C;", "s32 s32 s32 s32", dot4_s32, 0 }, { "dp4a.u32.u32 D, A, B, C;", "u32 u32 u32 u32", dot4_u32, 0 },
	{ "shf.l.wrap.b32 D, A, B, C;", "b32 b32 b32 u32", shfl_wrap, 0 }, { "shf.r.clamp.b32 D, A, B, C;", "b32 b32 b32 u32", shfr_clamp, 0 },
	{ "ex2.approx.f32 D, A;", "f32 f32", ex2, 4 }, { "lg2.approx.f32 D, A;", "f32 f32", lg2, 4 }, { "sin.approx.f32 D, A;", "f32 f32", sin_, 4 },
	{ "cos.approx.f32 D, A;", "f32 f32", cos_, 4 }, { "tanh.approx.f32 D, A;", "f32 f32", tanh_, 4 },
	{ "add.rz.f32 D, A, B;", "f32 f32 f32", addz, 0 }, { "add.rm.f32 D, A, B;", "f32 f32 f32", addm, 0 }, { "add.rp.f32 D, A, B;", "f32 f32 f32", addp, 0 },
	{ "mul.rz.f32 D, A, B;", "f32 f32 f32", mulz, 0 }, { "mul.rp.f32 D, A, B;", "f32 f32 f32", mulp, 0 }, { "add.ftz.f32 D, A, B;", "f32 f32 f32", addftz, 0 },
	CVT_ROWS(u8) CVT_ROWS(s8) CVT_ROWS(u16) CVT_ROWS(s16) CVT_ROWS(u32) CVT_ROWS(s32) CVT_ROWS(u64) CVT_ROWS(s64)
	{ "cvt.s64.s8 D, A;", "s64 s8", sx_s8, 0 }, { "cvt.s64.s16 D, A;", "s64 s16", sx_s16, 0 }, { "cvt.s64.s32 D, A;", "s64 s32", sx_s32, 0 },
	{ "cvt.sat.u8.s32 D, A;", "u8 s32", sat_u8, 0 }, { "cvt.sat.s8.s32 D, A;", "s8 s32", sat_s8, 0 }, { "cvt.u64.u8 D, A;", "u64 u8", to_u8, 0 },
	{ "cvt.u64.u16 D, A;", "u64 u16", to_u16, 0 }, { "cvt.u64.u32 D, A;", "u64 u32", to_u32, 0 }, { "cvt.u32.s64 D, A;", "u32 s64", to_u32, 0 },
	{ "cvt.rn.f16.f32 D, A;", "b16 f32", h_f32, 0 }, { "cvt.rz.f16.f32 D, A;", "b16 f32", hz_f32, 0 }, { "cvt.rm.f16.f32 D, A;", "b16 f32", hm_f32, 0 },
	{ "cvt.rp.f16.f32 D, A;", "b16 f32", hp_f32, 0 }, { "cvt.rn.f16.f64 D, A;", "b16 f64", h_f64, 0 }, { "cvt.rn.bf16.f32 D, A;", "b16 f32", g_f32, 0 },
	{ "cvt.rz.bf16.f32 D, A;", "b16 f32", gz_f32, 0 }, { "cvt.f32.f16 D, A;", "f32 b16", f32_h, 0 }, { "cvt.f64.f16 D, A;", "f64 b16", f64_h, 0 },
	{ "cvt.f32.bf16 D, A;", "f32 b16", f32_g, 0 }, { "cvt.rn.f16.s32 D, A;", "b16 s32", h_s32, 0 }, { "cvt.rzi.u32.f16 D, A;", "u32 b16", u32_h, 0 },
	{ "cvt.rzi.s32.bf16 D, A;", "s32 b16", s32_g, 0 }, { "cvt.rn.f32.f64 D, A;", "f32 f64", f32_f64, 0 }, { "cvt.rz.f32.f64 D, A;", "f32 f64", f32z_f64, 0 },
	{ "cvt.rm.f32.f64 D, A;", "f32 f64", f32m_f64, 0 }, { "cvt.rp.f32.f64 D, A;", "f32 f64", f32p_f64, 0 }, { "cvt.f64.f32 D, A;", "f64 f32", f64_f32, 0 },
	{ "cvt.rni.f32.f32 D, A;", "f32 f32", rint_f32, 0 }, { "cvt.rmi.f64.f64 D, A;", "f64 f64", floor_f64, 0 },
	{ "add.rn.f16x2 D, A, B;", "b32 b32 b32", addh2, 0 }, { "fma.rn.f16x2 D, A, B, C;", "b32 b32 b32 b32", fmah2, 0 },
	{ "cvt.rn.f16x2.f32 D, A, B;", "b32 f32 f32", packh, 0 }, { "cvt.rz.f32.s64 D, A;", "f32 s64", f32z_s64, 0 }, { "cvt.rp.f32.u32 D, A;", "f32 u32", f32p_u32, 0 },
	{ "setp.lt.and.f32 D, A, B, C;", "pred f32 f32 pred", setand, 0 }, { "setp.lt.or.f32 T|D, A, B, C;", "pred f32 f32 pred", setor, 0 },
	{ "mov.b64 {D, S}, A;", "b32 b64", low32, 0 }, { "mov.b64 {S, D}, A;", "b32 b64", high32, 0 }, { "mov.b64 D, {A, B};", "b64 b32 b32", pair, 0 },
	{ "ld.global.b8 D, [P];", "b8 b8", bits8, 0 }, { "ld.global.u8 D, [P];", "u8 u8", bits8, 0 }, { "ld.global.s8 D, [P];", "s8 s8", to_s8, 0 },
	{ "st.global.b8 [Q], A; ld.global.u8 D, [Q];", "u8 u8", bits8, 0 }, { "st.global.u8 [Q], A; ld.global.u8 D, [Q];", "u8 u8", bits8, 0 },
	{ "st.global.s8 [Q], A; ld.global.u8 D, [Q];", "u8 u8", bits8, 0 },
	{ "st.global.v2.u32 [Q], {A, B}; ld.global.v2.u32 {S, D}, [Q]; ", "u32 u32 u32", second32, 0 },
	{ "cvta.to.global.u64 R, Q; st.global.u32 [R], A; ld.u32 D, [Q];", "u32 u32", to_u32, 0 },
	{ "st.shared.u32 [sh], A; cvta.shared.u64 R, sh; ld.u32 D, [R];", "u32 u32", to_u32, 0 },
	{ "st.local.u32 [lo+4], A; cvta.local.u64 R, lo; ld.u32 D, [R+4];", "u32 u32", to_u32, 0 },
	ATOM("add.u32", "u32", add_u32) ATOM("add.s32", "s32", add_s32) ATOM("add.u64", "u64", add_u64) ATOM("min.s32", "s32", min_s32)
	ATOM("max.u32", "u32", max_u32) ATOM("min.u64", "u64", min_u64) ATOM("max.s64", "s64", max_s64) ATOM("and.b32", "b32", and_32)
	ATOM("or.b64", "b64", or_64) ATOM("xor.b32", "b32", xor_32) ATOM("inc.u32", "u32", inc) ATOM("dec.u32", "u32", dec)
	ATOM("add.f32", "f32", plus_f32) ATOM("add.f64", "f64", plus_f64)
	{ "st.global.u32 [Q], A; atom.global.exch.b32 S, [Q], B; ld.global.u32 D, [Q];", "u32 u32 u32", second32, 0 },
	{ "st.global.u32 [Q], A; atom.global.cas.b32 S, [Q], B, C; ld.global.u32 D, [Q];", "u32 u32 u32 u32", cas32, 0 },
	{ "st.global.u64 [Q], A; atom.global.cas.b64 R, [Q], B, C; ld.global.u64 D, [Q];", "u64 u64 u64 u64", cas64, 0 },
	{ "st.global.u32 [Q], A; atom.global.add.u32 D, [Q], B;", "u32 u32 u32", old32, 0 },
	{ "mov.u32 D, 7; add.u32 D, D, A; bra.uni over; mov.u32 D, 1; over: membar.gl; fence.sc.sys; prefetch.global.L1 [Q]; bar.sync 0;", "u32 u32", tagged, 0 },
	{ "mov.u32 D, 0; setp.ne.u32 T, A, A; @T bra skip; barrier.sync 0; @T trap; @T exit; skip: membar.gl;", "u32 u32", none, 0 },
};

/* ---- the harness ---- */
enum { ROWS = sizeof(rows) / sizeof(rows[0]), MOST = 40, BLOCK = 64, SCRATCH = 16 };

static struct {
	void *library;
	char *(*forms)(void);
	int (*init)(unsigned);
	int (*retain)(void **, int);
	int (*release)(int);
	int (*current)(void *);
	int (*alloc)(device_address *, size_t);
	int (*free_)(device_address);
	int (*up)(device_address, const void *, size_t);
	int (*down)(void *, device_address, size_t);
	int (*zero)(device_address, unsigned char, size_t);
	int (*load)(void **, const void *, unsigned, int *, void **);
	int (*unload)(void *);
	int (*function)(void **, void *, const char *);
	int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
	              void **, void **);
	int (*wait)(void);
} cu;

static bool open_driver(void)
{
	static const struct {
		const char *name;
		void *place;
	} names[] = {
		{ "evenhand_test_ptx_forms", &cu.forms }, { "cuInit", &cu.init },
		{ "cuDevicePrimaryCtxRetain", &cu.retain }, { "cuDevicePrimaryCtxRelease_v2", &cu.release },
		{ "cuCtxSetCurrent", &cu.current }, { "cuMemAlloc_v2", &cu.alloc },
		{ "cuMemFree_v2", &cu.free_ }, { "cuMemcpyHtoD_v2", &cu.up },
		{ "cuMemcpyDtoH_v2", &cu.down }, { "cuMemsetD8_v2", &cu.zero },
		{ "cuModuleLoadDataEx", &cu.load }, { "cuModuleUnload", &cu.unload },
		{ "cuModuleGetFunction", &cu.function }, { "cuLaunchKernel", &cu.launch },
		{ "cuCtxSynchronize", &cu.wait },
	};
	const char *build = getenv("BUILD");
	char path[4096], cache[4096];
	void *context = NULL;

	if (build == NULL)
		return false;
	snprintf(path, sizeof(path), "%s/tests/drivers/cuda/libcuda.so.1", build);
	snprintf(cache, sizeof(cache), "%s/tests/drivers/cuda/cache", build);
	cu.library = dlopen(path, RTLD_NOW);
	if (cu.library == NULL)
		return false;
	assert_int_equal(setenv("EVENHAND_TEST_CACHE", cache, 1), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *found = dlsym(cu.library, names[i].name);

		assert_non_null(found);
		memcpy(names[i].place, &found, sizeof(found));
	}
	assert_int_equal(cu.init(0), 0);
	assert_int_equal(cu.retain(&context, 0), 0);
	assert_int_equal(cu.current(context), 0);
	return true;
}

static int bits_of(const char *type)
{
	return strcmp(type, "pred") == 0 ? 1 : atoi(type + 1);
}

/* The I-th word of the types. */
static bool type_at(const row *r, int index, char type[8])
{
	const char *p = r->types;

	for (; index > 0 && p != NULL; index--)
		p = strchr(p, ' ') == NULL ? NULL : strchr(p, ' ') + 1;
	if (p == NULL)
		return false;
	snprintf(type, 8, "%.*s", (int)strcspn(p, " "), p);
	return true;
}

static void declare(FILE *out, const char *type, const char *name)
{
	const int bits = bits_of(type);

	if (bits == 1)
		fprintf(out, ".reg .pred %s; .reg .b64 %s_;\n", name, name);
	else if (type[0] == 'f')
		fprintf(out, ".reg .f%d %s;\n", bits, name);
	else
		fprintf(out, ".reg .b%d %s;\n", bits == 8 ? 16 : bits, name);
}

static void write_kernel(FILE *out, const row *r, size_t index)
{
	static const char *const names[] = { "D", "A", "B", "C" };
	char type[8];

	fprintf(out, ".visible .entry k%zu(.param .u64 pi, .param .u64 po, .param .u64 ps)\n"
	        ".maxntid %d, 1, 1\n{\n.reg .b32 I, N, J, S; .reg .b64 P, O, Q, R; .reg .pred T;\n"
	        ".shared .align 8 .b8 sh[16]; .local .align 8 .b8 lo[16];\n", index, BLOCK);
	for (int k = 0; k < 4 && type_at(r, k, type); k++)
		declare(out, type, names[k]);
	fputs("mov.u32 I, %tid.x; mov.u32 N, %ntid.x; mov.u32 J, %ctaid.x; mad.lo.s32 I, J, N, I;\n"
	      "ld.param.u64 P, [pi]; ld.param.u64 O, [po]; ld.param.u64 Q, [ps];\n"
	      "mad.wide.u32 P, I, 24, P; mad.wide.u32 O, I, 8, O; mad.wide.u32 Q, I, 16, Q;\n", out);
	for (int k = 1; k < 4 && type_at(r, k, type); k++) {
		const char *name = names[k];
		const int bits = bits_of(type);

		if (bits == 1)
			fprintf(out, "ld.global.u64 %s_, [P+%d]; and.b64 %s_, %s_, 1; setp.ne.u64 %s, %s_, 0;\n",
			        name, 8 * (k - 1), name, name, name, name);
		else
			fprintf(out, "ld.global.%c%d %s, [P+%d];\n", type[0] == 'f' ? 'f' : 'u', bits, name,
			        8 * (k - 1));
	}
	fprintf(out, "%s\n", r->op);
	assert_true(type_at(r, 0, type));
	if (bits_of(type) == 1)
		fputs("selp.u64 D_, 1, 0, D; st.global.u64 [O], D_;\n", out);
	else
		fprintf(out, "st.global.%c%d [O], D;\n", type[0] == 'f' ? 'f' : 'u', bits_of(type));
	fputs("ret;\n}\n", out);
}

static size_t values_of(const char *type, u64 to[MOST])
{
	static const u64 integers[] = { 0, 1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256,
		0x3c00, 0x7bff, 0x7c01, 0x7fff, 0x8000, 0xffff, 0x12345678, 0x7fffffff, 0x80000000, 0xfffffffe,
		0xffffffff, 0x100000000, 0x123456789abcdef0, 0x7fffffffffffffff, 0x8000000000000000,
		0xfffffffffffffffe, 0xffffffffffffffff };
	static const double reals[] = { 0, -0.0, 1, -1, 0.5, 1.5, 2.5, -2.5, 0.1, 3.14159265, 255.5, -129, 300, 65504,
		65519.99, 65520, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1.002p0, 0x1.003p0, 0x1.00fp0, 16777217, 3e9, -3e9, 1e20,
		-1e20, 0x1.fffffep127, 1e-40, 0x1p-149, -0x1p-149, 3.4e38, NAN, INFINITY, -INFINITY };
	size_t n = 0;

	if (type[0] == 'f') {
		for (; n < sizeof(reals) / sizeof(reals[0]); n++)
			to[n] = bits_of(type) == 32 ? fb((float)reals[n]) : db(reals[n]);
		if (bits_of(type) == 64) {
			to[n++] = db(1e300);
			to[n++] = db(0x1.0000010000001p0);
		}
	} else {
		for (; n < sizeof(integers) / sizeof(integers[0]); n++)
			to[n] = integers[n];
	}
	return n;
}

static bool is_nan(const char *type, u64 x)
{
	return type[0] == 'f' && (bits_of(type) == 32 ? isnan(F(x)) : isnan(D(x)));
}

/* Runs the row over all its values; the count of wrong ones, of which it tells the first. */
static size_t run_row(const row *r, void *module, size_t index)
{
	static u64 in[(MOST * MOST + BLOCK) * 3], out[MOST * MOST + BLOCK];
	u64 va[MOST] = { 0 }, vb[MOST] = { 0 }, vc[MOST] = { 0 };
	char type[8], type_a[8] = "u32", type_b[8] = "u32", type_c[8] = "u32", name[16];
	size_t na = 1, nb = 1, nc = 1, n = 0, wrong = 0, bits;
	device_address di = 0, dout = 0, ds = 0;
	void *function = NULL, *parameters[3];
	u64 mask;

	assert_true(type_at(r, 0, type));
	if (type_at(r, 1, type_a))
		na = values_of(type_a, va);
	if (type_at(r, 2, type_b))
		nb = values_of(type_b, vb);
	if (type_at(r, 3, type_c))
		nc = values_of(type_c, vc);
	memset(in, 0, sizeof(in));
	memset(out, 0, sizeof(out));
	for (size_t i = 0; i < na; i++)
		for (size_t j = 0; j < nb; j++, n++) {
			in[3 * n] = va[i];
			in[3 * n + 1] = vb[j];
			in[3 * n + 2] = vc[(i * 5 + j * 3) % nc];
		}
	assert_int_equal(cu.alloc(&di, sizeof(in)), 0);
	assert_int_equal(cu.alloc(&dout, sizeof(out)), 0);
	assert_int_equal(cu.alloc(&ds, (sizeof(out) / 8) * SCRATCH), 0);
	assert_int_equal(cu.up(di, in, sizeof(in)), 0);
	assert_int_equal(cu.zero(dout, 0, sizeof(out)), 0);
	snprintf(name, sizeof(name), "k%zu", index);
	assert_int_equal(cu.function(&function, module, name), 0);
	parameters[0] = &di;
	parameters[1] = &dout;
	parameters[2] = &ds;
	assert_int_equal(cu.launch(function, (unsigned)(n + BLOCK - 1) / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL,
	                           parameters, NULL), 0);
	assert_int_equal(cu.wait(), 0);
	assert_int_equal(cu.down(out, dout, sizeof(out)), 0);
	bits = (size_t)bits_of(type);
	mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
	for (size_t k = 0; k < n; k++) {
		const u64 wanted = r->reference(in[3 * k], in[3 * k + 1], in[3 * k + 2]) & mask, got = out[k] & mask;
		const u64 apart = wanted > got ? wanted - got : got - wanted;

		if (wanted == got || (is_nan(type, wanted) && is_nan(type, got)) || apart <= (u64)r->ulps)
			continue;
		if (wrong++ == 0)
			print_error("%s: of 0x%llx 0x%llx 0x%llx is 0x%llx, not 0x%llx\n", r->op,
			            (unsigned long long)in[3 * k], (unsigned long long)in[3 * k + 1],
			            (unsigned long long)in[3 * k + 2], (unsigned long long)got,
			            (unsigned long long)wanted);
	}
	(void)cu.free_(di);
	(void)cu.free_(dout);
	(void)cu.free_(ds);
	return wrong;
}

static const char head[] = ".version 8.0\n.target sm_80\n.address_size 64\n";

static void test_every_operation(void **unused)
{
	char *text = NULL, log[600] = "";
	int options[] = { 5, 6 };
	void *values[] = { log, (void *)sizeof(log) }, *module = NULL;
	size_t size = 0, wrong = 0;
	FILE *out = open_memstream(&text, &size);
	int rc;

	(void)unused;
	if (cu.library == NULL)
		skip_because(NO_CUDA_DRIVER);
	assert_non_null(out);
	fputs(head, out);
	for (size_t i = 0; i < ROWS; i++)
		write_kernel(out, &rows[i], i);
	assert_int_equal(fclose(out), 0);
	rc = cu.load(&module, text, 2, options, values);
	if (rc != 0)
		fail_msg("%d: %s", rc, log);
	for (size_t i = 0; i < ROWS; i++)
		wrong += run_row(&rows[i], module, i) != 0;
	assert_int_equal(wrong, 0);
	assert_int_equal(cu.unload(module), 0);
	free(text);
}

/* True when a row's text has an instruction of this form. */
static bool covered(const char *form)
{
	const char *dot = strchr(form, '.');
	const size_t length = dot == NULL ? strlen(form) : (size_t)(dot - form);

	if (strcmp(form, "ret") == 0) /* ends every kernel */
		return true;
	for (size_t i = 0; i < ROWS; i++)
		for (const char *p = rows[i].op; *p != '\0';) {
			char op[64];
			size_t end;

			p += strspn(p, " ;");
			if (*p == '@' || strcspn(p, ":") < strcspn(p, " ;"))
				p += strcspn(p, " "), p += strspn(p, " ");
			end = strcspn(p, " ;");
			snprintf(op, sizeof(op), "%.*s", (int)end, p);
			if (strncmp(op, form, length) == 0 && (op[length] == '.' || op[length] == '\0') &&
			    (dot == NULL || strcmp(strrchr(op, '.') == NULL ? "" : strrchr(op, '.'), dot) == 0))
				return true;
			p += strcspn(p, ";");
		}
	return false;
}

static void test_nothing_is_untested(void **unused)
{
	char *forms;
	size_t missing = 0, all = 0;

	(void)unused;
	if (cu.library == NULL)
		skip_because(NO_CUDA_DRIVER);
	forms = cu.forms();
	assert_non_null(forms);
	for (char *save = NULL, *form = strtok_r(forms, "\n", &save); form != NULL;
	     form = strtok_r(NULL, "\n", &save), all++)
		if (!covered(form)) {
			print_error("no row tests %s\n", form);
			missing++;
		}
	free(forms);
	assert_true(all > 200);
	assert_int_equal(missing, 0);
}

static void test_unknown_is_refused_by_name(void **unused)
{
	static const struct {
		const char *text, *names;
	} wrong[] = {
		{ "shfl.sync.bfly.b32 %r1, %r1, 1, 31, -1;", "shfl.sync.bfly.b32" },
		{ "add.cc.u32 %r1, %r1, 1;", "add.cc.u32" }, { "add.sat.s32 %r1, %r1, 1;", "add.sat.s32" },
		{ "bar.sync 1;", "bar.sync" }, { "mma.sync.aligned.m8n8k4 %r1;", "mma.sync.aligned.m8n8k4" },
		{ "add.u32 %r1, %r9, 1;", "%r9" }, { "bra nowhere;", "nowhere" }, { "ld.global.u32 %r1, [%r1;", "%r1" },
		{ "setp.lo.f32 %p, 0f00000000, 0f00000000;", "setp.lo.f32" },
	};

	(void)unused;
	if (cu.library == NULL)
		skip_because(NO_CUDA_DRIVER);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[600], log[400] = "";
		int options[] = { 5, 6 };
		void *values[] = { log, (void *)sizeof(log) }, *module = NULL;

		snprintf(text, sizeof(text), "%s.visible .entry k()\n{\n.reg .b32 %%r<4>; .reg .pred %%p;\n%s\nret;\n}\n",
		         head, wrong[i].text);
		assert_int_equal(cu.load(&module, text, 2, options, values), 218);
		if (strstr(log, wrong[i].names) == NULL)
			fail_msg("\"%s\" does not name %s", log, wrong[i].names);
	}
}

static int end_driver(void **unused)
{
	(void)unused;
	return cu.library == NULL || cu.release(0) == 0 ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_operation),
		cmocka_unit_test(test_nothing_is_untested),
		cmocka_unit_test(test_unknown_is_refused_by_name),
	};

	(void)open_driver();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, end_driver);
}
