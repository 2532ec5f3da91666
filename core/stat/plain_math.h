/* SPDX-License-Identifier: Apache-2.0 */
/* Functions computed with + - * / and exact operations only: the same bits on every machine, within
 * 1e-15 of the true value. */
#ifndef STAT_PLAIN_MATH_H
#define STAT_PLAIN_MATH_H

double plain_log(double x);        /* natural; x > 0, normal and finite */
double plain_exp(double x);        /* |x| <= 700 */
double plain_atan(double x);       /* x >= 0 */
double plain_fifth_root(double x); /* x >= 1 */

#endif
