/* SPDX-License-Identifier: Apache-2.0 */
/* Sides that one run measured in turns: an execution of each, in shuffled order, then the next. */
#include <math.h>
#include <string.h>

#include "contract/condition.h"
#include "stat/rounds.h"

bool rounds_of_one_run(const result *a, const result *b)
{
	const char *id = a->record->run.id;

	return a != b && id[0] != '\0' && strcmp(id, b->record->run.id) == 0 &&
	       a->record->protocol.canonical.interleave && b->record->protocol.canonical.interleave;
}

/* The least p-value of n rounds is 2^(1 - n).  With fewer rounds than this asks for, Holm's rule
 * would let no claim pass. */
static bool rounds_suffice(size_t rounds, size_t cases)
{
	return rounds >= ROUNDS_LEAST &&
	       exp2(1 - (double)rounds) * (double)cases <= DECISION_ERROR;
}

size_t rounds_shared(const comparison *c, const result_row *x, const result_row *y)
{
	const record_execution *other = NULL;
	size_t count = 0;

	/* Executions in lockstep that are no pair were made at other times. */
	if (!c->one_run || x->side.executions != y->side.executions ||
	    (lockstep_row(c->a, x) && lockstep_row(c->b, y)))
		return 0;
	for EACH_COUNTED(e, x) {
		other = condition_next(y, other);
		if (other == NULL || e->execution != other->execution)
			return 0;
		count++;
	}
	return count == x->side.executions && condition_next(y, other) == NULL &&
	       rounds_suffice(count, c->cases.count) ? count : 0;
}
