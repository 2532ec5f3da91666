/* SPDX-License-Identifier: Apache-2.0 */
/* To be included first by files whose results must be the same, bit for bit, on every machine:
 * a fused multiply-add would round differently where there is one.  Such files use + - * / and
 * comparisons of doubles in a fixed order, and nothing of libm that rounds. */
#ifndef STAT_PLAIN_ARITHMETIC_H
#define STAT_PLAIN_ARITHMETIC_H

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("fp-contract=off")
#endif

#endif
