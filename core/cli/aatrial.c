/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/aatrial.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "contract/contract.h"
#include "stat/noisefloor.h"
#include "record/result.h"
#include "run/noise.h"
#include "run/run.h"

typedef struct trial {
	const aatrial_options *options;
	char *folder;       /* of all runs                                                    */
	cJSON *records;     /* [executor]; cases have their ratios                            */
	uint64_t began_ns;
} trial;

/* ---- the folder ------------------------------------------------------------------------------ */

static eh_status folder_make(trial *t, eh_error *error)
{
	const char *temporary = getenv("TMPDIR");

	t->folder = memory_format("%s/evenhand-calibrate-XXXXXX", temporary != NULL &&
	                          temporary[0] == '/' ? temporary : "/tmp");
	if (mkdtemp(t->folder) != NULL)
		return EH_OK;
	return error_system(error, errno, "cannot make a folder %s; set TMPDIR", t->folder);
}

/* The files of a run, then its folder; what cannot be removed is left. */
static void run_remove(const char *folder)
{
	char **names = dir_list(folder, "", NULL);

	for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
		char *path = path_join(folder, names[i]);

		(void)unlink(path);
		free(path);
	}
	dir_list_free(names);
	(void)rmdir(folder);
}

/* ---- one pair -------------------------------------------------------------------------------- */

static cJSON *record_new(const trial *t, const result *r)
{
	cJSON *record = cJSON_CreateObject(), *object;
	char now[24];

	clock_wall_text(now);
	json_add_string(record, "format", NOISE_FORMAT);
	json_add_uint(record, "format_version", 1);
	json_add_string(record, "executor", r->executor);
	json_add_string(record, "executor_digest",
	                json_string(json_path(r->root, "executor"), "digest", ""));
	json_add_string(record, "measured_at", now);
	json_add_uint(record, "pairs", t->options->pairs);
	object = json_add_object(record, "harness");
	json_add_string(object, "version", json_string(json_path(r->root, "harness"), "version", ""));
	json_add_string(object, "commit", json_string(json_path(r->root, "harness"), "commit", ""));
	json_add_string(record, "device",
	                json_string(json_path(r->root, "executor.device"), "name", ""));
	object = json_add_object(record, "protocol");
	json_add_string(object, "name", r->protocol_name);
	json_add_uint(object, "version", r->protocol_version);
	json_add_string(object, "digest", r->protocol_digest);
	json_add_array(record, "cases");
	return record;
}

static cJSON *record_of(const trial *t, const result *r)
{
	cJSON *item;

	cJSON_ArrayForEach(item, t->records)
		if (strcmp(json_string(item, "executor", ""), r->executor) == 0)
			return item;
	item = record_new(t, r);
	cJSON_AddItemToArray(t->records, item);
	return item;
}

static cJSON *ratios_of_case(cJSON *record, const comparison_row *row)
{
	cJSON *cases = cJSON_GetObjectItemCaseSensitive(record, "cases"), *item;

	cJSON_ArrayForEach(item, cases)
		if (strcmp(json_string(item, "id", ""), row->id) == 0)
			return cJSON_GetObjectItemCaseSensitive(item, "ratios");
	item = cJSON_CreateObject();
	json_add_string(item, "id", row->id);
	json_add_string(item, "workload", row->a->workload);
	cJSON_AddItemToArray(cases, item);
	return json_add_array(item, "ratios");
}

/* The ratio is that of the centers that a comparison shows, whatever else its rules say: of a noisy
 * machine they may say much. */
static void take_rows(cJSON *record, const comparison *c)
{
	for (size_t i = 0; i < c->cases.count; i++) {
		const comparison_row *row = &c->cases.items[i];
		cJSON *ratios;
		double ratio;

		if (row->baseline == NULL || row->other == NULL)
			continue;
		ratio = row->baseline->median_ns / row->other->median_ns;
		ratios = ratios_of_case(record, row);
		if (ratio > 0 && isfinite(ratio))
			cJSON_AddItemToArray(ratios, cJSON_CreateNumber(ratio));
	}
}

static eh_status same_executor(const cJSON *record, const result *r, eh_error *error)
{
	const char *first = json_string(record, "executor_digest", "");
	const char *digest = json_string(json_path(r->root, "executor"), "digest", "");

	if (first[0] == '\0')
		return error_set(error, EH_E_UNAVAILABLE, "%s could not be started, so it has no noise "
		                 "floor; evenhand run tells why", r->executor);
	if (strcmp(first, digest) == 0)
		return EH_OK;
	return error_set(error, EH_E_UNAVAILABLE, "%s changed while it was calibrated (its digest was "
	                 "%.12s and is %.12s); calibrate again when nothing changes it", r->executor,
	                 first, digest);
}

