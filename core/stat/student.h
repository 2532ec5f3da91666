/* SPDX-License-Identifier: Apache-2.0 */
/* Student's distribution (Abramowitz and Stegun 26.7.3 and 26.7.4), the same bits on every machine.
 * Pure. */
#ifndef STAT_STUDENT_H
#define STAT_STUDENT_H

#include <stddef.h>

/* P(|T| > t) with that many degrees of freedom, at least 1; t >= 0, also infinite. */
double student_beyond(size_t freedom, double t);
/* The value that |T| exceeds with the probability 1 - confidence. */
double student_deviate(size_t freedom, double confidence);

#endif
