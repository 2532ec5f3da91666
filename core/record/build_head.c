/* SPDX-License-Identifier: Apache-2.0 */
/* What a record says beside its rows, from the lines of the journal. */
#include <string.h>

#include "base/json.h"
#include "record/builder.h"

static cJSON *copy_or(const cJSON *object, const char *key, cJSON *(*make)(void))
{
	const cJSON *item = json_path(object, key);

	return item != NULL ? cJSON_Duplicate(item, true) : make();
}

static size_t lines_of(const builder *b, uint64_t execution)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < b->line_count; i++)
		count += b->lines[i].execution == execution;
	return count;
}

/* What the pilot planned for this executor; NULL when there was none. */
static const cJSON *pilot_plan_of(const builder *b)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, json_path(b->pilot, "executors"))
		if (strcmp(json_string(item, "name", ""), b->executor) == 0)
			return item;
	return NULL;
}

static uint64_t planned_executions(const builder *b)
{
	const cJSON *executions = json_path(b->run, "executions");
	uint64_t count = 0;

	if (json_uint(pilot_plan_of(b), "planned", &count))
		return count;
	if (!json_uint(executions, "planned", &count))
		(void)json_uint(executions, "declared", &count);
	return count;
}

/* The pilot beside its plan: the case that needs most decides. */
static void add_pilot(const builder *b, cJSON *executions)
{
	const cJSON *plan = pilot_plan_of(b);
	const cJSON *deciding = NULL;
	const cJSON *item;
	uint64_t most_needed = 0;
	uint64_t value = 0;
	cJSON *pilot;

	if (plan == NULL)
		return;
	(void)json_uint(plan, "planned", &value);
	json_add_uint(executions, "planned", value);
	pilot = json_add_object(executions, "pilot");
	(void)json_uint(b->pilot, "executions", &value);
	json_add_uint(pilot, "executions", value);
	(void)json_uint(b->pilot, "most", &value);
	json_add_uint(pilot, "most", value);
	json_add_bool(pilot, "reached", json_bool(plan, "reached", false));
	cJSON_ArrayForEach(item, json_path(plan, "cases"))
		if (json_uint(item, "needed", &value) && value > most_needed) {
			most_needed = value;
			deciding = item;
		}
	if (deciding != NULL)
		json_set(pilot, "deciding", cJSON_Duplicate(deciding, true));
}

/* Appends the executor's places in a line's order; returns how many of them have all cases. */
static uint64_t take_order(const builder *b, const cJSON *line, cJSON *order)
{
	const cJSON *item;
	uint64_t done = 0;

	cJSON_ArrayForEach(item, json_path(line, "order")) {
		uint64_t execution = 0;
		uint64_t position = 0;
		size_t count;
		cJSON *entry;

		if (strcmp(json_string(item, "executor", ""), b->executor) != 0 ||
		    !json_uint(item, "execution", &execution) ||
		    !json_uint(item, "position", &position))
			continue;
		count = lines_of(b, execution);
		if (count == 0)
			continue;
		done += count == b->case_count;
		entry = cJSON_CreateObject();
		json_add_uint(entry, "execution", execution);
		json_add_uint(entry, "position", position);
		cJSON_AddItemToArray(order, entry);
	}
	return done;
}

static cJSON *head_run(const builder *b, bool *whole)
{
	cJSON *run = cJSON_CreateObject();
	cJSON *executions;
	cJSON *order;
	uint64_t declared = 0;
	uint64_t done;
	uint64_t planned_count = planned_executions(b);

	json_add_string(run, "id", json_string(b->run, "id", ""));
	cJSON_AddItemToObject(run, "seed", copy_or(b->run, "seed", cJSON_CreateNull));
	json_add_string(run, "started", json_string(b->run, "started", ""));
	json_add_string(run, "ended", json_string(b->end, "ended", ""));
	executions = json_add_object(run, "executions");
	order = json_add_array(run, "order");
	done = take_order(b, b->run, order) + take_order(b, b->pilot, order);
	(void)json_uint(json_path(b->run, "executions"), "declared", &declared);
	json_add_uint(executions, "declared", declared);
	json_add_uint(executions, "done", done);
	add_pilot(b, executions);
	if (b->noise != NULL)
		json_set(run, "noise_floor", cJSON_Duplicate(b->noise, true));
	*whole = done >= planned_count;
	return run;
}

static cJSON *head_protocol(const builder *b)
{
	cJSON *protocol = cJSON_Duplicate(json_path(b->run, "protocol"), true);
	cJSON *deviations = cJSON_GetObjectItemCaseSensitive(protocol, "deviations");
	const cJSON *item;

	if (!cJSON_IsArray(deviations))
		deviations = json_set(protocol, "deviations", cJSON_CreateArray());
	cJSON_ArrayForEach(item, b->deviations)
		json_append_string(deviations, item->valuestring);
	return protocol;
}

static cJSON *head_who(const builder *b)
{
	cJSON *who = copy_or(b->run, "who", cJSON_CreateObject);

	if (json_path(who, "verified") == NULL)
		json_add_bool(who, "verified", false);
	return who;
}

/* A backend whose device could not even be opened leaves no record; its rows say why. */
static cJSON *head_executor(const builder *b)
{
	cJSON *record;

	if (b->record != NULL)
		return cJSON_Duplicate(b->record, true);
	record = cJSON_CreateObject();
	json_add_string(record, "name", b->executor);
	json_add_string(record, "digest", "");
	json_add_bool(record, "simulated", false);
	json_add_object(record, "device");
	json_add_array(record, "layers");
	return record;
}

cJSON *builder_head(const builder *b, bool *whole)
{
	cJSON *head = cJSON_CreateObject();

	cJSON_AddItemToObject(head, "harness", copy_or(b->run, "harness", cJSON_CreateObject));
	cJSON_AddItemToObject(head, "who", head_who(b));
	cJSON_AddItemToObject(head, "protocol", head_protocol(b));
	cJSON_AddItemToObject(head, "run", head_run(b, whole));
	cJSON_AddItemToObject(head, "executor", head_executor(b));
	cJSON_AddItemReferenceToObject(head, "instruments", b->instruments);
	return head;
}
