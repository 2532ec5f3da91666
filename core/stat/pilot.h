/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many executions a case needs, from a few that were made first (Stein 1945; Kalibera and Jones
 * 2013).  Pure.  docs/method.md, "How many executions", has the rule and its limits.
 */
#ifndef STAT_PILOT_H
#define STAT_PILOT_H

#include <stdbool.h>
#include <stddef.h>

/* What one execution of the pilot says. */
typedef struct pilot_execution {
	double center;     /* its median, or its percentile                                       */
	double error;      /* standard error of the center, from its own samples alone            */
	double samples;    /* how many they are                                                   */
	double sample_ns;  /* wall time of one of them                                            */
	double other_ns;   /* what the execution took beside its samples                          */
} pilot_execution;

/* Fills center, error and samples from n >= 1 samples that count.  quantile 0: the median. */
void pilot_execution_of(const double *values, size_t n, double quantile, pilot_execution *out);

typedef struct pilot_target {
	double half_width; /* of the center's interval, relative to it                            */
	double confidence;
	size_t most;       /* executions                                                          */
} pilot_target;

/* Relative to the center.  spread^2 = within^2 + between^2, where the executions differ by more
 * than their samples explain. */
typedef struct pilot_finding {
	double center;
	double spread;     /* standard deviation of the executions' centers                       */
	double within;     /* of it, what the noise of the samples explains                       */
	double between;    /* and what is left: from process to process                           */
	size_t needed;     /* executions for the target, n to most                                */
	bool reached;      /* false when even `most` are too few                                  */
	double optimum;    /* samples per execution that give the narrowest interval for the time;
	                      0 when executions do not differ, and one long one would be best     */
} pilot_finding;

/* n >= 2 executions; with fewer needed is n. */
void pilot_plan(const pilot_execution *executions, size_t n, pilot_target target,
                pilot_finding *out);

#endif
