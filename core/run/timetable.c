/* SPDX-License-Identifier: Apache-2.0 */
#include "run/timetable.h"

#include <stdlib.h>

#include "base/text.h"

timetable *timetable_new(size_t cases, uint64_t executions, uint64_t begin_ns, uint64_t budget_ns,
                         uint64_t end_reserve_ns)
{
	timetable *t = memory_get(sizeof(*t));

	t->cases = cases;
	t->executions = executions;
	t->needs = memory_get((cases + 1) * sizeof(*t->needs));
	for (size_t i = 0; i < cases; i++)
		t->needs[i] = 1;
	t->reserve_ns = end_reserve_ns;
	if (budget_ns > 0)
		t->end_ns = begin_ns + (budget_ns > end_reserve_ns ? budget_ns - end_reserve_ns : 1);
	return t;
}

void timetable_free(timetable *t)
{
	if (t == NULL)
		return;
	free(t->needs);
	free(t);
}

void timetable_took(timetable *t, uint64_t beside_ns)
{
	/* The newest counts half: what else the machine does comes and goes. */
	t->beside_ns = t->beside_ns == 0 ? beside_ns : t->beside_ns / 2 + beside_ns / 2;
}

bool timetable_over(const timetable *t, uint64_t now_ns)
{
	return t->end_ns != 0 && now_ns + t->beside_ns / 2 >= t->end_ns;
}

bool timetable_late(const timetable *t, uint64_t now_ns)
{
	return t->end_ns != 0 && now_ns >= t->end_ns + t->reserve_ns / 2;
}

uint64_t timetable_slice(const timetable *t, uint64_t now_ns, uint64_t execution, size_t index,
                         const bool *left)
{
	double later = (double)(t->executions - execution), needs = 0, cases = 0, time;

	if (t->end_ns == 0)
		return UINT64_MAX;
	for (size_t i = 0; i < t->cases; i++) {
		needs += t->needs[i] * (later + left[i]);
		cases += later + left[i];
	}
	time = (double)t->end_ns - (double)now_ns - cases * (double)t->beside_ns -
	       later * (double)t->start_ns;
	return time > 0 && needs > 0 ? (uint64_t)(time * t->needs[index] / needs) : 0;
}
