/* SPDX-License-Identifier: Apache-2.0 */
#include "run/schedule.h"

#include <stdlib.h>

#include "base/random.h"
#include "base/text.h"

static size_t *shuffled(uint64_t seed, bool shuffle, size_t count)
{
	size_t *items = memory_get((count + 1) * sizeof(*items));
	random_state r;

	for (size_t i = 0; i < count; i++)
		items[i] = i;
	if (shuffle) {
		random_seed(&r, seed);
		random_shuffle(&r, items, count);
	}
	return items;
}

schedule_slot *schedule_slots(uint64_t seed, bool interleave, uint64_t executions,
                              size_t executors)
{
	schedule_slot *slots = memory_get(((size_t)executions * executors + 1) * sizeof(*slots));
	size_t at = 0;

	for (uint64_t n = 1; n <= executions; n++) {
		size_t *order = shuffled(random_derive(seed, "executors", n), interleave, executors);

		for (size_t i = 0; i < executors; i++, at++) {
			slots[at].execution = n;
			slots[at].executor = order[i];
			slots[at].position = at + 1;
		}
		free(order);
	}
	return slots;
}

schedule_slot *schedule_more(uint64_t seed, bool interleave, uint64_t done, const uint64_t *planned,
                             size_t executors, size_t *count)
{
	schedule_slot *slots;
	uint64_t last = done;
	size_t position = (size_t)done * executors;

	for (size_t i = 0; i < executors; i++)
		last = planned[i] > last ? planned[i] : last;
	slots = memory_get(((size_t)(last - done) * executors + 1) * sizeof(*slots));
	*count = 0;
	for (uint64_t n = done + 1; n <= last; n++) {
		size_t *order = shuffled(random_derive(seed, "executors", n), interleave, executors);

		for (size_t i = 0; i < executors; i++)
			if (planned[order[i]] >= n)
				slots[(*count)++] = (schedule_slot){ n, order[i], ++position };
		free(order);
	}
	return slots;
}

size_t *schedule_cases(uint64_t seed, bool interleave, uint64_t execution, size_t cases)
{
	return shuffled(random_derive(seed, "cases", execution), interleave, cases);
}
