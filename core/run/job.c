/* SPDX-License-Identifier: Apache-2.0 */
#include "run/job.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/text.h"

char *job_text(const job *j)
{
	cJSON *root = cJSON_CreateObject(), *list;
	char *body;

	json_add_string(root, "journal", j->journal);
	json_add_string(root, "plugin", j->plugin);
	json_add_string(root, "executor", j->executor);
	json_add_uint(root, "execution", j->execution);
	json_add_uint(root, "coordinator", j->coordinator);
	json_add_bool(root, "canary", j->canary);
	json_add_bool(root, "progress", j->progress);
	json_add_bool(root, "replacement", j->replacement);
	json_add_string(root, "protocol_source", j->protocol_source);
	json_add_string(root, "protocol_text", j->protocol_text);
	json_add_string(root, "protocol_digest", j->protocol_digest);
	json_add_uint(root, "protocol_seed", j->protocol_seed);
	list = json_add_array(root, "options");
	for (size_t i = 0; j->options != NULL && j->options[i] != NULL; i++)
		json_append_string(list, j->options[i]);
	list = json_add_array(root, "without");
	for (size_t i = 0; j->without != NULL && j->without[i] != NULL; i++)
		json_append_string(list, j->without[i]);
	list = json_add_array(root, "cases");
	for (size_t i = 0; i < j->case_count; i++)
		json_append_string(list, j->cases[i].id);
	list = json_add_array(root, "positions");
	for (size_t i = 0; i < j->case_count; i++)
		cJSON_AddItemToArray(list, cJSON_CreateNumber((double)j->cases[i].position));
	body = json_text(root, false);
	cJSON_Delete(root);
	return body;
}

/* A job as it was read: the texts belong to the JSON. */
typedef struct read_job {
	job job; /* first: a job * is a read_job * */
	cJSON *root;
	const char **options, **without;
} read_job;

/* NULL-terminated; the texts stay the list's. */
static const char **read_texts(const cJSON *list)
{
	const char **out = memory_get(((size_t)cJSON_GetArraySize(list) + 1) * sizeof(*out));
	const cJSON *item;
	size_t i = 0;

	cJSON_ArrayForEach(item, list)
		if (cJSON_IsString(item))
			out[i++] = item->valuestring;
	return out;
}

static bool read_lists(read_job *r)
{
	const cJSON *cases = json_path(r->root, "cases"), *item;
	size_t positions = 0, i = 0;
	uint64_t *position = json_uints(r->root, "positions", &positions);

	r->job.options = r->options = read_texts(json_path(r->root, "options"));
	r->job.without = r->without = read_texts(json_path(r->root, "without"));

	r->job.case_count = (size_t)cJSON_GetArraySize(cases);
	r->job.cases = memory_get((r->job.case_count + 1) * sizeof(*r->job.cases));
	cJSON_ArrayForEach(item, cases) {
		if (!cJSON_IsString(item) || i >= positions)
			break;
		r->job.cases[i].id = item->valuestring;
		r->job.cases[i].position = (size_t)position[i];
		i++;
	}
	free(position);
	return i == r->job.case_count && positions == i;
}

eh_status job_read(const char *body, size_t size, job **out, eh_error *error)
{
	read_job *r = memory_get(sizeof(*r));
	job *j = &r->job;
	eh_status status = json_parse(body, size, "the job", &r->root, error);
	bool lists;

	if (status != EH_OK) {
		free(r);
		return status;
	}
	j->journal = json_string(r->root, "journal", NULL);
	j->plugin = json_string(r->root, "plugin", NULL);
	j->executor = json_string(r->root, "executor", NULL);
	j->protocol_source = json_string(r->root, "protocol_source", NULL);
	j->protocol_text = json_string(r->root, "protocol_text", NULL);
	j->protocol_digest = json_string(r->root, "protocol_digest", NULL);
	j->canary = json_bool(r->root, "canary", false);
	j->progress = json_bool(r->root, "progress", false);
	j->replacement = json_bool(r->root, "replacement", false);
	lists = read_lists(r);
	if (!lists || j->journal == NULL || j->plugin == NULL || j->executor == NULL ||
	    j->protocol_source == NULL || j->protocol_text == NULL || j->protocol_digest == NULL ||
	    !json_uint(r->root, "execution", &j->execution) ||
	    !json_uint(r->root, "coordinator", &j->coordinator) ||
	    !json_uint(r->root, "protocol_seed", &j->protocol_seed)) {
		job_free(j);
		return error_set(error, EH_E_FORMAT, "the job is not one of evenhand's; this subcommand "
		                 "is started by `evenhand run` only");
	}
	*out = j;
	return EH_OK;
}

void job_free(job *j)
{
	read_job *r = (read_job *)j;

	if (r == NULL)
		return;
	free(r->job.cases);
	free(r->options);
	free(r->without);
	cJSON_Delete(r->root);
	free(r);
}
