/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a side recognises repeated work, by the pairs that its executions recorded. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "contract/condition.h"
#include "measure/varied.h"

/* The pairs of all counted executions: each has few where writing new inputs takes long. */
static bool recognises(const result_row *r)
{
	uint64_t *fresh = NULL;
	uint64_t *repeated = NULL;
	size_t count = 0;
	bool differs;
	const cJSON *e;

	cJSON_ArrayForEach(e, json_path(r->json, "executions")) {
		const cJSON *pairs = json_path(e, "varied");
		size_t n = 0;
		size_t m = 0;
		uint64_t *a = json_uints(pairs, "new_ns", &n);
		uint64_t *b = json_uints(pairs, "repeated_ns", &m);

		n = n < m ? n : m;
		if (n > 0 && condition_counts(e)) {
			fresh = memory_grow(fresh, (count + n) * sizeof(*fresh));
			repeated = memory_grow(repeated, (count + n) * sizeof(*repeated));
			memcpy(fresh + count, a, n * sizeof(*fresh));
			memcpy(repeated + count, b, n * sizeof(*repeated));
			count += n;
		}
		free(b);
		free(a);
	}
	differs = varied_differs(fresh, repeated, count);
	free(repeated);
	free(fresh);
	return differs;
}

CONDITION(condition_varied)
{
	(void)a;
	(void)b;
	return condition_either(recognises(x), recognises(y), "another time on new inputs", detail, size);
}
