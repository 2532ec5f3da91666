/* SPDX-License-Identifier: Apache-2.0 */
/* What translated kernels are written in; put behind ptx_block.h in front of every module.  Names
 * are OPERATION_MODE_TYPE; types as in PTX, half precision as its bits. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#define PTX_FN static inline __attribute__((unused))
#define PTX_SLOW static __attribute__((unused, noinline))
#define PTX_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* ---- memory ---- */
PTX_FN char *ptx_global(struct ptx_block *b, uint64_t a, uint32_t n)
{
	const uint64_t off = (a & ~PTX_TAG) - b->base;

	if (PTX_UNLIKELY((a & (n - 1)) != 0))
		b->fault(b, PTX_MISALIGNED, a, n);
	if (PTX_UNLIKELY(off >= b->span || (off & 255) + n > b->shadow[off >> 8] ||
	                 !(b->allowed >> (off >> 33) & 1)))
		b->fault(b, PTX_OUT_OF_BOUNDS, a, n);
	return b->memory + off;
}
PTX_FN char *ptx_near(struct ptx_block *b, char *memory, uint64_t size, uint64_t a, uint32_t n)
{
	if (PTX_UNLIKELY((a & (n - 1)) != 0))
		b->fault(b, PTX_MISALIGNED, a, n);
	if (PTX_UNLIKELY(a >= size || size - a < n))
		b->fault(b, PTX_OUT_OF_BOUNDS, a, n);
	return memory + a;
}
PTX_FN char *ptx_shared(struct ptx_block *b, uint32_t item, uint64_t a, uint32_t n)
{
	(void)item;
	return ptx_near(b, b->shared, b->shared_bytes, a & ~PTX_SHARED, n);
}
PTX_FN char *ptx_local(struct ptx_block *b, uint32_t item, uint64_t a, uint32_t n)
{
	return ptx_near(b, b->local + (uint64_t)item * b->local_bytes, b->local_bytes,
	                a & ~PTX_LOCAL, n);
}
PTX_FN char *ptx_generic(struct ptx_block *b, uint32_t item, uint64_t a, uint32_t n)
{
	if (PTX_UNLIKELY(a & PTX_SHARED))
		return ptx_shared(b, item, a, n);
	if (PTX_UNLIKELY(a & PTX_LOCAL))
		return ptx_local(b, item, a, n);
	return ptx_global(b, a, n);
}
PTX_FN char *ptx_stored(struct ptx_block *b, uint64_t a, uint32_t n)
{
	char *p = ptx_global(b, a, n);

	b->written = a;
	b->written_bytes = n;
	return p;
}

/* ---- bits ---- */
PTX_FN float f32_of(uint32_t u) { float f; memcpy(&f, &u, 4); return f; }
PTX_FN double f64_of(uint64_t u) { double f; memcpy(&f, &u, 8); return f; }
PTX_FN uint32_t bits_f32(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }
PTX_FN uint64_t bits_f64(double f) { uint64_t u; memcpy(&u, &f, 8); return u; }
PTX_FN float ftz_f32(float x)
{
	return (bits_f32(x) & 0x7f800000u) == 0 ? f32_of(bits_f32(x) & 0x80000000u) : x;
}
PTX_FN float sat_f32(float x) { return x >= 1 ? 1 : x > 0 ? x : 0; }
PTX_FN double sat_f64(double x) { return x >= 1 ? 1 : x > 0 ? x : 0; }

/* ---- arithmetic with a rounding mode; volatile keeps it between the changes of mode ---- */
#define PTX_MODES(M, T, S) M(rz, FE_TOWARDZERO, T, S) M(rm, FE_DOWNWARD, T, S) \
	M(rp, FE_UPWARD, T, S)
#define PTX_ROUND(mode, T, expression) { volatile T r_; const int was_ = fegetround(); \
	(void)fesetround(mode); r_ = (expression); (void)fesetround(was_); return r_; }
