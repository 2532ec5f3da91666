/* SPDX-License-Identifier: Apache-2.0 */
/* What an interval of a ratio says: the same rule in a run that decides when to stop and in a
 * comparison of results.  Pure.  docs/contract.md, "Verdicts". */
#ifndef STAT_DECISION_H
#define STAT_DECISION_H

#include "stat/statistics.h"

/* The error of FASTER and SLOWER that the claims of a family share. */
#define DECISION_ERROR 0.05

enum decision { DECISION_OPEN, DECISION_FASTER, DECISION_SLOWER, DECISION_EQUIVALENT };

/* A measured ratio; above 1 is faster. */
typedef struct decision_evidence {
	double center;
	interval around;
	interval equal;  /* the same for twice the error, or wider                              */
	double p;        /* of a ratio of 1, two-sided, corrected for what shares its error     */
} decision_evidence;

/*
 * EQUIVALENT: all of `equal` is within the margin; these are two one-sided claims, which do not err
 * together, so each may have the whole error (Schuirmann 1987).  Else FASTER or SLOWER: p is at most
 * DECISION_ERROR, the interval excludes 1, the center is beyond the margin, and the whole interval
 * is beyond the floor (0: there is none).  A floor so only ever blocks FASTER and SLOWER.  Else
 * OPEN.  A margin of 0.02 reaches from 1 / 1.02 to 1.02, and so does a floor.
 */
enum decision decision_of(const decision_evidence *e, double margin, double floor);

#endif
