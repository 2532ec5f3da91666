/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many executions a case needs, computed from a few pilot executions (Stein 1945; Kalibera and
 * Jones 2013).  Pure.  docs/sequence.md, has the rule.
 */
#ifndef STAT_PILOT_H
#define STAT_PILOT_H

#include <stdbool.h>
#include <stddef.h>

/* One execution of the pilot. */
typedef struct pilot_execution {
	double center;     /* its median, or its percentile                                       */
	double error;      /* standard error of the center, from its own samples alone            */
	double samples;    /* the number of samples                                               */
	double sample_ns;  /* wall time of one sample                                             */
	double other_ns;   /* wall time of the rest of the execution                              */
} pilot_execution;

/* Fills center, error and samples from n >= 1 samples that count.  quantile 0: the median. */
void pilot_execution_of(const double *values, size_t n, double quantile, pilot_execution *out);

typedef struct pilot_target {
	double half_width; /* of the center's interval, relative to the center                    */
	double confidence;
	size_t most;       /* executions at most                                                  */
} pilot_target;

/* Spreads are relative to the center.  spread^2 = within^2 + between^2 if the executions differ by
 * more than the noise of their samples; else `between` is 0. */
typedef struct pilot_finding {
	double center;
	double spread;     /* standard deviation of the executions' centers                       */
	double within;     /* the part that the noise of the samples explains                     */
	double between;    /* the rest: differences from process to process                       */
	size_t needed;     /* executions for the target, n to most                                */
	bool reached;      /* false when even `most` are too few                                  */
	double optimum;    /* samples per execution for the narrowest interval in a given time; 0
	                      when executions do not differ: one long execution would be best     */
} pilot_finding;

/* Plans from n pilot executions.  n is 2 or more; with fewer `needed` is n. */
void pilot_plan(const pilot_execution *executions, size_t n, pilot_target target,
                pilot_finding *out);

#endif