#define PTX_FMA_float __builtin_fmaf
#define PTX_FMA_double __builtin_fma
#define PTX_SQRT_float __builtin_sqrtf
#define PTX_SQRT_double __builtin_sqrt
#define PTX_SLOW_OPS(name, mode, T, S) \
	PTX_SLOW T add_##name##_##S(volatile T a, volatile T b) PTX_ROUND(mode, T, a + b) \
	PTX_SLOW T sub_##name##_##S(volatile T a, volatile T b) PTX_ROUND(mode, T, a - b) \
	PTX_SLOW T mul_##name##_##S(volatile T a, volatile T b) PTX_ROUND(mode, T, a * b) \
	PTX_SLOW T div_##name##_##S(volatile T a, volatile T b) PTX_ROUND(mode, T, a / b) \
	PTX_SLOW T rcp_##name##_##S(volatile T a) PTX_ROUND(mode, T, 1 / a) \
	PTX_SLOW T sqrt_##name##_##S(volatile T a) PTX_ROUND(mode, T, PTX_SQRT_##T(a)) \
	PTX_SLOW T fma_##name##_##S(volatile T a, volatile T b, volatile T c) \
		PTX_ROUND(mode, T, PTX_FMA_##T(a, b, c))
#define PTX_FAST_OPS(T, S) \
	PTX_FN T add_rn_##S(T a, T b) { return a + b; } \
	PTX_FN T sub_rn_##S(T a, T b) { return a - b; } \
	PTX_FN T mul_rn_##S(T a, T b) { return a * b; } \
	PTX_FN T div_rn_##S(T a, T b) { return a / b; } \
	PTX_FN T rcp_rn_##S(T a) { return 1 / a; } \
	PTX_FN T sqrt_rn_##S(T a) { return PTX_SQRT_##T(a); } \
	PTX_FN T fma_rn_##S(T a, T b, T c) { return PTX_FMA_##T(a, b, c); } \
	PTX_MODES(PTX_SLOW_OPS, T, S)
PTX_FAST_OPS(float, f32)
PTX_FAST_OPS(double, f64)
PTX_FN float rsqrt_f32(float a) { return (float)(1 / sqrt((double)a)); }
PTX_FN double rsqrt_f64(double a) { return 1 / sqrt(a); }
PTX_FN float ex2_f32(float a) { return (float)exp2((double)a); }
PTX_FN float lg2_f32(float a) { return (float)log2((double)a); }
PTX_FN float sin_f32(float a) { return (float)sin((double)a); }
PTX_FN float cos_f32(float a) { return (float)cos((double)a); }
PTX_FN float tanh_f32(float a) { return (float)tanh((double)a); }

/* The smaller (larger): a number before a NaN, and -0 before +0. */
#define PTX_PICK(T, S, nan, bits) \
	PTX_FN T min_##S(T a, T b) { \
		if (a != a) return b != b ? nan : b; \
		if (b != b) return a; \
		return a == b ? (bits(a) > bits(b) ? a : b) : a < b ? a : b; } \
	PTX_FN T max_##S(T a, T b) { \
		if (a != a) return b != b ? nan : b; \
		if (b != b) return a; \
		return a == b ? (bits(a) > bits(b) ? b : a) : a > b ? a : b; } \
	PTX_FN T min_NaN_##S(T a, T b) { return a != a || b != b ? nan : min_##S(a, b); } \
	PTX_FN T max_NaN_##S(T a, T b) { return a != a || b != b ? nan : max_##S(a, b); }
PTX_PICK(float, f32, f32_of(0x7fffffffu), bits_f32)
PTX_PICK(double, f64, f64_of(0x7fffffffffffffffull), bits_f64)

/* ---- integers ---- */
#define PTX_INTEGERS(I) I(int16_t, s16, int32_t) I(int32_t, s32, int64_t) \
	I(int64_t, s64, __int128) I(uint16_t, u16, uint32_t) I(uint32_t, u32, uint64_t) \
	I(uint64_t, u64, unsigned __int128)
#define PTX_INTEGER_OPS(T, S, W) \
	PTX_FN T div_##S(T a, T b) { return b == 0 ? (T)-1 : (T)((W)a / (W)b); } \
	PTX_FN T rem_##S(T a, T b) { return b == 0 ? a : (T)((W)a % (W)b); } \
	PTX_FN T hi_##S(T a, T b) { return (T)((W)a * (W)b >> (sizeof(T) * 8)); } \
	PTX_FN T min_##S(T a, T b) { return a < b ? a : b; } \
	PTX_FN T max_##S(T a, T b) { return a > b ? a : b; } \
	PTX_FN T shr_##S(T a, uint32_t n) { \
		return n >= sizeof(T) * 8 ? (T)(a < 0 ? -1 : 0) : (T)(a >> n); }
PTX_INTEGERS(PTX_INTEGER_OPS)
#define PTX_UNSIGNED(I) I(uint16_t, b16) I(uint32_t, b32) I(uint64_t, b64)
#define PTX_UNSIGNED_OPS(T, S) \
	PTX_FN T shl_##S(T a, uint32_t n) { return n >= sizeof(T) * 8 ? 0 : (T)((uint64_t)a << n); }
