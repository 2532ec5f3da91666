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

char *sampling_sentence(const result *r)
{
	double taken_ns = 0, fixed_ns = 0;
	char taken[32], fixed[32];
	size_t samples = 0, series = 0;

	for (size_t i = 0; i < r->row_count; i++) {
		const cJSON *e;

		cJSON_ArrayForEach(e, json_path(r->rows[i].json, "executions")) {
			size_t count = 0;
			uint64_t *ns = by_width(r->rows[i].json, e) ? json_uints(e, "samples_ns", &count) :
			                                              NULL;
			double sum = 0;

			for (size_t k = 0; k < count; k++)
				sum += (double)ns[k];
			free(ns);
			if (count == 0)
				continue;
			samples += count;
			series++;
			taken_ns += sum;
			fixed_ns += sum / (double)count * SAMPLING_FIXED;
		}
	}
	if (series == 0 || !(taken_ns > 0))
		return NULL;
	text_format_ns(taken_ns, taken);
	text_format_ns(fixed_ns, fixed);
	return memory_format("%zu samples in %s until their intervals were narrow enough; always %d would be "
	                     "%zu in %s, %.2g times the time", samples, taken, SAMPLING_FIXED,
	                     series * SAMPLING_FIXED, fixed, fixed_ns / taken_ns);
}
