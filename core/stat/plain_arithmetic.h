/* SPDX-License-Identifier: Apache-2.0 */
/* Files whose results must be the same bits on every machine include this first: it turns off fused
 * multiply-add, which rounds differently.  Such files use only + - * / and comparisons of doubles
 * in a fixed order, and no function of libm that rounds. */
#ifndef STAT_PLAIN_ARITHMETIC_H
#define STAT_PLAIN_ARITHMETIC_H

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("fp-contract=off")
#endif

#endif
