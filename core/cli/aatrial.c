/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/aatrial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/fresh.h"
#include "base/log.h"
#include "base/paths.h"
#include "base/text.h"
#include "contract/contract.h"
#include "stat/noisefloor.h"
#include "record/result.h"
#include "run/run.h"

typedef struct trial {
	const aatrial_options *options;
	fresh folder;       /* of all runs                                                    */
	noise_record_list records; /* one per executor; cases have their ratios               */
	uint64_t began_ns;
} trial;

/* ---- the folder ------------------------------------------------------------------------------ */

static eh_status folder_make(trial *t, eh_error *error)
{
	char *temporary = paths_temporary();
	eh_status status = fresh_open_temporary(&t->folder, temporary, true, error);

	free(temporary);
	return status;
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

static noise_record *record_new(trial *t, const record_result *r)
{
	noise_record *record = layout_append(noise_record_layout(), &t->records);
	char now[24];

	clock_wall_text(now);
	record->format = NOISE_FORMAT;
	record->format_version = 1;
	text_set(&record->executor, r->executor.name);
	text_set(&record->executor_digest, r->executor.digest);
	text_set(&record->measured_at, now);
	record->pairs = t->options->pairs;
	text_set(&record->harness.version, r->harness.version);
	text_set(&record->harness.commit, r->harness.commit);
	text_set(&record->device, r->executor.device.name);
	text_set(&record->protocol.name, r->protocol.name);
	record->protocol.version = r->protocol.version;
	text_set(&record->protocol.digest, r->protocol.digest);
	return record;
}

static noise_record *record_of(trial *t, const record_result *r)
{
	for (size_t i = 0; i < t->records.count; i++)
		if (strcmp(t->records.items[i].executor, r->executor.name) == 0)
			return &t->records.items[i];
	return record_new(t, r);
}

static noise_case *case_of(noise_record *record, const comparison_row *row)
{
	noise_case *c;

	for (size_t i = 0; i < record->cases.count; i++)
		if (strcmp(record->cases.items[i].id, row->id) == 0)
			return &record->cases.items[i];
	c = layout_append(noise_case_layout(), &record->cases);
	text_set(&c->id, row->id);
	text_set(&c->workload, row->a->record->workload);
	return c;
}

/* The ratio of the centers that a comparison shows, whatever its rules say: on a noisy machine they
 * may refuse much. */
static void take_rows(noise_record *record, const comparison *c)
{
	for (size_t i = 0; i < c->cases.count; i++) {
		const comparison_row *row = &c->cases.items[i];
		noise_case *to;
		double ratio;

		if (row->baseline == NULL || row->other == NULL)
			continue;
		ratio = row->baseline->median_ns / row->other->median_ns;
		to = case_of(record, row);
		if (ratio > 0 && isfinite(ratio))
			number_list_add(&to->ratios, ratio);
	}
}

static eh_status same_executor(const noise_record *record, const record_executor *e, eh_error *error)
{
	if (record->executor_digest[0] == '\0')
		return error_set(error, EH_E_UNAVAILABLE, "%s could not be started, so it has no noise "
		                 "floor; evenhand run tells why", e->name);
	if (strcmp(record->executor_digest, e->digest) == 0)
		return EH_OK;
	return error_set(error, EH_E_UNAVAILABLE, "%s changed while it was calibrated (its digest was "
	                 "%.12s and is %.12s); calibrate again when nothing changes it", e->name,
	                 record->executor_digest, e->digest);
}

static eh_status take_pair(trial *t, const char *first, const char *second, eh_error *error)
{
	result *a = NULL, *b = NULL;
	eh_status status = result_read(first, &a, error);
	comparison *c = NULL;
	noise_record *record;

	if (status == EH_OK)
		status = result_read(second, &b, error);
	if (status != EH_OK)
		goto undo;
	record = record_of(t, a->record);
	status = same_executor(record, &a->record->executor, error);
	if (status == EH_OK)
		status = same_executor(record, &b->record->executor, error);
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

		status = result_build(outcome->journal, outcome->executors[i], outcome->complete,
		                      NULL, path, NULL, error);
		free(path);
	}
	return status;
}

static eh_status pair_once(trial *t, size_t pair, eh_error *error)
{
	char *folders[2];
	run_outcome outcome = { 0 };
	eh_status status = EH_OK;
	size_t count = 0;

	for (size_t k = 0; k < 2; k++) {
		folders[k] = memory_format("%s/%zu", t->folder.path, 2 * pair + k);
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

eh_status aatrial_run(const aatrial_options *options, noise_record_list *out, eh_error *error)
{
	trial t = { .options = options, .began_ns = clock_now_ns() };
	eh_status status = folder_make(&t, error);
	int level = log_level();

	if (status != EH_OK)
		return status;
	for (size_t i = 0; i < options->pairs && status == EH_OK; i++) {
		status = pair_once(&t, i, error);
		/* Warnings of the first pair are not repeated. */
		if (level == EH_LOG_WARN)
			log_set_level(EH_LOG_ERROR);
	}
	log_set_level(level);
	fresh_drop(&t.folder);
	if (status == EH_E_IO) {
		char *why = memory_text(error->message);

		(void)error_set(error, status, "%s; nothing was stored: make room, or set TMPDIR to a "
		                "folder that has some", why);
		free(why);
	}
	*out = t.records;
	return status;
}
