/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every code of a small format, at each place of a take, as GPUs decode it in linear.k, beside what the
 * dialect's load of one element or the format's definition says.  Compiled once for each format, with
 * the defines of a case.
 */
#include <math.h>
#include <stdio.h>

#include "dialect.h"
/* The kernel's text for a device. */
#undef EH_HOST
#undef EH_PROCESSOR
static eh_f32x2 from_halves(eh_u32 word)
{
	return (eh_f32x2){eh_from_f16_((eh_u16)word), eh_from_f16_((eh_u16)(word >> 16))};
}
#define EH_FROM_HALVES(word) from_halves(word)
#include "linear/linear.k"

#define VALUE_E4M3(code) eh_from_e4m3_((eh_u8)(code))
#define VALUE_E2M1(code) eh_from_e2m1_(code)
#define VALUE_I8(code) ((float)(code) - ((code) < 128 ? 0 : 256))
#define VALUE_I4(code) ((float)(code) - 8)
#define VALUE EH_JOIN(VALUE_, EH_W_FORMAT)

/* Whether element e of piece p is this code's, and the others are those of another code. */
static int is_right(eh_u32 code, eh_u32 other, int p, int e)
{
	const eh_u32 both = EH_W_PIECES == 2 ? other * 0x11111111u : other * 0x01010101u;
	const eh_u32 at = (eh_u32)(e % 4 * 8 + p * 4);
	eh_w_take t = {.word = {both, both}};
	eh_w_piece r;
	float sum = 0;
	t.word[e / 4] = (both & ~(EH_W_MASK << at)) | code << at;
	r = eh_w_decode(t, p);
	for (int i = 0; i < 8; i++) {
		const float want = VALUE(i == e ? code : other);
		sum += r.one[i];
		if (!isnan(VALUE(code)) && r.one[i] * EH_W_UNIT != want)
			return 0;
	}
	/* One NaN makes the sum NaN, wherever it is. */
	return isnan(sum) == isnan(VALUE(code));
}

int main(void)
{
	for (eh_u32 code = 0; code <= EH_W_MASK; code++)
		for (eh_u32 other = 0; other < EH_W_MASK / 2; other++)
			for (int at = 0; at < 8 * EH_W_PIECES; at++)
				if (!is_right(code, other, at / 8, at % 8)) {
					printf("code 0x%02x at %d among 0x%02x is wrong\n", code, at, other);
					return 1;
				}
	return 0;
}
