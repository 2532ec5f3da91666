/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A contradiction is only a suspicion.  It is tried again in pairs, each of two times taken one right
 * after the other, until stat/settle.h decides or patience is over.  The pairs are recorded, so that
 * a reader can decide again.
 */
#ifndef MEASURE_DOUBTS_H
#define MEASURE_DOUBTS_H

#include "measure/sampler.h"

#define DOUBTS_PATIENCE_NS UINT64_C(3000000000)
#define DOUBTS_LEAST 3 /* pairs, however long they take */

/* Takes one pair; both times 0: it shows nothing. */
typedef eh_status (*doubts_take)(void *context, uint64_t *first_ns, uint64_t *second_ns,
                                 eh_error *error);

/* What is doubted, and how a pair is taken. */
typedef struct doubts_way {
	enum record_doubt_kind kind;
	double limit;          /* of stat/settle.h                                             */
	doubts_take take;
	void *context;
	bool (*lengthen)(void *context); /* doubles the work of a pair; false: no further.  NULL: such
	                                    pairs are decided by other times than their own    */
} doubts_way;

/* Adds a doubt without pairs to s->doubts; the pointer is good until the next one is added. */
record_doubt *doubts_add(sampler *s, enum record_doubt_kind kind, double limit);
/* Sets and returns the verdict that follows from its pairs. */
enum record_doubt_verdict doubts_judge(record_doubt *d);
/* Pairs until they are settled, for at most DOUBTS_PATIENCE_NS but at least three.  One that is too
 * short to contradict is taken again with more work, and so are all before it.  *out is in s->doubts. */
eh_status doubts_settle(sampler *s, const doubts_way *way, record_doubt **out, eh_error *error);

/* The median over the pairs of the first time divided by the second. */
double doubts_ratio(const record_doubt *d);
/* malloc'd: says in how many pairs that is so. */
char *doubts_open(const record_doubt *d, const char *what);

#endif
