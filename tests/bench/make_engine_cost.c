/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what the engine does between two samples, in nanoseconds of host time: median, 90 % and
 * 99 % over some thousands. */
#include "../unit/engine_cost.h"

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	static engine_cost cost;
	record_execution *record = engine_measure(&cost, 3000, false);

	if (record == NULL || cost.gaps < 1000) {
		fprintf(stderr, "make_engine_cost: nothing was measured\n");
		return 1;
	}
	layout_free(record_execution_layout(), record);
	qsort(cost.gaps_ns, cost.gaps, sizeof(cost.gaps_ns[0]), compare);
	printf("%llu %llu %llu %zu\n", (unsigned long long)cost.gaps_ns[cost.gaps / 2],
	       (unsigned long long)cost.gaps_ns[cost.gaps * 9 / 10],
	       (unsigned long long)cost.gaps_ns[cost.gaps * 99 / 100], cost.gaps);
	return 0;
}
