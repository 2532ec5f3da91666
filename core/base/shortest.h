/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest decimal digits of a double. */
#ifndef BASE_SHORTEST_H
#define BASE_SHORTEST_H

#include <stddef.h>

/* The fewest digits d1 d2 ... dk (1 to 17) for which d1.d2...dk * 10^exponent reads back as
 * value > 0 (finite); of several such numbers the one nearest to value.  Returns k; no NUL is put
 * behind them.  After Raffaello Giulietti, "The Schubfach way to render doubles", 2020. */
size_t shortest_digits(double value, char digits[20], int *exponent);

#endif
