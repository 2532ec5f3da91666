/* SPDX-License-Identifier: Apache-2.0 */
/* Sides that one run measured in turns: an execution of each, in shuffled order, then the next. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "contract/condition.h"
#include "stat/rounds.h"

static bool takes_turns(const result *r)
{
	return cJSON_IsTrue(json_path(r->root, "protocol.canonical.interleave"));
}

bool rounds_of_one_run(const result *a, const result *b)
{
	const cJSON *run_a = json_path(a->root, "run");
	const cJSON *run_b = json_path(b->root, "run");
	const char *id = json_string(run_a, "id", "");

	return a != b && id[0] != '\0' && strcmp(id, json_string(run_b, "id", "")) == 0 &&
	       takes_turns(a) && takes_turns(b);
}

/* Among that many cases Holm's rule lets no claim pass that rests on fewer: the least p-value of n
 * rounds is 2^(1 - n). */
static bool rounds_suffice(size_t rounds, size_t cases)
{
	return rounds >= ROUNDS_LEAST &&
	       exp2(1 - (double)rounds) * (double)cases <= CONTRACT_FAMILY_ERROR;
}

bool rounds_shared(const comparison *c, const case_facts *x, const case_facts *y)
{
	size_t count = x->execution_count;

	if (!c->one_run || !rounds_suffice(count, c->row_count) || y->execution_count != count ||
	    x->row->side.executions != count || y->row->side.executions != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (x->executions[i].number != y->executions[i].number)
			return false;
	return true;
}
