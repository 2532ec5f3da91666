/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a contradiction between two ways of measuring persists.  Both times of a pair were taken
 * one right after the other.  A pair contradicts when its first time is less than `limit` times its
 * second.  Pure; docs/method.md, "Suspicion and proof".
 *
 * The decision is a sign test: if every second pair contradicted by chance, so many contradictions
 * would be seen once in a million, or so few once in 32.  A pair that misses the limit by
 * SETTLE_LONG_NS or more counts SETTLE_WEIGHT times, because the scheduler does not explain it.
 * Agreement over SETTLE_LONG_NS without a contradiction is enough.  Disturbance only makes times
 * longer, so nothing is confirmed unless the quickest times of both ways contradict, too.
 *
 * Where others have the processors, who waits is woken up to three ticks of the scheduler late, 12 ms,
 * and always so.  A pair of a few milliseconds then contradicts as one of a lie does, and is taken
 * again with more work.
 */
#ifndef STAT_SETTLE_H
#define STAT_SETTLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SETTLE_LEAST 5                        /* pairs that agree, to clear                    */
#define SETTLE_MOST 64                        /* pairs that are worth taking                   */
#define SETTLE_WEIGHT 7
#define SETTLE_LONG_NS UINT64_C(100000000)
#define SETTLE_SHORT_NS UINT64_C(64000000)    /* of a second time, in which such wakes drown   */

/* Limits by what was doubted. */
#define SETTLE_CLAIM 0.5   /* time claimed, to time until the data were read back               */
#define SETTLE_WAIT 0.8    /* time until waiting returned, to that until data were read back    */
#define SETTLE_LONE 1.0    /* time allowed for an operation, to that of one on overwritten output */
#define SETTLE_INPUTS 0.5  /* an operation on repeated inputs, to one on new inputs             */
#define SETTLE_GROWTH 0.625 /* times the ratio of the operations: more of them, to fewer        */
#define SETTLE_GROWTH_TIMES 4 /* as many operations, where pairs are taken for it */
#define SETTLE_GROWTH_PAIRS (SETTLE_GROWTH * SETTLE_GROWTH_TIMES)

typedef enum settle_verdict {
	SETTLE_OPEN,      /* not decided                                                     */
	SETTLE_CLEARED,   /* the suspicion is refuted                                        */
	SETTLE_CONFIRMED  /* the contradiction persists                                      */
} settle_verdict;

settle_verdict settle_pairs(const uint64_t *first_ns, const uint64_t *second_ns, size_t count,
                            double limit);
/* Whether the pair contradicts in so short a time that it shows nothing. */
bool settle_too_short(uint64_t first_ns, uint64_t second_ns, double limit);

#endif
