/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from a sustained series: its windows, the best and the steady one, energy. */
#include <stdlib.h>

#include "base/json.h"
#include "stat/windows.h"
#include "record/rowpool.h"

static void add_each(cJSON *to, const char *key, const windows *w, bool rates)
{
	cJSON *array = json_add_array(to, key);
	cJSON *carrier = cJSON_CreateObject();

	for (size_t i = 0; i < w->count; i++) {
		json_add_double(carrier, "v", rates ? w->list[i].rate : w->list[i].median_ns);
		cJSON_AddItemToArray(array, cJSON_DetachItemFromObjectCaseSensitive(carrier, "v"));
	}
	cJSON_Delete(carrier);
}

/* Of one operation, all and without what the device takes at rest. */
static void add_energy(cJSON *to, const cJSON *sustained)
{
	const cJSON *energy = json_path(sustained, "energy");
	uint64_t operations = 0;
	double joules;
	double seconds;
	double idle;

	if (energy == NULL || !json_uint(sustained, "operations", &operations) || operations == 0 ||
	    !json_double(energy, "joules", &joules) || !json_double(energy, "seconds", &seconds))
		return;
	json_add_double(to, "joules_each", joules / (double)operations);
	if (json_double(energy, "idle_watts", &idle))
		json_add_double(to, "net_joules_each", (joules - idle * seconds) / (double)operations);
}

static cJSON *derive_one(const cJSON *execution, const cJSON *sustained)
{
	cJSON *out = NULL;
	uint64_t window_ns = 0;
	uint64_t number = 0;
	uint64_t batch = 0;
	size_t count = 0;
	size_t starts_count = 0;
	uint64_t *times = json_uints(execution, "samples_ns", &count);
	uint64_t *starts = json_uints(execution, "starts_ns", &starts_count);
	windows w;

	if (times == NULL || starts == NULL || count != starts_count ||
	    !json_uint(execution, "batch", &batch) || !json_uint(sustained, "window_ns", &window_ns) ||
	    !windows_make(times, starts, count, batch, window_ns, &w))
		goto undo;
	(void)json_uint(execution, "execution", &number);
	out = cJSON_CreateObject();
	json_add_uint(out, "execution", number);
	add_each(out, "rates", &w, true);
	add_each(out, "medians_ns", &w, false);
	json_add_uint(out, "steady_first", w.steady_first);
	json_add_double(out, "best", w.best);
	json_add_double(out, "steady", w.steady);
	json_add_double(out, "ratio", w.ratio);
	add_energy(out, sustained);
	windows_free(&w);
undo:
	free(times);
	free(starts);
	return out;
}

void record_derive_sustained(const cJSON *row, cJSON *out)
{
	cJSON *list = NULL;
	const cJSON *e;

	cJSON_ArrayForEach(e, json_path(row, "executions")) {
		const cJSON *sustained = json_path(e, "sustained");
		cJSON *item;

		if (sustained == NULL || !pool_counts(e))
			continue;
		item = derive_one(e, sustained);
		if (item == NULL)
			continue;
		if (list == NULL)
			list = json_add_array(out, "sustained");
		cJSON_AddItemToArray(list, item);
	}
}
