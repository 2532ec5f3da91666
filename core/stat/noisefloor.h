/* SPDX-License-Identifier: Apache-2.0 */
/* The noise floor of a comparison: by how much two runs of the same case differ.  Pure.
 * docs/method.md, "The noise floor", has the rule and the data behind it. */
#ifndef STAT_NOISEFLOOR_H
#define STAT_NOISEFLOOR_H

#include <stddef.h>

#define NOISEFLOOR_SHARE 0.95      /* the share of pairs of runs that differ by less         */
#define NOISEFLOOR_CONFIDENCE 0.95
#define NOISEFLOOR_LEAST 3         /* pairs that are needed                                  */
#define NOISEFLOOR_UNFIT 0.20      /* above it a machine is not fit for comparisons across runs */
/* From this many pairs on, the bound is an order statistic. */
#define NOISEFLOOR_FREE 59

/* The noise floor from n >= NOISEFLOOR_LEAST ratios of two medians: the upper confidence bound of
 * the NOISEFLOOR_SHARE quantile of their distances from 1.  1.02 and 1/1.02 both have the distance
 * 0.02. */
double noisefloor_of(const double *ratios, size_t n);

#endif
