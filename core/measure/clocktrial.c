/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/clocktrial.h"

#include <sched.h>
#include <string.h>

#include "measure/canary.h"

enum {
	READS = 4096,          /* where the thread happens to be                               */
	READS_EACH = 64,       /* on each processor                                            */
	ROUNDS = 2,            /* over all processors                                          */
	MOST_PROCESSORS = 64,  /* of a round                                                   */
	MARKS = 32
};

static void decide(record_order_trial *out)
{
	text_set(&out->verdict, out->steps_back == 0 ? "monotonic" : "steps back");
}

static void note(record_order_trial *out, uint64_t before, uint64_t now)
{
	out->readings++;
	if (now >= before)
		return;
	out->steps_back++;
	if (before - now > out->largest_ns)
		out->largest_ns = before - now;
}

static uint64_t read_often(uint64_t (*now)(void), uint64_t last, int count, record_order_trial *out)
{
	for (int i = 0; i < count; i++) {
		uint64_t next = now();

		note(out, last, next);
		last = next;
	}
	return last;
}

void clocktrial_host(uint64_t (*now)(void), record_order_trial *out)
{
	cpu_set_t own;
	cpu_set_t all;
	cpu_set_t allowed;
	uint64_t last = now();

	out->processors = 1;
	last = read_often(now, last, READS, out);
	decide(out);
	if (sched_getaffinity(0, sizeof(own), &own) != 0)
		return;
	/* A backend may have bound this thread; other threads read the clock anywhere. */
	memset(&all, 0xff, sizeof(all));
	if (sched_setaffinity(0, sizeof(all), &all) != 0 ||
	    sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		allowed = own;
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t visited = 0;

		for (int cpu = 0; cpu < CPU_SETSIZE && visited < MOST_PROCESSORS; cpu++) {
			cpu_set_t one;

			if (!CPU_ISSET(cpu, &allowed))
				continue;
			CPU_ZERO(&one);
			CPU_SET(cpu, &one);
			if (sched_setaffinity(0, sizeof(one), &one) != 0)
				continue;
			visited++;
			last = read_often(now, last, READS_EACH, out);
		}
		if (visited > out->processors)
			out->processors = visited;
	}
	(void)sched_setaffinity(0, sizeof(own), &own);
	decide(out);
}

eh_status clocktrial_device(const session *s, struct canary *work, record_order_trial *out,
                            bool *borrowed, eh_error *error)
{
	const eh_backend_ops *ops = s->ops;
	eh_mark *marks[MARKS] = { NULL };
	uint64_t before = 0;
	int equal[2] = { 0 };  /* neighbours of one time, with and without work between them    */
	eh_status status = EH_OK;

	for (int i = 0; i < MARKS && status == EH_OK; i++)
		status = ops->mark_create(s->device, EH_TIMED, &marks[i], error);
	for (int i = 0; i < MARKS && status == EH_OK; i++) {
		status = ops->mark_record(s->queue, marks[i], error);
		/* Marks with and without work between them. */
		if (status == EH_OK && i % 2 == 1)
			status = canary_nothing(work, error);
	}
	if (status == EH_OK)
		status = ops->mark_wait(marks[MARKS - 1], error);
	for (int i = 1; i < MARKS && status == EH_OK; i++) {
		uint64_t since = 0;

		status = ops->mark_elapsed(marks[0], marks[i], &since, error);
		if (status == EH_OK)
			note(out, before, since);
		equal[i % 2] += since == before;
		before = since;
	}
	*borrowed = status == EH_OK && equal[1] == MARKS / 2 && equal[0] < MARKS / 4;
	decide(out);
	(void)ops->queue_wait(s->queue, NULL);
	for (int i = MARKS; i-- > 0;)
		if (marks[i] != NULL)
			ops->mark_destroy(marks[i]);
	return status;
}
