/* SPDX-License-Identifier: Apache-2.0 */
/* A long series divided into windows of time.  Pure, and the same bits on every machine. */
#ifndef STAT_WINDOWS_H
#define STAT_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct window {
	size_t first, count;   /* its samples                                                    */
	double median_ns;      /* median of its samples, per operation                           */
	double rate;           /* operations per second of wall time, gaps between them included */
} window;

typedef struct windows {
	window *list;
	size_t count;
	size_t steady_first;   /* first of the steady windows: the last quarter, at least one    */
	double best;           /* the highest rate of a window                                   */
	double steady;         /* the median rate of the steady windows                          */
	double ratio;          /* steady / best                                                  */
} windows;

/*
 * A window begins with a sample and has the samples that start within window_ns of it; the next
 * window begins with the sample after them.  A last window shorter than half of window_ns is left
 * out, unless it is the only one.  Sample i took times_ns[i] for `batch` operations and began at
 * starts_ns[i].  False when n or batch is 0, or the starts do not ascend.
 */
bool windows_make(const uint64_t *times_ns, const uint64_t *starts_ns, size_t n, uint64_t batch,
                  uint64_t window_ns, windows *out);
void windows_free(windows *w);
/* The half-width of the interval of the median over the samples of the steady windows, relative to
 * it; NAN when they are too few for the confidence, there are no windows, or the median is 0. */
double windows_half_width(const uint64_t *times_ns, const uint64_t *starts_ns, size_t n,
                          uint64_t batch, uint64_t window_ns, double confidence);

#endif
