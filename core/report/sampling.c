/* SPDX-License-Identifier: Apache-2.0 */
#include "report/sampling.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

/* Ended by its half-width, not by its time or by a scenario. */
static bool by_width(const cJSON *row, const cJSON *execution)
{
	return strcmp(json_string(execution, "status", ""), "valid") == 0 &&
	       json_path(execution, "half_width") != NULL &&
	       json_path(execution, "sustained") == NULL &&
	       json_path(row, "measure.scenario") == NULL;
}

/* What the executions that converged took, and would have taken with `fixed` samples each. */
typedef struct tally {
	size_t samples, series, most;
	double taken_ns, fixed_ns;
} tally;

static void add_series(tally *to, const cJSON *execution, size_t fixed)
{
	size_t count = 0;
	uint64_t *ns = json_uints(execution, "samples_ns", &count);
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (double)ns[i];
	free(ns);
	if (count == 0)
		return;
	to->samples += count;
	to->series++;
	to->most = count > to->most ? count : to->most;
	to->taken_ns += sum;
	to->fixed_ns += sum / (double)count * (double)fixed;
}

static tally add_up(const result *r, size_t fixed)
{
	tally sum = { 0 };

	for (size_t i = 0; i < r->row_count; i++) {
		const cJSON *e;

		cJSON_ArrayForEach(e, json_path(r->rows[i].json, "executions"))
			if (by_width(r->rows[i].json, e))
				add_series(&sum, e, fixed);
	}
	return sum;
}

char *sampling_sentence(const result *r)
{
	size_t most = add_up(r, 0).most;
	tally sum = add_up(r, most);
	char taken[32], fixed[32];

	if (sum.series == 0 || !(sum.taken_ns > 0))
		return NULL;
	text_format_ns(sum.taken_ns, taken);
	text_format_ns(sum.fixed_ns, fixed);
	return memory_format("%zu samples in %s until each of %zu intervals was narrow enough; one number of "
	                     "samples for all would have to be %zu for that, and take %s, %.2g times the "
	                     "time", sum.samples, taken, sum.series, most, fixed,
	                     sum.fixed_ns / sum.taken_ns);
}