PTX_UNSIGNED(PTX_UNSIGNED_OPS)
PTX_FN uint32_t popc_b32(uint32_t a) { return (uint32_t)__builtin_popcount(a); }
PTX_FN uint32_t popc_b64(uint64_t a) { return (uint32_t)__builtin_popcountll(a); }
PTX_FN uint32_t clz_b32(uint32_t a) { return a == 0 ? 32 : (uint32_t)__builtin_clz(a); }
PTX_FN uint32_t clz_b64(uint64_t a) { return a == 0 ? 64 : (uint32_t)__builtin_clzll(a); }
PTX_FN uint64_t brev_b64(uint64_t a)
{
	uint64_t r = 0;

	for (int i = 0; i < 64; i++)
		r |= (a >> i & 1) << (63 - i);
	return r;
}
PTX_FN uint32_t brev_b32(uint32_t a) { return (uint32_t)(brev_b64(a) >> 32); }
PTX_FN uint32_t bfind_u64(uint64_t a) { return a == 0 ? ~0u : 63 - clz_b64(a); }
PTX_FN uint32_t bfind_u32(uint32_t a) { return bfind_u64(a); }
PTX_FN uint32_t bfind_s64(int64_t a) { return bfind_u64((uint64_t)(a < 0 ? ~a : a)); }
PTX_FN uint32_t bfind_s32(int32_t a) { return bfind_s64(a); }
/* Bits beyond the value's own are its sign (0 when unsigned). */
#define PTX_BFE(T, S, bits) \
	PTX_FN T bfe_##S(T a, uint32_t b, uint32_t c) { \
		const uint32_t pos = b & 255, len = c & 255; uint64_t r = 0; \
		const uint32_t top = pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1; \
		const uint64_t sign = (T)-1 > 0 || len == 0 ? 0 : (uint64_t)a >> top & 1; \
		for (uint32_t i = 0; i < bits; i++) \
			r |= (i < len && pos + i < bits ? (uint64_t)a >> (pos + i) & 1 : sign) << i; \
		return (T)r; }
PTX_BFE(uint32_t, u32, 32u)
PTX_BFE(int32_t, s32, 32u)
PTX_BFE(uint64_t, u64, 64u)
PTX_BFE(int64_t, s64, 64u)
#define PTX_BFI(T, S, bits) \
	PTX_FN T bfi_##S(T a, T b, uint32_t c, uint32_t d) { \
		const uint32_t pos = c & 255, len = d & 255; \
		for (uint32_t i = 0; i < len && pos + i < bits; i++) \
			b = (T)((b & ~((T)1 << (pos + i))) | (a >> i & 1) << (pos + i)); \
		return b; }
PTX_BFI(uint32_t, b32, 32u)
PTX_BFI(uint64_t, b64, 64u)
PTX_FN uint32_t prmt_b32(uint32_t a, uint32_t b, uint32_t c)
{
	const uint64_t both = (uint64_t)b << 32 | a;
	uint32_t r = 0;

	for (int i = 0; i < 4; i++) {
		const uint32_t s = c >> (4 * i) & 15;
		const uint32_t byte = (uint32_t)(both >> (8 * (s & 7))) & 255;

		r |= (s & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * i);
	}
	return r;
}
PTX_FN uint32_t dp4a_s32(uint32_t a, uint32_t b, uint32_t c)
{
	for (int i = 0; i < 32; i += 8)
		c += (uint32_t)((int8_t)(a >> i) * (int8_t)(b >> i));
	return c;
}
PTX_FN uint32_t dp4a_u32(uint32_t a, uint32_t b, uint32_t c)
{
	for (int i = 0; i < 32; i += 8)
		c += (a >> i & 255) * (b >> i & 255);
	return c;
}
PTX_FN uint32_t lop3_b32(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
	uint32_t r = 0;

	for (int i = 0; i < 8; i++)
		if (table >> i & 1)
			r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
	return r;
}
PTX_FN uint32_t shf_l(uint32_t a, uint32_t b, uint32_t n)
{
	return (uint32_t)((((uint64_t)b << 32 | a) << n) >> 32);
}
PTX_FN uint32_t shf_r(uint32_t a, uint32_t b, uint32_t n)
{
	return (uint32_t)(((uint64_t)b << 32 | a) >> n);
}

