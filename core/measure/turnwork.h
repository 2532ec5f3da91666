/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A case that is measured in turns with other executors: it is opened, takes turns whenever its
 * coordinator says so, sleeps in between, and is closed with the proof of its samples.  Rules:
 * docs/method.md, "Lockstep".
 */
#ifndef MEASURE_TURNWORK_H
#define MEASURE_TURNWORK_H

#include "measure/measure.h"

typedef struct turnwork turnwork;

/* From building the program to the verification; nothing is timed, so other executors may do the same
 * at the same time.  NULL when the case ended: *done is its record then, the caller's.  *lost as in
 * measure_case. */
turnwork *turnwork_open(measure *m, const plan_case *c, measure_report report, void *context, bool *lost,
                  record_execution **done);

typedef struct turnwork_place {
	uint64_t round;      /* from 1; ascending                                               */
	uint64_t length_ns;  /* of the turn                                                     */
	uint64_t origin_ns;  /* beginning of the first round, on clock_now_ns                   */
} turnwork_place;

/* Takes a turn, the first after the warm-up, and appends the times of its samples, per operation.
 * *audit_ns: the part of it that an audit took.  false when the case cannot go on: close it. */
bool turnwork_take(turnwork *t, turnwork_place place, number_list *times_ns, uint64_t *audit_ns);
/* Threads have had their time to fall asleep after the turn: from now until the next turn they should
 * take no processor time. */
void turnwork_rest(turnwork *t);
/* Proves the samples.  Returns the record, the caller's, and frees t. */
record_execution *turnwork_close(turnwork *t, bool *lost);
/* Without a record; NULL is fine. */
void turnwork_free(turnwork *t);

#endif