static eh_status take_pair(const trial *t, const char *first, const char *second, eh_error *error)
{
	result *a = NULL, *b = NULL;
	eh_status status = result_read(first, &a, error);
	comparison *c = NULL;
	cJSON *record;

	if (status == EH_OK)
		status = result_read(second, &b, error);
	if (status != EH_OK)
		goto undo;
	record = record_of(t, a);
	status = same_executor(record, a, error);
	if (status == EH_OK)
		status = same_executor(record, b, error);
	if (status == EH_OK) {
		c = contract_compare(a, b, 0);
		take_rows(record, c);
	}
	comparison_free(c);
undo:
	result_free(a);
	result_free(b);
	return status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void tell(const trial *t, size_t at)
{
	aatrial_progress p = { t->options->protocol, at + 1, 2 * t->options->pairs, 0 };

	if (t->options->report == NULL)
		return;
	if (at > 0)
		p.left_ns = (clock_now_ns() - t->began_ns) / at * (p.runs - at);
	t->options->report(t->options->context, &p);
}

/* Runs the protocol and leaves the result of executor number i as FOLDER/i.json. */
static eh_status run_once(const trial *t, const char *folder, run_outcome *outcome, eh_error *error)
{
	run_options o = { .protocol = t->options->protocol, .selectors = t->options->selectors,
		          .folder = folder, .quiet = true, .temporary = true, .site = t->options->site };
	eh_status status = run_execute(&o, outcome, error);

	if (status == EH_OK && outcome->interrupted)
		status = error_set(error, EH_E_INTERRUPTED, "interrupted; nothing was stored");
	for (size_t i = 0; status == EH_OK && outcome->executors[i] != NULL; i++) {
		char *path = memory_format("%s/%zu.json", folder, i);

		status = result_build(outcome->journal, outcome->executors[i], outcome->complete, path,
		                      NULL, error);
		free(path);
	}
	return status;
}

static eh_status pair_once(const trial *t, size_t pair, eh_error *error)
{
	char *folders[2];
	run_outcome outcome = { 0 };
	eh_status status = EH_OK;
	size_t count = 0;

	for (size_t k = 0; k < 2; k++) {
		folders[k] = memory_format("%s/%zu", t->folder, 2 * pair + k);
		if (status != EH_OK)
			continue;
		tell(t, 2 * pair + k);
		run_outcome_free(&outcome);
		status = run_once(t, folders[k], &outcome, error);
	}
	while (outcome.executors != NULL && outcome.executors[count] != NULL)
		count++;
	for (size_t i = 0; i < count && status == EH_OK; i++) {
		char *first = memory_format("%s/%zu.json", folders[0], i);
		char *second = memory_format("%s/%zu.json", folders[1], i);

		status = take_pair(t, first, second, error);
		free(first);
		free(second);
	}
	for (size_t k = 0; k < 2; k++) {
		run_remove(folders[k]);
		free(folders[k]);
	}
	run_outcome_free(&outcome);
	return status;
}

/* Cases of too few ratios leave the record. */
static void drop_missing(cJSON *record)
{
	cJSON *cases = cJSON_GetObjectItemCaseSensitive(record, "cases");
	cJSON *missing = json_add_array(record, "missing");

	for (int i = cJSON_GetArraySize(cases) - 1; i >= 0; i--) {
		const cJSON *item = cJSON_GetArrayItem(cases, i);

		if (cJSON_GetArraySize(json_path(item, "ratios")) >= NOISEFLOOR_LEAST)
			continue;
		json_append_string(missing, json_string(item, "id", ""));
		cJSON_DeleteItemFromArray(cases, i);
	}
}

eh_status aatrial_run(const aatrial_options *options, cJSON **out, eh_error *error)
{
	trial t = { .options = options, .began_ns = clock_now_ns() };
	eh_status status = folder_make(&t, error);
	int level = log_level();
	cJSON *record;

	if (status != EH_OK)
		goto undo_name;
	t.records = cJSON_CreateArray();
	for (size_t i = 0; i < options->pairs && status == EH_OK; i++) {
		status = pair_once(&t, i, error);
		/* What the first pair warned of need not be said for each. */
		if (level == EH_LOG_WARN)
			log_set_level(EH_LOG_ERROR);
	}
	log_set_level(level);
	(void)rmdir(t.folder);
	if (status == EH_E_IO) {
		char *why = memory_text(error->message);

		(void)error_set(error, status, "%s; nothing was stored: make room, or set TMPDIR to a "
		                "folder that has some", why);
		free(why);
	}
	if (status != EH_OK) {
		cJSON_Delete(t.records);
		goto undo_name;
	}
	cJSON_ArrayForEach(record, t.records)
		drop_missing(record);
	*out = t.records;
undo_name:
	free(t.folder);
	return status;
}