/* ---- half precision: e exponent bits, m bits of fraction; mode n z d u ---- */
PTX_SLOW uint16_t small_of(double x, int e, int m, int mode)
{
	const int bias = (1 << (e - 1)) - 1;
	const uint16_t sign = (uint16_t)(bits_f64(x) >> 63 << 15);
	const uint16_t inf = (uint16_t)(((1 << e) - 1) << m);
	const double a = fabs(x);
	double quanta, whole;
	int exponent, up;
	uint32_t bits;

	if (x != x)
		return 0x7fff;
	if (a > 1e300)
		return (uint16_t)(sign | (isinf(x) || mode == 'n' || mode == (sign ? 'd' : 'u')
		                              ? inf : inf - 1));
	if (a == 0)
		return sign;
	(void)frexp(a, &exponent);
	exponent -= 1;
	if (exponent < 1 - bias)
		exponent = 1 - bias;
	quanta = ldexp(a, m - exponent);
	whole = floor(quanta);
	quanta -= whole;
	up = mode == 'n' ? quanta > 0.5 || (quanta == 0.5 && fmod(whole, 2) == 1)
	                 : quanta > 0 && mode == (sign ? 'd' : 'u');
	if (exponent > bias)
		return (uint16_t)(sign | (mode == 'n' || mode == (sign ? 'd' : 'u') ? inf : inf - 1));
	/* A carry out of the fraction is the next exponent, as it must be. */
	bits = (uint32_t)(whole + up);
	bits += (uint32_t)(exponent + bias - 1) << m;
	if (bits >= inf && !(mode == 'n' || up))
		bits = inf - 1u;
	return (uint16_t)(sign | (bits > inf ? inf : bits));
}
PTX_SLOW double small_to(uint16_t h, int e, int m)
{
	const int bias = (1 << (e - 1)) - 1;
	const int exponent = h >> m & ((1 << e) - 1), fraction = h & ((1 << m) - 1);
	double x;

	if (exponent == (1 << e) - 1)
		x = fraction != 0 ? NAN : INFINITY;
	else if (exponent == 0)
		x = ldexp(fraction, 1 - bias - m);
	else
		x = ldexp(fraction + (1 << m), exponent - bias - m);
	return h & 0x8000 ? -x : x;
}
#define f16_of(x, mode) small_of(x, 5, 10, mode)
#define bf16_of(x, mode) small_of(x, 8, 7, mode)
#define f16_to(h) small_to(h, 5, 10)
#define bf16_to(h) small_to(h, 8, 7)
/* Pairs of halves.  A double holds every product, and every sum on which rounding to a half depends. */
#define PTX_HALF(a, k) f16_to((uint16_t)((a) >> 16 * (k)))
#define PTX_PAIR(expression) \
	{ uint32_t r_ = 0; for (int k = 0; k < 2; k++) r_ |= (uint32_t)f16_of(expression, 'n') << 16 * k; return r_; }
PTX_SLOW uint32_t add_rn_f16x2(uint32_t a, uint32_t b) PTX_PAIR(PTX_HALF(a, k) + PTX_HALF(b, k))
PTX_SLOW uint32_t fma_rn_f16x2(uint32_t a, uint32_t b, uint32_t c)
	PTX_PAIR(PTX_HALF(a, k) * PTX_HALF(b, k) + PTX_HALF(c, k))

/* ---- conversions ---- */
#define PTX_CVT_DOWN(name, mode, T, S) \
	PTX_SLOW float f32_##name##_s(volatile int64_t a) PTX_ROUND(mode, float, (float)a) \
	PTX_SLOW float f32_##name##_u(volatile uint64_t a) PTX_ROUND(mode, float, (float)a) \
	PTX_SLOW double f64_##name##_s(volatile int64_t a) PTX_ROUND(mode, double, (double)a) \
	PTX_SLOW double f64_##name##_u(volatile uint64_t a) PTX_ROUND(mode, double, (double)a) \
	PTX_SLOW float f32_##name##_f(volatile double a) PTX_ROUND(mode, float, (float)a)
PTX_CVT_DOWN(rn, FE_TONEAREST, x, x)
PTX_MODES(PTX_CVT_DOWN, x, x)
PTX_FN double whole_rni(double x) { return rint(x); }
PTX_FN double whole_rzi(double x) { return trunc(x); }
PTX_FN double whole_rmi(double x) { return floor(x); }
PTX_FN double whole_rpi(double x) { return ceil(x); }
/* x is a whole number; into the range, and a NaN to `nan`. */
PTX_FN int64_t clamp_s(double x, int64_t low, int64_t high, int64_t nan)
{
	return x != x ? nan : x >= (double)high ? high : x <= (double)low ? low : (int64_t)x;
}
PTX_FN uint64_t clamp_u(double x, uint64_t high, uint64_t nan)
{
	return x != x ? nan : x >= (double)high ? high : x <= 0 ? 0 : (uint64_t)x;
}
PTX_FN __int128 clamp_i(__int128 x, __int128 low, __int128 high)
{
	return x < low ? low : x > high ? high : x;
}
