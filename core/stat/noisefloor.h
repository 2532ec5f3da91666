/* SPDX-License-Identifier: Apache-2.0 */
/* By how much two runs of the same thing differ: the noise floor of a comparison.  Pure.
 * docs/method.md, "The noise floor", has the rule and the data behind it. */
#ifndef STAT_NOISEFLOOR_H
#define STAT_NOISEFLOOR_H

#include <stddef.h>

#define NOISEFLOOR_SHARE 0.95      /* of pairs of runs that are to differ by less            */
#define NOISEFLOOR_CONFIDENCE 0.95
#define NOISEFLOOR_LEAST 3         /* pairs                                                  */
/* From so many pairs on the order statistics alone tell it. */
#define NOISEFLOOR_FREE 59

/* Upper confidence bound of that share's quantile of the distances from one of n >= NOISEFLOOR_LEAST
 * ratios of two medians; 1.02 and 1/1.02 are both 0.02 from it. */
double noisefloor_of(const double *ratios, size_t n);

#endif
