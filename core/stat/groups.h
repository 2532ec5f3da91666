/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the executions of two executors differ, however many there are.  Pure, and the same bits on
 * every machine. */
#ifndef STAT_GROUPS_H
#define STAT_GROUPS_H

#include <stddef.h>

/*
 * The two-sided p-value of n and m >= 1 times, one of each execution, > 0: that of their ranks
 * (stat/ranks.h), which assumes nothing but that executions are exchangeable, or, where the
 * difference is too large for processes to make it (stat/processes.h), Student's with at least that
 * spread.
 */
double groups_p(const double *a, size_t n, const double *b, size_t m);

#endif
